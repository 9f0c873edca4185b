use std::{boxed::Box, format, string::String, string::ToString, vec, vec::Vec};

use holm_kernel::{Block, FailureClass, StopReason, Usage};
use proptest::prelude::*;

use super::{super::*, fixture};
use crate::{
    ReplyDraft, WireDelta,
    framing::{FrameDecoder, StreamFrame},
    testing::{check_beginnings, check_cuts, decode, decode_with},
};

fn chat() -> OpenaiChatCodec {
    OpenaiChatCodec::default()
}

/// A reply in one line: blocks, then the stop.
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
    let check = |stream: &[u8], expect: &str| {
        let (result, _) = decode(&chat(), &[stream]);
        assert_eq!(show(&result.unwrap()), expect);
    };
    check(fixture::TEXT, r#""Grüße aus \"Köln\",\n東京 and 🙂." | EndTurn"#);
    check(
        fixture::CALLS,
        r#"call_A1:weather({"city":"Paris"}) call_B2:read_file({"path":"a\\b.txt"}) | ToolUse"#,
    );
    check(
        fixture::REUSED,
        r#""Looking." call_0:list({"dir":"."}) call_1:list({"dir":"src"}) call_2:read({"path":"a.txt","line":3}) | ToolUse"#,
    );
    check(fixture::REASONING, r#"<The user wants a sum.> "42" | EndTurn"#);
    check(fixture::REFUSAL, r#""I can't help with that." | Refusal"#);
}

#[test]
fn usage_is_read_in_every_spelling() {
    let check = |stream: &[u8], input, output, cached, reasoning| {
        let usage = decode(&chat(), &[stream]).0.unwrap().usage;
        assert_eq!(usage, Usage { input, output, cached, cache_write: 0, reasoning, estimated: 0 });
    };
    check(fixture::TEXT, 1211, 46, 1024, 32);
    check(fixture::REUSED, 20, 12, 0, 0);
    check(fixture::REASONING, 14, 9, 8, 6);
    let beside = r#"data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":5}}}

data: [DONE]

"#;
    check(beside.as_bytes(), 10, 7, 0, 5);
    let aside = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}],\"x_groq\":{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}}\n\ndata: [DONE]\n\n";
    check(aside.as_bytes(), 3, 4, 0, 0);
}

