//! The types of Gemini's chunks, borrowed from the frame. A whole reply has the same shape.
//!
//! What a chunk means is decided in `stream.rs`. Every member is lenient and has a default. There
//! is no fast path for this format.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::lenient::{LenientCount, LenientStr, RawJson};

/// A chunk of a stream. A complete body has the same shape.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GeminiChunk<'a> {
    #[serde(borrow)]
    pub(super) candidates: Option<Vec<GeminiCandidate<'a>>>,
    #[serde(borrow)]
    pub(super) prompt_feedback: Option<GeminiPromptFeedback<'a>>,
    #[serde(borrow)]
    pub(super) usage_metadata: Option<GeminiUsage<'a>>,
    #[serde(borrow)]
    pub(super) model_version: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) error: Option<RawJson<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GeminiCandidate<'a> {
    #[serde(borrow)]
    pub(super) index: LenientCount<'a>,
    #[serde(borrow)]
    pub(super) content: Option<GeminiContent<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) finish_message: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct GeminiContent<'a> {
    #[serde(borrow)]
    pub(super) parts: Option<Vec<GeminiPart<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GeminiPart<'a> {
    #[serde(borrow)]
    pub(super) text: Option<LenientStr<'a>>,
    #[serde(borrow)]
    thought: Option<RawJson<'a>>,
    #[serde(borrow)]
    pub(super) thought_signature: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) function_call: Option<GeminiFunctionCall<'a>>,
    #[serde(borrow)]
    pub(super) inline_data: Option<GeminiBlob<'a>>,
}

impl GeminiPart<'_> {
    /// Whether the text is reasoning.
    pub(super) fn is_thought(&self) -> bool {
        self.thought.is_some_and(|flag| flag.get() == "true")
    }
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct GeminiFunctionCall<'a> {
    #[serde(borrow)]
    pub(super) id: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) args: Option<RawJson<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GeminiBlob<'a> {
    #[serde(borrow)]
    pub(super) mime_type: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) data: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GeminiPromptFeedback<'a> {
    #[serde(borrow)]
    pub(super) block_reason: LenientStr<'a>,
    #[serde(borrow)]
    pub(super) block_reason_message: LenientStr<'a>,
}

/// The reported usage. The candidates' tokens exclude thoughts, and the prompt's tokens
/// exclude what tools added.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GeminiUsage<'a> {
    #[serde(borrow)]
    prompt_token_count: LenientCount<'a>,
    #[serde(borrow)]
    candidates_token_count: LenientCount<'a>,
    #[serde(borrow)]
    thoughts_token_count: LenientCount<'a>,
    #[serde(borrow)]
    cached_content_token_count: LenientCount<'a>,
    #[serde(borrow)]
    tool_use_prompt_token_count: LenientCount<'a>,
}

impl GeminiUsage<'_> {
    pub(super) fn usage(&self) -> Usage {
        let reasoning = self.thoughts_token_count.or_zero();
        let input =
            self.prompt_token_count.or_zero().saturating_add(self.tool_use_prompt_token_count.or_zero());
        Usage {
            input,
            output: self.candidates_token_count.or_zero().saturating_add(reasoning),
            cached: self.cached_content_token_count.or_zero().min(input),
            cache_write: 0,
            reasoning,
            estimated: 0,
        }
    }
}
