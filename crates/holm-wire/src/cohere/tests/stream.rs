use std::{format, string::String, vec, vec::Vec};

use holm_kernel::{FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture};
use crate::testing::{check_beginnings, check_cuts, decode, show};

fn codec() -> CohereCodec {
    CohereCodec::default()
}

fn stream(events: &[&str]) -> Vec<u8> {
    let mut stream = String::new();
    for event in events {
        stream += &format!("data: {event}\n\n");
    }
    stream.into_bytes()
}

#[test]
fn each_recorded_stream_gives_its_turn() {
    let check = |stream: &[u8], expect: &str, usage: [u64; 3]| {
        let reply = decode(&codec(), &[stream]).0.unwrap();
        let [input, cached, output] = usage;
        assert_eq!(show(&reply), expect);
        assert_eq!(reply.usage, Usage { input, output, cached, ..Usage::default() });
    };
    check(fixture::TEXT, r#""Grüße aus \"Köln\",\n東京 🙂." | EndTurn"#, [1211, 1024, 46]);
    let tools = r#""I will look." weather_1k7tr2ap:weather({
    "city": "Paris"
}) read_file_9x:read_file({"path":"a\\b.txt"}) | ToolUse"#;
    check(fixture::TOOLS, tools, [793, 0, 61]);
    check(fixture::THINKING, "<The user\nwants a sum.>{\"cohere\":true} \"42\" | EndTurn", [14, 0, 9]);
    check(fixture::CUT, "\"Once upon\" | MaxTokens", [20, 0, 2]);
}

#[test]
fn a_whole_reply_is_read() {
    let reply = codec().reply(fixture::WHOLE).unwrap();
    let expect =
        r#"<Hm.>{"cohere":true} "I will look." weather_a:weather({"city":"Oslo"}) now_b:now({}) | ToolUse"#;
    assert_eq!(show(&reply), expect);
    assert_eq!(reply.usage, Usage { input: 50, output: 30, ..Usage::default() });
    let billed = br#"{"message":{"content":"hi"},"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":3,"output_tokens":4.0}}}"#;
    let reply = codec().reply(billed).unwrap();
    assert_eq!((show(&reply).as_str(), reply.usage.input, reply.usage.output), ("\"hi\" | EndTurn", 3, 4));
}

