//! The types of Ollama's lines, borrowed from the line. A whole reply is one line that is done.
//! What a line means is decided in `stream.rs`. Every member is lenient and has a default.

use alloc::{borrow::Cow, vec::Vec};

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::lenient::{LenientCount, LenientStr, RawJson};

/// One line of a stream. A complete reply is one line that is done.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct OllamaLine<'a> {
    #[serde(borrow)]
    pub(super) model: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) message: Option<OllamaMessage<'a>>,
    #[serde(borrow)]
    pub(super) done: Option<RawJson<'a>>,
    #[serde(borrow)]
    pub(super) done_reason: LenientStr<'a>,
    #[serde(borrow)]
    prompt_eval_count: LenientCount<'a>,
    #[serde(borrow)]
    eval_count: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) error: Option<RawJson<'a>>,
}

impl OllamaLine<'_> {
    pub(super) fn is_done(&self) -> bool {
        self.done.is_some_and(|done| done.get() == "true")
    }

    /// The counts, which come with the last line.
    pub(super) fn usage(&self) -> Usage {
        Usage {
            input: self.prompt_eval_count.or_zero(),
            output: self.eval_count.or_zero(),
            ..Usage::default()
        }
    }
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct OllamaMessage<'a> {
    #[serde(borrow)]
    pub(super) content: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) thinking: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<OllamaToolCall<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct OllamaToolCall<'a> {
    #[serde(borrow)]
    pub(super) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) function: OllamaFunction<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct OllamaFunction<'a> {
    #[serde(borrow)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<RawJson<'a>>,
}

impl OllamaFunction<'_> {
    /// The arguments as JSON text; empty if the call has none.
    pub(super) fn arguments(&self) -> Cow<'_, str> {
        let text = self.arguments.map_or(Cow::Borrowed(""), RawJson::text);
        if text.is_empty() { Cow::Borrowed("{}") } else { text }
    }
}
