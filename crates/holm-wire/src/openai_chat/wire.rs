//! The types of chunks of Chat Completions, borrowed from the frame. A whole reply is read as one
//! chunk.
//!
//! What a chunk means is decided in `stream.rs`. Every member is lenient and has a default. A new
//! member must also be listed for `fast_read!` below; leaving it out is a compile error.

use alloc::{borrow::Cow, vec::Vec};

use holm_read::Read;
use serde::Deserialize;

use crate::{
    fast_read::fast_read,
    lenient::{LenientCount, LenientStr, LenientText, RawJson},
};

/// A chunk of a stream. A complete body is read as one chunk whose `delta` is called `message`.
#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct ChatChunk<'a> {
    #[serde(borrow, default)]
    pub(super) model: LenientStr<'a>,
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<ChatChoice<'a>>>,
    #[serde(borrow, default)]
    pub(super) usage: Option<RawJson<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Option<RawJson<'a>>,
    /// Groq used to send the usage here.
    #[serde(borrow, default)]
    pub(super) x_groq: Option<GroqMetadata<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct GroqMetadata<'a> {
    #[serde(borrow, default)]
    pub(super) usage: Option<RawJson<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct ChatChoice<'a> {
    #[serde(borrow, default)]
    pub(super) index: LenientCount<'a>,
    #[serde(borrow, default, alias = "message")]
    pub(super) delta: Option<ChatDelta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct ChatDelta<'a> {
    #[serde(borrow, default)]
    pub(super) content: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: LenientStr<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<ChatToolCall<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct ChatToolCall<'a> {
    #[serde(borrow, default)]
    pub(super) index: LenientCount<'a>,
    #[serde(borrow, default)]
    pub(super) id: LenientStr<'a>,
    #[serde(borrow, default)]
    pub(super) function: Option<ChatFunction<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
pub(super) struct ChatFunction<'a> {
    #[serde(borrow, default)]
    pub(super) name: LenientStr<'a>,
    #[serde(borrow, default)]
    arguments: Option<RawJson<'a>>,
}

impl<'a> ChatFunction<'a> {
    /// The arguments as JSON text, from a string or from an object.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        self.arguments.map_or(Cow::Borrowed(""), RawJson::text)
    }

    /// Arguments that came as a string without escapes, as they appear in the frame.
    pub(super) fn plain_arguments(&self) -> Option<&'a str> {
        let inside = self.arguments?.get().strip_prefix('"')?.strip_suffix('"')?;
        (!inside.contains('\\')).then_some(inside)
    }
}

fast_read!(ChatChunk {
    b"model" => model,
    b"choices" => choices,
    b"usage" => usage,
    b"error" => error,
    b"x_groq" => x_groq,
});
fast_read!(GroqMetadata { b"usage" => usage });
fast_read!(ChatChoice { b"index" => index, b"delta" | b"message" => delta, b"finish_reason" => finish_reason });
fast_read!(ChatDelta {
    b"content" => content,
    b"reasoning_content" => reasoning_content,
    b"reasoning" => reasoning,
    b"refusal" => refusal,
    b"tool_calls" => tool_calls,
});
fast_read!(ChatToolCall { b"index" => index, b"id" => id, b"function" => function });
fast_read!(ChatFunction { b"name" => name, b"arguments" => arguments });
