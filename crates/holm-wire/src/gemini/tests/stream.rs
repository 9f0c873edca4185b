use std::{format, string::String, vec, vec::Vec};

use holm_kernel::{FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture};
use crate::testing::{check_beginnings, check_cuts, decode, show};

fn codec() -> GeminiCodec {
    GeminiCodec::default()
}

fn finished(reason: &str) -> Vec<u8> {
    format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"x\"}}]}},\"finishReason\":\"{reason}\"}}]}}\n\n")
        .into_bytes()
}

#[test]
fn each_recorded_stream_gives_its_turn() {
    let check = |stream: &[u8], expect: &str, usage: [u64; 4]| {
        let reply = decode(&codec(), &[stream]).0.unwrap();
        let [input, cached, output, reasoning] = usage;
        assert_eq!(show(&reply), expect);
        assert_eq!(reply.usage, Usage { input, output, cached, cache_write: 0, reasoning, estimated: 0 });
        assert_eq!(reply.model.as_deref(), Some("gemini-2.5-flash"));
    };
    check(fixture::TEXT, r#""Grüße aus \"Köln\",\n東京 🙂." | EndTurn"#, [1211, 1024, 46, 32]);
    let tools = r#"<**Two places**

Ask both.> "I will " "look." <>{"gemini":{"part":"text","thoughtSignature":"CiQBVKhc7vtext"}} call_0:weather({"city":"Paris"}){"gemini":{"thoughtSignature":"CikBVKhc7vcall=="}} call_1:weather({"city":"東京"}) fc-9:now({}) <>{"gemini":{"part":"empty","thoughtSignature":"CgkBVKhc7vend"}} | ToolUse"#;
    check(fixture::TOOLS, tools, [100, 0, 101, 61]);
    check(fixture::CUT, "\"Once upon\" | MaxTokens", [20, 0, 2, 0]);
}

#[test]
fn a_whole_reply_is_read() {
    let reply = codec().reply(fixture::WHOLE).unwrap();
    let shown = show(&reply).replace([' ', '\n'], "");
    let expect = r#"<Hm.>"Iwilllook."call_0:weather({"city":"Oslo","days":2}){"gemini":{"thoughtSignature":"c2ln"}}|ToolUse"#;
    assert_eq!(shown, expect);
    assert_eq!(reply.usage, Usage { input: 50, output: 30, reasoning: 20, ..Usage::default() });
    let picture = br#"{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"aWs="}}]},"finishReason":"STOP"}]}"#;
    assert_eq!(codec().reply(picture).unwrap().blocks, [crate::testing::picture()]);
}

#[test]
fn a_list_of_chunks_is_a_whole_reply() {
    let part = |text: &str, end: &str| {
        format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}{end}}}]}}"#)
    };
    let stop = r#","finishReason":"STOP""#;
    let check = |body: String, expect: Result<&str, FailureClass>| {
        let got = decode(&codec(), &[body.as_bytes()]).0.map(|reply| show(&reply));
        assert_eq!(got.map_err(|failure| failure.class), expect.map(String::from), "{body}");
    };
    check(format!("[{},\n{}]", part("a", ""), part("b", stop)), Ok("\"ab\" | EndTurn"));
    check(format!("[{}]", part("a", "")), Err(FailureClass::Truncated));
    check(format!("[{},", part("a", "")), Err(FailureClass::Truncated));
    check(
        r#"[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]"#.into(),
        Err(FailureClass::RateLimited),
    );
}

#[test]
fn finish_reasons_are_mapped() {
    let check = |reason: &str, expect: Result<StopReason, FailureClass>| {
        let got = decode(&codec(), &[&finished(reason)]).0;
        assert_eq!(got.map(|reply| reply.stop).map_err(|failure| failure.class), expect, "{reason}");
    };
    check("STOP", Ok(StopReason::EndTurn));
    check("MAX_TOKENS", Ok(StopReason::MaxTokens));
    for filtered in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"] {
        check(filtered, Ok(StopReason::ContentFilter));
    }
    check("OTHER", Ok(StopReason::Other));
    check("SOMETHING_NEW", Ok(StopReason::Other));
    check("UNEXPECTED_TOOL_CALL", Err(FailureClass::Server));
    check("MISSING_THOUGHT_SIGNATURE", Err(FailureClass::BadRequest));
    check("FINISH_REASON_UNSPECIFIED", Err(FailureClass::Truncated));
    check("", Err(FailureClass::Truncated));
}