#[test]
fn an_error_in_the_stream_fails_the_turn() {
    let failure = decode(&chat(), &[fixture::ERROR]).0.unwrap_err();
    assert_eq!(failure.class, FailureClass::Server);
    assert!(failure.message.starts_with("The server had an error"), "{}", failure.message);
    let check = |event: &str, class| {
        let stream = format!("data: {{\"choices\":[]}}\n\ndata: {event}\n\ndata: [DONE]\n\n");
        assert_eq!(decode(&chat(), &[stream.as_bytes()]).0.unwrap_err().class, class, "{event}");
    };
    check(r#"{"error":{"message":"x","code":429}}"#, FailureClass::RateLimited);
    check(r#"{"error":{"message":"Provider returned error","code":502}}"#, FailureClass::Server);
    check(r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#, FailureClass::ContextOverflow);
    check(r#"{"error":"model overloaded"}"#, FailureClass::Overloaded);
    check(r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#, FailureClass::Server);
    check(
        r#"{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#,
        FailureClass::Overloaded,
    );
    check("not json", FailureClass::Server);
}

#[test]
fn finish_reasons_are_mapped() {
    let check = |reason: &str, stop| {
        let stream = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"x\"}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n"
        );
        assert_eq!(decode(&chat(), &[stream.as_bytes()]).0.unwrap().stop, stop, "{reason}");
    };
    check("stop", StopReason::EndTurn);
    check("length", StopReason::MaxTokens);
    check("content_filter", StopReason::ContentFilter);
    check("something_new", StopReason::Other);
    check("tool_calls", StopReason::EndTurn);
}

#[test]
fn a_body_that_is_no_stream_is_a_reply_or_a_typed_failure() {
    let class =
        |body: &[u8]| decode(&chat(), &[body]).0.map(|reply| show(&reply)).map_err(|failure| failure.class);
    assert_eq!(
        class(fixture::WHOLE),
        Ok(r#""I will look." call_1:weather({"city":"Oslo"}) | ToolUse"#.to_string())
    );
    assert_eq!(class(&fixture::WHOLE[..200]), Err(FailureClass::Truncated));
    assert_eq!(class(b"<!DOCTYPE html><html>Sign in</html>"), Err(FailureClass::Network));
    assert_eq!(
        class(b"  \n{\"error\":{\"message\":\"no\",\"type\":\"invalid_api_key\"}}"),
        Err(FailureClass::Auth)
    );
    assert_eq!(class(b"{\"hello\":1}"), Err(FailureClass::Server));
    assert_eq!(class(b"upstream connect error"), Err(FailureClass::Truncated));
    assert_eq!(class(b""), Err(FailureClass::Truncated));
    assert_eq!(class(b"\x1f\x8b\x08\x00\x00\x00"), Err(FailureClass::Truncated));
}

#[test]
fn any_cut_gives_the_same_turn() {
    for stream in fixture::ALL {
        check_cuts(&chat(), stream);
    }
}

#[test]
fn a_beginning_is_never_a_finished_turn() {
    for stream in [fixture::TEXT, fixture::CALLS, fixture::REUSED, fixture::REASONING, fixture::REFUSAL] {
        check_beginnings(&chat(), stream, b"[DONE]");
    }
}

#[test]
fn a_finish_reason_ends_the_stream_only_where_the_dialect_says_so() {
    let stream = b"data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(decode(&chat(), &[stream]).0.unwrap_err().class, FailureClass::Truncated);
    let lenient = OpenaiChatCodec::new(OpenaiChatDialect {
        end: StreamEndMark::FinishReason,
        ..OpenaiChatDialect::default()
    });
    assert_eq!(show(&decode(&lenient, &[stream]).0.unwrap()), "\"x\" | EndTurn");
}

#[test]
fn pieces_carry_offsets_that_join_to_the_reply() {
    let mut decoder = chat().stream();
    let (mut text, mut arguments) = (String::new(), vec![String::new(); 2]);
    let _ = decoder.feed(fixture::CALLS, &mut |delta| match delta {
        WireDelta::Text { offset, text: piece } => {
            assert_eq!(offset, text.len() as u64);
            text.push_str(piece);
        }
        WireDelta::ToolArguments { index, offset, text: piece } => {
            let so_far = &mut arguments[usize::try_from(index).unwrap()];
            assert_eq!(offset, so_far.len() as u64);
            so_far.push_str(piece);
        }
        WireDelta::ToolCallStarted { .. } | WireDelta::Thinking { .. } | WireDelta::Usage(_) => {}
    });
    assert_eq!(arguments, [r#"{"city":"Paris"}"#, r#"{"path":"a\\b.txt"}"#]);
}

#[test]
fn an_aborted_turn_keeps_text_and_drops_half_a_call() {
    let stream = br#"data: {"choices":[{"delta":{"content":"hm"}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{\"x"}}]}}]}

"#;
    let mut decoder = chat().stream();
    let _ = decoder.feed(stream, &mut |_| {});
    assert_eq!(show(&decoder.abort()), r#""hm" a:f({}) | Other"#);
}

#[test]
fn calls_are_told_apart_in_every_habit() {
    let check = |calls: &[&str], expect: &str| {
        let mut stream = String::new();
        for call in calls {
            stream += &format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n");
        }
        stream += "data: [DONE]\n\n";
        assert_eq!(show(&decode(&chat(), &[stream.as_bytes()]).0.unwrap()), expect);
    };
    // id and name repeated with every piece
    check(
        &[
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}"#,
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}"#,
        ],
        r#"a:f({"x":1}) | ToolUse"#,
    );
    // the same id for two calls
    check(
        &[
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
            r#"{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
        ],
        "a:f({}) a_1:f({}) | ToolUse",
    );
    // other ids under one index
    check(
        &[
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
            r#"{"index":0,"id":"b","function":{"name":"f","arguments":""}}"#,
            r#"{"index":0,"function":{"arguments":"{\"y\":2}"}}"#,
        ],
        r#"a:f({}) b:f({"y":2}) | ToolUse"#,
    );
    // no index at all
    check(
        &[
            r#"{"id":"a","function":{"name":"f","arguments":""}}"#,
            r#"{"function":{"arguments":"{}"}}"#,
            r#"{"id":"b","function":{"name":"g"}}"#,
        ],
        "a:f({}) b:g() | ToolUse",
    );
    // interleaved
    check(
        &[
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}"#,
            r#"{"index":1,"id":"b","function":{"name":"g","arguments":"["}}"#,
            r#"{"index":0,"function":{"arguments":"}"}}"#,
            r#"{"index":1,"function":{"arguments":"]"}}"#,
        ],
        "a:f({}) b:g([]) | ToolUse",
    );
    // the name after the arguments
    check(
        &[r#"{"index":0,"function":{"arguments":"{}"}}"#, r#"{"index":0,"id":"z","function":{"name":"f"}}"#],
        "call_0:f({}) | ToolUse",
    );
}

#[test]
fn forty_thousand_calls_cost_one_pass() {
    let mut stream = String::new();
    for _ in 0..40 {
        let calls = vec![r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#; 1000].join(",");
        stream += &format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{calls}]}}}}]}}\n\n");
    }
    stream += "data: [DONE]\n\n";
    let reply = decode(&chat(), &[stream.as_bytes()]).0.unwrap();
    assert_eq!(reply.blocks.len(), 40_000);
}

