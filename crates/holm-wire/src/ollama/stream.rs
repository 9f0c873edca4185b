//! Interprets the lines of a streamed reply, and reads a whole one, for Ollama.
//!
//! The shape of a line is in `wire.rs`, and framing and limits are in `framing/ndjson.rs` and in
//! `stream.rs` of the crate. Only a line that is done ends a reply. Every line has its own time
//! stamp, so no two lines are alike, and a memo would never match.

use holm_kernel::{Failure, FailureClass, Reply, StopReason};

use super::wire::{OllamaLine, OllamaMessage};
use crate::{
    FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify, framing::StreamFrame,
    stream::EventReader,
};

/// Reads lines into a draft.
#[derive(Debug, Default)]
pub struct OllamaEventReader {
    /// The number of calls so far. Calls come complete, so each one is a new call, even
    /// if an id repeats.
    calls: u64,
}

impl OllamaEventReader {
    fn message(&mut self, message: &OllamaMessage<'_>, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        draft.thinking(message.thinking.as_str(), sink);
        draft.text(message.content.as_str(), sink);
        for call in message.tool_calls.iter().flatten() {
            let arguments = call.function.arguments();
            let chunk = ToolCallChunk {
                id: call.id.as_str(),
                name: call.function.name.as_str(),
                arguments: &arguments,
            };
            draft.call(Some(self.calls), &chunk, sink);
            self.calls = self.calls.saturating_add(1);
        }
    }
}

impl EventReader for OllamaEventReader {
    // A line begins with a brace, as do complete replies and errors; those are read as lines.
    const UNFRAMED: &'static [u8] = b"[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        let Ok(line) = holm_read::from_slice::<OllamaLine<'_>>(frame.data) else {
            return FrameOutcome::Garbage;
        };
        if line.error.is_some() {
            return FrameOutcome::fail(classify::in_stream(frame.data));
        }
        draft.set_model(line.model.as_str());
        if let Some(message) = &line.message {
            self.message(message, draft, sink);
        }
        if !line.is_done() {
            return FrameOutcome::More;
        }
        draft.set_usage(line.usage(), sink);
        match line.done_reason.as_str() {
            "" | "stop" => draft.set_stop(StopReason::EndTurn),
            "length" => draft.set_stop(StopReason::MaxTokens),
            // The answer to a request that only loads or unloads a model.
            _ => draft.set_stop(StopReason::Other),
        }
        FrameOutcome::End
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let mut draft = ReplyDraft::default();
        match Self::default().event(StreamFrame { name: b"", data: body }, &mut draft, &mut |_| {}) {
            FrameOutcome::End => Ok(draft.into_reply()),
            FrameOutcome::Fail(failure) => Err(*failure),
            FrameOutcome::Garbage => Err(match holm_read::from_slice::<OllamaLine<'_>>(body) {
                Err(error) => classify::unreadable(body, &error),
                Ok(_) => classify::failure(FailureClass::Server, "the reply cannot be read"),
            }),
            FrameOutcome::More if draft.is_empty() => Err(not_a_reply(body)),
            FrameOutcome::More => {
                Err(classify::failure(FailureClass::Truncated, "the reply says that it is not done"))
            }
        }
    }
}

fn not_a_reply(body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no message")
}
