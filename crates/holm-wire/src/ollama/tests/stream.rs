use std::{format, string::String, vec, vec::Vec};

use holm_kernel::{Block, FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture};
use crate::testing::{check_beginnings, check_cuts, decode};

fn codec() -> OllamaCodec {
    OllamaCodec::default()
}

fn show(reply: &Reply) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) => format!("{text:?}"),
        Block::Thinking(thinking) => format!("<{}>", thinking.text),
        Block::ToolCall(call) => format!("{}:{}({})", call.id, call.name, call.arguments),
        other => format!("{other:?}"),
    };
    let blocks: Vec<String> = reply.blocks.iter().map(block).collect();
    format!("{} | {:?}", blocks.join(" "), reply.stop)
}

#[test]
fn each_recorded_stream_gives_its_turn() {
    let check = |stream: &[u8], expect: &str, input, output| {
        let reply = decode(&codec(), &[stream]).0.unwrap();
        assert_eq!(show(&reply), expect);
        assert_eq!(reply.usage, Usage { input, output, ..Usage::default() });
    };
    check(fixture::TEXT, r#""Grüße aus \"Köln\",\n東京 🙂." | EndTurn"#, 26, 282);
    check(
        fixture::TOOLS,
        r#"<Two places: ask both.> "I will look." call_0:weather({"city":"Paris"}) call_1:weather({"city":"Oslo"}) call_x1:now({}) | ToolUse"#,
        169,
        44,
    );
}

#[test]
fn a_whole_reply_is_read_with_and_without_a_stream() {
    let reply = codec().reply(fixture::WHOLE).unwrap();
    assert_eq!(show(&reply), r#"<Hm.> "I will look." call_0:weather({"city":"Oslo","days":2}) | ToolUse"#);
    assert_eq!(reply.model.as_deref(), Some("llama3.2"));
    assert_eq!(decode(&codec(), &[fixture::WHOLE]).0.unwrap(), reply);
}

#[test]
fn errors_are_classified_wherever_they_stand() {
    let failure = decode(&codec(), &[fixture::ERROR]).0.unwrap_err();
    assert_eq!(failure.class, FailureClass::Server);
    assert_eq!(failure.message, "an error was encountered while running the model: unexpected EOF");
    let check = |body: &str, class| {
        assert_eq!(codec().reply(body.as_bytes()).unwrap_err().class, class, "{body} in a body");
        assert_eq!(decode(&codec(), &[body.as_bytes()]).0.unwrap_err().class, class, "{body} in a stream");
    };
    check(r#"{"error":"server is busy, please try again"}"#, FailureClass::Overloaded);
    check(
        r#"{"error":"the input exceeds the context length; prompt too long"}"#,
        FailureClass::ContextOverflow,
    );
    check(r#"{"error":"unauthorized"}"#, FailureClass::Auth);
    check(r#"{"error":{"message":"too many requests"}}"#, FailureClass::RateLimited);
}

#[test]
fn a_body_that_is_no_stream_is_a_typed_failure() {
    let class = |body: &[u8]| decode(&codec(), &[body]).0.map_err(|failure| failure.class);
    assert_eq!(class(b"<html>"), Err(FailureClass::Network));
    assert_eq!(class(b"[1]"), Err(FailureClass::Truncated), "the provider has answered, and charges");
    assert_eq!(class(b"what\n"), Err(FailureClass::Server));
    assert_eq!(class(b""), Err(FailureClass::Truncated));
    let reply = |body: &[u8]| codec().reply(body).map_err(|failure| failure.class);
    assert_eq!(reply(b"{}"), Err(FailureClass::Server));
    assert_eq!(reply(&fixture::WHOLE[..100]), Err(FailureClass::Truncated));
    assert_eq!(reply(br#"{"message":{"content":"half"},"done":false}"#), Err(FailureClass::Truncated));
}

#[test]
fn any_cut_gives_the_same_turn() {
    for stream in [fixture::TEXT, fixture::TOOLS, fixture::ERROR, fixture::WHOLE] {
        check_cuts(&codec(), stream);
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    check_beginnings(&codec(), fixture::TEXT, br#""eval_duration":4535599000"#);
    check_beginnings(&codec(), fixture::TOOLS, br#""eval_count":44"#);
}

#[test]
fn every_reason_has_a_word() {
    let check = |reason: &str, stop| {
        let line = format!(r#"{{"done":true{reason}}}"#);
        assert_eq!(decode(&codec(), &[line.as_bytes()]).0.unwrap().stop, stop, "{reason}");
    };
    check("", StopReason::EndTurn);
    check(r#","done_reason":"stop""#, StopReason::EndTurn);
    check(r#","done_reason":"length""#, StopReason::MaxTokens);
    check(r#","done_reason":"load""#, StopReason::Other);
}

proptest! {
    #[test]
    fn bytes_of_any_kind_never_panic_and_never_finish(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&codec(), &[&bytes]).0.is_err());
        prop_assert!(codec().reply(&bytes).is_err());
    }

    #[test]
    fn members_of_any_type_never_panic(
        member in prop::sample::select(vec![
            "message", "done_reason", "error", "model", "eval_count", "prompt_eval_count",
        ]),
        value in prop::sample::select(vec!["null", "1", "-1.5", "\"x\"", "[]", "{}", "true", "[[{}]]"]),
    ) {
        let line = format!("{{\"{member}\":{value},\"done\":true}}");
        let _ = decode(&codec(), &[line.as_bytes()]);
    }
}
