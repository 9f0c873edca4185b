//! Adds the conversation before a run, which its first prompt can bring along. Each message keeps its
//! role, so that no text can pass for another speaker's.
//!
//! The messages come from outside, so this module keeps the rules of a transcript: a call stands
//! there only with its result, and a result is sealed like any other. `turn.rs` adds the prompt.

use alloc::{string::String, vec::Vec};

use super::Run;
use crate::{
    Block, PastMessage, Protocol, Role, ToolCall, ToolResult,
    envelope::{self, EnvelopeBody, ExcerptBias},
};

impl Run {
    /// Adds these messages, if the run has none yet.
    pub(super) fn add_past(&mut self, past: Vec<PastMessage>) {
        if self.state.next_message > 0 {
            return;
        }
        let mut messages = past.into_iter().peekable();
        while let Some(PastMessage { role, blocks }) = messages.next() {
            match role {
                Role::System | Role::User => self.add_past_words(role, blocks),
                Role::Assistant => {
                    let mut results = Vec::new();
                    while let Some(next) = messages.next_if(|next| next.role == Role::Tool) {
                        results.extend(next.blocks);
                    }
                    self.add_past_reply(blocks, results);
                }
                // A result without the reply that made the call, or an application's own record.
                Role::Tool | Role::Custom => {}
            }
        }
    }

    fn add_past_words(&mut self, role: Role, mut blocks: Vec<Block>) {
        blocks.retain(|block| matches!(block, Block::Text(_) | Block::Image(_) | Block::File(_)));
        if !blocks.is_empty() {
            self.add_message(role, blocks);
        }
    }

    /// Adds a reply and the results of its calls. Calls without a result are left out.
    fn add_past_reply(&mut self, mut blocks: Vec<Block>, results: Vec<Block>) {
        let mut results: Vec<ToolResult> = results.into_iter().filter_map(into_result).collect();
        let native = self.config().protocol == Protocol::Native;
        let mut answered: Vec<ToolResult> = Vec::new();
        blocks.retain(|block| match block {
            Block::Text(text) => !text.is_empty(),
            Block::ToolCall(call) => match take_result(&mut results, call) {
                Some(result) => {
                    answered.push(result);
                    native
                }
                None => false,
            },
            Block::Thinking(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => false,
        });
        if !blocks.is_empty() {
            self.add_message(Role::Assistant, blocks);
        }
        for result in &mut answered {
            result.text = self.seal_past(&result.text);
        }
        if answered.is_empty() {
            return;
        }
        if native {
            self.add_message(Role::Tool, answered.into_iter().map(Block::ToolResult).collect());
        } else {
            // A model without native calls reads results as notes.
            self.add_note(Role::User, answered.into_iter().map(|result| Block::Text(result.text)).collect());
        }
    }

    fn seal_past(&mut self, text: &str) -> String {
        let number = self.next_number();
        let body = EnvelopeBody::clip(text, self.config().limits.result_chars, ExcerptBias::MostlyHead);
        envelope::seal(self.shared.seal(number), &body)
    }
}

fn into_result(block: Block) -> Option<ToolResult> {
    match block {
        Block::ToolResult(result) => Some(result),
        Block::Text(_)
        | Block::Thinking(_)
        | Block::ToolCall(_)
        | Block::Image(_)
        | Block::File(_)
        | Block::Custom(_) => None,
    }
}

/// Takes the result of a call out of the list. A second call with the same id finds none.
fn take_result(results: &mut Vec<ToolResult>, call: &ToolCall) -> Option<ToolResult> {
    let at = results.iter().position(|result| result.call == call.id)?;
    let result = results.swap_remove(at);
    Some(ToolResult { tool: call.name.clone(), parts: Vec::new(), ..result })
}
