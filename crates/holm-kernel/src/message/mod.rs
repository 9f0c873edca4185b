//! What is said in a run: messages made of typed blocks.
//!
//! Messages are immutable and shared (`Arc`): a run never clones content to build a request, and a codec
//! encodes a message once and keeps the bytes.

mod block;
mod usage;

#[cfg(test)]
mod tests;

pub use block::{Block, Custom, Media, Outcome, Source, Thinking, ToolCall, ToolResult};
pub use usage::{StopReason, Usage};

use alloc::{string::String, vec, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::MessageId;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The operator's standing orders that arrive in mid-run; the system prompt itself is config.
    System,
    /// The person, or the runtime speaking on the person's behalf (corrections, wrap-up notes).
    User,
    /// The model.
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
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
}

impl Message {
    /// A message of one text block.
    pub fn text(id: MessageId, role: Role, text: impl Into<String>) -> Self {
        Self { id, role, blocks: vec![Block::Text(text.into())] }
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
