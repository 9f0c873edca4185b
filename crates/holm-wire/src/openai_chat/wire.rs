//! The types on the wire, borrowed from the frame.

use alloc::{borrow::Cow, vec::Vec};

use holm_read::Read;
use serde::Deserialize;

use crate::{
    lean::lean,
    loose::{Count, Raw, Str, Words},
};

/// A chunk of a stream. A complete body is read as one chunk whose `delta` is called `message`.
#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) model: Str<'a>,
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow, default)]
    pub(super) usage: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<Raw<'a>>,
    /// Groq used to send the usage here.
    #[serde(borrow, default)]
    pub(super) x_groq: Option<Aside<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct Aside<'a> {
    #[serde(borrow, default)]
    pub(super) usage: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    pub(super) index: Count<'a>,
    #[serde(borrow, default, alias = "message")]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Str<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Words<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Words<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: Words<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: Str<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct Call<'a> {
    #[serde(borrow, default)]
    pub(super) index: Count<'a>,
    #[serde(borrow, default)]
    pub(super) id: Str<'a>,
    #[serde(borrow, default)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) name: Str<'a>,
    #[serde(borrow, default)]
    arguments: Option<Raw<'a>>,
}

impl<'a> Function<'a> {
    /// The arguments as JSON text, from a string or from an object.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        self.arguments.map_or(Cow::Borrowed(""), Raw::text)
    }

    /// Arguments that came as a string without escapes, as they appear in the frame.
    pub(super) fn plain_arguments(&self) -> Option<&'a str> {
        let inside = self.arguments?.get().strip_prefix('"')?.strip_suffix('"')?;
        (!inside.contains('\\')).then_some(inside)
    }
}

lean!(Chunk {
    b"model" => model,
    b"choices" => choices,
    b"usage" => usage,
    b"error" => error,
    b"x_groq" => x_groq,
});
lean!(Aside { b"usage" => usage });
lean!(Choice { b"index" => index, b"delta" | b"message" => delta, b"finish_reason" => finish_reason });
lean!(Delta {
    b"content" => content,
    b"reasoning_content" => reasoning_content,
    b"reasoning" => reasoning,
    b"refusal" => refusal,
    b"tool_calls" => tool_calls,
});
lean!(Call { b"index" => index, b"id" => id, b"function" => function });
lean!(Function { b"name" => name, b"arguments" => arguments });
