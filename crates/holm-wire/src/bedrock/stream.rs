//! Interprets the events of a streamed reply, and reads a whole one, for Converse.
//!
//! The kind of an event is in its headers (`framing/event_stream/headers.rs`), its members are in
//! `wire.rs`, and limits are in `stream.rs` of the crate. A reply is complete after its stop
//! reason, and only its usage may follow. An exception's class comes from its type where that is
//! clear, and from `classify/` otherwise. The memo must compare the headers too, because equal
//! payloads can be different events.

use alloc::{borrow::Cow, borrow::ToOwned, collections::BTreeMap, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Failure, FailureClass, Reply, StopReason};

use super::{
    REPLAY,
    wire::{BedrockDelta, BedrockEvent, BedrockReasoning, BedrockReply, BedrockToolUse},
};
use crate::{
    FrameMemo, FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify,
    framing::{StreamFrame, event_stream::EventHeaders},
    lenient::RawJson,
    stream::EventReader,
};

/// Reads events into a draft.
#[derive(Debug, Default)]
pub struct BedrockEventReader {
    open: BTreeMap<u64, BedrockOpenBlock>,
    /// Whether the reply has ended. Only its usage may follow.
    stopped: bool,
    memo: FrameMemo<BedrockTextKind>,
    /// The headers of the remembered event. The same payload with different headers
    /// is a different event.
    headers: Vec<u8>,
    /// Reads every frame with the general reader. Fuzzing and tests compare the two paths.
    plain_only: bool,
}

/// A block that has started and not ended.
#[derive(Debug)]
enum BedrockOpenBlock {
    Text,
    Thinking {
        signature: String,
    },
    Call {
        /// Whether any input has arrived.
        pieces: bool,
    },
}

/// The kind of text in a remembered event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BedrockTextKind {
    Text,
    Thinking,
}

impl BedrockEventReader {
    /// The same without the memo: every event is parsed.
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
        let headers = EventHeaders::new(frame.name);
        if matches!(headers.text(":message-type"), Some("exception" | "error")) {
            return FrameOutcome::fail(exception(headers, frame.data));
        }
        let Ok(event) = holm_read::from_slice::<BedrockEvent<'_>>(frame.data) else {
            return FrameOutcome::Garbage;
        };
        let index = event.content_block_index.or_zero();
        match headers.text(":event-type").unwrap_or_default() {
            "contentBlockDelta" => {
                let Some(delta) = &event.delta else { return FrameOutcome::More };
                self.piece(index, delta, draft, sink);
                self.learn(frame, index, delta);
            }
            "contentBlockStart" => {
                self.close(index, draft, sink);
                if let Some(call) = event.start.and_then(|start| start.tool_use) {
                    self.begin_call(index, &call, draft, sink);
                }
            }
            "contentBlockStop" => self.close(index, draft, sink),
            "messageStop" => {
                self.close_all(draft, sink);
                read_stop(event.stop_reason.as_str(), draft);
                self.stopped = true;
            }
            "metadata" => {
                if let Some(tokens) = &event.usage {
                    draft.set_usage(tokens.usage(), sink);
                }
                return if self.stopped { FrameOutcome::End } else { FrameOutcome::More };
            }
            _ => {}
        }
        FrameOutcome::More
    }

    fn begin_call(
        &mut self,
        index: u64,
        call: &BedrockToolUse<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        let chunk = ToolCallChunk { id: call.tool_use_id.as_str(), name: call.name.as_str(), arguments: "" };
        draft.call(Some(index), &chunk, sink);
        self.open.insert(index, BedrockOpenBlock::Call { pieces: false });
    }

    fn piece(
        &mut self,
        index: u64,
        delta: &BedrockDelta<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        if let Some(text) = &delta.text {
            self.open.entry(index).or_insert_with(|| {
                draft.charge(size_of::<BedrockOpenBlock>());
                BedrockOpenBlock::Text
            });
            draft.text(text.as_str(), sink);
        }
        if let Some(reasoning) = &delta.reasoning_content {
            self.reasoning(index, reasoning, draft, sink);
        }
        let input = delta.tool_use.as_ref().and_then(|call| call.input).map(RawJson::text);
        if let Some(input) = input.filter(|input| !input.is_empty())
            && let Some(BedrockOpenBlock::Call { pieces }) = self.open.get_mut(&index)
        {
            *pieces = true;
            draft.call(Some(index), &ToolCallChunk { arguments: &input, ..ToolCallChunk::default() }, sink);
        }
    }

    fn reasoning(
        &mut self,
        index: u64,
        reasoning: &BedrockReasoning<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        if !reasoning.redacted_content.as_str().is_empty() {
            draft.close();
            draft.charge(reasoning.redacted_content.as_str().len());
            draft.thinking_replay(replay("redacted", reasoning.redacted_content.as_str()));
            return;
        }
        let nested = reasoning.reasoning_text.as_ref();
        let (text, signature) = nested
            .map_or((&reasoning.text, &reasoning.signature), |nested| (&nested.text, &nested.signature));
        let open = self.open.entry(index).or_insert_with(|| {
            draft.charge(size_of::<BedrockOpenBlock>());
            BedrockOpenBlock::Thinking { signature: String::new() }
        });
        if let BedrockOpenBlock::Thinking { signature: so_far } = open {
            draft.charge(signature.as_str().len());
            so_far.push_str(signature.as_str());
        }
        draft.thinking(text.as_str(), sink);
    }

    /// Remembers a text delta that has no other effect, so that similar events need not be parsed.
    fn learn(&mut self, frame: StreamFrame<'_>, index: u64, delta: &BedrockDelta<'_>) {
        let (text, kind) = match (&delta.text, &delta.reasoning_content, &delta.tool_use) {
            (Some(text), None, None) => (text, BedrockTextKind::Text),
            (None, Some(reasoning), None)
                if reasoning.signature.as_str().is_empty()
                    && reasoning.redacted_content.as_str().is_empty()
                    && reasoning.reasoning_text.is_none()
                    && matches!(self.open.get(&index), Some(BedrockOpenBlock::Thinking { .. })) =>
            {
                (&reasoning.text, BedrockTextKind::Thinking)
            }
            _ => return,
        };
        if let Cow::Borrowed(text) = &text.0
            && !self.plain_only
        {
            self.memo.learn(frame.data, text, kind);
            self.headers.clear();
            self.headers.extend_from_slice(frame.name);
        }
    }

    fn close(&mut self, index: u64, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        match self.open.remove(&index) {
            Some(BedrockOpenBlock::Thinking { signature }) if !signature.is_empty() => {
                draft.thinking_replay(replay("signature", &signature));
            }
            Some(BedrockOpenBlock::Call { pieces: false }) => {
                draft.call(Some(index), &ToolCallChunk { arguments: "{}", ..ToolCallChunk::default() }, sink);
            }
            Some(
                BedrockOpenBlock::Thinking { .. } | BedrockOpenBlock::Call { .. } | BedrockOpenBlock::Text,
            )
            | None => {}
        }
        draft.close();
    }

    fn close_all(&mut self, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        while let Some((index, _)) = self.open.first_key_value() {
            let index = *index;
            self.close(index, draft, sink);
        }
    }
}

