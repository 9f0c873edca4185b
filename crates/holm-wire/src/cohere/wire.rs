//! The types on the wire, borrowed from the frame.

use alloc::{borrow::Cow, vec::Vec};

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::loose::{Count, Raw, Str};

/// One event. Its members depend on its type.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) index: Count<'a>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// The message of an error, which has no other members.
    #[serde(borrow)]
    pub(super) message: Str<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) error: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
}

/// The message or a piece of it: lists in a complete reply, single values in a stream.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) tool_plan: Str<'a>,
    #[serde(borrow)]
    tool_calls: Option<Raw<'a>>,
}

impl<'a> Message<'a> {
    pub(super) fn content(&self) -> Vec<Part<'a>> {
        match self.content.map(Raw::get) {
            Some(text) if text.starts_with('"') => {
                let text = holm_read::from_str(text).unwrap_or_default();
                alloc::vec![Part { text, ..Part::default() }]
            }
            _ => one_or_many(self.content),
        }
    }

    pub(super) fn tool_calls(&self) -> Vec<Call<'a>> {
        one_or_many(self.tool_calls)
    }
}

/// Values of an unexpected shape are left out, like an unknown event.
fn one_or_many<'a, T: Read<'a>>(raw: Option<Raw<'a>>) -> Vec<T> {
    let Some(raw) = raw else { return Vec::new() };
    if raw.get().starts_with('[') {
        return holm_read::from_str(raw.get()).unwrap_or_default();
    }
    holm_read::from_str(raw.get()).into_iter().collect()
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) thinking: Str<'a>,
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

impl<'a> Function<'a> {
    /// The arguments as JSON text, from a string or from an object.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        self.arguments.map_or(Cow::Borrowed(""), Raw::text)
    }
}

/// A complete reply that was not streamed.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Whole<'a> {
    #[serde(borrow)]
    pub(super) message: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
}

/// The reported usage. The billed tokens exclude what the service adds itself; they count if
/// nothing else is reported.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow)]
    tokens: Option<Counts<'a>>,
    #[serde(borrow)]
    billed_units: Option<Counts<'a>>,
    #[serde(borrow)]
    cached_tokens: Count<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct Counts<'a> {
    #[serde(borrow)]
    input_tokens: Count<'a>,
    #[serde(borrow)]
    output_tokens: Count<'a>,
}

impl Tokens<'_> {
    pub(super) fn usage(&self) -> Usage {
        let counts = self.tokens.as_ref().or(self.billed_units.as_ref());
        let input = counts.map_or(0, |counts| counts.input_tokens.or_zero());
        let output = counts.map_or(0, |counts| counts.output_tokens.or_zero());
        Usage { input, output, cached: self.cached_tokens.or_zero().min(input), ..Usage::default() }
    }
}