#[test]
fn content_in_parts_is_text_and_reasoning() {
    let stream = br#"data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]}}]}

data: [DONE]

"#;
    assert_eq!(show(&decode(&chat(), &[stream]).0.unwrap()), "<hm> \"hi\" | EndTurn");
}

fn both_paths(stream: &[u8]) -> [crate::testing::Turn; 2] {
    let decoder = |events| Box::new(FramedDecoder::new(sse::SseDecoder::default(), events));
    [
        decode_with(decoder(OpenaiChatEventReader::new(StreamEndMark::Done)), &[stream]),
        decode_with(decoder(OpenaiChatEventReader::plain(StreamEndMark::Done)), &[stream]),
    ]
}

#[test]
fn the_memo_is_used_and_changes_nothing() {
    for stream in fixture::ALL {
        let [fast, plain] = both_paths(stream);
        assert_eq!(fast, plain);
    }
    let mut events = OpenaiChatEventReader::new(StreamEndMark::Done);
    let mut draft = ReplyDraft::default();
    let (mut frames, mut remembered) = (0, 0);
    let mut framing = sse::SseDecoder::default();
    framing
        .feed(fixture::TEXT, &mut |frame| {
            frames += 1;
            remembered += u32::from(events.memo_knows(frame.data));
            let _ = events.event(frame, &mut draft, &mut |_| {});
        })
        .unwrap();
    assert_eq!((frames, remembered), (10, 5));
}

