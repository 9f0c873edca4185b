//! What a model call costs, by the rules of `docs/budgets.md`, for models of the tokenizer family `Other`.
//!
//! The kernel keeps running sums; this counts every text anew. The weights are the last column of the table in
//! `holm-kernel/src/context/estimate.rs`.

use holm_kernel::{Block, FailureClass, Message, ModelResult, Request, Source, Usage};

/// What a call took: as its provider reported, and by estimate where it reported nothing.
pub(crate) fn usage(request: u64, result: &ModelResult) -> Usage {
    let (reported, arrived, is_charged) = match result {
        ModelResult::Replied(reply) if reply.usage.output > 0 => (reply.usage, 0, true),
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => {
            (reply.usage, reply.blocks.iter().map(block).sum(), true)
        }
        ModelResult::Failed(failure) => {
            let broke_off = matches!(failure.class, FailureClass::Truncated | FailureClass::Empty);
            (failure.usage, 0, broke_off || failure.usage.output > 0)
        }
    };
    let mut counted = reported;
    if is_charged && reported.input == 0 {
        counted.input = request;
    }
    counted.output = reported.output.max(arrived);
    counted.estimated += counted.input - reported.input + counted.output - reported.output;
    counted
}

/// What a call took that was lost with its host.
pub(crate) fn lost(request: u64) -> Usage {
    Usage { input: request, estimated: request, ..Usage::default() }
}

/// Estimates a request as it was sent.
pub(crate) fn request(request: &Request, messages: &[std::sync::Arc<Message>]) -> u64 {
    let tools = request.tools.tools.iter();
    let offered: u64 =
        tools.map(|tool| text(&tool.name) + text(&tool.description) + text(&tool.schema.canonical())).sum();
    let said: u64 = messages.iter().map(|message| 4 + message.blocks.iter().map(block).sum::<u64>()).sum();
    text(&request.system) + offered + said
}

fn block(block: &Block) -> u64 {
    match block {
        Block::Text(said) => text(said),
        Block::Thinking(thinking) => text(&thinking.text),
        Block::ToolCall(call) => text(&call.name) + text(&call.arguments) + text(&call.id) + 8,
        Block::ToolResult(result) => {
            text(&result.text) + text(&result.call) + 8 + result.parts.iter().map(self::block).sum::<u64>()
        }
        Block::Image(_) => 1_600,
        Block::File(media) => match &media.source {
            Source::Base64(data) => (data.len() as u64 / 4 * 3 / 25).max(1_600),
            _ => 3_000,
        },
        Block::Custom(_) => 0,
    }
}

fn text(text: &str) -> u64 {
    let thousandths: u64 = text.chars().map(weight).sum();
    thousandths.div_ceil(1_000)
}

fn weight(character: char) -> u64 {
    match character {
        'a'..='z' => 290,
        'A'..='Z' => 900,
        '0'..='9' => 1_000,
        ' ' => 150,
        '\n' | '\t' | '\r' => 600,
        _ => match character.len_utf8() {
            1 => 600,
            2 => 700,
            3 => 1_200,
            _ => 2_500,
        },
    }
}
