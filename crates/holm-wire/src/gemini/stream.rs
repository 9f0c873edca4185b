//! Interprets the chunks of a streamed reply, and reads a whole one, for `generateContent`.
//!
//! The shape of a chunk is in `wire.rs`, framing and limits are in `stream.rs` of the crate, and
//! errors are classified in `classify/`. Only the first candidate is read. A signed part is never
//! joined with another. A stream is complete only after a finish reason; `[DONE]` means nothing
//! here.

use alloc::{format, string::String, vec::Vec};

use holm_kernel::{Block, Failure, FailureClass, Media, Reply, Source, StopReason};

use super::{
    SignaturePlace, signed,
    wire::{GeminiBlob, GeminiCandidate, GeminiChunk, GeminiFunctionCall, GeminiPart},
};
use crate::{
    FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify, framing::StreamFrame, lenient::RawJson,
    stream::EventReader,
};

/// Reads chunks into a draft.
#[derive(Debug, Default)]
pub struct GeminiEventReader {
    /// The number of calls so far. Each call comes complete, so each piece is a separate call.
    calls: u64,
}

impl GeminiEventReader {
    fn read(&mut self, data: &[u8], draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) -> FrameOutcome {
        let Ok(chunk) = holm_read::from_slice::<GeminiChunk<'_>>(data) else { return FrameOutcome::Garbage };
        if chunk.error.is_some() {
            return FrameOutcome::fail(classify::in_stream(data));
        }
        draft.set_model(chunk.model_version.as_str());
        if let Some(tokens) = &chunk.usage_metadata {
            draft.set_usage(tokens.usage(), sink);
        }
        for candidate in chunk.candidates.iter().flatten().filter(|found| found.index.or_zero() == 0) {
            for part in candidate.content.iter().flat_map(|content| content.parts.iter().flatten()) {
                self.part(part, draft, sink);
            }
            if let Some(failure) = read_finish(candidate, draft) {
                return FrameOutcome::fail(failure);
            }
        }
        match &chunk.prompt_feedback {
            Some(feedback) if !matches!(feedback.block_reason.as_str(), "" | "BLOCK_REASON_UNSPECIFIED") => {
                let (reason, more) = (feedback.block_reason.as_str(), feedback.block_reason_message.as_str());
                let message = format!("the prompt was blocked: {reason} {more}");
                FrameOutcome::fail(classify::failure(FailureClass::ContentFilter, &message))
            }
            Some(_) | None => FrameOutcome::More,
        }
    }

    fn part(&mut self, part: &GeminiPart<'_>, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        if let Some(call) = &part.function_call {
            return self.call(call, part.thought_signature.as_str(), draft, sink);
        }
        if let Some(data) = &part.inline_data {
            draft.block(read_blob(data));
        }
        let text = part.text.as_ref().map_or("", |text| text.as_str());
        let signature = part.thought_signature.as_str();
        if !signature.is_empty() {
            // A signed part is never joined with another.
            draft.close();
        }
        draft.charge(signature.len());
        let place = match (part.is_thought(), text) {
            (true, _) => {
                draft.thinking(text, sink);
                SignaturePlace::Own
            }
            (false, "") => SignaturePlace::Empty,
            (false, _) => {
                draft.text(text, sink);
                SignaturePlace::Text
            }
        };
        if !signature.is_empty() {
            draft.thinking_replay(signed(signature, place));
        }
    }

    fn call(
        &mut self,
        call: &GeminiFunctionCall<'_>,
        signature: &str,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        let arguments = call.args.map(RawJson::get).filter(|text| *text != "null").unwrap_or("{}");
        let chunk = ToolCallChunk { id: call.id.as_str(), name: call.name.as_str(), arguments };
        draft.call(Some(self.calls), &chunk, sink);
        self.calls = self.calls.saturating_add(1);
        if !signature.is_empty() {
            draft.charge(signature.len());
            draft.call_replay(signed(signature, SignaturePlace::Own));
        }
    }
}

impl EventReader for GeminiEventReader {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        // Proxies add the end mark of another format, which means nothing here.
        if frame.data.trim_ascii() == b"[DONE]" {
            return FrameOutcome::More;
        }
        self.read(frame.data, draft, sink)
    }

    /// Reads one object, or the list of chunks that the service sends if the request did
    /// not ask for events.
    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let unreadable = |error| classify::unreadable(body, &error);
        let list = body.trim_ascii_start().first() == Some(&b'[');
        let chunks: Vec<RawJson<'_>> = if list {
            holm_read::from_slice(body).map_err(unreadable)?
        } else {
            alloc::vec![holm_read::from_slice(body).map_err(unreadable)?]
        };
        let mut draft = ReplyDraft::default();
        let mut events = Self::default();
        for chunk in chunks {
            match events.read(chunk.get().as_bytes(), &mut draft, &mut |_| {}) {
                FrameOutcome::More | FrameOutcome::End => {}
                FrameOutcome::Fail(failure) => {
                    return Err(Failure { usage: draft.usage_so_far(), ..*failure });
                }
                FrameOutcome::Garbage => return Err(not_a_reply(body)),
            }
        }
        match draft.stop() {
            None if draft.is_empty() => Err(not_a_reply(body)),
            None if list => Err(classify::failure(
                FailureClass::Truncated,
                "the list of chunks ends without a finish reason",
            )),
            Some(_) | None => Ok(draft.into_reply()),
        }
    }

    fn is_complete(&self, draft: &ReplyDraft) -> bool {
        draft.stop().is_some()
    }
}

/// Stores the finish reason. Returns the failure if the reply ended without an answer.
fn read_finish(candidate: &GeminiCandidate<'_>, draft: &mut ReplyDraft) -> Option<Failure> {
    let reason = candidate.finish_reason.as_str();
    let stop = match reason {
        "" | "FINISH_REASON_UNSPECIFIED" => return None,
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "MODEL_ARMOR" => StopReason::ContentFilter,
        // The model wrote a call that the service could not parse and discarded. On a retry, it
        // usually writes a valid one.
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" => {
            return Some(no_answer(FailureClass::Server, candidate));
        }
        "MISSING_THOUGHT_SIGNATURE" => return Some(no_answer(FailureClass::BadRequest, candidate)),
        _ => StopReason::Other,
    };
    draft.set_stop(stop);
    None
}

fn no_answer(class: FailureClass, candidate: &GeminiCandidate<'_>) -> Failure {
    let (reason, more) = (candidate.finish_reason.as_str(), candidate.finish_message.as_str());
    classify::failure(class, &format!("the reply ended with {reason} {more}"))
}

fn read_blob(data: &GeminiBlob<'_>) -> Block {
    let media_type = String::from(data.mime_type.as_str());
    let picture = media_type.starts_with("image/");
    let media = Media { media_type, source: Source::Base64(data.data.as_str().into()), name: None };
    if picture { Block::Image(media) } else { Block::File(media) }
}

/// The failure for JSON without a candidate: an error in another shape, or something unknown.
fn not_a_reply(body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no candidate")
}
