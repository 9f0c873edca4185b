use std::{sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Messages, Outcome, Role, Source, ToolSpec};

use super::super::*;
use crate::{
    AuthScheme, Reasoning, RequestEncoder, ToolChoice, WireOptions,
    openai_chat::OptionalField,
    testing::{
        assistant, body, call, check_growth, encode, file, picture, request, result, thought, user, weather,
    },
};

fn conversation() -> Vec<Arc<Message>> {
    vec![
        user(0, "Weather in \"Paris\"?"),
        assistant(
            1,
            vec![
                thought("Ask.", r#"{"cohere":true}"#),
                thought("not ours", r#"{"anthropic":{"signature":"x"}}"#),
                Block::Text("I look.".into()),
                call("call_1", "weather", r#"{"city": "Paris"}"#),
                call("call_2", "weather", ""),
            ],
        ),
        result(2, "call_1", "sunny", Outcome::Succeeded, vec![picture()]),
        result(3, "call_2", "no city", Outcome::Failed, vec![]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        assistant(5, vec![thought("Done.", r#"{"cohere":true}"#), Block::Text("Sunny.".into())]),
        assistant(6, vec![thought("not ours", "")]),
        assistant(7, vec![Block::Text("Yes.".into())]),
        Arc::new(Message::new(
            MessageId::new(8),
            Role::User,
            vec![
                Block::Text("And this?".into()),
                picture(),
                file("application/pdf", Source::Base64("JVBE".into())),
                file("text/csv", Source::Base64("YSxi".into())),
            ],
        )),
    ]
}

fn encoded(
    dialect: CohereDialect,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> crate::ProviderRequest {
    let view = conversation();
    let mut request = request("cohere/command-a-03-2025", view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(CohereCodec::new(dialect))), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_service_documents_it() {
    let request = encoded(CohereDialect::default(), &WireOptions::default(), |_| {});
    assert_eq!((request.path.as_str(), &request.auth), ("/v2/chat", &AuthScheme::Bearer));
    insta::assert_snapshot!(body(&request), @r##"{"model":"command-a-03-2025","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather in \"Paris\"?"},{"role":"assistant","content":[{"type":"thinking","thinking":"Ask."}],"tool_plan":"I look.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Paris\"}"}},{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"sunny"},{"role":"tool","tool_call_id":"call_2","content":"no city"},{"role":"user","content":[{"type":"text","text":"From the tool weather, call call_1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aWs="}}]},{"role":"system","content":"Be quick."},{"role":"assistant","content":[{"type":"thinking","thinking":"Done."},{"type":"text","text":"Sunny."}]},{"role":"assistant","content":"Yes."},{"role":"user","content":[{"type":"text","text":"And this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aWs="}},{"type":"text","text":"[the file \"note.txt\" (application/pdf) is not shown]"},{"type":"text","text":"The file \"note.txt\":\na,b"}]}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}],"max_tokens":4096,"temperature":0.7,"stream":true}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: crate::Delivery::Whole,
        tool_choice: ToolChoice::Required,
        reasoning: Reasoning::Budget(2000),
        stop: vec!["END".into()],
        extra: Some(Json::parse(r#"{"safety_mode":"NONE","temperature":0}"#).unwrap()),
        ..WireOptions::default()
    };
    let dialect = CohereDialect { schema_with_tools: OptionalField::Sent, ..CohereDialect::default() };
    let request = encoded(dialect, &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
    });
    insta::assert_snapshot!(body(&request), @r##"{"model":"command-a-03-2025","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}],"tool_choice":"REQUIRED","response_format":{"type":"json_object","json_schema":{"type":"object"}},"max_tokens":4096,"thinking":{"type":"enabled","token_budget":2000},"stop_sequences":["END"],"stream":false,"safety_mode":"NONE","temperature":0}"##);
}

#[test]
fn a_chosen_tool_is_the_only_one_shown() {
    let check = |choice: ToolChoice, tools: usize, word: Option<&str>| {
        let options = WireOptions { tool_choice: choice, ..WireOptions::default() };
        let other = ToolSpec::new("other", "Another.", Json::object([("type", "object".into())]));
        let request = request("c/m", 1, vec![weather(), other]);
        let codec: Arc<dyn ProviderCodec> = Arc::new(CohereCodec::default());
        let sent = encode(&mut RequestEncoder::new(codec), &request, &[user(0, "hi")], &options);
        let json = Json::parse(body(&sent)).unwrap();
        assert_eq!(json.get("tools").and_then(Json::as_array).unwrap().len(), tools);
        assert_eq!(json.get("tool_choice").and_then(Json::as_str), word);
    };
    check(ToolChoice::Auto, 2, None);
    check(ToolChoice::None, 2, Some("NONE"));
    check(ToolChoice::Tool("other".into()), 1, Some("REQUIRED"));
    check(ToolChoice::Tool("missing".into()), 2, Some("REQUIRED"));
}

#[test]
fn a_schema_is_not_sent_beside_tools() {
    let check = |tools: Vec<ToolSpec>, expect: bool| {
        let mut request = request("c/m", 1, tools);
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
        let codec: Arc<dyn ProviderCodec> = Arc::new(CohereCodec::default());
        let sent =
            encode(&mut RequestEncoder::new(codec), &request, &[user(0, "hi")], &WireOptions::default());
        assert_eq!(Json::parse(body(&sent)).unwrap().get("response_format").is_some(), expect);
    };
    check(vec![], true);
    check(vec![weather()], false);
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(CohereCodec::default()), &conversation());
}
