use std::{boxed::Box, format, string::String, string::ToString, vec, vec::Vec};

use holm_kernel::{Block, FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture};
use crate::testing::{check_beginnings, check_cuts, decode, decode_with};

fn codec() -> AnthropicCodec {
    AnthropicCodec::default()
}

fn show(reply: &Reply) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) => format!("{text:?}"),
        Block::Thinking(thinking) => {
            let replay = thinking.replay.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("<{}>{replay}", thinking.text)
        }
        Block::ToolCall(call) => format!("{}:{}({})", call.id, call.name, call.arguments),
        other => format!("{other:?}"),
    };
    let blocks: Vec<String> = reply.blocks.iter().map(block).collect();
    format!("{} | {:?}", blocks.join(" "), reply.stop)
}

#[test]
fn each_recorded_stream_gives_its_turn() {
    let check = |stream: &[u8], expect: &str, usage: Usage| {
        let reply = decode(&codec(), &[stream]).0.unwrap();
        assert_eq!((show(&reply).as_str(), reply.usage), (expect, usage));
    };
    let usage =
        |output| Usage { input: 1525, output, cached: 1200, cache_write: 300, reasoning: 0, estimated: 0 };
    check(fixture::TEXT, r#""Grüße aus \"Köln\",\n東京 🙂." | EndTurn"#, usage(15));
    check(
        fixture::TOOLS,
        r#"<Two places: ask both.>{"anthropic":{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}} <>{"anthropic":{"redacted":"EmwKAhgBEgy3va3pzix"}} "I will look." toolu_01A:weather({"city": "Paris"}) toolu_01B:now({}) | ToolUse"#,
        usage(89),
    );
    check(fixture::LATE_USAGE, "\"Hi\" | MaxTokens", Usage { input: 77, output: 4, ..Usage::default() });
}

#[test]
fn a_whole_reply_is_read() {
    let reply = codec().reply(fixture::WHOLE).unwrap();
    assert_eq!(
        show(&reply),
        r#"<Hm.>{"anthropic":{"signature":"sig=="}} "I will look." toolu_1:weather({"city":"Oslo","days":2}) | ToolUse"#
    );
    assert_eq!(reply.usage, Usage { input: 15, output: 7, cached: 5, ..Usage::default() });
    assert_eq!(reply.model.as_deref(), Some("claude-sonnet-4-5"));
}

#[test]
fn errors_are_classified_wherever_they_stand() {
    let failure = decode(&codec(), &[fixture::OVERLOADED]).0.unwrap_err();
    assert_eq!((failure.class, failure.message.as_str()), (FailureClass::Overloaded, "Overloaded"));
    assert_eq!(failure.usage.input, 1525);
    let check = |kind: &str, message: &str, class| {
        let body = format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#);
        assert_eq!(codec().reply(body.as_bytes()).unwrap_err().class, class, "{kind} in a body");
        let stream = format!("event: error\ndata: {body}\n\n");
        assert_eq!(decode(&codec(), &[stream.as_bytes()]).0.unwrap_err().class, class, "{kind} in a stream");
    };
    check("rate_limit_error", "slow down", FailureClass::RateLimited);
    check("api_error", "Internal server error", FailureClass::Server);
    check("authentication_error", "invalid x-api-key", FailureClass::Auth);
    check(
        "invalid_request_error",
        "prompt is too long: 210000 tokens > 200000 maximum",
        FailureClass::ContextOverflow,
    );
    check("invalid_request_error", "Your credit balance is too low", FailureClass::Quota);
    check("invalid_request_error", "max_tokens: required", FailureClass::BadRequest);
}

#[test]
fn a_body_that_is_no_stream_is_a_reply_or_a_typed_failure() {
    let class =
        |body: &[u8]| decode(&codec(), &[body]).0.map(|reply| reply.stop).map_err(|failure| failure.class);
    assert_eq!(class(fixture::WHOLE), Ok(StopReason::ToolUse));
    assert_eq!(class(&fixture::WHOLE[..100]), Err(FailureClass::Truncated));
    assert_eq!(class(b"<html>"), Err(FailureClass::Network));
    assert_eq!(class(b"{}"), Err(FailureClass::Server));
    assert_eq!(class(b"[1,2]"), Err(FailureClass::Truncated), "the provider has answered, and charges");
}

#[test]
fn any_cut_gives_the_same_turn() {
    for stream in [fixture::TEXT, fixture::TOOLS, fixture::OVERLOADED, fixture::LATE_USAGE] {
        check_cuts(&codec(), stream);
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    for stream in [fixture::TEXT, fixture::TOOLS, fixture::LATE_USAGE] {
        check_beginnings(&codec(), stream, br#"{"type":"message_stop"}"#);
    }
}

#[test]
fn lost_and_doubled_events_are_survived() {
    let check = |events: &[&str], expect: &str| {
        let mut stream = String::new();
        for event in events {
            stream += &format!("data: {event}\n\n");
        }
        stream += "data: {\"type\":\"message_stop\"}\n\n";
        assert_eq!(show(&decode(&codec(), &[stream.as_bytes()]).0.unwrap()), expect);
    };
    // no start
    check(
        &[r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}"#],
        "\"x\" | EndTurn",
    );
    // no stop, and the whole input at the start
    check(
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"x":1}}}"#,
        ],
        r#"a:f({"x":1}) | ToolUse"#,
    );
    // arguments without a call
    check(
        &[
            r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        ],
        " | EndTurn",
    );
    // a second start at the same index
    check(
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"b"}}"#,
        ],
        "\"a\" \"b\" | EndTurn",
    );
    // the type only in the event's name
    let named = b"event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"text\":\"x\"}}\n\nevent: message_stop\ndata: {}\n\n";
    assert_eq!(show(&decode(&codec(), &[named]).0.unwrap()), "\"x\" | EndTurn");
}

