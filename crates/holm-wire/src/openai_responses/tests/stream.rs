use std::{format, string::String, vec, vec::Vec};

use holm_kernel::{FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture};
use crate::testing::{check_beginnings, check_cuts, decode, show};

fn codec() -> OpenaiResponsesCodec {
    OpenaiResponsesCodec::default()
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
    let check = |stream: &[u8], expect: &str, usage: [u64; 4]| {
        let reply = decode(&codec(), &[stream]).0.unwrap();
        let [input, cached, output, reasoning] = usage;
        assert_eq!(show(&reply), expect);
        assert_eq!(reply.usage, Usage { input, output, cached, cache_write: 0, reasoning, estimated: 0 });
        assert_eq!(reply.model.as_deref(), Some("gpt-5-mini-2025-08-07"));
    };
    check(fixture::TEXT, r#""Grüße aus \"Köln\",\n東京 🙂." | EndTurn"#, [1211, 1024, 46, 0]);
    let tools = r#"<**Two places**

Ask both.

Then compare.>{"openai_responses":{"encrypted_content":"gAAAAABo_end==","id":"rs_01","summary":[{"text":"**Two places**\n\nAsk both.","type":"summary_text"},{"text":"Then compare.","type":"summary_text"}]}} "I will look." call_A1:weather({"city":"Paris"}) call_B2:read_file({"path":"a\\b.txt"}) | ToolUse"#;
    check(fixture::TOOLS, tools, [310, 0, 189, 128]);
    check(fixture::INCOMPLETE, "\"Once upon a time\" | MaxTokens", [20, 0, 16, 0]);
    check(fixture::REFUSAL, "\"I can't help with that.\" | Refusal", [9, 0, 8, 0]);
    let open = r#"<Just list.>{"openai_responses":{"content":[{"text":"Just list.","type":"reasoning_text"}],"id":"rs_x","summary":[]}} fc_x:list({"dir":"."}) | ToolUse"#;
    check(fixture::OPEN, open, [20, 0, 12, 0]);
}

#[test]
fn a_whole_reply_is_read() {
    let reply = codec().reply(fixture::WHOLE).unwrap();
    let shown = show(&reply);
    assert!(shown.starts_with("<**Two places**\n\nAsk both.\n\nThen compare.>{"), "{shown}");
    assert!(shown.ends_with(r#" "I will look." call_1:weather({"city":"Oslo"}) | ToolUse"#), "{shown}");
    assert_eq!(reply.usage, Usage { input: 50, output: 30, reasoning: 20, ..Usage::default() });
}

#[test]
fn errors_are_classified_wherever_they_stand() {
    let failure = decode(&codec(), &[fixture::FAILED]).0.unwrap_err();
    assert_eq!((failure.class, failure.retry_after_ms), (FailureClass::RateLimited, Some(1500)));
    let check = |code: &str, message: &str, class| {
        let error = format!(r#"{{"code":"{code}","message":"{message}"}}"#);
        for event in [
            format!(r#"{{"type":"response.failed","response":{{"status":"failed","error":{error}}}}}"#),
            format!(r#"{{"type":"error","code":"{code}","message":"{message}","param":null}}"#),
            format!(r#"{{"type":"error","error":{error}}}"#),
            format!(r#"{{"error":{error}}}"#),
        ] {
            assert_eq!(decode(&codec(), &[&stream(&[&event])]).0.unwrap_err().class, class, "{event}");
        }
        let body = format!(r#"{{"object":"response","status":"failed","error":{error},"output":[]}}"#);
        assert_eq!(codec().reply(body.as_bytes()).unwrap_err().class, class, "{body}");
        let body = format!(r#"{{"error":{error}}}"#);
        assert_eq!(codec().reply(body.as_bytes()).unwrap_err().class, class, "{body}");
    };
    check("server_error", "oops", FailureClass::Server);
    check("rate_limit_exceeded", "slow down", FailureClass::RateLimited);
    check("context_length_exceeded", "too long", FailureClass::ContextOverflow);
    check("insufficient_quota", "You exceeded your current quota", FailureClass::Quota);
    check("invalid_prompt", "flagged", FailureClass::ContentFilter);
    check("server_is_overloaded", "Our servers are overloaded", FailureClass::Overloaded);
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
    assert_eq!(class(br#"{"status":"in_progress","output":[]}"#), Err(FailureClass::Server));
    assert_eq!(
        class(br#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}"#),
        Ok(StopReason::ContentFilter)
    );
}

#[test]
fn any_cut_gives_the_same_turn() {
    for stream in fixture::ALL {
        check_cuts(&codec(), stream);
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    for (stream, end) in [
        (fixture::TEXT, "event: response.completed\ndata: {"),
        (fixture::TOOLS, "event: response.completed\ndata: {"),
        (fixture::INCOMPLETE, "event: response.incomplete\ndata: {"),
        (fixture::REFUSAL, "event: response.completed\ndata: {"),
    ] {
        check_beginnings(&codec(), stream, end.as_bytes());
    }
    let done = stream(&[r#"{"type":"response.output_text.delta","delta":"x"}"#, "[DONE]"]);
    assert_eq!(decode(&codec(), &[&done]).0.unwrap_err().class, FailureClass::Truncated);
}

#[test]
fn lost_doubled_and_mixed_events_are_survived() {
    let check = |events: &[&str], expect: &str| {
        let events = [events, &[r#"{"type":"response.completed"}"#]].concat();
        assert_eq!(show(&decode(&codec(), &[&stream(&events)]).0.unwrap()), expect);
    };
    // nothing but the last event
    let last = r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"all"}]},{"type":"new"},{"type":"function_call","call_id":"a","name":"f","arguments":{"x":1}}]}}"#;
    check(&[last], r#""all" a:f({"x":1}) | ToolUse"#);
    // text without a start, said again at its end
    check(
        &[
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"x"}"#,
            r#"{"type":"response.output_text.done","output_index":0,"text":"x"}"#,
        ],
        "\"x\" | EndTurn",
    );
    // text only at its end
    check(&[r#"{"type":"response.output_text.done","output_index":0,"text":"x"}"#], "\"x\" | EndTurn");
    // the whole call at its start, and no end
    let start = r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}}"#;
    check(&[start], "a:f({}) | ToolUse");
    // an end that is sent twice
    let done = start.replace("added", "done");
    check(&[start, &done, &done], "a:f({}) | ToolUse");
    // pieces of two calls mixed
    let added = |index: u64, id: &str| {
        format!(
            r#"{{"type":"response.output_item.added","output_index":{index},"item":{{"type":"function_call","call_id":"{id}","name":"f"}}}}"#
        )
    };
    let arguments = |index: u64, text: &str| {
        format!(
            r#"{{"type":"response.function_call_arguments.delta","output_index":{index},"delta":"{text}"}}"#
        )
    };
    check(
        &[
            &added(0, "a"),
            &added(1, "b"),
            &arguments(0, "["),
            &arguments(1, "{"),
            &arguments(0, "]"),
            &arguments(1, "}"),
        ],
        "a:f([]) b:f({}) | ToolUse",
    );
    // the type only in the event's name
    let named = b"event: response.output_text.delta\ndata: {\"delta\":\"x\"}\n\nevent: response.completed\ndata: {}\n\n";
    assert_eq!(show(&decode(&codec(), &[named]).0.unwrap()), "\"x\" | EndTurn");
}

fn event() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "output_text.delta",
        "output_text.done",
        "refusal.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "reasoning_summary_text.delta",
        "reasoning_text.delta",
        "output_item.added",
        "output_item.done",
        "new_event",
    ]);
    let item = prop::sample::select(vec!["message", "function_call", "reasoning", "new"]);
    let text = prop::sample::select(vec!["Hi", "é🙂", r"a\nb", r#"{\"x\":"#, ""]);
    (kind, item, text, 0_u64..3).prop_map(|(kind, item, text, index)| {
        format!(
            r#"{{"type":"response.{kind}","output_index":{index},"delta":"{text}","text":"{text}","arguments":"{text}","item":{{"type":"{item}","id":"i","call_id":"c{index}","name":"n","arguments":"{text}","encrypted_content":"e"}}}}"#
        )
    })
}

proptest! {
    #[test]
    fn any_order_of_events_gives_one_turn_under_every_cut(
        events in proptest::collection::vec(event(), 0..12),
        size in 1_usize..40,
    ) {
        let mut events: Vec<&str> = events.iter().map(String::as_str).collect();
        events.push(r#"{"type":"response.completed"}"#);
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
