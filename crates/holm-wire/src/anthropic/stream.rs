//! Interprets the events of a streamed reply, and reads a whole one, for Anthropic Messages. It
//! decides what each event and block means, maps stop reasons, and writes the result into a reply
//! draft.
//!
//! An event or block of an unknown kind is ignored and never an error, because services add kinds.
//! A signature is stored under this format's name, so that it is never sent to another service.
//! Bytes that this reader keeps outside of the draft must be charged to the draft, which limits the
//! memory of a reply.
//!
//! The members of an event and the token counts are in `wire.rs`. Bytes are split into frames and
//! limited in `stream.rs` of the crate and `framing/`; errors are classified in `classify/`; the
//! draft is `draft.rs`. Requests are written in `request.rs`, and requests of clients are served in
//! `server.rs`.

use alloc::{borrow::Cow, borrow::ToOwned, collections::BTreeMap, string::String};

use holm_guards::json::Json;
use holm_kernel::{Failure, FailureClass, Reply, StopReason};

use super::{
    REPLAY,
    wire::{AnthropicBlock, AnthropicDelta, AnthropicEvent, AnthropicMessage, AnthropicTokenCounts},
};
use crate::{
    FrameMemo, FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify, fast_read,
    framing::StreamFrame,
    lenient::{LenientStr, RawJson},
    stream::EventReader,
};

/// Reads events into a draft.
#[derive(Debug, Default)]
pub struct AnthropicEventReader {
    open: BTreeMap<u64, AnthropicOpenBlock>,
    counts: AnthropicTokenCounts,
    memo: FrameMemo<AnthropicTextKind>,
    /// Reads every frame with the general reader, without the memo. Fuzzing and tests compare the two paths.
    plain_only: bool,
}

/// A block that has started and not ended.
#[derive(Debug)]
enum AnthropicOpenBlock {
    Text,
    Thinking {
        signature: String,
    },
    Call {
        /// The input that came with the start. It counts if no piece follows.
        whole: String,
        pieces: bool,
    },
    /// A kind of block that this version does not know.
    Unknown,
}

impl AnthropicOpenBlock {
    /// The number of bytes that it keeps outside of the draft. They are charged to the draft's limit.
    const fn size(&self) -> usize {
        let text = match self {
            Self::Thinking { signature } => signature.len(),
            Self::Call { whole, .. } => whole.len(),
            Self::Text | Self::Unknown => 0,
        };
        text.saturating_add(size_of::<Self>())
    }
}

/// The kind of text in a remembered event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnthropicTextKind {
    Text,
    Thinking,
    Arguments(u64),
}

impl AnthropicEventReader {
    /// The same without memo and fast path: every frame goes through the general reader.
    pub fn plain() -> Self {
        Self { plain_only: true, ..Self::default() }
    }

    fn read(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        self.memo.forget();
        let event =
            if self.plain_only { holm_read::from_slice(frame.data) } else { fast_read::parse(frame.data) };
        let Ok(event): Result<AnthropicEvent<'_>, _> = event else { return FrameOutcome::Garbage };
        let kind = match event.kind.as_str() {
            "" => core::str::from_utf8(frame.name).unwrap_or_default(),
            kind => kind,
        };
        match kind {
            "content_block_delta" => self.read_delta(frame, &event, draft, sink),
            "content_block_start" => {
                let block = event.content_block.unwrap_or_default();
                self.start_block(event.index.or_zero(), &block, draft, sink);
            }
            "content_block_stop" => self.close_block(event.index.or_zero(), draft, sink),
            "message_start" => {
                let start = event.message.unwrap_or_default();
                draft.set_model(start.model.as_str());
                start.usage.iter().for_each(|tokens| self.counts.see(tokens));
                draft.set_usage(self.counts.usage(), sink);
            }
            "message_delta" => {
                event.usage.iter().for_each(|tokens| self.counts.see(tokens));
                draft.set_usage(self.counts.usage(), sink);
                if let Some(delta) = event.delta {
                    read_stop(delta.stop_reason.as_str(), draft);
                }
            }
            "message_stop" => {
                self.close_blocks(draft, sink);
                return FrameOutcome::End;
            }
            "error" => return FrameOutcome::fail(classify::in_stream(frame.data)),
            _ => {}
        }
        FrameOutcome::More
    }

    /// Reads the start of a block, or a whole block of a reply that was not streamed.
    fn start_block(
        &mut self,
        index: u64,
        block: &AnthropicBlock<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        // The start was sent twice, or the stop was lost.
        self.close_block(index, draft, sink);
        draft.close();
        let open = match block.kind.as_str() {
            "text" => {
                draft.text(block.text.as_str(), sink);
                AnthropicOpenBlock::Text
            }
            "thinking" => {
                draft.thinking(block.thinking.as_str(), sink);
                AnthropicOpenBlock::Thinking { signature: block.signature.as_str().to_owned() }
            }
            "redacted_thinking" => {
                draft.charge(block.data.as_str().len());
                draft.thinking_replay(replay("redacted", block.data.as_str()));
                AnthropicOpenBlock::Unknown
            }
            "tool_use" => {
                let chunk = ToolCallChunk { id: block.id.as_str(), name: block.name.as_str(), arguments: "" };
                draft.call(Some(index), &chunk, sink);
                AnthropicOpenBlock::Call {
                    whole: block.input.map_or("{}", RawJson::get).to_owned(),
                    pieces: false,
                }
            }
            _ => AnthropicOpenBlock::Unknown,
        };
        draft.charge(open.size());
        self.open.insert(index, open);
    }

