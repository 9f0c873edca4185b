use std::{sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Messages, ModelSpec, Outcome, Role, Source, Thinking};

use super::super::*;
use crate::{
    AuthScheme, Effort, Reasoning, RequestEncoder, ToolChoice, WireOptions,
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
                call("call_2", "weather", "{broken"),
                call("call_3", "weather", ""),
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
    dialect: OllamaDialect,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> ProviderRequest {
    let view = conversation();
    let mut request = request("ollama/qwen3:8b", view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(OllamaCodec::new(dialect))), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_server_documents_it() {
    let request = encoded(OllamaDialect::default(), &WireOptions::default(), |_| {});
    assert_eq!(
        (request.url("http://localhost:11434").as_str(), &request.auth),
        ("http://localhost:11434/api/chat", &AuthScheme::None)
    );
    insta::assert_snapshot!(body(&request), @r##"{"model":"qwen3:8b","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather in \"Paris\"?"},{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"id":"call_1","function":{"name":"weather","arguments":{"city": "Paris"}}},{"id":"call_2","function":{"name":"weather","arguments":{"invalid_json":"{broken"}}},{"id":"call_3","function":{"name":"weather","arguments":{}}}]},{"role":"tool","tool_name":"weather","tool_call_id":"call_1","content":"sunny","images":["aWs="]},{"role":"tool","tool_name":"weather","tool_call_id":"call_2","content":"no city"},{"role":"system","content":"Be quick."},{"role":"assistant","content":"Sunny."},{"role":"user","content":"And this?\n[the file \"note.txt\" (application/pdf) is not shown]\nThe file \"note.txt\":\na,b","images":["aWs="]}],"tools":[{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}}],"options":{"num_predict":4096,"temperature":0.7},"stream":true}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: crate::Delivery::Whole,
        tool_choice: ToolChoice::None,
        reasoning: Reasoning::Effort(Effort::High),
        stop: vec!["END".into()],
        extra: Some(Json::parse(r#"{"raw":true}"#).unwrap()),
        ..WireOptions::default()
    };
    let dialect = OllamaDialect { keep_alive: Some("10m".into()), ..OllamaDialect::default() };
    let request = encoded(dialect, &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
        request.model = Arc::new(ModelSpec { window: Some(16_384), ..ModelSpec::named("ollama/x") });
    });
    insta::assert_snapshot!(body(&request), @r##"{"model":"x","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}],"format":{"type":"object"},"think":true,"keep_alive":"10m","options":{"num_ctx":16384,"num_predict":4096,"stop":["END"]},"stream":false,"raw":true}"##);
}

#[test]
fn the_server_is_told_how_much_context_the_run_counts_on() {
    let check = |context: OllamaContextSize, window: Option<u64>, expect: Option<u64>| {
        let sent = encoded(
            OllamaDialect { context, ..OllamaDialect::default() },
            &WireOptions::default(),
            |request| {
                request.model = Arc::new(ModelSpec { window, ..ModelSpec::named("ollama/x") });
            },
        );
        let json = Json::parse(body(&sent)).unwrap();
        assert_eq!(json.pointer("/options/num_ctx").and_then(Json::as_u64), expect);
    };
    check(OllamaContextSize::Window, Some(8_192), Some(8_192));
    check(OllamaContextSize::Window, None, None);
    check(OllamaContextSize::Tokens(32_768), Some(8_192), Some(32_768));
    check(OllamaContextSize::Unsaid, Some(8_192), None);
}

#[test]
fn thinking_is_asked_for_as_the_model_takes_it() {
    let check = |model: &str, reasoning, expect: Option<&str>| {
        let options = WireOptions { reasoning, ..WireOptions::default() };
        let sent = encoded(OllamaDialect::default(), &options, |request| {
            request.model = Arc::new(ModelSpec::named(model));
        });
        let json = Json::parse(body(&sent)).unwrap();
        assert_eq!(json.get("think").map(Json::canonical).as_deref(), expect);
    };
    check("ollama/qwen3", Reasoning::Unsaid, None);
    check("ollama/qwen3", Reasoning::Off, Some("false"));
    check("ollama/qwen3", Reasoning::Budget(4_000), Some("true"));
    check("ollama/qwen3", Reasoning::Effort(Effort::Low), Some("true"));
    check("ollama/gpt-oss:20b", Reasoning::Effort(Effort::Low), Some("\"low\""));
    check("ollama/gpt-oss:20b", Reasoning::Budget(40_000), Some("\"high\""));
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(OllamaCodec::default()), &conversation());
}
