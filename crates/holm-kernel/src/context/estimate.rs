//! Estimates how many tokens a message takes, before a provider has counted them.
//!
//! Tokenizers differ and are megabytes large, and a window is planned with a margin anyway.
//! So each kind of byte has a weight in thousandths of a token, and the weights are added up:
//! one table look-up per byte, no float, the same figure on every host. Continuation bytes of
//! a character weigh nothing.
//!
//! | thousandths of a token | `OpenAi` | `Anthropic` | `Gemini` | `Open` | `Other` | why |
//! |---|---|---|---|---|---|---|
//! | lowercase letter | 230 | 290 | 240 | 250 | 290 | a little over four to a token |
//! | capital | 800 | 900 | 800 | 850 | 900 | begins a token; many of them mean base64 |
//! | digit | 800 | 900 | 1000 | 1000 | 1000 | one to three in a token, fewer in hashes |
//! | space | 120 | 150 | 130 | 150 | 150 | mostly joined to the word |
//! | line break, tab | 500 | 600 | 500 | 550 | 600 | |
//! | other ASCII | 500 | 600 | 550 | 600 | 600 | JSON and code: pairs often join |
//! | two-byte character | 450 | 700 | 450 | 600 | 700 | Cyrillic, Greek, Arabic, accents |
//! | three-byte character | 800 | 1200 | 750 | 1100 | 1200 | Chinese, Japanese, Korean, Hindi |
//! | four-byte character | 2000 | 2500 | 2000 | 2500 | 2500 | emoji |
//!
//! The first column was fitted to counts of the o200k and cl100k vocabularies, and the tests
//! compare it with them. The other columns are scaled from it with care: a figure that is too high
//! wastes a little room, one that is too low fails a call. The table affects decisions, so a
//! changed table needs a new [`SEMANTICS`](crate::SEMANTICS).
//!
//! This file only counts. What follows from a figure is decided in `context/plan.rs` and
//! `run/billing.rs`.

use alloc::{sync::Arc, vec, vec::Vec};

use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::envelope_parts;
use crate::{Block, Family, Media, Message, Source, Thinking, ToolResult};

/// What the roles and separators of one message take.
const MESSAGE_TOKENS: u64 = 4;

/// What the frame of a tool call or of its result takes beside name, id and content.
const CALL_TOKENS: u64 = 8;

/// A file of which only the address is known: about two pages.
const UNSEEN_FILE_TOKENS: u64 = 3_000;

/// Bytes of a binary document (a PDF page of 50 KB counts 2,000 tokens with most
/// providers) to a token.
const FILE_BYTES_PER_TOKEN: u64 = 25;

/// Bytes of an opaque payload to a token; providers count the reasoning behind it, not its base64.
const OPAQUE_BYTES_PER_TOKEN: u64 = 4;

/// Characters that a token of an attachment counts in the budget for results, which
/// is given in characters.
const CHARS_PER_TOKEN: u64 = 4;

/// What one message weighs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct MessageSize {
    /// Estimated tokens of the whole message.
    pub(crate) tokens: u64,
    /// Characters of its results that could become one line each.
    pub(crate) elidable: u64,
}

/// Estimates the tokens of one message.
pub(crate) fn tokens(family: Family, message: &Message) -> u64 {
    measure(family, message).tokens
}

/// Estimates the tokens of a text: a system prompt, a tool's schema.
pub(crate) fn text(family: Family, text: &str) -> u64 {
    let weights = weights(family);
    let milli: u64 = text.bytes().map(|byte| u64::from(weights[usize::from(byte)])).sum();
    milli.div_ceil(1_000)
}

/// Estimates the tokens of the messages of a request.
pub(crate) fn messages(family: Family, messages: &[Arc<Message>]) -> u64 {
    messages.iter().fold(0, |sum, message| sum.saturating_add(tokens(family, message)))
}

/// Estimates the tokens of a message of these blocks.
pub(crate) fn message(family: Family, blocks: &[Block]) -> u64 {
    self::blocks(family, blocks).saturating_add(MESSAGE_TOKENS)
}

/// Estimates the tokens that a reply of these blocks has taken.
pub(crate) fn blocks(family: Family, blocks: &[Block]) -> u64 {
    blocks.iter().fold(0, |sum, block| sum.saturating_add(block_tokens(family, block)))
}

/// Weighs a message once, when it joins the view or changes in it.
pub(crate) fn measure(family: Family, message: &Message) -> MessageSize {
    let mut sum = MessageSize { tokens: MESSAGE_TOKENS, elidable: 0 };
    for block in &message.blocks {
        sum.tokens = sum.tokens.saturating_add(block_tokens(family, block));
        if let Block::ToolResult(result) = block {
            sum.elidable = sum.elidable.saturating_add(elidable(family, result));
        }
    }
    sum
}

fn block_tokens(family: Family, block: &Block) -> u64 {
    match block {
        Block::ToolResult(result) => result
            .parts
            .iter()
            .fold(result_tokens(family, result), |sum, part| sum.saturating_add(part_tokens(family, part))),
        Block::Text(_)
        | Block::Thinking(_)
        | Block::ToolCall(_)
        | Block::Image(_)
        | Block::File(_)
        | Block::Custom(_) => part_tokens(family, block),
    }
}

