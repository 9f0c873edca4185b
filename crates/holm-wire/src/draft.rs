//! A reply under construction. Every decoder writes into it, so that order, ids and offsets are
//! repaired in one place.
//!
//! It reads no bytes of a provider: the `stream.rs` of each format does, and `stream.rs` in this
//! folder compares the size with its limit. Everything that a decoder keeps must be charged here,
//! or a provider could fill the memory with what is not counted. No two calls of a reply may have
//! the same id.
//!
//! Deltas for the host are defined in `delta.rs`.

use alloc::{
    borrow::ToOwned, collections::BTreeMap, collections::BTreeSet, format, string::String, vec::Vec,
};

use holm_guards::json::Json;
use holm_kernel::{Block, Family, Reply, Source, StopReason, Thinking, ToolCall, Usage};

use crate::{WireDelta, WireDeltaSink};

#[cfg(test)]
mod tests;

/// The overhead that is counted for each block: its entries in the lists and maps of a draft, and
/// its short texts. Without it, a thousand empty calls would count as nothing.
const BLOCK: usize = 1 << 10;

/// The part of a reply that has arrived.
///
/// ```
/// use holm_wire::{ToolCallChunk, ReplyDraft};
///
/// let mut draft = ReplyDraft::default();
/// draft.text("Let me ", &mut |_| {});
/// draft.text("look.", &mut |_| {});
/// draft.call(Some(0), &ToolCallChunk { id: "", name: "read", arguments: "{}" }, &mut |_| {});
/// let reply = draft.into_reply();
/// assert_eq!(reply.blocks.len(), 2);
/// assert_eq!(reply.blocks[1].as_tool_call().unwrap().id, "call_0");
/// ```
#[derive(Debug, Default)]
pub struct ReplyDraft {
    blocks: Vec<Block>,
    /// Whether the last block can still grow.
    open: bool,
    said: u64,
    thought: u64,
    calls: Vec<ToolCallDraft>,
    by_key: BTreeMap<u64, usize>,
    ids: BTreeSet<String>,
    usage: Usage,
    stop: Option<StopReason>,
    model: Option<String>,
    kept: u64,
}

impl ReplyDraft {
    /// The approximate number of bytes kept for the reply: its content, and the
    /// overhead of each block.
    pub const fn kept(&self) -> u64 {
        self.kept
    }

    /// Counts bytes that a decoder keeps outside of the draft, or puts into a replay value.
    pub const fn charge(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_add(bytes as u64);
    }

