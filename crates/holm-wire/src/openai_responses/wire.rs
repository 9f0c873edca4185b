//! The types on the wire, borrowed from the frame.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::{
    lean::lean,
    loose::{Count, Raw, Str},
};

/// One event. Its members depend on its type.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) output_index: Count<'a>,
    #[serde(borrow)]
    pub(super) summary_index: Count<'a>,
    #[serde(borrow)]
    pub(super) content_index: Count<'a>,
    #[serde(borrow)]
    pub(super) delta: Str<'a>,
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) refusal: Str<'a>,
    #[serde(borrow)]
    pub(super) arguments: Str<'a>,
    /// Kept as raw text, because a reasoning item must stay unchanged.
    #[serde(borrow)]
    pub(super) item: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) response: Option<Response<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<Raw<'a>>,
}

/// The complete reply, in the last event or as a body.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) status: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) output: Option<Vec<Raw<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) incomplete_details: Option<Incomplete<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow)]
    pub(super) reason: Str<'a>,
}

/// One item of the output, at its start or complete.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) content: Option<Vec<Part<'a>>>,
    #[serde(borrow)]
    pub(super) summary: Option<Vec<Part<'a>>>,
    #[serde(borrow)]
    pub(super) call_id: Str<'a>,
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) refusal: Str<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow)]
    input_tokens: Count<'a>,
    #[serde(borrow)]
    output_tokens: Count<'a>,
    #[serde(borrow)]
    input_tokens_details: Option<InputDetails<'a>>,
    #[serde(borrow)]
    output_tokens_details: Option<OutputDetails<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct InputDetails<'a> {
    #[serde(borrow)]
    cached_tokens: Count<'a>,
    #[serde(borrow)]
    cache_write_tokens: Count<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct OutputDetails<'a> {
    #[serde(borrow)]
    reasoning_tokens: Count<'a>,
}

impl Tokens<'_> {
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

lean!(Event {
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
lean!(Response {
    b"status" => status,
    b"model" => model,
    b"output" => output,
    b"usage" => usage,
    b"error" => error,
    b"incomplete_details" => incomplete_details,
});
lean!(Incomplete { b"reason" => reason });
lean!(Tokens {
    b"input_tokens" => input_tokens,
    b"output_tokens" => output_tokens,
    b"input_tokens_details" => input_tokens_details,
    b"output_tokens_details" => output_tokens_details,
});
lean!(InputDetails { b"cached_tokens" => cached_tokens, b"cache_write_tokens" => cache_write_tokens });
lean!(OutputDetails { b"reasoning_tokens" => reasoning_tokens });
