//! The types on the wire, borrowed from the line.

use alloc::{borrow::Cow, vec::Vec};

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::loose::{Count, Raw, Str};

/// One line of a stream. A complete reply is one line that is done.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow)]
    pub(super) done: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) done_reason: Str<'a>,
    #[serde(borrow)]
    prompt_eval_count: Count<'a>,
    #[serde(borrow)]
    eval_count: Count<'a>,
    #[serde(borrow)]
    pub(super) error: Option<Raw<'a>>,
}

impl Line<'_> {
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
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) content: Str<'a>,
    #[serde(borrow)]
    pub(super) thinking: Str<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) function: Function<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
}

impl Function<'_> {
    /// The arguments as JSON text; empty if the call has none.
    pub(super) fn arguments(&self) -> Cow<'_, str> {
        let text = self.arguments.map_or(Cow::Borrowed(""), Raw::text);
        if text.is_empty() { Cow::Borrowed("{}") } else { text }
    }
}
