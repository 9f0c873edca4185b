//! The types on the wire, borrowed from the frame.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::loose::{Count, Raw, Str};

/// A chunk of a stream. A complete body has the same shape.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    pub(super) prompt_feedback: Option<Feedback<'a>>,
    #[serde(borrow)]
    pub(super) usage_metadata: Option<Tokens<'a>>,
    #[serde(borrow)]
    pub(super) model_version: Str<'a>,
    #[serde(borrow)]
    pub(super) error: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    #[serde(borrow)]
    pub(super) index: Count<'a>,
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) finish_message: Str<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Content<'a> {
    #[serde(borrow)]
    pub(super) parts: Option<Vec<Part<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Str<'a>>,
    #[serde(borrow)]
    thought: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) thought_signature: Str<'a>,
    #[serde(borrow)]
    pub(super) function_call: Option<Call<'a>>,
    #[serde(borrow)]
    pub(super) inline_data: Option<Blob<'a>>,
}

impl Part<'_> {
    /// Whether the text is reasoning.
    pub(super) fn is_thought(&self) -> bool {
        self.thought.is_some_and(|flag| flag.get() == "true")
    }
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) args: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Blob<'a> {
    #[serde(borrow)]
    pub(super) mime_type: Str<'a>,
    #[serde(borrow)]
    pub(super) data: Str<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Feedback<'a> {
    #[serde(borrow)]
    pub(super) block_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) block_reason_message: Str<'a>,
}

/// The reported usage. The candidates' tokens exclude thoughts, and the prompt's tokens
/// exclude what tools added.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tokens<'a> {
    #[serde(borrow)]
    prompt_token_count: Count<'a>,
    #[serde(borrow)]
    candidates_token_count: Count<'a>,
    #[serde(borrow)]
    thoughts_token_count: Count<'a>,
    #[serde(borrow)]
    cached_content_token_count: Count<'a>,
    #[serde(borrow)]
    tool_use_prompt_token_count: Count<'a>,
}

impl Tokens<'_> {
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
