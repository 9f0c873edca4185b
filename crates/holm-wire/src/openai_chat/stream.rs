//! Interprets the chunks of a streamed reply, and reads a whole one, for Chat Completions.
//!
//! The shape of a chunk is in `wire.rs`, token counts are in `usage.rs`, framing and limits are in
//! `stream.rs` of the crate, and errors are classified in `classify/`. Only the first choice is
//! read. What ends a stream is decided by the dialect. A chunk may be learnt by the memo only if
//! its one text is its only effect.

use alloc::borrow::Cow;

use holm_kernel::{Failure, FailureClass, Reply, StopReason};
use memchr::memmem;

use super::{
    StreamEndMark, usage,
    wire::{ChatChoice, ChatChunk, ChatDelta, ChatToolCall},
};
use crate::{
    FrameMemo, FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify, fast_read,
    framing::StreamFrame, lenient::LenientText, stream::EventReader,
};

/// Reads chunks into a draft.
#[derive(Debug, Default)]
pub struct OpenaiChatEventReader {
    end: StreamEndMark,
    memo: FrameMemo<ChatTextKind>,
    /// Reads every frame with the general reader. Fuzzing and tests compare the two paths.
    plain_only: bool,
}

/// The kind of text in a remembered chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChatTextKind {
    Text,
    Thinking,
    /// More arguments of the call with this index.
    Arguments(Option<u64>),
}

impl OpenaiChatEventReader {
    /// Reads a stream with the given end mark.
    pub fn new(end: StreamEndMark) -> Self {
        Self { end, ..Self::default() }
    }

    /// The same without memo and fast path: every frame goes through the general reader.
    pub fn plain(end: StreamEndMark) -> Self {
        Self { end, plain_only: true, ..Self::default() }
    }

    #[cfg(test)]
    pub(super) fn memo_knows(&mut self, data: &[u8]) -> bool {
        self.memo.recall(data).is_some()
    }

    fn chunk(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        self.memo.forget();
        let chunk =
            if self.plain_only { holm_read::from_slice(frame.data) } else { fast_read::parse(frame.data) };
        let Ok(chunk): Result<ChatChunk<'_>, _> = chunk else { return FrameOutcome::Garbage };
        if chunk.error.is_some() {
            return FrameOutcome::fail(classify::in_stream(frame.data));
        }
        draft.set_model(chunk.model.as_str());
        let mut fatal = None;
        for choice in chunk.choices.iter().flatten().filter(|choice| choice.index.or_zero() == 0) {
            fatal = fatal.or(read_choice(choice, draft, sink));
        }
        let reported = chunk.usage.or_else(|| chunk.x_groq.as_ref().and_then(|aside| aside.usage));
        if let Some(usage) = reported.and_then(usage::read) {
            draft.set_usage(usage, sink);
        }
        if let Some(class) = fatal {
            return FrameOutcome::fail(classify::failure(
                class,
                "the provider stopped the reply with an error",
            ));
        }
        if !self.plain_only
            && let Some((text, kind)) = only_text(&chunk, frame.data)
        {
            self.memo.learn(frame.data, text, kind);
        }
        FrameOutcome::More
    }
}

impl EventReader for OpenaiChatEventReader {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        if frame.name == b"error" {
            return FrameOutcome::fail(classify::in_stream(frame.data));
        }
        if let Some((kind, text)) = self.memo.recall(frame.data) {
            match kind {
                ChatTextKind::Text => draft.text(text, sink),
                ChatTextKind::Thinking => draft.thinking(text, sink),
                ChatTextKind::Arguments(index) => {
                    draft.call(index, &ToolCallChunk { arguments: text, ..ToolCallChunk::default() }, sink);
                }
            }
            return FrameOutcome::More;
        }
        if frame.data.trim_ascii() == b"[DONE]" {
            return FrameOutcome::End;
        }
        self.chunk(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let mut draft = ReplyDraft::default();
        let mut events = Self::plain(self.end);
        match events.chunk(StreamFrame { name: b"", data: body }, &mut draft, &mut |_| {}) {
            FrameOutcome::Fail(failure) => Err(Failure { usage: draft.usage_so_far(), ..*failure }),
            FrameOutcome::Garbage => Err(match holm_read::from_slice::<ChatChunk<'_>>(body) {
                Err(error) => classify::unreadable(body, &error),
                Ok(_) => classify::failure(FailureClass::Server, "the reply cannot be read"),
            }),
            FrameOutcome::More | FrameOutcome::End if draft.is_empty() && draft.stop().is_none() => {
                Err(not_a_reply(body))
            }
            FrameOutcome::More | FrameOutcome::End => Ok(draft.into_reply()),
        }
    }

    fn is_complete(&self, draft: &ReplyDraft) -> bool {
        self.end == StreamEndMark::FinishReason && draft.stop().is_some()
    }
}

/// The failure for JSON without a choice: an error in another shape, or something unknown.
fn not_a_reply(body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no choice")
}

