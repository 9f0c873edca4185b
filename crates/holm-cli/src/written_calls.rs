//! The calls of a reply as the model wrote them. A call of an unknown tool or with invalid
//! arguments is never proposed, so screens find its name here when it is answered.

use std::collections::BTreeMap;

use holm::kernel::{Block, Message, ToolCall};

/// The calls of the last reply, by the ids of their provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenCalls(BTreeMap<String, ToolCall>);

impl WrittenCalls {
    pub(crate) fn of(reply: &Message) -> Self {
        let calls = reply.blocks.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some((call.id.clone(), call.clone())),
            Block::Text(_)
            | Block::Thinking(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => None,
        });
        Self(calls.collect())
    }

    /// The call with this id, once.
    pub(crate) fn take(&mut self, id: &str) -> Option<ToolCall> {
        self.0.remove(id)
    }
}

/// Why a call was not run, without the words that the line begins with already.
pub(crate) fn reason_of(result: &str) -> &str {
    result.strip_prefix("not run: ").unwrap_or(result)
}