impl EventReader for BedrockEventReader {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        if self.headers == frame.name
            && let Some((kind, text)) = self.memo.recall(frame.data)
        {
            match kind {
                BedrockTextKind::Text => draft.text(text, sink),
                BedrockTextKind::Thinking => draft.thinking(text, sink),
            }
            return FrameOutcome::More;
        }
        self.read(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let body_reply: BedrockReply<'_> =
            holm_read::from_slice(body).map_err(|error| classify::unreadable(body, &error))?;
        let Some(message) = body_reply.output.as_ref().and_then(|output| output.message.as_ref()) else {
            return Err(not_a_reply(body));
        };
        let mut draft = ReplyDraft::default();
        let mut events = Self::plain();
        for (index, block) in (0_u64..).zip(&message.content) {
            if let Some(call) = &block.tool_use {
                events.begin_call(index, call, &mut draft, &mut |_| {});
            }
            events.piece(index, block, &mut draft, &mut |_| {});
            events.close(index, &mut draft, &mut |_| {});
        }
        read_stop(body_reply.stop_reason.as_str(), &mut draft);
        if let Some(tokens) = &body_reply.usage {
            draft.set_usage(tokens.usage(), &mut |_| {});
        }
        Ok(draft.into_reply())
    }

    /// The reply is complete after its stop reason. Only the usage may be lost after it.
    fn is_complete(&self, _: &ReplyDraft) -> bool {
        self.stopped
    }
}

fn not_a_reply(body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no message")
}

/// An error instead of an event. Its kind is in a header, and its message is in the payload
/// or in another header.
fn exception(headers: EventHeaders<'_>, payload: &[u8]) -> Failure {
    let kind = headers
        .text(":exception-type")
        .or_else(|| headers.text(":error-code"))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let failure = match headers.text(":error-message") {
        Some(message) => classify::in_stream(message.as_bytes()),
        None => classify::in_stream(payload),
    };
    let class = match kind.as_str() {
        "throttlingexception" => FailureClass::RateLimited,
        "serviceunavailableexception" | "modelnotreadyexception" => FailureClass::Overloaded,
        "servicequotaexceededexception" => FailureClass::Quota,
        "accessdeniedexception" | "unrecognizedclientexception" | "expiredtokenexception" => {
            FailureClass::Auth
        }
        "resourcenotfoundexception" => FailureClass::BadRequest,
        // The message may say more: a prompt that is too long, or a filter.
        "validationexception" if failure.class == FailureClass::Server => FailureClass::BadRequest,
        _ => failure.class,
    };
    let message = match failure.message.as_str() {
        "" => kind,
        text => text.to_owned(),
    };
    Failure {
        retry_after_ms: failure.retry_after_ms.filter(|_| class.is_transient()),
        ..classify::failure(class, &message)
    }
}

/// The data that must be sent back with the reasoning. It is stored under this format's name, so
/// that no other provider receives it.
fn replay(name: &str, value: &str) -> Json {
    Json::object([(REPLAY, Json::object([(name, Json::from(value))]))])
}

fn read_stop(reason: &str, draft: &mut ReplyDraft) {
    let stop = match reason {
        "" => return,
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "guardrail_intervened" | "content_filtered" => StopReason::ContentFilter,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other,
    };
    draft.set_stop(stop);
}