    /// Reads more of an open block, and lets the memo learn a frame that contains only text.
    fn read_delta(
        &mut self,
        frame: StreamFrame<'_>,
        event: &AnthropicEvent<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        let Some(delta) = &event.delta else { return };
        let index = event.index.or_zero();
        match self.open.get_mut(&index) {
            Some(AnthropicOpenBlock::Unknown) => return,
            Some(AnthropicOpenBlock::Thinking { signature: so_far }) => {
                let more = delta.signature.as_ref().map_or("", LenientStr::as_str);
                draft.charge(more.len());
                so_far.push_str(more);
            }
            Some(AnthropicOpenBlock::Call { pieces, .. }) => {
                *pieces |= delta.partial_json.as_ref().is_some_and(|json| !json.as_str().is_empty());
            }
            Some(AnthropicOpenBlock::Text) | None => {}
        }
        let in_call = matches!(self.open.get(&index), Some(AnthropicOpenBlock::Call { .. }));
        if let Some(text) = &delta.text {
            draft.text(text.as_str(), sink);
        }
        if let Some(text) = &delta.thinking {
            draft.thinking(text.as_str(), sink);
        }
        if let Some(text) = delta.partial_json.as_ref().filter(|_| in_call) {
            draft.call(
                Some(index),
                &ToolCallChunk { arguments: text.as_str(), ..ToolCallChunk::default() },
                sink,
            );
        }
        if !self.plain_only
            && let Some((text, kind)) = only_text(delta, index, in_call)
        {
            self.memo.learn(frame.data, text, kind);
        }
    }

    /// Ends a block: stores a signature, or the input of a call that came without pieces.
    fn close_block(&mut self, index: u64, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        match self.open.remove(&index) {
            Some(AnthropicOpenBlock::Thinking { signature }) if !signature.is_empty() => {
                draft.thinking_replay(replay("signature", &signature));
            }
            Some(AnthropicOpenBlock::Call { whole, pieces: false }) => {
                draft.call(
                    Some(index),
                    &ToolCallChunk { arguments: &whole, ..ToolCallChunk::default() },
                    sink,
                );
            }
            Some(
                AnthropicOpenBlock::Thinking { .. }
                | AnthropicOpenBlock::Call { .. }
                | AnthropicOpenBlock::Text
                | AnthropicOpenBlock::Unknown,
            )
            | None => {}
        }
        draft.close();
    }

    fn close_blocks(&mut self, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        while let Some((index, _)) = self.open.first_key_value() {
            let index = *index;
            self.close_block(index, draft, sink);
        }
    }
}

impl EventReader for AnthropicEventReader {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        if let Some((kind, text)) = self.memo.recall(frame.data) {
            match kind {
                AnthropicTextKind::Text => draft.text(text, sink),
                AnthropicTextKind::Thinking => draft.thinking(text, sink),
                AnthropicTextKind::Arguments(index) => {
                    draft.call(
                        Some(index),
                        &ToolCallChunk { arguments: text, ..ToolCallChunk::default() },
                        sink,
                    );
                }
            }
            return FrameOutcome::More;
        }
        self.read(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let message: AnthropicMessage<'_> =
            holm_read::from_slice(body).map_err(|error| classify::unreadable(body, &error))?;
        let Some(content) = &message.content else { return Err(not_a_reply(&message, body)) };
        let mut draft = ReplyDraft::default();
        let mut events = Self::plain();
        for (index, block) in (0_u64..).zip(content) {
            events.start_block(index, block, &mut draft, &mut |_| {});
            events.close_block(index, &mut draft, &mut |_| {});
        }
        draft.set_model(message.model.as_str());
        read_stop(message.stop_reason.as_str(), &mut draft);
        message.usage.iter().for_each(|tokens| events.counts.see(tokens));
        draft.set_usage(events.counts.usage(), &mut |_| {});
        Ok(draft.into_reply())
    }
}

/// The failure for a body without content: an error of the service, or an empty reply.
fn not_a_reply(message: &AnthropicMessage<'_>, body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if message.kind.as_str() == "error" || message.error.is_some() || !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no content")
}

/// The data that must be sent back with the reasoning. It is stored under this format's name, so
/// that no other provider receives it.
fn replay(name: &str, value: &str) -> Json {
    Json::object([(REPLAY, Json::object([(name, Json::from(value))]))])
}

/// Stores why the reply ended. An unknown reason is not an error.
fn read_stop(reason: &str, draft: &mut ReplyDraft) {
    let stop = match reason {
        "" => return,
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other,
    };
    draft.set_stop(stop);
}

/// The only borrowed text of a delta that has no other effect, so that similar frames
/// need not be parsed.
fn only_text<'c>(
    delta: &'c AnthropicDelta<'_>,
    index: u64,
    in_call: bool,
) -> Option<(&'c str, AnthropicTextKind)> {
    let (text, kind) = match (&delta.text, &delta.thinking, &delta.partial_json, &delta.signature) {
        (Some(text), None, None, None) => (text, AnthropicTextKind::Text),
        (None, Some(text), None, None) => (text, AnthropicTextKind::Thinking),
        // An empty first piece does not show whether more pieces follow.
        (None, None, Some(text), None) if in_call && !text.as_str().is_empty() => {
            (text, AnthropicTextKind::Arguments(index))
        }
        _ => return None,
    };
    let Cow::Borrowed(text) = &text.0 else { return None };
    Some((text, kind))
}
