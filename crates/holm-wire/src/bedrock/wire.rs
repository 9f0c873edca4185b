//! The types on the wire, borrowed from the frame.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::loose::{Count, Raw, Str};

/// The payload of any event. Its members depend on the event's name.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    pub(super) content_block_index: Count<'a>,
    #[serde(borrow)]
    pub(super) start: Option<Start<'a>>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Start<'a> {
    #[serde(borrow)]
    pub(super) tool_use: Option<ToolUse<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) tool_use: Option<ToolUse<'a>>,
    #[serde(borrow)]
    pub(super) reasoning_content: Option<Reasoning<'a>>,
}

/// A call: its head at the start, a piece of its input as a string, or the complete call with its
/// input as an object.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolUse<'a> {
    #[serde(borrow)]
    pub(super) tool_use_id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) input: Option<Raw<'a>>,
}

/// Reasoning: a piece of text or of a signature, or the complete reasoning in `reasoningText`.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Reasoning<'a> {
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) signature: Str<'a>,
    #[serde(borrow)]
    pub(super) redacted_content: Str<'a>,
    #[serde(borrow)]
    pub(super) reasoning_text: Option<ReasoningText<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct ReasoningText<'a> {
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) signature: Str<'a>,
}

/// A complete reply that was not streamed.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Whole<'a> {
    #[serde(borrow)]
    pub(super) output: Option<Output<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Output<'a> {
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Message<'a> {
    /// Complete blocks have the members of a delta.
    #[serde(borrow)]
    pub(super) content: Vec<Delta<'a>>,
}

/// The reported usage. `inputTokens` does not include cached tokens.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tokens<'a> {
    #[serde(borrow)]
    input_tokens: Count<'a>,
    #[serde(borrow)]
    output_tokens: Count<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: Count<'a>,
    #[serde(borrow)]
    cache_write_input_tokens: Count<'a>,
}

impl Tokens<'_> {
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
