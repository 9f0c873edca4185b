//! The frames that a watcher receives, and their JSON. Which frames a watcher gets, and when, is
//! decided in `feed.rs` and `session_watcher.rs`; how they are sent is in `routes/events.rs`. Names
//! and fields are part of the API.

use std::sync::{Arc, OnceLock};

use holm_kernel::Numbered;
use serde_json::{Value, json};

use super::{FeedCursor, Posed, QuestionId, feed_memory::json_len};

/// An event, serialized once for all watchers.
#[derive(Debug)]
pub struct FeedEvent {
    /// The event with its number.
    pub event: Numbered,
    text: OnceLock<String>,
    memory_bytes: OnceLock<usize>,
}

impl FeedEvent {
    /// Wraps an event; its JSON text is made on first use.
    pub fn new(event: Numbered) -> Self {
        Self { event, text: OnceLock::new(), memory_bytes: OnceLock::new() }
    }

    /// The event as JSON.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| serde_json::to_string(&self.event).unwrap_or_else(|_| "null".into()))
    }

    /// The approximate memory use in bytes of the event and its text, computed once.
    pub(super) fn memory_bytes(&self) -> usize {
        let json_size = || self.text.get().map_or_else(|| json_len(&self.event), String::len);
        *self.memory_bytes.get_or_init(|| json_size().saturating_mul(2))
    }
}

/// One frame for watchers.
#[derive(Debug, Clone)]
pub enum FeedFrame {
    Event(Arc<FeedEvent>),
    /// A piece of the reply that is arriving.
    Delta {
        call: u64,
        /// `text`, `thinking`, `tool_call` or `tool_arguments`.
        kind: &'static str,
        /// The index of the tool call within the reply, for the last two kinds.
        index: Option<u64>,
        /// The offset of the piece within the text of its kind, in bytes.
        offset: u64,
        /// The piece; for `tool_call` the tool's name.
        text: String,
    },
    /// The progress of a tool. It is not stored: a watcher that misses one sees the next.
    Progress {
        call: u64,
        /// What the tool is doing.
        text: String,
        /// How much is done.
        done: Option<u64>,
        /// How much there is.
        total: Option<u64>,
    },
    Asked(Arc<Posed>),
    /// A question is no longer open.
    Settled(QuestionId),
    /// A notice for users, from Holm or from the agent.
    Note(Arc<str>),
    /// The watcher was too slow: reconnect from the last number.
    Lagged,
    /// The token was revoked, or the server is shutting down: reconnect later.
    Closed,
}

impl FeedFrame {
    /// The type name of the frame.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Event(_) => "event",
            Self::Delta { .. } => "delta",
            Self::Progress { .. } => "progress",
            Self::Asked(_) => "question",
            Self::Settled(_) => "question_settled",
            Self::Note(_) => "note",
            Self::Lagged => "lagged",
            Self::Closed => "closed",
        }
    }

    /// The approximate memory use in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Event(event) => event.memory_bytes(),
            Self::Delta { text, .. } | Self::Progress { text, .. } => text.len(),
            Self::Asked(posed) => json_len(&**posed),
            Self::Note(text) => text.len(),
            Self::Settled(_) | Self::Lagged | Self::Closed => 0,
        }
    }

    /// The frame's content as JSON text.
    pub fn data(&self) -> String {
        match self {
            Self::Event(event) => event.text().to_owned(),
            Self::Delta { call, kind, index, offset, text } => {
                let mut value = json!({ "call": call, "kind": kind, "offset": offset, "text": text });
                if let (Some(index), Some(object)) = (index, value.as_object_mut()) {
                    object.insert("index".into(), Value::from(*index));
                }
                value.to_string()
            }
            Self::Progress { call, text, done, total } => {
                json!({ "call": call, "text": text, "done": done, "total": total }).to_string()
            }
            Self::Asked(posed) => serde_json::to_string(&**posed).unwrap_or_default(),
            Self::Settled(id) => json!({ "id": id.value() }).to_string(),
            Self::Note(text) => json!({ "text": &**text }).to_string(),
            Self::Lagged | Self::Closed => "{}".into(),
        }
    }

    /// The whole frame as one JSON text, for connections without a separate type and id.
    pub fn message(&self, cursor: &FeedCursor) -> String {
        let name = self.name();
        // Built by hand, because the data is JSON already.
        format!(r#"{{"type":"{name}","id":"{cursor}","data":{}}}"#, self.data())
    }
}
