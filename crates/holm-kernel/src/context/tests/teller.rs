//! Tells transcripts: a view and the history it was derived from, side by side.

use alloc::{format, string::String, sync::Arc, vec, vec::Vec};

use crate::context::plan::CompactionPlan;
use crate::context::view::ContextView;
use crate::context::{CallFacts, RetainedCall, RetainedFile};
use crate::{
    Block, ContextPolicy, Family, Message, MessageId, Retention, Role, SummaryPolicy, ToolCall, ToolResult,
};

/// A view that grows as a run would grow it.
pub(super) struct Teller {
    pub(super) view: ContextView,
    pub(super) family: Family,
    pub(super) history: Vec<Arc<Message>>,
    calls: u64,
}

impl Default for Teller {
    fn default() -> Self {
        Self { view: ContextView::default(), family: Family::OpenAi, history: Vec::new(), calls: 0 }
    }
}

impl Teller {
    pub(super) fn say(&mut self, role: Role, blocks: Vec<Block>) {
        let message = Arc::new(Message::new(MessageId::new(self.history.len() as u64), role, blocks));
        self.history.push(Arc::clone(&message));
        self.view.push(message, self.family);
    }

    /// A person's prompt, marked as such.
    pub(super) fn prompt(&mut self, text: &str) {
        self.say(Role::User, vec![Block::Text(text.into())]);
        self.view.mark_prompt();
    }

    pub(super) fn answer(&mut self, text: &str) {
        self.say(Role::Assistant, vec![Block::Text(text.into())]);
    }

    /// A reply with one call per size, then all results in one message; a result has that many characters.
    pub(super) fn work(&mut self, sizes: &[usize]) {
        let ids = self.call(sizes.len());
        let results = ids.iter().zip(sizes).map(|(id, size)| result(id, *size)).collect();
        self.say(Role::Tool, results);
    }

    /// As [`Teller::work`], each result in a message of its own.
    pub(super) fn work_apart(&mut self, sizes: &[usize]) {
        for (id, size) in self.call(sizes.len()).iter().zip(sizes) {
            self.say(Role::Tool, vec![result(id, *size)]);
        }
    }

    pub(super) fn call(&mut self, count: usize) -> Vec<String> {
        let first = self.calls;
        self.calls += count as u64;
        let ids: Vec<String> = (first..self.calls).map(|call| format!("call_{call}")).collect();
        self.say(Role::Assistant, ids.iter().map(|id| call(id)).collect());
        ids
    }

    /// The last results belong to calls that a compaction keeps: one of a list, one of a question per size.
    pub(super) fn keep_facts(&mut self, sizes: &[usize]) {
        let message = MessageId::new(self.history.len() as u64 - 1);
        let call = |tool: &str, retention, size: usize| RetainedCall {
            tool: tool.into(),
            arguments: "item, ".chars().cycle().take(size).collect::<String>().into(),
            retention,
            result: size.is_multiple_of(2).then(|| sealed("yes")),
            message,
        };
        let mut calls = vec![call("todo", Retention::Latest, sizes.len())];
        calls.extend(sizes.iter().map(|size| call("ask_user", Retention::Each, *size)));
        let file = |size: &usize| RetainedFile {
            path: format!("src/{size}.rs"),
            changed: size.is_multiple_of(2),
            message,
        };
        self.view.keep_facts(CallFacts { calls, files: sizes.iter().map(file).collect() }, message);
    }

    pub(super) fn plan(&mut self, policy: &ContextPolicy, window: u64) -> CompactionPlan {
        self.view.plan(policy, window, 0, self.family)
    }

    /// All text in view, block by block.
    pub(super) fn shown(&self) -> Vec<String> {
        self.view.messages().iter().flat_map(|message| message.blocks.iter().map(block_text)).collect()
    }

    pub(super) fn shows(&self, needle: &str) -> bool {
        self.shown().iter().any(|text| text.contains(needle))
    }
}

pub(super) fn never() -> ContextPolicy {
    ContextPolicy { summary: SummaryPolicy::Never, ..ContextPolicy::default() }
}

pub(super) fn call(id: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.into(), name: "read".into(), arguments: "{}".into(), replay: None })
}

/// A sealed result whose body has `size` characters.
pub(super) fn result(id: &str, size: usize) -> Block {
    let body: String = "line of output\n".chars().cycle().take(size).collect();
    Block::ToolResult(ToolResult {
        call: id.into(),
        tool: "read".into(),
        text: sealed(&body),
        ..ToolResult::default()
    })
}

pub(super) fn sealed(body: &str) -> String {
    format!("<tool_output seal=\"00ff00ff\">{body}</tool_output seal=\"00ff00ff\">")
}

pub(super) fn block_text(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::ToolResult(result) => result.text.clone(),
        Block::ToolCall(call) => call.id.clone(),
        Block::Thinking(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => String::new(),
    }
}
