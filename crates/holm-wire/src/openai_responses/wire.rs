//! The types of the events and replies of Responses, borrowed from the frame, and the token counts.
//!
//! What an event means is decided in `stream.rs`. Every member is lenient and has a default. Output
//! items stay raw text, because a reasoning item must be sent back unchanged. A new member of an
//! event or a reply must also be listed for `fast_read!` below; leaving it out is a compile error.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::{
    fast_read::fast_read,
    lenient::{LenientCount, LenientStr, RawJson},
};

/// One event. Its members depend on its type.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct ResponsesEvent<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) output_index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) summary_index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) content_index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) delta: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) refusal: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) arguments: LenientStr<'a>,
    /// Kept as raw text, because a reasoning item must stay unchanged.
    #[serde(borrow)]
    pub(super) item: Option<RawJson<'a>>,
    #[serde(borrow)]
    pub(super) response: Option<ResponsesReply<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<RawJson<'a>>,
}

/// The complete reply, in the last event or as a body.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct ResponsesReply<'a> {
    #[serde(borrow)]
    pub(super) status: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) model: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) output: Option<Vec<RawJson<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<ResponsesUsage<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<RawJson<'a>>,
    #[serde(borrow)]
    pub(super) incomplete_details: Option<IncompleteDetails<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct IncompleteDetails<'a> {
    #[serde(borrow)]
    pub(super) reason: LenientStr<'a>,
}

/// One item of the output, at its start or complete.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct ResponsesItem<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) content: Option<Vec<ResponsesPart<'a>>>,
    #[serde(borrow)]
    pub(super) summary: Option<Vec<ResponsesPart<'a>>>,
    #[serde(borrow)]
    pub(super) call_id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<RawJson<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct ResponsesPart<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) refusal: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct ResponsesUsage<'a> {
    #[serde(borrow)]
    input_tokens: LenientCount<'a>,
    #[serde(borrow)]
    output_tokens: LenientCount<'a>,
    #[serde(borrow)]
    input_tokens_details: Option<InputTokenDetails<'a>>,
    #[serde(borrow)]
    output_tokens_details: Option<OutputTokenDetails<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct InputTokenDetails<'a> {
    #[serde(borrow)]
    cached_tokens: LenientCount<'a>,
    #[serde(borrow)]
    cache_write_tokens: LenientCount<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct OutputTokenDetails<'a> {
    #[serde(borrow)]
    reasoning_tokens: LenientCount<'a>,
}

impl ResponsesUsage<'_> {
    /// The usage. The details are included in the two sums.
    pub(super) fn usage(&self) -> Usage {
        let (input, output) = (self.input_tokens.or_zero(), self.output_tokens.or_zero());
        let details = self.input_tokens_details.as_ref();
        let written = details.map_or(0, |details| details.cache_write_tokens.or_zero());
        let reasoning =
            self.output_tokens_details.as_ref().map_or(0, |details| details.reasoning_tokens.or_zero());
        Usage {
            input,
            output,
            cached: details.map_or(0, |details| details.cached_tokens.or_zero()).min(input),
            cache_write: written.min(input),
            reasoning: reasoning.min(output),
            estimated: 0,
        }
    }
}

fast_read!(ResponsesEvent {
    b"type" => kind,
    b"output_index" => output_index,
    b"summary_index" => summary_index,
    b"content_index" => content_index,
    b"delta" => delta,
    b"text" => text,
    b"refusal" => refusal,
    b"arguments" => arguments,
    b"item" => item,
    b"response" => response,
    b"error" => error,
});
fast_read!(ResponsesReply {
    b"status" => status,
    b"model" => model,
    b"output" => output,
    b"usage" => usage,
    b"error" => error,
    b"incomplete_details" => incomplete_details,
});
fast_read!(IncompleteDetails { b"reason" => reason });
fast_read!(ResponsesUsage {
    b"input_tokens" => input_tokens,
    b"output_tokens" => output_tokens,
    b"input_tokens_details" => input_tokens_details,
    b"output_tokens_details" => output_tokens_details,
});
fast_read!(InputTokenDetails { b"cached_tokens" => cached_tokens, b"cache_write_tokens" => cache_write_tokens });
fast_read!(OutputTokenDetails { b"reasoning_tokens" => reasoning_tokens });