    pub fn text(&mut self, text: &str, sink: WireDeltaSink<'_>) {
        if text.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(Block::Text(so_far)) if self.open => so_far.push_str(text),
            _ => self.push(Block::Text(text.to_owned())),
        }
        self.charge(text.len());
        sink(WireDelta::Text { offset: self.said, text });
        self.said = self.said.saturating_add(text.len() as u64);
    }

    /// Adds reasoning that may be shown.
    pub fn thinking(&mut self, text: &str, sink: WireDeltaSink<'_>) {
        if text.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(Block::Thinking(so_far)) if self.open => so_far.text.push_str(text),
            _ => self.push(Block::Thinking(Thinking { text: text.to_owned(), replay: None })),
        }
        self.charge(text.len());
        sink(WireDelta::Thinking { offset: self.thought, text });
        self.thought = self.thought.saturating_add(text.len() as u64);
    }

    /// Stores what the provider must receive again: on the open reasoning block, or as an invisible
    /// reasoning block of its own. The reasoning block is closed. The decoder that reads the replay
    /// value must [charge](ReplyDraft::charge) for it.
    pub fn thinking_replay(&mut self, replay: Json) {
        match self.blocks.last_mut() {
            Some(Block::Thinking(so_far)) if self.open => so_far.replay = Some(replay),
            _ => self.push(Block::Thinking(Thinking { text: String::new(), replay: Some(replay) })),
        }
        self.open = false;
    }

    /// Closes the current block. The next content starts a new one.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Adds an image or a file.
    pub fn block(&mut self, block: Block) {
        if let Block::Image(media) | Block::File(media) = &block {
            let (Source::Base64(data) | Source::Url(data) | Source::Reference(data)) = &media.source;
            self.charge(data.len());
        }
        self.push(block);
        self.open = false;
    }

    /// Adds a piece of a tool call.
    ///
    /// `key` is the provider's index, if it sends one. A piece starts a new call if its index
    /// is new, if its id differs, or if it names a tool after the current call was complete.
    /// Some providers give every call index 0, some send no id, and some repeat the id and the
    /// name with every piece.
    pub fn call(&mut self, key: Option<u64>, piece: &ToolCallChunk<'_>, sink: WireDeltaSink<'_>) {
        let index = match self.find(key, piece) {
            Some(index) => index,
            None => self.begin(key, piece),
        };
        self.extend(index, piece, sink);
    }

    /// Stores what the provider must receive again with the last call.
    pub fn call_replay(&mut self, replay: Json) {
        let last = self.calls.last().map(|call| call.block);
        if let Some(Block::ToolCall(call)) = last.and_then(|block| self.blocks.get_mut(block)) {
            call.replay = Some(replay);
        }
    }

    /// Whether the reply calls a tool.
    pub const fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Whether nothing has arrived.
    pub const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The usage so far.
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// The usage of a reply that broke off. The output is at least the estimate of what arrived,
    /// including calls that were cut off.
    pub fn usage_so_far(&self) -> Usage {
        self.usage.with_output(Reply::tokens_of(Family::Other, &self.blocks))
    }

    pub fn set_usage(&mut self, usage: Usage, sink: WireDeltaSink<'_>) {
        if self.usage != usage {
            self.usage = usage;
            sink(WireDelta::Usage(usage));
        }
    }

    /// The stop reason, if the provider has sent one.
    pub const fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// Sets the stop reason. The first one counts.
    pub fn set_stop(&mut self, stop: StopReason) {
        self.stop.get_or_insert(stop);
    }

    /// Sets the model that answers. The first name counts.
    pub fn set_model(&mut self, model: &str) {
        if self.model.is_none() && !model.is_empty() {
            self.model = Some(model.to_owned());
        }
    }

    /// The finished reply. If it has calls, an ordinary stop becomes a stop for tools, independent
    /// of the provider's own stop reason.
    pub fn into_reply(self) -> Reply {
        let stop = match self.stop.unwrap_or_default() {
            StopReason::EndTurn if !self.calls.is_empty() => StopReason::ToolUse,
            StopReason::ToolUse if self.calls.is_empty() => StopReason::EndTurn,
            stop => stop,
        };
        Reply { blocks: self.blocks, usage: self.usage, stop, model: self.model }
    }

    /// The reply at the moment it was stopped. Calls with incomplete arguments are left out.
    pub fn into_partial(mut self) -> Reply {
        let usage = self.usage_so_far();
        let mut cut =
            self.calls.iter().filter(|call| !call.balance.complete()).map(|call| call.block).peekable();
        let mut index = 0;
        self.blocks.retain(|_| {
            let gone = cut.next_if_eq(&index).is_some();
            index += 1;
            !gone
        });
        drop(cut);
        Reply { blocks: self.blocks, usage, stop: StopReason::Other, model: self.model }
    }

    fn push(&mut self, block: Block) {
        self.charge(BLOCK);
        self.blocks.push(block);
        self.open = true;
    }

    fn find(&self, key: Option<u64>, chunk: &ToolCallChunk<'_>) -> Option<usize> {
        let index = match key {
            Some(key) => *self.by_key.get(&key)?,
            None => self.calls.len().checked_sub(1)?,
        };
        let call = self.calls.get(index)?;
        let name = self.named(call);
        let other_id = !chunk.id.is_empty() && !call.wire_id.is_empty() && chunk.id != call.wire_id;
        let same_id = !chunk.id.is_empty() && chunk.id == call.wire_id;
        let renamed = !chunk.name.is_empty() && !name.is_empty() && chunk.name != name && !same_id;
        let restarted = !chunk.name.is_empty()
            && !name.is_empty()
            && call.balance.complete()
            && (!chunk.arguments.trim_ascii().is_empty() || !same_id);
        if other_id || renamed || restarted { None } else { Some(index) }
    }

    fn named(&self, call: &ToolCallDraft) -> &str {
        self.blocks.get(call.block).and_then(Block::as_tool_call).map_or("", |call| call.name.as_str())
    }

    fn begin(&mut self, key: Option<u64>, chunk: &ToolCallChunk<'_>) -> usize {
        let index = self.calls.len();
        let id = self.unique(chunk.id, index);
        let call = ToolCallDraft {
            block: self.blocks.len(),
            wire_id: chunk.id.to_owned(),
            ..ToolCallDraft::default()
        };
        self.calls.push(call);
        // The id is stored three times: as received, as passed on, and in the set of used ids.
        self.charge(BLOCK.saturating_add(chunk.id.len().saturating_mul(3)));
        self.blocks.push(Block::ToolCall(ToolCall { id, ..ToolCall::default() }));
        self.open = false;
        if let Some(key) = key {
            self.by_key.insert(key, index);
        }
        index
    }

    /// An id that no other call of this reply has. The call's index is the suffix, so a thousand
    /// equal ids cost a thousand tries, and not a million.
    fn unique(&mut self, wire: &str, index: usize) -> String {
        let mut id = if wire.is_empty() { format!("call_{index}") } else { wire.to_owned() };
        while !self.ids.insert(id.clone()) {
            id = format!("{id}_{index}");
        }
        id
    }

    fn extend(&mut self, position: usize, chunk: &ToolCallChunk<'_>, sink: WireDeltaSink<'_>) {
        self.charge(chunk.arguments.len());
        let Some(open) = self.calls.get_mut(position) else { return };
        let Some(Block::ToolCall(call)) = self.blocks.get_mut(open.block) else { return };
        if call.name.is_empty() {
            chunk.name.clone_into(&mut call.name);
            self.kept = self.kept.saturating_add(chunk.name.len() as u64);
        }
        open.balance.read(chunk.arguments);
        call.arguments.push_str(chunk.arguments);
        if call.name.is_empty() {
            return;
        }
        let index = position as u64;
        if !open.announced {
            open.announced = true;
            sink(WireDelta::ToolCallStarted { index, id: &call.id, name: &call.name });
        }
        let text = call.arguments.get(open.sent..).unwrap_or_default();
        if !text.is_empty() {
            sink(WireDelta::ToolArguments { index, offset: open.sent as u64, text });
            open.sent = call.arguments.len();
        }
    }
}

/// A piece of a tool call. Fields that the piece does not contain are empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolCallChunk<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// The next part of the arguments' JSON text.
    pub arguments: &'a str,
}

#[derive(Debug, Default)]
struct ToolCallDraft {
    /// The index of the call's block.
    block: usize,
    /// The id as the provider sent it, before repair.
    wire_id: String,
    announced: bool,
    /// How many bytes of the arguments have been passed on.
    sent: usize,
    balance: BracketTracker,
}

/// Tracks JSON text piece by piece and knows when its outermost value is complete, so that no
/// piece is read twice.
#[derive(Debug, Default)]
struct BracketTracker {
    depth: u64,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl BracketTracker {
    const fn complete(&self) -> bool {
        self.closed && self.depth == 0
    }

    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            match (self.in_string, byte) {
                (true, _) if self.escaped => self.escaped = false,
                (true, b'\\') => self.escaped = true,
                (true, b'"') => self.in_string = false,
                (false, b'"') => self.in_string = true,
                (false, b'{' | b'[') => self.depth = self.depth.saturating_add(1),
                (false, b'}' | b']') => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed = true;
                }
                (true | false, _) => {}
            }
        }
    }
}