fn event() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "Hi",
        "é🙂",
        r"a\nb",
        r#"{\"x\":"#,
        r"\u0041",
        r"\q",
        "",
        r#"x","type":"y"#,
    ]);
    let index = prop::sample::select(vec!["0", "1", "1.0", "\"2\""]);
    prop_oneof![
        (index.clone(), prop::sample::select(vec!["text", "thinking", "partial_json", "signature"]), text).prop_map(
            |(index, member, text)| format!(
                r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"x","{member}":"{text}"}}}}"#
            )
        ),
        (index.clone(), prop::sample::select(vec!["text", "thinking", "tool_use", "new"])).prop_map(|(index, kind)| format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"{kind}","id":"i","name":"n"}}}}"#
        )),
        index.prop_map(|index| format!(r#"{{"type":"content_block_stop","index":{index}}}"#)),
        Just(r#"{"type":"ping"}"#.to_string()),
    ]
}

proptest! {
    #[test]
    fn the_memo_equals_the_parser_on_every_stream(
        events in proptest::collection::vec((event(), 1_usize..4), 0..16),
        noise in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut stream = String::new();
        for (event, times) in &events {
            for _ in 0..*times {
                stream += &format!("data: {event}\n\n");
            }
        }
        stream += "data: {\"type\":\"message_stop\"}\n\n";
        let mut bytes = stream.into_bytes();
        for (at, byte) in noise {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let decoder = |events| Box::new(FramedDecoder::new(sse::SseDecoder::default(), events));
        prop_assert_eq!(
            decode_with(decoder(AnthropicEventReader::default()), &[&bytes]),
            decode_with(decoder(AnthropicEventReader::plain()), &[&bytes])
        );
    }

    #[test]
    fn bytes_of_any_kind_never_panic_and_never_finish(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&codec(), &[&bytes]).0.is_err());
        prop_assert!(codec().reply(&bytes).is_err());
    }
}
