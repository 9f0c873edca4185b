//! The types of Cohere's events and replies, borrowed from the frame. Members that are a list in
//! one place and a single value in another are read as both.
//!
//! What an event means is decided in `stream.rs`. A value of an unexpected shape is left out and
//! never an error.

use alloc::{borrow::Cow, vec::Vec};

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::lenient::{LenientCount, LenientStr, RawJson};

/// One event. Its members depend on its type.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereEvent<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) delta: Option<CohereDelta<'a>>,
    /// The message of an error, which has no other members.
    #[serde(borrow)]
    pub(super) message: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereDelta<'a> {
    #[serde(borrow)]
    pub(super) message: Option<CohereMessage<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) error: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<CohereUsage<'a>>,
}

/// The message or a piece of it: lists in a complete reply, single values in a stream.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereMessage<'a> {
    #[serde(borrow)]
    content: Option<RawJson<'a>>,
    #[serde(borrow)]
    pub(super) tool_plan: LenientStr<'a>,
    #[serde(borrow)]
    tool_calls: Option<RawJson<'a>>,
}

impl<'a> CohereMessage<'a> {
    pub(super) fn content(&self) -> Vec<CohereContentPart<'a>> {
        match self.content.map(RawJson::get) {
            Some(text) if text.starts_with('"') => {
                let text = holm_read::from_str(text).unwrap_or_default();
                alloc::vec![CohereContentPart { text, ..CohereContentPart::default() }]
            }
            _ => one_or_many(self.content),
        }
    }

    pub(super) fn tool_calls(&self) -> Vec<CohereToolCall<'a>> {
        one_or_many(self.tool_calls)
    }
}

/// Values of an unexpected shape are left out, like an unknown event.
fn one_or_many<'a, T: Read<'a>>(raw: Option<RawJson<'a>>) -> Vec<T> {
    let Some(raw) = raw else { return Vec::new() };
    if raw.get().starts_with('[') {
        return holm_read::from_str(raw.get()).unwrap_or_default();
    }
    holm_read::from_str(raw.get()).into_iter().collect()
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereContentPart<'a> {
    #[serde(borrow)]
    pub(super) text: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) thinking: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereToolCall<'a> {
    #[serde(borrow)]
    pub(super) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) function: CohereFunction<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereFunction<'a> {
    #[serde(borrow)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<RawJson<'a>>,
}

impl<'a> CohereFunction<'a> {
    /// The arguments as JSON text, from a string or from an object.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        self.arguments.map_or(Cow::Borrowed(""), RawJson::text)
    }
}

/// A complete reply that was not streamed.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereReply<'a> {
    #[serde(borrow)]
    pub(super) message: Option<RawJson<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<CohereUsage<'a>>,
}

/// The reported usage. The billed tokens exclude what the service adds itself; they count if
/// nothing else is reported.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct CohereUsage<'a> {
    #[serde(borrow)]
    tokens: Option<CohereTokenCounts<'a>>,
    #[serde(borrow)]
    billed_units: Option<CohereTokenCounts<'a>>,
    #[serde(borrow)]
    cached_tokens: LenientCount<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct CohereTokenCounts<'a> {
    #[serde(borrow)]
    input_tokens: LenientCount<'a>,
    #[serde(borrow)]
    output_tokens: LenientCount<'a>,
}

impl CohereUsage<'_> {
    pub(super) fn usage(&self) -> Usage {
        let counts = self.tokens.as_ref().or(self.billed_units.as_ref());
        let input = counts.map_or(0, |counts| counts.input_tokens.or_zero());
        let output = counts.map_or(0, |counts| counts.output_tokens.or_zero());
        Usage { input, output, cached: self.cached_tokens.or_zero().min(input), ..Usage::default() }
    }
}
