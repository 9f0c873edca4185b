use std::{sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Messages, Outcome, Role, Source};

use super::super::*;
use crate::{
    AuthScheme, Effort, Parallel, Reasoning, RequestEncoder, ToolChoice, WireOptions,
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
                thought(
                    "Ask.",
                    r#"{"openai_responses":{"id":"rs_1","summary":[{"type":"summary_text","text":"Ask."}],"encrypted_content":"gAAA=="}}"#,
                ),
                thought(
                    "open",
                    r#"{"openai_responses":{"id":"rs_2","content":[{"type":"reasoning_text","text":"open"}]}}"#,
                ),
                thought("not ours", r#"{"anthropic":{"signature":"x"}}"#),
                Block::Text("I look.".into()),
                call("call_1", "weather", r#"{"city": "Paris"}"#),
                call("call_2", "weather", ""),
                thought("cut off", r#"{"openai_responses":{"id":"rs_3","encrypted_content":"gBBB=="}}"#),
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
                file("application/pdf", Source::Url("https://x.test/a.pdf".into())),
                file("text/csv", Source::Base64("YSxi".into())),
                file("image/png", Source::Reference("gone".into())),
            ],
        )),
    ]
}

fn encoded(
    dialect: OpenaiResponsesDialect,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> crate::ProviderRequest {
    let view = conversation();
    let mut request = request("openai/gpt-5-mini", view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(OpenaiResponsesCodec::new(dialect))), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_service_documents_it() {
    let request = encoded(OpenaiResponsesDialect::default(), &WireOptions::default(), |_| {});
    assert_eq!((request.path.as_str(), &request.auth), ("/responses", &AuthScheme::Bearer));
    insta::assert_snapshot!(body(&request), @r##"{"model":"gpt-5-mini","instructions":"Be brief.","input":[{"type":"message","role":"user","content":"Weather in \"Paris\"?"},{"type":"reasoning","id":"rs_1","summary":[{"text":"Ask.","type":"summary_text"}],"encrypted_content":"gAAA=="},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\"city\": \"Paris\"}"},{"type":"function_call","call_id":"call_2","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"sunny"},{"type":"input_image","image_url":"data:image/png;base64,aWs="}]},{"type":"function_call_output","call_id":"call_2","output":"no city"},{"type":"message","role":"developer","content":"Be quick."},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Sunny."}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"And this?"},{"type":"input_image","image_url":"data:image/png;base64,aWs="},{"type":"input_file","filename":"note.txt","file_data":"data:application/pdf;base64,JVBE"},{"type":"input_file","file_url":"https://x.test/a.pdf"},{"type":"input_text","text":"The file \"note.txt\":\na,b"},{"type":"input_text","text":"[the file \"note.txt\" (image/png) is not shown]"}]}],"tools":[{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"},"strict":false}],"max_output_tokens":4096,"temperature":0.7,"include":["reasoning.encrypted_content"],"store":false,"stream":true}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: crate::Delivery::Whole,
        tool_choice: ToolChoice::Tool("weather".into()),
        parallel: Parallel::Forbidden,
        reasoning: Reasoning::Effort(Effort::Low),
        extra: Some(Json::parse(r#"{"prompt_cache_key":"k","temperature":0}"#).unwrap()),
        ..WireOptions::default()
    };
    let request = encoded(OpenaiResponsesDialect::default(), &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        request.max_output = Some(1);
        let schema = r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#;
        request.format = Some(Arc::new(Json::parse(schema).unwrap()));
    });
    insta::assert_snapshot!(body(&request), @r##"{"model":"gpt-5-mini","instructions":"Be brief.","input":[{"type":"message","role":"user","content":"hi"}],"tools":[{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"},"strict":false}],"tool_choice":{"type":"function","name":"weather"},"parallel_tool_calls":false,"text":{"format":{"type":"json_schema","name":"reply","strict":true,"schema":{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"}}},"max_output_tokens":16,"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"],"store":false,"prompt_cache_key":"k","temperature":0}"##);
}

#[test]
fn a_dialect_changes_places_and_leaves_out_what_is_refused() {
    let dialect = OpenaiResponsesDialect {
        path: "/openai/v1/responses".into(),
        query: vec![("api-version".into(), "preview".into())],
        auth: AuthScheme::Header("api-key".into()),
        reasoning: ReasoningItems::Plain,
        temperature: OptionalField::Omitted,
        images: OptionalField::Omitted,
        files: OptionalField::Omitted,
        ..OpenaiResponsesDialect::default()
    };
    let request = encoded(dialect, &WireOptions::default(), |_| {});
    assert_eq!(
        request.url("https://res.openai.azure.com/"),
        "https://res.openai.azure.com/openai/v1/responses?api-version=preview"
    );
    insta::assert_snapshot!(body(&request), @r##"{"model":"gpt-5-mini","instructions":"Be brief.","input":[{"type":"message","role":"user","content":"Weather in \"Paris\"?"},{"type":"reasoning","id":"rs_1","summary":[{"text":"Ask.","type":"summary_text"}],"encrypted_content":"gAAA=="},{"type":"reasoning","id":"rs_2","summary":[],"content":[{"text":"open","type":"reasoning_text"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{\"city\": \"Paris\"}"},{"type":"function_call","call_id":"call_2","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"sunny"},{"type":"input_text","text":"[a file (image/png) is not shown]"}]},{"type":"function_call_output","call_id":"call_2","output":"no city"},{"type":"message","role":"developer","content":"Be quick."},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Sunny."}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"And this?"},{"type":"input_text","text":"[a file (image/png) is not shown]"},{"type":"input_text","text":"[the file \"note.txt\" (application/pdf) is not shown]"},{"type":"input_text","text":"[the file \"note.txt\" (application/pdf) at https://x.test/a.pdf is not shown]"},{"type":"input_text","text":"The file \"note.txt\":\na,b"},{"type":"input_text","text":"[the file \"note.txt\" (image/png) is not shown]"}]}],"tools":[{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"},"strict":false}],"max_output_tokens":4096,"store":false,"stream":true}"##);
}

#[test]
fn encrypted_reasoning_is_asked_for_unless_there_is_none() {
    let check = |reasoning: ReasoningItems, wish: Reasoning, expect: bool| {
        let dialect = OpenaiResponsesDialect { reasoning, ..OpenaiResponsesDialect::default() };
        let sent = encoded(dialect, &WireOptions { reasoning: wish, ..WireOptions::default() }, |_| {});
        assert_eq!(Json::parse(body(&sent)).unwrap().get("include").is_some(), expect);
    };
    check(ReasoningItems::Encrypted, Reasoning::Unsaid, true);
    check(ReasoningItems::Encrypted, Reasoning::Off, false);
    check(ReasoningItems::Plain, Reasoning::Unsaid, false);
    check(ReasoningItems::Dropped, Reasoning::Effort(Effort::High), false);
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(OpenaiResponsesCodec::default()), &conversation());
}
