//! Messages of a run, made of typed blocks.
//!
//! Messages are immutable and shared (`Arc`): a run never clones content to build a request, and a
//! codec encodes a message once and keeps the bytes. They are stored in snapshots and shown to
//! watchers, so names of fields and variants stay. This module knows no provider: translations are
//! in `holm-wire`. The kinds of content are in `message/block.rs`, token counts and stop reasons in
//! `message/usage.rs`. Which messages a model sees is decided in `context/`.

mod block;
mod usage;

#[cfg(test)]
mod tests;

pub use block::{Block, Custom, Media, Outcome, Source, Thinking, ToolCall, ToolResult};
pub(crate) use usage::is_zero;
pub use usage::{StopReason, Usage};

use alloc::{string::String, vec, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::MessageId;

/// The role of a message's speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The operator's standing orders that arrive during a run; the system prompt is
    /// part of the configuration.
    System,
    /// The person, or the kernel on the person's behalf (corrections,
    /// wrap-up notes): see [`Message::author`].
    User,
    Assistant,
    /// Results of tool calls.
    Tool,
    /// An application's own record; never sent to a model.
    Custom,
}

/// One message of the transcript.
///
/// ```
/// use holm_kernel::{Message, MessageId, Role};
///
/// let message = Message::text(MessageId::new(3), Role::User, "hello");
/// let json = serde_json::to_string(&message)?;
/// assert_eq!(json, r#"{"id":3,"role":"user","blocks":[{"text":"hello"}]}"#);
/// assert_eq!(serde_json::from_str::<Message>(&json)?, message);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Message {
    /// Unique within the run.
    pub id: MessageId,
    pub role: Role,
    /// The content, in order.
    pub blocks: Vec<Block>,
    #[serde(default, skip_serializing_if = "Author::is_speaker")]
    pub author: Author,
}

/// Who wrote a message.
///
/// Providers know few roles, so the kernel speaks to a model as a user: it corrects, reminds, and
/// reports the results of children. This field marks such messages. It is not part of any prompt,
/// reply or result, so no text can forge it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The speaker that the role names.
    #[default]
    Speaker,
    /// The kernel wrote it itself.
    Kernel,
}

impl Author {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    const fn is_speaker(&self) -> bool {
        matches!(self, Self::Speaker)
    }
}

impl Message {
    /// A message written by the speaker that the role names.
    pub const fn new(id: MessageId, role: Role, blocks: Vec<Block>) -> Self {
        Self { id, role, blocks, author: Author::Speaker }
    }

    /// A message of one text block.
    pub fn text(id: MessageId, role: Role, text: impl Into<String>) -> Self {
        Self::new(id, role, vec![Block::Text(text.into())])
    }

    /// The text blocks, joined without separator.
    pub fn plain_text(&self) -> String {
        plain_text(&self.blocks)
    }

    /// The tool calls in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(Block::as_tool_call)
    }
}

/// Joins the text blocks, and nothing else, of a list of blocks.
pub fn plain_text(blocks: &[Block]) -> String {
    let mut out = String::with_capacity(blocks.iter().filter_map(Block::as_text).map(str::len).sum());
    for text in blocks.iter().filter_map(Block::as_text) {
        out.push_str(text);
    }
    out
}
