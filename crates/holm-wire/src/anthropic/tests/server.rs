use std::{string::ToString, sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Failure, FailureClass, Message, MessageId, Outcome, Role, StopReason, Thinking, Usage,
};

use super::super::*;
use crate::{
    Delivery, Reasoning, RequestEncoder, ToolChoice, WireOptions,
    server::{ReplyHead, ServerCodec},
    testing::{assistant, body, call, decode, encode, picture, request, result, user, weather},
};

fn head() -> ReplyHead {
    ReplyHead { id: "msg_1".into(), model: "m".into(), created: 1, ..ReplyHead::default() }
}

fn signed(text: &str, replay: &str) -> Block {
    Block::Thinking(Thinking { text: text.into(), replay: Some(Json::parse(replay).unwrap()) })
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            signed("Zwei Orte…", r#"{"anthropic":{"signature":"c2ln"}}"#),
            signed("", r#"{"anthropic":{"redacted":"ZGF0YQ=="}}"#),
            Block::Text("Ein \"Wort\"\n und 漢字".into()),
            call("a", "f", r#"{"x":"é"}"#),
            call("b", "g", "{}"),
        ],
        usage: Usage { input: 10, output: 5, cached: 2, cache_write: 3, reasoning: 0, estimated: 0 },
        stop: StopReason::ToolUse,
        model: Some("m".into()),
    }
}

#[test]
fn what_the_server_writes_the_client_reads() {
    for size in [1, 5, 1000] {
        let mut stream = Vec::new();
        AnthropicServerCodec.stream(head()).reply(&reply(), size, &mut stream);
        assert_eq!(decode(&AnthropicCodec::default(), &[&stream]).0.unwrap(), reply(), "pieces of {size}");
    }
    assert_eq!(
        AnthropicCodec::default().reply(&AnthropicServerCodec.reply(&head(), &reply())).unwrap(),
        reply()
    );
}

#[test]
fn live_pieces_pass_through() {
    let mut first = Vec::new();
    AnthropicServerCodec.stream(head()).reply(&reply(), 3, &mut first);
    let mut server = AnthropicServerCodec.stream(head());
    let mut second = Vec::new();
    let mut decoder = AnthropicCodec::default().stream();
    let _ = decoder.feed(&first, &mut |delta| server.delta(&delta, &mut second));
    let decoded = decoder.finish(&mut |_| {}).unwrap();
    server.end(decoded.stop, decoded.usage, &mut second);
    // Signatures are not part of live pieces; everything that is shown is.
    let got = decode(&AnthropicCodec::default(), &[&second]).0.unwrap();
    assert_eq!(got.blocks.len(), 4);
    assert_eq!((got.usage, got.stop), (reply().usage, reply().stop));
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    let check = |class, message: &str, expect_status: u16| {
        let failure =
            Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() };
        let (status, body) = AnthropicServerCodec.failure(&failure);
        assert_eq!(status, expect_status);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        assert_eq!(crate::classify::http(&answer).class, class);
        let mut stream = Vec::new();
        AnthropicServerCodec.stream(head()).fail(&failure, &mut stream);
        assert_eq!(decode(&AnthropicCodec::default(), &[&stream]).0.unwrap_err().class, class);
    };
    check(FailureClass::Overloaded, "Overloaded", 529);
    check(FailureClass::RateLimited, "slow down", 429);
    check(FailureClass::Server, "oops", 500);
    check(FailureClass::ContextOverflow, "prompt is too long", 400);
    check(FailureClass::Auth, "no", 401);
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let with_picture = |text: &str| result(2, "c1", text, Outcome::Failed, vec![picture()]);
    let view = vec![
        user(0, "Weather?"),
        assistant(
            1,
            vec![
                signed("hm", r#"{"anthropic":{"signature":"s"}}"#),
                call("c1", "weather", "{\"city\":\"Oslo\"}"),
            ],
        ),
        with_picture("rain"),
        assistant(3, vec![Block::Text("Rain.".into())]),
        Arc::new(Message::new(MessageId::new(4), Role::User, vec![Block::Text("And".into()), picture()])),
    ];
    let options = WireOptions {
        tool_choice: ToolChoice::Tool("weather".into()),
        reasoning: Reasoning::Budget(2000),
        ..WireOptions::default()
    };
    let codec: Arc<dyn ProviderCodec> = Arc::new(AnthropicCodec::default());
    let sent = encode(&mut RequestEncoder::new(codec), &request("p/m", 5, vec![weather()]), &view, &options);
    let asked = AnthropicServerCodec.read(body(&sent).as_bytes()).unwrap();
    let messages: Vec<_> = asked.messages.into_iter().map(Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!((asked.system.as_str(), asked.model.as_str()), ("Be brief.", "m"));
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!(
        (asked.tool_choice, asked.reasoning),
        (ToolChoice::Tool("weather".into()), Reasoning::Budget(2000))
    );
    assert_eq!((asked.delivery, asked.max_output), (Delivery::Stream, Some(4096)));
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check = |body: &[u8], expect: &str| {
        assert_eq!(AnthropicServerCodec.read(body).unwrap_err().to_string(), expect);
    };
    check(b"{}", "/model: expected a string");
    check(br#"{"model":"m"}"#, "/messages: expected a list");
    check(br#"{"model":"m","messages":[{}]}"#, "/messages/0/content: expected a string or a list of blocks");
    check(br#"{"model":"m","messages":[{"content":"x"}]}"#, "/messages/0/role: expected user or assistant");
    check(br#"{"model":"m","messages":[],"tools":[{}]}"#, "/tools/0/name: expected a string");
}
