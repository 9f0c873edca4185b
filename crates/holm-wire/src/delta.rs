//! The pieces of a reply while it arrives.

use holm_kernel::{Block, Reply, Usage};

/// One piece of a reply. Offsets count bytes, so a watcher that missed pieces can tell, and one that reconnects can join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    Text {
        /// Where it begins in the reply's text, all text blocks joined.
        offset: u64,
        text: &'a str,
    },
    /// More reasoning that may be shown.
    Thinking {
        /// Where it begins in the reply's reasoning, all blocks joined.
        offset: u64,
        text: &'a str,
    },
    /// A tool call began.
    ToolCallStarted {
        /// The call's place among the reply's calls, from 0.
        index: u64,
        /// Its id, repaired if the provider sent none or one twice.
        id: &'a str,
        name: &'a str,
    },
    /// More of a call's arguments.
    ToolArguments {
        /// The call's place among the reply's calls.
        index: u64,
        /// Where the piece begins in the call's arguments.
        offset: u64,
        /// The piece of JSON text.
        text: &'a str,
    },
    /// What the call has used so far; replaces what was said before.
    Usage(Usage),
}

/// Receives the pieces of a reply.
pub type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

/// Plays a finished reply as pieces: what a stream of it would have given.
pub fn replay(reply: &Reply, sink: Sink<'_>) {
    let (mut said, mut thought, mut index) = (0_u64, 0_u64, 0_u64);
    for block in &reply.blocks {
        match block {
            Block::Text(text) if !text.is_empty() => {
                sink(Delta::Text { offset: said, text });
                said = said.saturating_add(text.len() as u64);
            }
            Block::Thinking(thinking) if !thinking.text.is_empty() => {
                sink(Delta::Thinking { offset: thought, text: &thinking.text });
                thought = thought.saturating_add(thinking.text.len() as u64);
            }
            Block::ToolCall(call) => {
                sink(Delta::ToolCallStarted { index, id: &call.id, name: &call.name });
                if !call.arguments.is_empty() {
                    sink(Delta::ToolArguments { index, offset: 0, text: &call.arguments });
                }
                index = index.saturating_add(1);
            }
            Block::Text(_)
            | Block::Thinking(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => {}
        }
    }
    sink(Delta::Usage(reply.usage));
}