#[test]
fn finish_reasons_are_mapped() {
    let check = |reason: &str, expect: Result<StopReason, FailureClass>| {
        let end = format!(r#"{{"type":"message-end","delta":{{"finish_reason":"{reason}"}}}}"#);
        let got = decode(&codec(), &[&stream(&[&end])]).0;
        assert_eq!(got.map(|reply| reply.stop).map_err(|failure| failure.class), expect, "{reason}");
        let body = format!(r#"{{"message":{{"content":[]}},"finish_reason":"{reason}"}}"#);
        let got = codec().reply(body.as_bytes());
        assert_eq!(got.map(|reply| reply.stop).map_err(|failure| failure.class), expect, "{reason}");
    };
    check("COMPLETE", Ok(StopReason::EndTurn));
    check("MAX_TOKENS", Ok(StopReason::MaxTokens));
    check("STOP_SEQUENCE", Ok(StopReason::StopSequence));
    check("TOOL_CALL", Ok(StopReason::EndTurn));
    check("ERROR_TOXIC", Ok(StopReason::ContentFilter));
    check("SOMETHING_NEW", Ok(StopReason::Other));
    check("ERROR", Err(FailureClass::Server));
    check("TIMEOUT", Err(FailureClass::Server));
    check("ERROR_LIMIT", Err(FailureClass::ContextOverflow));
}

#[test]
fn errors_are_classified_wherever_they_stand() {
    let failure = decode(&codec(), &[fixture::ERROR]).0.unwrap_err();
    let message = "internal server error, please try again";
    assert_eq!((failure.class, failure.message.as_str()), (FailureClass::Server, message));
    assert_eq!(failure.usage.input, 20);
    let check = |message: &str, class| {
        let body = format!(r#"{{"id":"x","message":"{message}"}}"#);
        assert_eq!(codec().reply(body.as_bytes()).unwrap_err().class, class, "{message} in a body");
        assert_eq!(
            decode(&codec(), &[&stream(&[&body])]).0.unwrap_err().class,
            class,
            "{message} in a stream"
        );
        let end =
            format!(r#"{{"type":"message-end","delta":{{"finish_reason":"ERROR","error":"{message}"}}}}"#);
        assert_eq!(decode(&codec(), &[&stream(&[&end])]).0.unwrap_err().class, class, "{message} at the end");
    };
    check("invalid api key", FailureClass::Auth);
    check("too many tokens: size limit exceeded by 1000 tokens", FailureClass::ContextOverflow);
    check("rate limit exceeded, please wait", FailureClass::RateLimited);
    check("service unavailable", FailureClass::Overloaded);
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
    for stream in fixture::ALL {
        check_cuts(&codec(), stream);
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    for stream in [fixture::TEXT, fixture::TOOLS, fixture::THINKING, fixture::CUT] {
        check_beginnings(&codec(), stream, b"event: message-end\ndata: {");
    }
    let done =
        stream(&[r#"{"type":"content-delta","delta":{"message":{"content":{"text":"x"}}}}"#, "[DONE]"]);
    assert_eq!(decode(&codec(), &[&done]).0.unwrap_err().class, FailureClass::Truncated);
}

#[test]
fn lost_doubled_and_mixed_events_are_survived() {
    let check = |events: &[&str], expect: &str| {
        let events = [events, &[r#"{"type":"message-end","delta":{}}"#]].concat();
        assert_eq!(show(&decode(&codec(), &[&stream(&events)]).0.unwrap()), expect);
    };
    let text = r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"x"}}}}"#;
    let thinking = r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"thinking":"t"}}}}"#;
    check(&[text], "\"x\" | EndTurn");
    check(&[thinking, text, thinking], "<t>{\"cohere\":true} \"x\" <t>{\"cohere\":true} | EndTurn");
    check(
        &[
            r#"{"type":"content-start","index":0,"delta":{"message":{"content":[{"text":"a"},{"text":"b"}]}}}"#,
        ],
        "\"ab\" | EndTurn",
    );
    // no index, as older servers send it
    let start = |id: &str| {
        format!(
            r#"{{"type":"tool-call-start","delta":{{"message":{{"tool_calls":{{"id":"{id}","function":{{"name":"f","arguments":""}}}}}}}}}}"#
        )
    };
    let chunk =
        r#"{"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments":"{}"}}}}}"#;
    check(&[&start("a"), chunk, &start("b"), chunk], "a:f({}) b:f({}) | ToolUse");
    check(&[r#"{"type":"debug","prompt":"x"}"#, r#"{"type":"content-start"}"#], " | EndTurn");
}

fn event() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "content-start",
        "content-delta",
        "content-end",
        "tool-plan-delta",
        "tool-call-start",
        "tool-call-delta",
        "citation-start",
    ]);
    let message = prop::sample::select(vec![
        r#""content":{"text":"é🙂"}"#,
        r#""content":{"thinking":"a\nb"}"#,
        r#""content":[]"#,
        r#""tool_plan":"p""#,
        r#""tool_calls":{"id":"i","function":{"name":"n","arguments":"{\"x\":"}}"#,
        r#""tool_calls":{"function":{"arguments":{"y":1}}}"#,
        r#""tool_calls":3,"content":7"#,
    ]);
    (kind, message, 0_u64..3).prop_map(|(kind, message, index)| {
        format!(r#"{{"type":"{kind}","index":{index},"delta":{{"message":{{{message}}}}}}}"#)
    })
}

proptest! {
    #[test]
    fn any_order_of_events_gives_one_turn_under_every_cut(
        events in proptest::collection::vec(event(), 0..12),
        size in 1_usize..40,
    ) {
        let mut events: Vec<&str> = events.iter().map(String::as_str).collect();
        events.push(r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#);
        let bytes = stream(&events);
        let uncut = decode(&codec(), &[&bytes]);
        prop_assert!(uncut.0.is_ok());
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        prop_assert_eq!(decode(&codec(), &pieces), uncut);
    }

    #[test]
    fn bytes_of_any_kind_never_panic_and_never_finish(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&codec(), &[&bytes]).0.is_err());
        prop_assert!(codec().reply(&bytes).is_err());
    }
}