fn read_choice(
    choice: &ChatChoice<'_>,
    draft: &mut ReplyDraft,
    sink: WireDeltaSink<'_>,
) -> Option<FailureClass> {
    if let Some(delta) = &choice.delta {
        read_delta(delta, draft, sink);
    }
    let stop = match choice.finish_reason.as_str() {
        "" => return None,
        "stop" | "eos" | "end_turn" | "COMPLETE" => StopReason::EndTurn,
        "tool_calls" | "function_call" | "tool_use" => StopReason::ToolUse,
        "length" | "max_tokens" | "model_length" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refusal,
        "content_filter" | "sensitive" => StopReason::ContentFilter,
        "insufficient_system_resource" => return Some(FailureClass::Overloaded),
        "error" | "network_error" => return Some(FailureClass::Server),
        _ => StopReason::Other,
    };
    draft.set_stop(stop);
    None
}

fn read_delta(delta: &ChatDelta<'_>, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
    // Services that send both spellings send the same text in both.
    let reasoning = if delta.reasoning_content == LenientText::Nothing {
        &delta.reasoning
    } else {
        &delta.reasoning_content
    };
    read_words(reasoning, ChatTextKind::Thinking, draft, sink);
    read_words(&delta.content, ChatTextKind::Text, draft, sink);
    if !delta.refusal.as_str().is_empty() {
        draft.text(delta.refusal.as_str(), sink);
        draft.set_stop(StopReason::Refusal);
    }
    for call in delta.tool_calls.iter().flatten() {
        let (name, arguments) = call
            .function
            .as_ref()
            .map_or(("", Cow::Borrowed("")), |function| (function.name.as_str(), function.arguments()));
        let chunk = ToolCallChunk { id: call.id.as_str(), name, arguments: &arguments };
        draft.call(call.index.get(), &chunk, sink);
    }
}

/// How deep reasoning may nest inside parts. The parser has its own depth limit too.
const PART_DEPTH: u8 = 4;

fn read_words(words: &LenientText<'_>, kind: ChatTextKind, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
    read_parts(words, kind, PART_DEPTH, draft, sink);
}

fn read_parts(
    words: &LenientText<'_>,
    kind: ChatTextKind,
    depth: u8,
    draft: &mut ReplyDraft,
    sink: WireDeltaSink<'_>,
) {
    match words {
        LenientText::Nothing => {}
        LenientText::Text(text) => match kind {
            ChatTextKind::Thinking => draft.thinking(text, sink),
            ChatTextKind::Text | ChatTextKind::Arguments(_) => draft.text(text, sink),
        },
        LenientText::Parts(parts) => {
            let Some(depth) = depth.checked_sub(1) else { return };
            for part in parts {
                read_parts(&part.thinking, ChatTextKind::Thinking, depth, draft, sink);
                read_parts(&LenientText::Text(part.text.0.clone()), kind, depth, draft, sink);
            }
        }
    }
}

/// The only borrowed text of a chunk that has no other effect, so that similar chunks
/// need not be parsed.
fn only_text<'c>(chunk: &'c ChatChunk<'_>, frame: &[u8]) -> Option<(&'c str, ChatTextKind)> {
    let [choice] = chunk.choices.as_deref()? else { return None };
    let delta = choice.delta.as_ref()?;
    let quiet = chunk.usage.is_none()
        && chunk.x_groq.is_none()
        && choice.index.or_zero() == 0
        && choice.finish_reason.as_str().is_empty()
        && delta.refusal.as_str().is_empty();
    if !quiet {
        return None;
    }
    if let Some(calls) = &delta.tool_calls {
        let silent = |words: &LenientText<'_>| {
            matches!(words, LenientText::Nothing) || *words == LenientText::Text(Cow::Borrowed(""))
        };
        let silent = [&delta.content, &delta.reasoning_content, &delta.reasoning].into_iter().all(silent);
        return if silent { only_arguments(calls, frame) } else { None };
    }
    match (&delta.content, &delta.reasoning_content, &delta.reasoning) {
        (LenientText::Text(Cow::Borrowed(text)), LenientText::Nothing, LenientText::Nothing) => {
            Some((text, ChatTextKind::Text))
        }
        (LenientText::Nothing, LenientText::Text(Cow::Borrowed(text)), LenientText::Nothing)
        | (LenientText::Nothing, LenientText::Nothing, LenientText::Text(Cow::Borrowed(text))) => {
            Some((text, ChatTextKind::Thinking))
        }
        _ => None,
    }
}

/// The arguments in a chunk that continues a call.
fn only_arguments<'c>(calls: &'c [ChatToolCall<'_>], frame: &[u8]) -> Option<(&'c str, ChatTextKind)> {
    let [call] = calls else { return None };
    let function = call.function.as_ref()?;
    if !call.id.as_str().is_empty() || !function.name.as_str().is_empty() {
        return None;
    }
    // The memo skips the first id. It must be the chunk's id, because a call's id has a meaning.
    let first = memmem::find(frame, b"\"id\":");
    if first.is_some() && first > memmem::find(frame, b"\"choices\":") {
        return None;
    }
    Some((function.plain_arguments()?, ChatTextKind::Arguments(call.index.get())))
}
