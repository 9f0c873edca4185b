use std::{string::ToString, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Message, MessageId, Outcome, Role, StopReason, Usage};

use super::super::*;
use crate::{
    Delivery, Reasoning, RequestEncoder, ToolChoice, WireDelta, WireOptions,
    server::{ReplyHead, ServerCodec},
    testing::{
        assistant, body, call, decode, encode, picture, request, result, show, thought, user, weather,
    },
};

fn head() -> ReplyHead {
    ReplyHead { id: "r1".into(), model: "m".into(), created: 1, ..ReplyHead::default() }
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            thought("Zwei Orte…", r#"{"cohere":true}"#),
            Block::Text("Ein \"Wort\"\n und 漢字".into()),
            call("a", "f", r#"{"x":"é"}"#),
            call("b", "g", "{}"),
        ],
        usage: Usage { input: 10, output: 5, cached: 2, ..Usage::default() },
        stop: StopReason::ToolUse,
        model: None,
    }
}

#[test]
fn what_the_server_writes_the_client_reads() {
    let cut = Reply { blocks: vec![Block::Text("Once".into())], stop: StopReason::MaxTokens, ..reply() };
    for reply in [reply(), cut] {
        for size in [1, 5, 1000] {
            let mut stream = Vec::new();
            CohereServerCodec.stream(head()).reply(&reply, size, &mut stream);
            assert_eq!(decode(&CohereCodec::default(), &[&stream]).0.unwrap(), reply, "pieces of {size}");
        }
        assert_eq!(CohereCodec::default().reply(&CohereServerCodec.reply(&head(), &reply)).unwrap(), reply);
    }
}

#[test]
fn live_pieces_pass_through_and_may_be_mixed() {
    let mut server = CohereServerCodec.stream(head());
    let mut out = Vec::new();
    let arguments = |index, text| WireDelta::ToolArguments { index, offset: 0, text };
    for delta in [
        WireDelta::Thinking { offset: 0, text: "hm" },
        WireDelta::Text { offset: 0, text: "Hi" },
        WireDelta::ToolCallStarted { index: 0, id: "a", name: "f" },
        WireDelta::ToolCallStarted { index: 1, id: "b", name: "g" },
        arguments(0, "["),
        arguments(1, "{"),
        arguments(0, "]"),
        arguments(1, "}"),
        WireDelta::Usage(Usage::default()),
    ] {
        server.delta(&delta, &mut out);
    }
    server.end(StopReason::ToolUse, Usage::default(), &mut out);
    let got = decode(&CohereCodec::default(), &[&out]).0.unwrap();
    assert_eq!(show(&got), r#"<hm>{"cohere":true} "Hi" a:f([]) b:g({}) | ToolUse"#);
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    let check = |class, message: &str, expect_status: u16| {
        let failure =
            Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() };
        let (status, body) = CohereServerCodec.failure(&failure);
        assert_eq!(status, expect_status);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        assert_eq!(crate::classify::http(&answer).class, class);
        let mut stream = Vec::new();
        CohereServerCodec.stream(head()).fail(&failure, &mut stream);
        assert_eq!(decode(&CohereCodec::default(), &[&stream]).0.unwrap_err().class, class);
    };
    check(FailureClass::Overloaded, "the model is overloaded", 503);
    check(FailureClass::RateLimited, "rate limit exceeded", 429);
    check(FailureClass::Server, "oops", 500);
    check(FailureClass::ContextOverflow, "too many tokens", 400);
    check(FailureClass::Auth, "invalid api key", 401);
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let view = vec![
        user(0, "Weather?"),
        assistant(
            1,
            vec![
                thought("hm", r#"{"cohere":true}"#),
                Block::Text("I look.".into()),
                call("c1", "weather", "{\"city\":\"Oslo\"}"),
            ],
        ),
        result(2, "c1", "rain", Outcome::Succeeded, vec![]),
        assistant(3, vec![Block::Text("Rain.".into())]),
        Arc::new(Message::text(MessageId::new(4), Role::System, "Be quick.")),
        Arc::new(Message::new(MessageId::new(5), Role::User, vec![Block::Text("And".into()), picture()])),
    ];
    let options = WireOptions {
        tool_choice: ToolChoice::Required,
        reasoning: Reasoning::Budget(2000),
        stop: vec!["END".into()],
        ..WireOptions::default()
    };
    let codec: Arc<dyn ProviderCodec> = Arc::new(CohereCodec::default());
    let sent = encode(
        &mut RequestEncoder::new(codec),
        &request("p/m", view.len(), vec![weather()]),
        &view,
        &options,
    );
    let asked = CohereServerCodec.read(body(&sent).as_bytes()).unwrap();
    let messages: Vec<_> = asked.messages.into_iter().map(Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!((asked.system.as_str(), asked.model.as_str()), ("Be brief.", "m"));
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!((asked.tool_choice, asked.reasoning), (ToolChoice::Required, Reasoning::Budget(2000)));
    assert_eq!((asked.delivery, asked.stop), (Delivery::Stream, vec!["END".to_string()]));
    assert_eq!((asked.max_output, asked.temperature_milli), (Some(4096), Some(700)));
}

#[test]
fn documents_and_both_spellings_of_the_schema_are_read() {
    let body = br#"{"model":"m","messages":[{"role":"tool","tool_call_id":"x","content":[{"type":"document","document":{"data":{"a":1}}}]}],"response_format":{"type":"json_object","schema":{"type":"object"}}}"#;
    let asked = CohereServerCodec.read(body).unwrap();
    let Block::ToolResult(result) = &asked.messages[0].blocks[0] else { unreachable!("a result") };
    assert_eq!(result.text, r#"{"a":1}"#);
    assert_eq!(asked.format, Some(Json::object([("type", "object".into())])));
    assert_eq!(asked.delivery, Delivery::Whole);
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check =
        |body: &[u8], expect: &str| assert_eq!(CohereServerCodec.read(body).unwrap_err().to_string(), expect);
    check(b"{}", "/model: expected a string");
    check(br#"{"model":"m"}"#, "/messages: expected a list");
    check(
        br#"{"model":"m","messages":[{"role":"x"}]}"#,
        "/messages/0/role: expected system, user, assistant or tool",
    );
    check(br#"{"model":"m","messages":[{"role":"tool"}]}"#, "/messages/0/tool_call_id: expected a string");
    check(
        br#"{"model":"m","messages":[{"role":"user","content":3}]}"#,
        "/messages/0/content: expected a string or a list of parts",
    );
    check(br#"{"model":"m","messages":[],"tools":[{}]}"#, "/tools/0/function/name: expected a string");
}
