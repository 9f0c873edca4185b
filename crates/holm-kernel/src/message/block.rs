//! The kinds of content a message can hold: text, thinking, tool calls, tool results, images, files
//! and application data.
//!
//! These are plain data types. `holm-wire` translates blocks for providers, `run/reply.rs`
//! reads the calls in them, and `run/batch.rs` makes the results. Payloads of providers (`replay`)
//! are kept unchanged, because providers refuse altered ones. Text of a [`ToolResult`] is already
//! in its envelope (`envelope/seal.rs`); unsealed output there would let a tool
//! impersonate the user.

use alloc::{string::String, vec::Vec};

use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::envelope;

/// One piece of a message.
///
/// The serde form names the kind: `{"text":"hi"}`, `{"tool_call":{…}}`. Unknown fields are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    Text(String),
    /// A model's reasoning, with the data that its provider requires to be sent back.
    Thinking(Thinking),
    /// A request to run a tool.
    ToolCall(ToolCall),
    /// The result of a tool, sealed for the model.
    ToolResult(ToolResult),
    Image(Media),
    /// A document, an audio file or any other file.
    File(Media),
    /// Application data; codecs do not send it to providers.
    Custom(Custom),
}

impl Block {
    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Thinking(_)
            | Self::ToolCall(_)
            | Self::ToolResult(_)
            | Self::Image(_)
            | Self::File(_)
            | Self::Custom(_) => None,
        }
    }

    /// The call of a tool-call block.
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolCall(call) => Some(call),
            Self::Text(_)
            | Self::Thinking(_)
            | Self::ToolResult(_)
            | Self::Image(_)
            | Self::File(_)
            | Self::Custom(_) => None,
        }
    }

    /// How many bytes of content the block carries.
    pub fn size(&self) -> u64 {
        let bytes = match self {
            Self::Text(text) => text.len(),
            Self::Thinking(thinking) => thinking.text.len(),
            Self::ToolCall(call) => call.name.len() + call.arguments.len(),
            Self::ToolResult(result) => {
                result.text.len() + result.parts.iter().map(Self::weight).sum::<usize>()
            }
            Self::Image(media) | Self::File(media) => media.weight(),
            Self::Custom(_) => 0,
        };
        bytes as u64
    }

    fn weight(&self) -> usize {
        usize::try_from(self.size()).unwrap_or(usize::MAX)
    }
}

/// Reasoning text and the opaque payload that must be echoed to the same provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Thinking {
    /// The text that may be shown to a person; empty if the provider hides it.
    #[serde(default)]
    pub text: String,
    /// A signature, encrypted item or similar, kept unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Json>,
}

/// A model's request to run a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ToolCall {
    /// The provider's id for the call; the kernel makes it unique within the run.
    pub id: String,
    /// The tool's name as the model wrote it (after alias repair).
    pub name: String,
    /// The arguments exactly as the model wrote them.
    pub arguments: String,
    /// Data that the provider requires to be sent back with this call (a thought signature).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Json>,
}

/// The outcome of a tool call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran and succeeded.
    #[default]
    Succeeded,
    /// It ran and failed.
    Failed,
    /// It was not run: invalid, denied, over a limit, repeated in a loop.
    Refused,
    /// It may or may not have run: the host stopped before the result was recorded.
    Unknown,
    /// It was stopped on request or by its deadline.
    Stopped,
}

impl Outcome {
    /// Whether the result is marked as an error for the model.
    pub const fn is_error(self) -> bool {
        !matches!(self, Self::Succeeded)
    }
}

/// The result of a tool call, as the model reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ToolResult {
    /// The `id` of the call.
    pub call: String,
    pub tool: String,
    /// The output inside its envelope; safe to send as it is.
    pub text: String,
    /// The outcome of the call.
    #[serde(default)]
    pub outcome: Outcome,
    /// Images and files that the tool returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Block>,
}

impl ToolResult {
    /// The output without its envelope, for display. A model gets [`text`](Self::text).
    ///
    /// ```
    /// use holm_kernel::{Outcome, ToolResult};
    ///
    /// let text = r#"<tool_output seal="00">nothing</tool_output seal="00">"#;
    /// let (call, tool, text) = ("c1".into(), "look".into(), text.into());
    /// let result = ToolResult { call, tool, text, outcome: Outcome::Succeeded, parts: Vec::new() };
    /// assert_eq!(result.said(), "nothing");
    /// ```
    pub fn said(&self) -> &str {
        envelope::open(&self.text)
    }
}

/// An image or a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Media {
    /// The media type, for example `image/png`.
    pub media_type: String,
    /// Where the bytes are.
    pub source: Source,
    /// A file name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Media {
    fn weight(&self) -> usize {
        match &self.source {
            Source::Base64(data) => data.len(),
            Source::Url(url) | Source::Reference(url) => url.len(),
        }
    }
}

/// Where the bytes of a media block are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// In the message itself, as base64.
    Base64(String),
    /// On the web; the provider fetches it.
    Url(String),
    /// In the host's blob store; the host inserts the bytes when it encodes.
    Reference(String),
}

/// An application's own payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Custom {
    /// The application's name for this kind of content.
    pub kind: String,
    /// The content, as any JSON value.
    pub payload: Json,
}