/// As [`block_tokens`], one level deep: a result inside a result counts its text alone, so
/// that nesting costs nothing.
fn part_tokens(family: Family, block: &Block) -> u64 {
    match block {
        Block::Text(plain) => text(family, plain),
        Block::Thinking(thinking) => thinking_tokens(family, thinking),
        Block::ToolCall(call) => {
            let written = text(family, &call.name).saturating_add(text(family, &call.arguments));
            written.saturating_add(text(family, &call.id)).saturating_add(CALL_TOKENS)
        }
        Block::ToolResult(result) => result_tokens(family, result),
        Block::Image(_) => image_tokens(family),
        Block::File(media) => file_tokens(family, media),
        Block::Custom(_) => 0,
    }
}

fn result_tokens(family: Family, result: &ToolResult) -> u64 {
    text(family, &result.text).saturating_add(text(family, &result.call)).saturating_add(CALL_TOKENS)
}

fn thinking_tokens(family: Family, thinking: &Thinking) -> u64 {
    let shown = text(family, &thinking.text);
    let opaque = thinking.replay.as_ref().map_or(0, string_bytes) / OPAQUE_BYTES_PER_TOKEN;
    shown.max(opaque)
}

/// The size of a picture is not known here, so each counts as a large one of its family.
const fn image_tokens(family: Family) -> u64 {
    match family {
        Family::OpenAi => 1_105,
        Family::Gemini => 1_290,
        Family::Open => 1_500,
        Family::Anthropic | Family::Other => 1_600,
    }
}

fn file_tokens(family: Family, media: &Media) -> u64 {
    let Source::Base64(data) = &media.source else {
        return UNSEEN_FILE_TOKENS;
    };
    let bytes = (data.len() as u64) / 4 * 3;
    let textual = media.media_type.starts_with("text/") || media.media_type.contains("json");
    if textual { bytes / 3 } else { (bytes / FILE_BYTES_PER_TOKEN).max(image_tokens(family)) }
}

/// Characters of a result that would go if it became one line; zero if that would
/// not make it shorter.
fn elidable(family: Family, result: &ToolResult) -> u64 {
    // Most results are short: their envelope need not be taken apart to know it.
    if result.text.len() as u64 <= envelope_parts::SHORT_CHARS && result.parts.is_empty() {
        return 0;
    }
    let body = envelope_parts::chars(envelope_parts::split(&result.text).body);
    let parts = result.parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part_tokens(family, part)));
    if body <= envelope_parts::SHORT_CHARS && result.parts.is_empty() {
        return 0;
    }
    body.saturating_add(parts.saturating_mul(CHARS_PER_TOKEN)).max(1)
}

/// Bytes of all strings in a value. An own stack, because the depth is the provider's choice.
fn string_bytes(json: &Json) -> u64 {
    let mut sum = 0_u64;
    let mut stack: Vec<&Json> = vec![json];
    while let Some(value) = stack.pop() {
        match value {
            Json::String(text) => sum = sum.saturating_add(text.len() as u64),
            Json::Array(items) => stack.extend(items),
            Json::Object(members) => stack.extend(members.values()),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    sum
}

/// One column of the table above.
struct TokenWeights {
    lower: u16,
    upper: u16,
    digit: u16,
    space: u16,
    line: u16,
    symbol: u16,
    two: u16,
    three: u16,
    four: u16,
}

static OPEN_AI: [u16; 256] = spread(&TokenWeights {
    lower: 230,
    upper: 800,
    digit: 800,
    space: 120,
    line: 500,
    symbol: 500,
    two: 450,
    three: 800,
    four: 2_000,
});
static ANTHROPIC: [u16; 256] = spread(&TokenWeights {
    lower: 290,
    upper: 900,
    digit: 900,
    space: 150,
    line: 600,
    symbol: 600,
    two: 700,
    three: 1_200,
    four: 2_500,
});
static GEMINI: [u16; 256] = spread(&TokenWeights {
    lower: 240,
    upper: 800,
    digit: 1_000,
    space: 130,
    line: 500,
    symbol: 550,
    two: 450,
    three: 750,
    four: 2_000,
});
static OPEN: [u16; 256] = spread(&TokenWeights {
    lower: 250,
    upper: 850,
    digit: 1_000,
    space: 150,
    line: 550,
    symbol: 600,
    two: 600,
    three: 1_100,
    four: 2_500,
});
static OTHER: [u16; 256] = spread(&TokenWeights {
    lower: 290,
    upper: 900,
    digit: 1_000,
    space: 150,
    line: 600,
    symbol: 600,
    two: 700,
    three: 1_200,
    four: 2_500,
});

const fn weights(family: Family) -> &'static [u16; 256] {
    match family {
        Family::OpenAi => &OPEN_AI,
        Family::Anthropic => &ANTHROPIC,
        Family::Gemini => &GEMINI,
        Family::Open => &OPEN,
        Family::Other => &OTHER,
    }
}

/// Spreads a column over all byte values, so that weighing is a look-up.
const fn spread(row: &TokenWeights) -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'a'..=b'z' => row.lower,
            b'A'..=b'Z' => row.upper,
            b'0'..=b'9' => row.digit,
            b' ' => row.space,
            b'\n' | b'\t' | b'\r' => row.line,
            0..=0x7f => row.symbol,
            0x80..=0xbf => 0,
            0xc0..=0xdf => row.two,
            0xe0..=0xef => row.three,
            0xf0..=0xff => row.four,
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}
