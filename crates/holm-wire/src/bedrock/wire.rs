//! The types of Converse's events and replies, borrowed from the frame.
//!
//! What an event means is decided in `stream.rs`. Every member is lenient and has a default.
//! `fast_read.rs` is not used for this format.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::lenient::{LenientCount, LenientStr, RawJson};

/// The payload of any event. Its members depend on the event's name.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockEvent<'a> {
    #[serde(borrow)]
    pub(super) content_block_index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) start: Option<BedrockBlockStart<'a>>,
    #[serde(borrow)]
    pub(super) delta: Option<BedrockDelta<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<BedrockUsage<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockBlockStart<'a> {
    #[serde(borrow)]
    pub(super) tool_use: Option<BedrockToolUse<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockDelta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(super) tool_use: Option<BedrockToolUse<'a>>,
    #[serde(borrow)]
    pub(super) reasoning_content: Option<BedrockReasoning<'a>>,
}

/// A call: its head at the start, a piece of its input as a string, or the complete call with its
/// input as an object.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockToolUse<'a> {
    #[serde(borrow)]
    pub(super) tool_use_id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) input: Option<RawJson<'a>>,
}

/// Reasoning: a piece of text or of a signature, or the complete reasoning in `reasoningText`.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockReasoning<'a> {
    #[serde(borrow)]
    pub(super) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) signature: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) redacted_content: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) reasoning_text: Option<BedrockReasoningText<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct BedrockReasoningText<'a> {
    #[serde(borrow)]
    pub(super) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) signature: LenientStr<'a>,
}

/// A complete reply that was not streamed.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockReply<'a> {
    #[serde(borrow)]
    pub(super) output: Option<BedrockOutput<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<BedrockUsage<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct BedrockOutput<'a> {
    #[serde(borrow)]
    pub(super) message: Option<BedrockMessage<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct BedrockMessage<'a> {
    /// Complete blocks have the members of a delta.
    #[serde(borrow)]
    pub(super) content: Vec<BedrockDelta<'a>>,
}

/// The reported usage. `inputTokens` does not include cached tokens.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BedrockUsage<'a> {
    #[serde(borrow)]
    input_tokens: LenientCount<'a>,
    #[serde(borrow)]
    output_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cache_write_input_tokens: LenientCount<'a>,
}

impl BedrockUsage<'_> {
    pub(super) fn usage(&self) -> Usage {
        let (read, written) =
            (self.cache_read_input_tokens.or_zero(), self.cache_write_input_tokens.or_zero());
        Usage {
            input: self.input_tokens.or_zero().saturating_add(read).saturating_add(written),
            output: self.output_tokens.or_zero(),
            cached: read,
            cache_write: written,
            reasoning: 0,
            estimated: 0,
        }
    }
}
