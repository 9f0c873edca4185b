use std::{format, vec, vec::Vec};

use holm_kernel::{Block, Message, MessageId, Role, ToolCall};

use super::{BATCH_CALLS, BATCH_REACH, CompletionRequest};

fn call(number: usize) -> Block {
    let (id, name) = (format!("call-{number}"), format!("tool-{number}"));
    Block::ToolCall(ToolCall { id, name, arguments: "{}".into(), replay: None })
}

fn message(role: Role, blocks: Vec<Block>) -> Message {
    Message::new(MessageId::new(0), role, blocks)
}

#[test]
fn the_tool_of_a_result_is_that_of_its_call_and_is_looked_for_no_further_than_a_batch_reaches() {
    let calls = message(Role::Assistant, (0..=BATCH_CALLS).map(call).collect());
    let asked = CompletionRequest { messages: vec![calls.clone()], ..CompletionRequest::default() };
    assert_eq!(asked.tool_of("call-0"), "tool-0");
    assert_eq!(asked.tool_of(&format!("call-{}", BATCH_CALLS - 1)), format!("tool-{}", BATCH_CALLS - 1));
    assert_eq!(asked.tool_of(&format!("call-{BATCH_CALLS}")), "");
    assert_eq!(asked.tool_of("another"), "");
    let mut far = CompletionRequest { messages: vec![calls], ..CompletionRequest::default() };
    far.messages.extend(std::iter::repeat_n(message(Role::Tool, Vec::new()), BATCH_REACH));
    assert_eq!(far.tool_of("call-0"), "");
}