fn chunk() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[ -~]{0,12}".prop_map(|text| text.replace(['"', '\\'], "")),
        Just("é漢🙂".to_string()),
        Just(r"\n\t\\\/".to_string()),
        Just(r#"say \"hi\""#.to_string()),
        Just(r"\u00e9\ud83d\ude42".to_string()),
        Just(r"\ud83d".to_string()),
        Just(r"\x".to_string()),
        Just(r"trailing\".to_string()),
        Just("raw \u{1} control".to_string()),
        Just(r#"","content":"twice"#.to_string()),
        Just(r#"x"},"finish_reason":"length"},{"delta":{"content":"y"#.to_string()),
    ];
    let member = prop::sample::select(vec!["content", "reasoning_content", "reasoning", "refusal", "name"]);
    let after = prop::sample::select(vec![
        "",
        r#","finish_reason":null"#,
        r#","finish_reason":"stop""#,
        r#","logprobs":{"content":[{"token":"a"}]}"#,
    ]);
    let end = prop::sample::select(vec![
        "",
        r#","usage":null"#,
        r#","usage":{"prompt_tokens":1}"#,
        r#","obfuscation":"abc""#,
        r#","obfuscation":"a\"bc""#,
        r#","obfuscation":"wxyz01","p":"1""#,
        r#","p":"Qr","z":["obfuscation"]"#,
    ]);
    let start = prop::sample::select(vec![
        "",
        r#""id":"a1","created":17,"#,
        r#""id":"b\u0032","created":1.5,"#,
        r#""id":"","created":018,"#,
        r#""created":0,"p":"x","id":"é","#,
    ]);
    (start, member, text, after, end).prop_map(|(start, member, text, after, end)| {
        format!(
            r#"data: {{{start}"model":"m","choices":[{{"index":0,"delta":{{"{member}":"{text}"}}{after}}}]{end}}}"#
        )
    })
}

/// Pieces of calls, with and without an id of their own.
fn call_chunk() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["", r#""id":"c1","#, r#""id":"c2","#]);
    let content =
        prop::sample::select(vec!["", r#""content":null,"#, r#""content":"","#, r#""content":"x","#]);
    let id = prop::sample::select(vec!["", r#""id":"","#, r#""id":"a","#, r#""id":"b","#]);
    let name = prop::sample::select(vec!["", r#""name":"f","#, r#""name":"","#]);
    let index = prop::sample::select(vec!["", r#""index":0,"#, r#""index":1,"#]);
    let text = prop::sample::select(vec!["", "{", "}", r#"\"a\":1"#, "7", r"\n"]);
    (start, content, id, name, index, text).prop_map(|(start, content, id, name, index, text)| {
        format!(
            r#"data: {{{start}"choices":[{{"delta":{{{content}"tool_calls":[{{{index}{id}"function":{{{name}"arguments":"{text}"}}}}]}}}}]}}"#
        )
    })
}

#[test]
fn pieces_of_a_call_are_remembered_unless_their_id_could_be_taken_for_the_chunks() {
    let check = |frames: [&str; 2], known: bool| {
        let mut events = OpenaiChatEventReader::new(StreamEndMark::Done);
        let mut draft = ReplyDraft::default();
        let _ = events.event(StreamFrame { name: b"", data: frames[0].as_bytes() }, &mut draft, &mut |_| {});
        assert_eq!(events.memo_knows(frames[1].as_bytes()), known, "{frames:?}");
    };
    let chunk = |start: &str, id: &str, text: &str| {
        format!(
            r#"{{{start}"choices":[{{"delta":{{"tool_calls":[{{{id}"function":{{"arguments":"{text}"}}}}]}}}}]}}"#
        )
    };
    let chunk_id = |id: &str| format!(r#""id":"{id}","#);
    check([&chunk(&chunk_id("1"), "", "a"), &chunk(&chunk_id("2"), "", r#"\"b"#)], true);
    check([&chunk("", "", "a"), &chunk("", "", "b")], true);
    check([&chunk(&chunk_id("1"), &chunk_id(""), "a"), &chunk(&chunk_id("2"), &chunk_id(""), "b")], true);
    check([&chunk(&chunk_id("1"), &chunk_id(""), "a"), &chunk(&chunk_id("1"), &chunk_id("x"), "b")], false);
    check([&chunk("", &chunk_id(""), "a"), &chunk("", &chunk_id("x"), "b")], false);
    check([&chunk("", &chunk_id("x"), "a"), &chunk("", &chunk_id("x"), "b")], false);
}

proptest! {
    #[test]
    fn the_memo_equals_the_parser_on_every_stream(
        shapes in proptest::collection::vec((prop_oneof![chunk(), call_chunk()], 1_usize..4), 0..12),
        noise in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut stream = String::new();
        for (chunk, times) in &shapes {
            for _ in 0..*times {
                stream += chunk;
                stream += "\n\n";
            }
        }
        stream += "data: [DONE]\n\n";
        let mut bytes = stream.into_bytes();
        for (at, byte) in noise {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let [fast, plain] = both_paths(&bytes);
        prop_assert_eq!(fast, plain);
    }

    #[test]
    fn bytes_of_any_kind_never_panic_and_never_finish(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&chat(), &[&bytes]).0.is_err());
        prop_assert!(chat().reply(&bytes).is_err());
    }
}
