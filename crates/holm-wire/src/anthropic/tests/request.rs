use std::{string::String, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Messages, Outcome, Role, Source, Thinking};

use super::super::*;
use crate::{
    AuthScheme, Caching, Effort, Parallel, Reasoning, RequestEncoder, ToolChoice, WireOptions,
    testing::{assistant, body, call, check_growth, encode, file, picture, request, result, user, weather},
};

fn signed(text: &str, replay: &str) -> Block {
    Block::Thinking(Thinking { text: text.into(), replay: Some(Json::parse(replay).unwrap()) })
}

fn conversation() -> Vec<Arc<Message>> {
    vec![
        user(0, "Weather in \"Paris\"?"),
        assistant(
            1,
            vec![
                signed("Ask.", r#"{"anthropic":{"signature":"c2ln"}}"#),
                signed("", r#"{"anthropic":{"redacted":"ZGF0YQ=="}}"#),
                signed("not ours", r#"{"gemini":{"thoughtSignature":"x"}}"#),
                Block::Thinking(Thinking { text: "unsigned".into(), replay: None }),
                Block::Text("  ".into()),
                call("functions.weather:0", "weather", r#"{"city": "Paris"}"#),
                call("call_2", "weather", "{broken"),
            ],
        ),
        result(2, "functions.weather:0", "sunny", Outcome::Succeeded, vec![picture()]),
        result(3, "call_2", "not JSON", Outcome::Refused, vec![]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        assistant(5, vec![Block::Text("Sunny.".into())]),
        Arc::new(Message::new(
            MessageId::new(6),
            Role::User,
            vec![
                Block::Text("And these?".into()),
                file("application/pdf", Source::Url("https://x.test/a.pdf".into())),
                file("text/markdown", Source::Base64("IyBoaQ==".into())),
                file("application/zip", Source::Base64("UEs=".into())),
            ],
        )),
    ]
}

fn encoded(
    dialect: AnthropicDialect,
    options: &WireOptions,
    change: impl FnOnce(&mut holm_kernel::Request),
) -> crate::ProviderRequest {
    let view = conversation();
    let mut request = request("anthropic/claude-sonnet-4-5", view.len(), vec![weather()]);
    change(&mut request);
    encode(&mut RequestEncoder::new(Arc::new(AnthropicCodec::new(dialect))), &request, &view, options)
}

#[test]
fn a_conversation_is_written_as_the_service_documents_it() {
    let request = encoded(AnthropicDialect::default(), &WireOptions::default(), |_| {});
    assert_eq!(
        (request.path.as_str(), &request.auth),
        ("/v1/messages", &AuthScheme::Header("x-api-key".into()))
    );
    assert!(request.headers.contains(&("anthropic-version".into(), "2023-06-01".into())));
    insta::assert_snapshot!(body(&request), @r##"{"model":"claude-sonnet-4-5","max_tokens":4096,"temperature":0.7,"stream":true,"tools":[{"name":"weather","description":"Tells the weather.","input_schema":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"},"cache_control":{"type":"ephemeral"}}],"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Weather in \"Paris\"?"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"Ask.","signature":"c2ln"},{"type":"redacted_thinking","data":"ZGF0YQ=="},{"type":"tool_use","id":"functions_weather_0","name":"weather","input":{"city": "Paris"}},{"type":"tool_use","id":"call_2","name":"weather","input":{"invalid_json":"{broken"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_weather_0","content":[{"type":"text","text":"sunny"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aWs="}}]},{"type":"tool_result","tool_use_id":"call_2","content":"not JSON","is_error":true},{"type":"text","text":"<operator>\nBe quick.\n</operator>","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"text","text":"Sunny."}]},{"role":"user","content":[{"type":"text","text":"And these?"},{"type":"document","source":{"type":"url","url":"https://x.test/a.pdf"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"# hi"},"title":"note.txt"},{"type":"text","text":"[the file \"note.txt\" (application/zip) is not shown]","cache_control":{"type":"ephemeral"}}]}]}"##);
}

#[test]
fn settings_are_written_by_their_names() {
    let options = WireOptions {
        delivery: crate::Delivery::Whole,
        tool_choice: ToolChoice::Required,
        parallel: Parallel::Forbidden,
        reasoning: Reasoning::Budget(2000),
        caching: Caching::Off,
        cache_key: None,
        stop: vec!["END".into()],
        extra: Some(Json::parse(r#"{"metadata":{"user_id":"u"}}"#).unwrap()),
    };
    let request = encoded(AnthropicDialect::default(), &options, |request| {
        request.messages = Messages::Own(vec![user(0, "hi")]);
        request.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
    });
    insta::assert_snapshot!(body(&request), @r##"{"model":"claude-sonnet-4-5","max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":2000},"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"stop_sequences":["END"],"tools":[{"name":"weather","description":"Tells the weather.","input_schema":{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}}],"tool_choice":{"type":"any","disable_parallel_tool_use":true},"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"metadata":{"user_id":"u"}}"##);
}

#[test]
fn thinking_fits_the_cap_and_the_dialect() {
    let check = |dialect: AnthropicThinking, reasoning, cap, expect: &str| {
        let dialect = AnthropicDialect { thinking: dialect, ..AnthropicDialect::default() };
        let options = WireOptions { reasoning, ..WireOptions::default() };
        let sent = encoded(dialect, &options, |request| request.max_output = Some(cap));
        let json = Json::parse(body(&sent)).unwrap();
        let shown: Vec<String> = ["thinking", "output_config", "temperature"]
            .iter()
            .map(|name| json.get(name).map(Json::canonical).unwrap_or_default())
            .collect();
        assert_eq!(shown.join(" "), expect);
    };
    let high = Reasoning::Effort(Effort::High);
    check(AnthropicThinking::Budget, high, 64_000, r#"{"budget_tokens":24576,"type":"enabled"}  "#);
    check(AnthropicThinking::Budget, high, 4_096, r#"{"budget_tokens":4095,"type":"enabled"}  "#);
    check(AnthropicThinking::Budget, high, 512, "  0.7");
    check(AnthropicThinking::Budget, Reasoning::Off, 512, r#"{"type":"disabled"}  0.7"#);
    check(AnthropicThinking::Adaptive, high, 4_096, r#"{"type":"adaptive"} {"effort":"high"} "#);
    check(AnthropicThinking::Omitted, high, 4_096, "  0.7");
    check(AnthropicThinking::Budget, Reasoning::Unsaid, 4_096, "  0.7");
}

#[test]
fn growing_a_view_gives_the_same_bytes() {
    check_growth(Arc::new(AnthropicCodec::default()), &conversation());
}

#[test]
fn breakpoints_last_an_hour_where_that_is_asked_for() {
    let view = conversation();
    let sent = |caching| {
        let request = request("a/b", view.len(), vec![weather()]);
        let options = WireOptions { caching, ..WireOptions::default() };
        let sent =
            encode(&mut RequestEncoder::new(Arc::new(AnthropicCodec::default())), &request, &view, &options);
        String::from(body(&sent))
    };
    let (on, hour) = (sent(Caching::On), sent(Caching::Hour));
    assert_eq!(hour.matches(r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#).count(), 4);
    assert_eq!(hour.replace(r#","ttl":"1h""#, ""), on);
    assert!(!sent(Caching::Off).contains("cache_control"));
}

#[test]
fn no_request_has_more_than_four_breakpoints() {
    let view = conversation();
    for count in 0..=view.len() {
        let request = request("a/b", count, vec![weather(), weather()]);
        let sent = encode(
            &mut RequestEncoder::new(Arc::new(AnthropicCodec::default())),
            &request,
            &view[..count],
            &WireOptions::default(),
        );
        let found = body(&sent).matches("cache_control").count();
        assert!(found <= 4, "{found} at {count}");
        Json::parse(body(&sent)).unwrap();
    }
}

#[test]
fn neighbours_of_one_role_become_one_message() {
    let sent = encoded(AnthropicDialect::default(), &WireOptions::default(), |_| {});
    let json = Json::parse(body(&sent)).unwrap();
    let roles: Vec<&str> = json
        .get("messages")
        .and_then(Json::as_array)
        .unwrap()
        .iter()
        .map(|message| message.get("role").and_then(Json::as_str).unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
}
