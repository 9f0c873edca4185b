use std::{string::ToString, sync::Arc, vec, vec::Vec};

use holm_kernel::{
    Block, Failure, FailureClass, Message, MessageId, Outcome, Role, StopReason, Thinking, Usage,
};

use super::super::*;
use crate::{
    Delivery, Effort, Reasoning, RequestEncoder, WireOptions,
    server::{ReplyHead, ServerCodec},
    testing::{assistant, body, call, decode, encode, picture, request, result, user, weather},
};

fn head() -> ReplyHead {
    ReplyHead { id: "1".into(), model: "m".into(), created: 1_440_938_160, ..ReplyHead::default() }
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            Block::Thinking(Thinking { text: "Zwei Orte…".into(), replay: None }),
            Block::Text("Ein \"Wort\"\n und 漢字".into()),
            call("a", "f", r#"{"x":"é"}"#),
            call("b", "f", "{}"),
        ],
        usage: Usage { input: 10, output: 5, ..Usage::default() },
        stop: StopReason::ToolUse,
        model: Some("m".into()),
    }
}

#[test]
fn what_the_server_writes_the_client_reads() {
    for size in [1, 5, 1000] {
        let mut stream = Vec::new();
        OllamaServerCodec.stream(head()).reply(&reply(), size, &mut stream);
        assert_eq!(decode(&OllamaCodec::default(), &[&stream]).0.unwrap(), reply(), "pieces of {size}");
    }
    assert_eq!(OllamaCodec::default().reply(&OllamaServerCodec.reply(&head(), &reply())).unwrap(), reply());
}

#[test]
fn lines_look_as_documented() {
    let mut out = Vec::new();
    let mut stream = OllamaServerCodec.stream(head());
    stream.block(&Block::Text("hi".into()), 100, &mut out);
    stream.end(StopReason::MaxTokens, Usage { input: 1, output: 2, ..Usage::default() }, &mut out);
    assert_eq!(
        core::str::from_utf8(&out).unwrap(),
        concat!(
            r#"{"model":"m","created_at":"2015-08-30T12:36:00Z","message":{"role":"assistant","content":"hi"},"done":false}"#,
            "\n",
            r#"{"model":"m","created_at":"2015-08-30T12:36:00Z","message":{"role":"assistant","content":""},"#,
            r#""done":true,"done_reason":"length","prompt_eval_count":1,"eval_count":2}"#,
            "\n"
        )
    );
}

#[test]
fn live_pieces_pass_through_and_calls_are_put_together() {
    let mut first = Vec::new();
    crate::anthropic::AnthropicServerCodec.stream(head()).reply(&reply(), 3, &mut first);
    let mut server = OllamaServerCodec.stream(head());
    let mut second = Vec::new();
    let mut decoder = crate::anthropic::AnthropicCodec::default().stream();
    let _ = decoder.feed(&first, &mut |delta| server.delta(&delta, &mut second));
    let decoded = decoder.finish(&mut |_| {}).unwrap();
    server.end(decoded.stop, decoded.usage, &mut second);
    assert_eq!(decode(&OllamaCodec::default(), &[&second]).0.unwrap(), reply());
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    let check = |class, message: &str, expect_status: u16| {
        let failure =
            Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() };
        let (status, body) = OllamaServerCodec.failure(&failure);
        assert_eq!(status, expect_status);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        assert_eq!(crate::classify::http(&answer).class, class);
        let mut stream = Vec::new();
        OllamaServerCodec.stream(head()).fail(&failure, &mut stream);
        assert_eq!(decode(&OllamaCodec::default(), &[&stream]).0.unwrap_err().class, class);
    };
    check(FailureClass::Overloaded, "server is busy", 503);
    check(FailureClass::RateLimited, "too many requests", 429);
    check(FailureClass::Server, "oops", 500);
    check(FailureClass::ContextOverflow, "prompt too long", 400);
    check(FailureClass::Auth, "unauthorized", 401);
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let view = vec![
        user(0, "Weather?"),
        assistant(
            1,
            vec![
                Block::Thinking(Thinking { text: "hm".into(), replay: None }),
                call("c1", "weather", "{\"city\":\"Oslo\"}"),
            ],
        ),
        result(2, "c1", "rain", Outcome::Succeeded, vec![picture()]),
        assistant(3, vec![Block::Text("Rain.".into())]),
        Arc::new(Message::new(MessageId::new(4), Role::User, vec![Block::Text("And".into()), picture()])),
        Arc::new(Message::text(MessageId::new(5), Role::System, "Be quick.")),
    ];
    let options = WireOptions {
        reasoning: Reasoning::Effort(Effort::Low),
        stop: vec!["END".into()],
        ..WireOptions::default()
    };
    let codec: Arc<dyn ProviderCodec> = Arc::new(OllamaCodec::default());
    let sent = encode(
        &mut RequestEncoder::new(codec),
        &request("p/gpt-oss:20b", 6, vec![weather()]),
        &view,
        &options,
    );
    let asked = OllamaServerCodec.read(body(&sent).as_bytes()).unwrap();
    let messages: Vec<_> = asked.messages.into_iter().map(Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!((asked.system.as_str(), asked.model.as_str()), ("Be brief.", "gpt-oss:20b"));
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!((asked.reasoning, asked.stop), (Reasoning::Effort(Effort::Low), vec!["END".into()]));
    assert_eq!((asked.delivery, asked.max_output), (Delivery::Stream, Some(4096)));
    assert_eq!(asked.temperature_milli, Some(700));
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check =
        |body: &[u8], expect: &str| assert_eq!(OllamaServerCodec.read(body).unwrap_err().to_string(), expect);
    check(b"{}", "/model: expected a string");
    check(br#"{"model":"m"}"#, "/messages: expected a list");
    check(br#"{"model":"m","messages":[{}]}"#, "/messages/0/role: expected system, user, assistant or tool");
    check(br#"{"model":"m","messages":[],"tools":[{}]}"#, "/tools/0/function/name: expected a string");
}
