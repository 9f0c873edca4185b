use std::{boxed::Box, format, string::String, string::ToString, vec, vec::Vec};

use holm_kernel::{Block, FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture, frames};
use crate::{
    classify::{HttpFailure, http},
    framing::event_stream,
    testing::{check_beginnings, check_cuts, decode, decode_with},
};

fn codec() -> BedrockCodec {
    BedrockCodec::default()
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
fn each_documented_stream_gives_its_turn() {
    let check = |events: &str, expect: &str, usage: Usage| {
        let reply = decode(&codec(), &[&frames(events)]).0.unwrap();
        assert_eq!((show(&reply).as_str(), reply.usage), (expect, usage));
    };
    check(
        fixture::TEXT,
        r#""Grüße aus \"Köln\",\n東京 🙂." | EndTurn"#,
        Usage { input: 1525, output: 15, cached: 1200, cache_write: 300, reasoning: 0, estimated: 0 },
    );
    check(
        fixture::TOOLS,
        r#"<Two places: ask both.>{"bedrock":{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}} <>{"bedrock":{"redacted":"EmwKAhgBEgy3va3pzix"}} "I will look." tooluse_kZJMlvQmRJ6eAyJE5GIl7Q:weather({"city": "Paris"}) tooluse_B:now({}) | ToolUse"#,
        Usage { input: 418, output: 89, ..Usage::default() },
    );
}

#[test]
fn a_whole_reply_is_read() {
    let reply = codec().reply(fixture::WHOLE.as_bytes()).unwrap();
    assert_eq!(
        show(&reply),
        r#"<Hm.>{"bedrock":{"signature":"sig=="}} "I will look." tooluse_1:weather({"city":"Oslo","days":2}) | ToolUse"#
    );
    assert_eq!(reply.usage, Usage { input: 15, output: 7, cached: 5, ..Usage::default() });
    assert_eq!(decode(&codec(), &[fixture::WHOLE.as_bytes()]).0.unwrap(), reply);
}

#[test]
fn exceptions_are_classified_by_their_header_and_their_words() {
    let failure = decode(&codec(), &[&frames(fixture::THROTTLED)]).0.unwrap_err();
    assert_eq!(failure.class, FailureClass::RateLimited);
    assert_eq!(failure.message, "Too many tokens, please wait before trying again.");
    let check = |kind: &str, payload: &str, class| {
        let failure = decode(&codec(), &[&frames(&format!("!{kind} {payload}"))]).0.unwrap_err();
        assert_eq!(failure.class, class, "{kind} {payload}");
        assert!(!failure.message.is_empty());
    };
    check("throttlingException", r#"{"message":"slow"}"#, FailureClass::RateLimited);
    check("ThrottlingException", "not json", FailureClass::RateLimited);
    check("serviceUnavailableException", "{}", FailureClass::Overloaded);
    check("modelNotReadyException", "{}", FailureClass::Overloaded);
    check("internalServerException", r#"{"message":"oops"}"#, FailureClass::Server);
    check(
        "modelStreamErrorException",
        r#"{"message":"oops","originalStatusCode":500,"originalMessage":"x"}"#,
        FailureClass::Server,
    );
    check("modelTimeoutException", "{}", FailureClass::Server);
    check("accessDeniedException", r#"{"message":"no"}"#, FailureClass::Auth);
    check("serviceQuotaExceededException", "{}", FailureClass::Quota);
    check("validationException", r#"{"message":"The text field is blank"}"#, FailureClass::BadRequest);
    check(
        "validationException",
        r#"{"message":"Input is too long for requested model."}"#,
        FailureClass::ContextOverflow,
    );
    check("somethingNewException", r#"{"message":"hm"}"#, FailureClass::Server);
}

#[test]
fn errors_that_have_no_model_are_read_from_their_headers() {
    let mut bytes = Vec::new();
    let headers = [
        (":message-type", "error"),
        (":error-code", "InternalFailure"),
        (":error-message", "we are at capacity"),
    ];
    event_stream::write(&headers, b"", &mut bytes);
    let failure = decode(&codec(), &[&bytes]).0.unwrap_err();
    assert_eq!((failure.class, failure.message.as_str()), (FailureClass::Overloaded, "we are at capacity"));
}

#[test]
fn http_errors_of_the_service_have_their_class() {
    let check = |status, body: &str, class| {
        let answer = HttpFailure { status, headers: &[], body: body.as_bytes(), now_ms: None };
        assert_eq!(http(&answer).class, class, "{status} {body}");
    };
    check(400, r#"{"message":"Input is too long for requested model."}"#, FailureClass::ContextOverflow);
    check(400, r#"{"__type":"ValidationException","message":"bad"}"#, FailureClass::BadRequest);
    check(403, r#"{"message":"The security token included in the request is invalid."}"#, FailureClass::Auth);
    check(
        429,
        r#"{"message":"Too many requests, please wait before trying again."}"#,
        FailureClass::RateLimited,
    );
    check(503, r#"{"message":"Too many connections"}"#, FailureClass::Overloaded);
}

#[test]
fn a_body_that_is_no_stream_is_a_typed_failure() {
    let class = |body: &[u8]| decode(&codec(), &[body]).0.map_err(|failure| failure.class);
    assert_eq!(class(b"<html>"), Err(FailureClass::Network));
    assert_eq!(class(b"{}"), Err(FailureClass::Server));
    assert_eq!(class(br#"{"message":"Too many requests"}"#), Err(FailureClass::RateLimited));
    assert_eq!(class(b"data: x\n\n more than a prelude"), Err(FailureClass::Server));
    assert_eq!(class(b""), Err(FailureClass::Truncated));
    let mut damaged = frames(fixture::TEXT);
    damaged[40] ^= 1;
    assert_eq!(class(&damaged), Err(FailureClass::Server));
}

#[test]
fn any_cut_gives_the_same_turn() {
    for events in [fixture::TEXT, fixture::TOOLS, fixture::THROTTLED] {
        check_cuts(&codec(), &frames(events));
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    check_beginnings(&codec(), &frames(fixture::TEXT), br#""stopReason":"end_turn""#);
    check_beginnings(&codec(), &frames(fixture::TOOLS), br#""stopReason":"tool_use""#);
}

#[test]
fn a_reply_whose_usage_is_lost_still_counts() {
    let lines: Vec<&str> = fixture::TEXT.lines().collect();
    let reply = decode(&codec(), &[&frames(&lines[..lines.len() - 1].join("\n"))]).0.unwrap();
    assert_eq!((reply.stop, reply.usage), (StopReason::EndTurn, Usage::default()));
}

#[test]
fn every_stop_reason_has_a_word() {
    let check = |reason: &str, stop| {
        let events = format!("messageStop {{\"stopReason\":\"{reason}\"}}");
        assert_eq!(decode(&codec(), &[&frames(&events)]).0.unwrap().stop, stop, "{reason}");
    };
    check("end_turn", StopReason::EndTurn);
    check("max_tokens", StopReason::MaxTokens);
    check("stop_sequence", StopReason::StopSequence);
    check("guardrail_intervened", StopReason::ContentFilter);
    check("content_filtered", StopReason::ContentFilter);
    check("malformed_tool_use", StopReason::Other);
}

fn event() -> impl Strategy<Value = String> {
    let text =
        prop::sample::select(vec!["Hi", "é🙂", r"a\nb", r#"{\"x\":"#, r"A", r"\q", "", r#"x","p":"y"#]);
    let index = prop::sample::select(vec!["0", "1", "1.0", "\"2\""]);
    let pad = prop::sample::select(vec!["", r#","p":"abc""#, r#","p":"abcdef""#]);
    let wrapping = prop::sample::select(vec![
        ("text", ""),
        ("reasoningContent\":{\"text", "}"),
        ("reasoningContent\":{\"signature", "}"),
        ("toolUse\":{\"input", "}"),
    ]);
    prop_oneof![
        (index.clone(), wrapping, text, pad).prop_map(|(index, (open, close), text, pad)| format!(
            r#"contentBlockDelta {{"contentBlockIndex":{index},"delta":{{"{open}":"{text}"{close}}}{pad}}}"#
        )),
        index.clone().prop_map(|index| format!(
            r#"contentBlockStart {{"contentBlockIndex":{index},"start":{{"toolUse":{{"toolUseId":"i","name":"n"}}}}}}"#
        )),
        index.prop_map(|index| format!(r#"contentBlockStop {{"contentBlockIndex":{index}}}"#)),
        Just("other {\"contentBlockIndex\":0,\"delta\":{\"text\":\"Hi\"}}".to_string()),
    ]
}

proptest! {
    #[test]
    fn the_memo_equals_the_parser_on_every_stream(
        events in proptest::collection::vec((event(), 1_usize..4), 0..16),
    ) {
        let mut lines = Vec::new();
        for (event, times) in &events {
            lines.extend(core::iter::repeat_n(event.as_str(), *times));
        }
        lines.push("messageStop {\"stopReason\":\"end_turn\"}");
        let bytes = frames(&lines.join("\n"));
        let decoder = |events| Box::new(FramedDecoder::new(event_stream::EventStreamDecoder::default(), events));
        prop_assert_eq!(
            decode_with(decoder(BedrockEventReader::default()), &[&bytes]),
            decode_with(decoder(BedrockEventReader::plain()), &[&bytes])
        );
    }

    #[test]
    fn bytes_of_any_kind_never_panic_and_never_finish(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&codec(), &[&bytes]).0.is_err());
        prop_assert!(codec().reply(&bytes).is_err());
    }

    #[test]
    fn payloads_of_any_kind_never_panic(payload in "[ -~]{0,60}", name in prop::sample::select(vec![
        "messageStart", "contentBlockStart", "contentBlockDelta", "metadata", "!validationException",
    ])) {
        let bytes = frames(&format!("{name} {payload}"));
        prop_assert!(decode(&codec(), &[&bytes]).0.is_err());
    }
}
