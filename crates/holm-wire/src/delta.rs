//! The deltas of a reply while it streams, and the deltas that represent a finished reply.
//!
//! While a reply streams, `draft.rs` creates them, so no decoder counts offsets itself. Offsets
//! count bytes and never go back, because receivers detect missed deltas by them.

use holm_kernel::{Block, Reply, Usage};

/// One delta of a reply. Offsets count bytes, so a receiver can detect missed deltas, and can join
/// again after a reconnect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireDelta<'a> {
    Text {
        /// The start of the delta in the reply's text, with all text blocks joined.
        offset: u64,
        text: &'a str,
    },
    /// More reasoning that may be shown.
    Thinking {
        /// The start of the delta in the reply's reasoning, with all blocks joined.
        offset: u64,
        text: &'a str,
    },
    /// A tool call started.
    ToolCallStarted {
        /// The index of the call in the reply, counted from 0.
        index: u64,
        /// The call's id. It is repaired if the provider sent none, or the same id twice.
        id: &'a str,
        name: &'a str,
    },
    /// More of a call's arguments.
    ToolArguments {
        /// The index of the call in the reply.
        index: u64,
        /// The start of the delta in the call's arguments.
        offset: u64,
        /// The next part of the JSON text.
        text: &'a str,
    },
    /// The usage of the call so far. It replaces earlier values.
    Usage(Usage),
}

/// Receives the deltas of a reply.
pub type WireDeltaSink<'s> = &'s mut dyn FnMut(WireDelta<'_>);

/// Emits a finished reply as the deltas that a stream of it would have produced.
pub fn replay(reply: &Reply, sink: WireDeltaSink<'_>) {
    let (mut text_offset, mut thinking_offset, mut call_index) = (0_u64, 0_u64, 0_u64);
    for block in &reply.blocks {
        match block {
            Block::Text(text) if !text.is_empty() => {
                sink(WireDelta::Text { offset: text_offset, text });
                text_offset = text_offset.saturating_add(text.len() as u64);
            }
            Block::Thinking(thinking) if !thinking.text.is_empty() => {
                sink(WireDelta::Thinking { offset: thinking_offset, text: &thinking.text });
                thinking_offset = thinking_offset.saturating_add(thinking.text.len() as u64);
            }
            Block::ToolCall(call) => {
                sink(WireDelta::ToolCallStarted { index: call_index, id: &call.id, name: &call.name });
                if !call.arguments.is_empty() {
                    sink(WireDelta::ToolArguments { index: call_index, offset: 0, text: &call.arguments });
                }
                call_index = call_index.saturating_add(1);
            }
            Block::Text(_)
            | Block::Thinking(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => {}
        }
    }
    sink(WireDelta::Usage(reply.usage));
}
