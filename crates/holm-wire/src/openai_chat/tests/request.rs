use std::{sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Custom, Message, MessageId, Messages, Outcome, Role, Source, Thinking};

use super::super::*;
use crate::{
    AuthScheme, Effort, Parallel, Reasoning, RequestEncoder, ToolChoice, WireOptions,
    testing::{assistant, body, call, check_growth, encode, file, picture, request, result, user, weather},
};

fn conversation() -> Vec<Arc<Message>> {
    vec![
        user(0, "Weather in \"Paris\"?"),
        assistant(
            1,
            vec![
                Block::Thinking(Thinking { text: "hm".into(), replay: None }),
                call("call_1", "weather", r#"{"city": "Paris"}"#),
                call("call_2", "weather", ""),
            ],
        ),
        result(2, "call_1", "sunny", Outcome::Succeeded, vec![picture()]),
        result(3, "call_2", "no city", Outcome::Failed, vec![]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        assistant(5, vec![Block::Text("Sunny.".into())]),
        Arc::new(Message::new(
            MessageId::new(6),
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
    dialect: OpenaiChatDialect,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> crate::ProviderRequest {
    let view = conversation();
    let mut request = request("openai/gpt-5-mini", view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(OpenaiChatCodec::new(dialect))), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_service_documents_it() {
    let request = encoded(OpenaiChatDialect::default(), &WireOptions::default(), |_| {});
    assert_eq!((request.path.as_str(), &request.auth), ("/chat/completions", &AuthScheme::Bearer));
    insta::assert_snapshot!(body(&request), @r##"{"model":"gpt-5-mini","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather in \"Paris\"?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Paris\"}"}},{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"sunny"},{"role":"tool","tool_call_id":"call_2","content":"no city"},{"role":"user","content":[{"type":"text","text":"From the tool weather, call call_1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aWs="}}]},{"role":"system","content":"Be quick."},{"role":"assistant","content":"Sunny."},{"role":"user","content":[{"type":"text","text":"And this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aWs="}},{"type":"file","file":{"filename":"note.txt","file_data":"data:application/pdf;base64,JVBE"}},{"type":"text","text":"The file \"note.txt\":\na,b"}]}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}],"max_completion_tokens":4096,"temperature":0.7,"stream":true,"stream_options":{"include_usage":true}}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: crate::Delivery::Whole,
        tool_choice: ToolChoice::Tool("weather".into()),
        parallel: Parallel::Forbidden,
        reasoning: Reasoning::Effort(Effort::Low),
        stop: vec!["END".into()],
        extra: Some(Json::parse(r#"{"seed":7,"temperature":0}"#).unwrap()),
        ..WireOptions::default()
    };
    let request = encoded(OpenaiChatDialect::default(), &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        let schema = r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#;
        request.format = Some(Arc::new(Json::parse(schema).unwrap()));
    });
    insta::assert_snapshot!(body(&request), @r##"{"model":"gpt-5-mini","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"weather"}},"parallel_tool_calls":false,"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"}}},"max_completion_tokens":4096,"reasoning_effort":"low","stop":["END"],"seed":7,"temperature":0}"##);
}

#[test]
fn a_dialect_changes_names_ids_and_places() {
    let dialect = OpenaiChatDialect {
        path: "/openai/deployments/{model}/chat/completions".into(),
        query: vec![("api-version".into(), "2024-10-21".into())],
        auth: AuthScheme::Header("api-key".into()),
        max_tokens: MaxTokensField::MaxTokens,
        max_output: Some(1000),
        system: SystemRole::Developer,
        stream_usage: OptionalField::Omitted,
        images: OptionalField::Omitted,
        files: OptionalField::Omitted,
        temperature: OptionalField::Omitted,
        reasoning: ReasoningEcho::Member("reasoning_content".into()),
        tool_ids: ToolIdFormat::Nine,
        ..OpenaiChatDialect::default()
    };
    let request = encoded(dialect, &WireOptions::default(), |_| {});
    assert_eq!(
        request.url("https://res.openai.azure.com/"),
        "https://res.openai.azure.com/openai/deployments/gpt-5-mini/chat/completions?api-version=2024-10-21"
    );
    insta::assert_snapshot!(body(&request), @r##"{"model":"gpt-5-mini","messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Weather in \"Paris\"?"},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"9gD2Dimct","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Paris\"}"}},{"id":"Ytz7idqbt","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"9gD2Dimct","content":"sunny"},{"role":"tool","tool_call_id":"Ytz7idqbt","content":"no city"},{"role":"user","content":[{"type":"text","text":"From the tool weather, call 9gD2Dimct:"},{"type":"text","text":"[a file (image/png) is not shown]"}]},{"role":"developer","content":"Be quick."},{"role":"assistant","content":"Sunny."},{"role":"user","content":[{"type":"text","text":"And this?"},{"type":"text","text":"[a file (image/png) is not shown]"},{"type":"text","text":"[the file \"note.txt\" (application/pdf) is not shown]"},{"type":"text","text":"The file \"note.txt\":\na,b"}]}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}],"max_tokens":1000,"stream":true}"##);
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(OpenaiChatCodec::default()), &conversation());
}

#[test]
fn custom_content_and_missing_files_do_not_break_a_request() {
    let custom = Block::Custom(Custom { kind: "ui".into(), payload: Json::Null });
    let stored = file("text/plain", Source::Reference("blob-1".into()));
    let view = vec![
        Arc::new(Message::new(MessageId::new(0), Role::Custom, vec![custom.clone()])),
        Arc::new(Message::new(MessageId::new(1), Role::User, vec![custom, stored])),
    ];
    let request = request("p/m", view.len(), vec![]);
    let sent = encode(
        &mut RequestEncoder::new(Arc::new(OpenaiChatCodec::default())),
        &request,
        &view,
        &WireOptions::default(),
    );
    insta::assert_snapshot!(body(&sent), @r##"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"[the file \"note.txt\" (text/plain) is not shown]"}]}],"max_completion_tokens":4096,"temperature":0.7,"stream":true,"stream_options":{"include_usage":true}}"##);
}

#[test]
fn a_message_is_encoded_once() {
    let view = conversation();
    let mut encoder = RequestEncoder::new(Arc::new(OpenaiChatCodec::default()));
    let first = encode(&mut encoder, &request("p/m", view.len(), vec![]), &view, &WireOptions::default());
    // Messages that were encoded are not looked at again, so that a turn costs only what is new.
    let replaced: Vec<Arc<Message>> = view.iter().map(|_| user(9, "never read")).collect();
    let second =
        encode(&mut encoder, &request("p/m", view.len(), vec![]), &replaced, &WireOptions::default());
    assert_eq!(body(&first), body(&second));
}

#[test]
fn strictness_is_claimed_only_where_the_schema_keeps_the_rules() {
    let check = |schema: &str, strict: bool| {
        let sent = encoded(OpenaiChatDialect::default(), &WireOptions::default(), |request| {
            request.format = Some(Arc::new(Json::parse(schema).unwrap()));
        });
        let flag =
            Json::parse(body(&sent)).unwrap().pointer("/response_format/json_schema/strict").unwrap().clone();
        assert_eq!(flag, Json::Bool(strict), "{schema}");
    };
    check(r#"{"type":"string"}"#, true);
    check(r#"{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}"#, true);
    check(r#"{"type":"object","properties":{"a":{}},"required":[],"additionalProperties":false}"#, false);
    check(r#"{"type":"array","items":{"type":"object","properties":{"a":{}},"required":["a"]}}"#, false);
}
