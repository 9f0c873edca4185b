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

fn server() -> BedrockServerCodec {
    BedrockServerCodec::at("/model/m/converse-stream").unwrap()
}

fn signed(text: &str, replay: &str) -> Block {
    Block::Thinking(Thinking { text: text.into(), replay: Some(Json::parse(replay).unwrap()) })
}

fn reply() -> Reply {
    Reply {
        blocks: vec![
            signed("Zwei Orte…", r#"{"bedrock":{"signature":"c2ln"}}"#),
            signed("", r#"{"bedrock":{"redacted":"ZGF0YQ=="}}"#),
            Block::Text("Ein \"Wort\"\n und 漢字".into()),
            call("a", "f", r#"{"x":"é"}"#),
            call("b", "g", "{}"),
        ],
        usage: Usage { input: 10, output: 5, cached: 2, cache_write: 3, reasoning: 0, estimated: 0 },
        stop: StopReason::ToolUse,
        model: None,
    }
}

#[test]
fn what_the_server_writes_the_client_reads() {
    for size in [1, 5, 1000] {
        let mut stream = Vec::new();
        server().stream(ReplyHead::default()).reply(&reply(), size, &mut stream);
        assert_eq!(decode(&BedrockCodec::default(), &[&stream]).0.unwrap(), reply(), "pieces of {size}");
    }
    assert_eq!(
        BedrockCodec::default().reply(&server().reply(&ReplyHead::default(), &reply())).unwrap(),
        reply()
    );
    let mut empty = Vec::new();
    server().stream(ReplyHead::default()).end(StopReason::EndTurn, Usage::default(), &mut empty);
    assert_eq!(decode(&BedrockCodec::default(), &[&empty]).0.unwrap().blocks, []);
}

#[test]
fn live_pieces_pass_through() {
    let mut first = Vec::new();
    server().stream(ReplyHead::default()).reply(&reply(), 3, &mut first);
    let mut server = server().stream(ReplyHead::default());
    let mut second = Vec::new();
    let mut decoder = BedrockCodec::default().stream();
    let _ = decoder.feed(&first, &mut |delta| server.delta(&delta, &mut second));
    let decoded = decoder.finish(&mut |_| {}).unwrap();
    server.end(decoded.stop, decoded.usage, &mut second);
    // Signatures are not part of live pieces; everything that is shown is.
    let got = decode(&BedrockCodec::default(), &[&second]).0.unwrap();
    assert_eq!(got.blocks.len(), 4);
    assert_eq!((got.usage, got.stop), (reply().usage, reply().stop));
}

#[test]
fn a_failure_keeps_its_class_on_the_way() {
    let check = |class, message: &str, expect_status: u16| {
        let failure =
            Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() };
        let (status, body) = server().failure(&failure);
        assert_eq!(status, expect_status);
        let answer = crate::classify::HttpFailure { status, headers: &[], body: &body, now_ms: None };
        assert_eq!(crate::classify::http(&answer).class, class);
        let mut stream = Vec::new();
        server().stream(ReplyHead::default()).fail(&failure, &mut stream);
        assert_eq!(decode(&BedrockCodec::default(), &[&stream]).0.unwrap_err().class, class);
    };
    check(FailureClass::Overloaded, "busy", 503);
    check(FailureClass::RateLimited, "slow down", 429);
    check(FailureClass::Server, "oops", 500);
    check(FailureClass::ContextOverflow, "Input is too long for requested model", 400);
    check(FailureClass::BadRequest, "no", 400);
    check(FailureClass::Auth, "no", 401);
}

#[test]
fn what_the_client_writes_the_server_reads() {
    let view = vec![
        user(0, "Weather?"),
        assistant(
            1,
            vec![
                signed("hm", r#"{"bedrock":{"signature":"s"}}"#),
                call("c1", "weather", "{\"city\":\"Oslo\"}"),
            ],
        ),
        result(2, "c1", "rain", Outcome::Failed, vec![picture()]),
        assistant(3, vec![Block::Text("Rain.".into())]),
        Arc::new(Message::new(MessageId::new(4), Role::User, vec![Block::Text("And".into()), picture()])),
    ];
    let options = WireOptions {
        tool_choice: ToolChoice::Tool("weather".into()),
        reasoning: Reasoning::Budget(2000),
        stop: vec!["END".into()],
        ..WireOptions::default()
    };
    let codec: Arc<dyn ProviderCodec> = Arc::new(BedrockCodec::default());
    let mut wanted = request("bedrock/arn:aws:claude/x", 5, vec![weather()]);
    wanted.format = Some(Arc::new(Json::parse(r#"{"type":"object"}"#).unwrap()));
    let sent = encode(&mut RequestEncoder::new(codec), &wanted, &view, &options);
    let asked = BedrockServerCodec::at(&sent.path).unwrap().read(body(&sent).as_bytes()).unwrap();
    let messages: Vec<_> = asked.messages.into_iter().map(Arc::new).collect();
    assert_eq!(messages, view);
    assert_eq!((asked.system.as_str(), asked.model.as_str()), ("Be brief.", "arn:aws:claude/x"));
    assert_eq!((asked.tools[0].name.as_str(), &asked.tools[0].schema), ("weather", &weather().schema));
    assert_eq!(asked.tool_choice, ToolChoice::Tool("weather".into()));
    assert_eq!((asked.reasoning, asked.stop), (Reasoning::Budget(2000), vec!["END".into()]));
    assert_eq!((asked.delivery, asked.max_output), (Delivery::Stream, Some(4096)));
    assert_eq!(asked.format.as_ref(), wanted.format.as_deref());
}

#[test]
fn a_bad_body_says_what_is_wrong_and_where() {
    let check = |body: &[u8], expect: &str| assert_eq!(server().read(body).unwrap_err().to_string(), expect);
    check(b"{}", "/messages: expected a list");
    check(br#"{"messages":[{}]}"#, "/messages/0/content: expected a list of blocks");
    check(br#"{"messages":[{"content":[]}]}"#, "/messages/0/role: expected user or assistant");
    check(
        br#"{"messages":[],"toolConfig":{"tools":[{"cachePoint":{}},{"toolSpec":{}}]}}"#,
        "/toolConfig/tools/1/toolSpec/name: expected a string",
    );
}

#[test]
fn many_calls_with_many_results_are_read_in_one_pass() {
    let calls: Vec<_> = (0..20_000).map(|id| call(&id.to_string(), "f", "{}")).collect();
    let mut view = vec![user(0, "go"), assistant(1, calls)];
    view.extend((0..20_000).map(|id| result(2, &id.to_string(), "x", Outcome::Succeeded, vec![])));
    let codec: Arc<dyn ProviderCodec> = Arc::new(BedrockCodec::default());
    let wanted = request("bedrock/m", view.len(), vec![]);
    let sent = encode(&mut RequestEncoder::new(codec), &wanted, &view, &WireOptions::default());
    let asked = server().read(&sent.body).unwrap();
    assert_eq!((asked.messages.len(), asked.messages[2].blocks.len()), (3, 20_000));
}

#[test]
fn paths_are_taken_apart() {
    let check = |path: &str, expect: Option<&str>| {
        assert_eq!(BedrockServerCodec::at(path).as_ref().map(BedrockServerCodec::model), expect, "{path}");
    };
    check("/model/a%2Fb%3a0/converse", Some("a/b:0"));
    check("/model/a%zz%/converse-stream", Some("a%zz%"));
    check("/model/converse", None);
    check("/v1/chat/completions", None);
}
