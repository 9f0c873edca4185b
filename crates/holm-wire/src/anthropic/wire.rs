//! The types of Anthropic's events and replies, borrowed from the frame, and the sum of the token
//! counts.
//!
//! What an event means is decided in `stream.rs`. Every member is lenient and has a default. A new
//! member must also be listed for `fast_read!` below; leaving it out is a compile error.
//!
//! Requests have no types: `request.rs` writes them directly. Prices of tokens are in `catalogue/`.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::{
    fast_read::fast_read,
    lenient::{LenientCount, LenientStr, RawJson},
};

/// One event. Its members depend on its type. A complete body is an [`AnthropicMessage`].
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct AnthropicEvent<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) delta: Option<AnthropicDelta<'a>>,
    #[serde(borrow)]
    pub(super) content_block: Option<AnthropicBlock<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<AnthropicMessageStart<'a>>,
    #[serde(borrow)]
    pub(super) usage: Option<AnthropicUsage<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct AnthropicDelta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(super) thinking: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(super) partial_json: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(super) signature: Option<LenientStr<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct AnthropicMessageStart<'a> {
    #[serde(borrow)]
    pub(super) model: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<AnthropicUsage<'a>>,
}

/// A content block, at its start or complete.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct AnthropicBlock<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) thinking: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) signature: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) data: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) input: Option<RawJson<'a>>,
}

/// A complete reply that was not streamed.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct AnthropicMessage<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) model: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) content: Option<Vec<AnthropicBlock<'a>>>,
    #[serde(borrow)]
    pub(super) stop_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<AnthropicUsage<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<RawJson<'a>>,
}

/// The reported usage. Here, `input_tokens` does not include cached tokens.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct AnthropicUsage<'a> {
    #[serde(borrow)]
    input_tokens: LenientCount<'a>,
    #[serde(borrow)]
    output_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cache_creation_input_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: LenientCount<'a>,
}

/// The largest counts so far. Counts are cumulative, and some services send zeros first or last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AnthropicTokenCounts {
    fresh: u64,
    written: u64,
    read: u64,
    output: u64,
}

impl AnthropicTokenCounts {
    pub(super) fn see(&mut self, tokens: &AnthropicUsage<'_>) {
        self.fresh = self.fresh.max(tokens.input_tokens.or_zero());
        self.written = self.written.max(tokens.cache_creation_input_tokens.or_zero());
        self.read = self.read.max(tokens.cache_read_input_tokens.or_zero());
        self.output = self.output.max(tokens.output_tokens.or_zero());
    }

    pub(super) const fn usage(self) -> Usage {
        Usage {
            input: self.fresh.saturating_add(self.written).saturating_add(self.read),
            output: self.output,
            cached: self.read,
            cache_write: self.written,
            reasoning: 0,
            estimated: 0,
        }
    }
}

fast_read!(AnthropicEvent {
    b"type" => kind,
    b"index" => index,
    b"delta" => delta,
    b"content_block" => content_block,
    b"message" => message,
    b"usage" => usage,
});
fast_read!(AnthropicDelta {
    b"text" => text,
    b"thinking" => thinking,
    b"partial_json" => partial_json,
    b"signature" => signature,
    b"stop_reason" => stop_reason,
});
fast_read!(AnthropicMessageStart { b"model" => model, b"usage" => usage });
fast_read!(AnthropicBlock {
    b"type" => kind,
    b"text" => text,
    b"thinking" => thinking,
    b"signature" => signature,
    b"data" => data,
    b"id" => id,
    b"name" => name,
    b"input" => input,
});
fast_read!(AnthropicUsage {
    b"input_tokens" => input_tokens,
    b"output_tokens" => output_tokens,
    b"cache_creation_input_tokens" => cache_creation_input_tokens,
    b"cache_read_input_tokens" => cache_read_input_tokens,
});
