//! What is written can be read back, or is not written at all.

use alloc::{boxed::Box, format, string::String, vec, vec::Vec};

use holm_guards::json::Json;

use crate::journal::payload::check_length;
use crate::journal::{InputError, MAX_PAYLOAD_BYTES, PayloadError, RecordPayload, payload};
use crate::{Block, Input, Prompt, ToolCallId, ToolOutput, ToolResult};

/// A block inside a block, `depth` times.
fn nested(depth: u64) -> Block {
    let mut block = Block::Text("core".into());
    for _ in 0..depth {
        block = Block::ToolResult(ToolResult { parts: vec![block], ..ToolResult::default() });
    }
    block
}

fn with_metadata(depth: usize) -> Input {
    let metadata = Json::parse(&format!("{}{}", "[".repeat(depth), "]".repeat(depth))).unwrap();
    let result = ToolOutput { metadata: Some(Box::new(metadata)), ..ToolOutput::default() };
    Input::ToolFinished { call: ToolCallId::new(0), result }
}

#[test]
fn blocks_that_could_not_be_read_back_are_not_written() {
    for depth in 0..60 {
        let input = Input::Prompted(Prompt { blocks: vec![nested(depth)], ..Prompt::text("") });
        match payload(&input) {
            Ok(payload) => assert_eq!(payload.input(), Ok(input), "depth {depth}"),
            Err(error) => {
                assert_eq!(error, PayloadError::TooDeep);
                assert!(depth > 30, "depth {depth} is still fine");
            }
        }
    }
}

#[test]
fn open_json_of_any_depth_that_parses_can_be_written() {
    let input = with_metadata(usize::from(holm_guards::json::MAX_DEPTH));
    assert_eq!(payload(&input).unwrap().input(), Ok(input));
}

#[test]
fn an_input_that_fills_more_than_a_record_is_not_written() {
    let bytes = MAX_PAYLOAD_BYTES + 1;
    assert_eq!(check_length(bytes), Err(PayloadError::TooLong { bytes }));
    assert_eq!(check_length(MAX_PAYLOAD_BYTES), Ok(()));
}

#[test]
fn brackets_in_strings_do_not_nest() {
    let host = format!("{}\\\"{}", "[".repeat(500), "{".repeat(500));
    let input = Input::Resumed { host };
    assert_eq!(payload(&input).unwrap().input(), Ok(input));
}

#[test]
fn unknown_fields_are_ignored_and_unknown_kinds_are_not() {
    let check = |text: &str, expected: Option<Input>| {
        let read = RecordPayload::kept(text).input();
        assert_eq!(read.clone().ok(), expected, "{text}");
        assert!(matches!(read, Ok(_) | Err(InputError::Unreadable { .. })));
    };
    let resumed = Input::Resumed { host: "a".into() };
    check(r#"{"resumed":{"host":"a","since":{"x":[1e400]}}}"#, Some(resumed.clone()));
    check(r#"{"resumed":{"since":3,"host":"a"}}"#, Some(resumed));
    check(r#"{"dreamed":{"of":"sheep"}}"#, None);
    check(r#"{"resumed":{}}"#, None);
    check(r#"{"resumed":{"host":"\ud800"}}"#, None);
    check("", None);
}

#[test]
fn numbers_keep_their_text() {
    let numbers = ["1.50", "1e400", "-0", "123456789012345678901234567890", "0.1"];
    let texts: Vec<String> = numbers.iter().map(|n| format!("[{n}]")).collect();
    for text in texts {
        let result =
            ToolOutput { metadata: Some(Box::new(Json::parse(&text).unwrap())), ..ToolOutput::default() };
        let written = payload(&Input::ToolFinished { call: ToolCallId::new(1), result }).unwrap();
        assert!(written.text().unwrap().contains(&text));
        assert_eq!(payload(&written.input().unwrap()).unwrap(), written);
    }
}