#[test]
fn errors_are_classified_wherever_they_stand() {
    let check = |stream: &[u8], class, message: &str| {
        let failure = decode(&codec(), &[stream]).0.unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (class, message));
    };
    check(fixture::BLOCKED, FailureClass::ContentFilter, "the prompt was blocked: PROHIBITED_CONTENT");
    let malformed =
        "the reply ended with MALFORMED_FUNCTION_CALL Malformed function call: print(weather(city=";
    check(fixture::MALFORMED, FailureClass::Server, malformed);
    check(fixture::OVERLOADED, FailureClass::Overloaded, "The model is overloaded. Please try again later.");
    assert_eq!(decode(&codec(), &[fixture::OVERLOADED]).0.unwrap_err().usage.input, 8);
    let body = |code: u16, message: &str, status: &str| {
        format!(r#"{{"error":{{"code":{code},"message":"{message}","status":"{status}"}}}}"#)
    };
    let check = |body: String, class| {
        assert_eq!(codec().reply(body.as_bytes()).unwrap_err().class, class, "{body}");
        let stream = format!("data: {body}\r\n\r\n");
        assert_eq!(decode(&codec(), &[stream.as_bytes()]).0.unwrap_err().class, class, "{body}");
    };
    check(
        body(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
        FailureClass::Auth,
    );
    check(body(403, "no", "PERMISSION_DENIED"), FailureClass::Auth);
    check(body(500, "An internal error has occurred.", "INTERNAL"), FailureClass::Server);
    let long = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    check(body(400, long, "INVALID_ARGUMENT"), FailureClass::ContextOverflow);
    check(body(404, "models/x is not found", "NOT_FOUND"), FailureClass::BadRequest);
}

#[test]
fn a_body_that_is_no_stream_is_a_reply_or_a_typed_failure() {
    let class =
        |body: &[u8]| decode(&codec(), &[body]).0.map(|reply| reply.stop).map_err(|failure| failure.class);
    assert_eq!(class(fixture::WHOLE), Ok(StopReason::ToolUse));
    assert_eq!(class(&fixture::WHOLE[..100]), Err(FailureClass::Truncated));
    assert_eq!(class(b"<html>"), Err(FailureClass::Network));
    assert_eq!(class(b"{}"), Err(FailureClass::Server));
    assert_eq!(class(b"[1,2]"), Err(FailureClass::Server));
    assert_eq!(class(b"[]"), Err(FailureClass::Server));
}

#[test]
fn any_cut_gives_the_same_turn() {
    for stream in fixture::ALL {
        check_cuts(&codec(), stream);
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    for stream in [fixture::TEXT, fixture::TOOLS, fixture::CUT] {
        check_beginnings(&codec(), stream, br#""finishReason":"#);
    }
}

#[test]
fn what_follows_the_finish_reason_still_counts() {
    let mut stream = finished("STOP");
    stream.extend_from_slice(b"data: {\"usageMetadata\":{\"promptTokenCount\":\"5\",\"candidatesTokenCount\":2.0}}\n\ndata: [DONE]\n\n");
    let reply = decode(&codec(), &[&stream]).0.unwrap();
    assert_eq!(reply.usage, Usage { input: 5, output: 2, ..Usage::default() });
}

fn part() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["Hi", "é🙂", r"a\nb", r"\u0041", ""]);
    let rest = prop::sample::select(vec![
        "",
        r#","thought":true"#,
        r#","thoughtSignature":"c2ln""#,
        r#","thought":true,"thoughtSignature":"c2ln""#,
        r#","functionCall":{"name":"f","args":{"x":[1,null]}}"#,
        r#","functionCall":{"id":"i","name":"f","args":null},"thoughtSignature":"c2ln""#,
        r#","inlineData":{"mimeType":"image/png","data":"aWs="}"#,
        r#","executableCode":{"code":"1"}"#,
    ]);
    (text, rest).prop_map(|(text, rest)| format!(r#"{{"text":"{text}"{rest}}}"#))
}

proptest! {
    #[test]
    fn any_parts_give_one_turn_under_every_cut(
        parts in proptest::collection::vec(part(), 0..10),
        size in 1_usize..40,
    ) {
        let mut stream = String::new();
        for part in &parts {
            stream += &format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{part}]}}}}]}}\r\n\r\n");
        }
        let mut bytes = stream.into_bytes();
        bytes.extend_from_slice(&finished("STOP"));
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
