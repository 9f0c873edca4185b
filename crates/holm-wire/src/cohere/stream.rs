//! Interprets the events of a streamed reply, and reads a whole one, for Cohere's chat.
//!
//! The shape of an event is in `wire.rs`, framing and limits are in `stream.rs` of the crate, and
//! errors are classified in `classify/`. The end is the event `message-end`; `[DONE]` alone ends
//! nothing. Reasoning and plan are never joined with the answer's text. Events of unknown kinds are
//! ignored.

use alloc::format;

use holm_guards::json::Json;
use holm_kernel::{Failure, FailureClass, Reply, StopReason};

use super::{
    REPLAY,
    wire::{CohereEvent, CohereMessage, CohereReply, CohereUsage},
};
use crate::{
    FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify, framing::StreamFrame, lenient::RawJson,
    stream::EventReader,
};

/// Reads events into a draft.
#[derive(Debug, Default)]
pub struct CohereEventReader {
    open: CohereOpenBlock,
}

/// The kind of the last piece.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CohereOpenBlock {
    #[default]
    Nothing,
    Text,
    Plan,
    Thinking,
    Call,
}

impl CohereEventReader {
    fn read(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        let Ok(event) = holm_read::from_slice::<CohereEvent<'_>>(frame.data) else {
            return FrameOutcome::Garbage;
        };
        let kind = match event.kind.as_str() {
            "" => core::str::from_utf8(frame.name).unwrap_or_default(),
            kind => kind,
        };
        let delta = event.delta.unwrap_or_default();
        match kind {
            "content-start" | "content-delta" | "tool-plan-delta" | "tool-call-start" | "tool-call-delta" => {
                if kind.ends_with("start") {
                    self.turn_to(CohereOpenBlock::Nothing, draft);
                }
                self.message(&delta.message.unwrap_or_default(), event.index.get(), draft, sink);
            }
            "content-end" | "tool-call-end" => self.turn_to(CohereOpenBlock::Nothing, draft),
            "message-end" => {
                self.turn_to(CohereOpenBlock::Nothing, draft);
                let (reason, error) = (delta.finish_reason.as_str(), delta.error.as_str());
                return end(reason, error, delta.usage.as_ref(), draft, sink);
            }
            "error" => return FrameOutcome::fail(classify::in_stream(frame.data)),
            "" if !event.message.as_str().is_empty() => {
                return FrameOutcome::fail(classify::in_stream(frame.data));
            }
            _ => {}
        }
        FrameOutcome::More
    }

    /// Reads the pieces of a message: reasoning and text, the plan, the calls.
    fn message(
        &mut self,
        message: &CohereMessage<'_>,
        index: Option<u64>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        for part in message.content() {
            if !part.thinking.as_str().is_empty() {
                self.turn_to(CohereOpenBlock::Thinking, draft);
                draft.thinking(part.thinking.as_str(), sink);
            }
            if !part.text.as_str().is_empty() {
                self.turn_to(CohereOpenBlock::Text, draft);
                draft.text(part.text.as_str(), sink);
            }
        }
        if !message.tool_plan.as_str().is_empty() {
            self.turn_to(CohereOpenBlock::Plan, draft);
            draft.text(message.tool_plan.as_str(), sink);
        }
        let calls = message.tool_calls();
        let several = calls.len() > 1;
        for (position, call) in (0_u64..).zip(calls) {
            self.turn_to(CohereOpenBlock::Call, draft);
            let index = index.or_else(|| several.then_some(position));
            let arguments = call.function.arguments();
            let chunk = ToolCallChunk {
                id: call.id.as_str(),
                name: call.function.name.as_str(),
                arguments: &arguments,
            };
            draft.call(index, &chunk, sink);
        }
    }

    /// Ends the current block if another kind begins. Finished reasoning is
    /// marked as this format's.
    fn turn_to(&mut self, next: CohereOpenBlock, draft: &mut ReplyDraft) {
        let before = core::mem::replace(&mut self.open, next);
        if before == next {
            return;
        }
        if before == CohereOpenBlock::Thinking {
            draft.thinking_replay(Json::object([(REPLAY, Json::Bool(true))]));
        }
        draft.close();
    }
}

impl EventReader for CohereEventReader {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        // This comes after the end, and means nothing without it.
        if frame.data.trim_ascii() == b"[DONE]" {
            return FrameOutcome::More;
        }
        self.read(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let parsed: CohereReply<'_> =
            holm_read::from_slice(body).map_err(|error| classify::unreadable(body, &error))?;
        let raw = parsed.message.map(RawJson::get).filter(|text| text.starts_with('{'));
        let Some(raw) = raw else { return Err(not_a_reply(body)) };
        let message: CohereMessage<'_> =
            holm_read::from_str(raw).map_err(|error| classify::unreadable(body, &error))?;
        let mut draft = ReplyDraft::default();
        let mut events = Self::default();
        events.message(&message, None, &mut draft, &mut |_| {});
        events.turn_to(CohereOpenBlock::Nothing, &mut draft);
        match end(parsed.finish_reason.as_str(), "", parsed.usage.as_ref(), &mut draft, &mut |_| {}) {
            FrameOutcome::Fail(failure) => Err(Failure { usage: draft.usage_so_far(), ..*failure }),
            FrameOutcome::More | FrameOutcome::End | FrameOutcome::Garbage => Ok(draft.into_reply()),
        }
    }
}

fn end(
    reason: &str,
    error: &str,
    usage: Option<&CohereUsage<'_>>,
    draft: &mut ReplyDraft,
    sink: WireDeltaSink<'_>,
) -> FrameOutcome {
    if let Some(tokens) = usage {
        draft.set_usage(tokens.usage(), sink);
    }
    draft.set_stop(match reason {
        "COMPLETE" | "" => StopReason::EndTurn,
        "TOOL_CALL" => StopReason::ToolUse,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "STOP_SEQUENCE" => StopReason::StopSequence,
        "ERROR_TOXIC" => StopReason::ContentFilter,
        "ERROR_LIMIT" => return FrameOutcome::fail(failed(FailureClass::ContextOverflow, reason)),
        "ERROR" | "TIMEOUT" if error.is_empty() => {
            return FrameOutcome::fail(failed(FailureClass::Server, reason));
        }
        "ERROR" | "TIMEOUT" => return FrameOutcome::fail(classify::in_stream(error.as_bytes())),
        _ => StopReason::Other,
    });
    FrameOutcome::End
}

fn failed(class: FailureClass, reason: &str) -> Failure {
    classify::failure(class, &format!("the provider ended the reply with {reason}"))
}

/// The failure for JSON without a message object: an error, or something unknown.
fn not_a_reply(body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no message")
}
