//! Interprets the chunks of a streamed reply.

use alloc::borrow::Cow;

use holm_kernel::{Failure, FailureClass, Reply, StopReason};
use memchr::memmem;

use super::{
    EndMark, usage,
    wire::{Call, Choice, Chunk, Delta},
};
use crate::{
    CallPiece, Draft, Memo, Sink, Step, classify, framing::Frame, lean, loose::Words, stream::Events,
};

/// Reads chunks into a draft.
#[derive(Debug, Default)]
pub struct ChatEvents {
    end: EndMark,
    memo: Memo<Kind>,
    /// Reads every frame with the general reader. Fuzzing and tests compare the two paths.
    plain_only: bool,
}

/// The kind of text in a remembered chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    /// More arguments of the call with this index.
    Arguments(Option<u64>),
}

impl ChatEvents {
    /// Reads a stream with the given end mark.
    pub fn new(end: EndMark) -> Self {
        Self { end, ..Self::default() }
    }

    /// The same without memo and fast path: every frame goes through the general reader.
    pub fn plain(end: EndMark) -> Self {
        Self { end, plain_only: true, ..Self::default() }
    }

    #[cfg(test)]
    pub(super) fn memo_knows(&mut self, data: &[u8]) -> bool {
        self.memo.recall(data).is_some()
    }

    fn chunk(&mut self, frame: Frame<'_>, draft: &mut Draft, sink: Sink<'_>) -> Step {
        self.memo.forget();
        let chunk = if self.plain_only { holm_read::from_slice(frame.data) } else { lean::parse(frame.data) };
        let Ok(chunk): Result<Chunk<'_>, _> = chunk else { return Step::Garbage };
        if chunk.error.is_some() {
            return Step::fail(classify::in_stream(frame.data));
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
            return Step::fail(classify::failure(class, "the provider stopped the reply with an error"));
        }
        if !self.plain_only
            && let Some((text, kind)) = only_text(&chunk, frame.data)
        {
            self.memo.learn(frame.data, text, kind);
        }
        Step::More
    }
}

impl Events for ChatEvents {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(&mut self, frame: Frame<'_>, draft: &mut Draft, sink: Sink<'_>) -> Step {
        if frame.name == b"error" {
            return Step::fail(classify::in_stream(frame.data));
        }
        if let Some((kind, text)) = self.memo.recall(frame.data) {
            match kind {
                Kind::Text => draft.text(text, sink),
                Kind::Thinking => draft.thinking(text, sink),
                Kind::Arguments(index) => {
                    draft.call(index, &CallPiece { arguments: text, ..CallPiece::default() }, sink);
                }
            }
            return Step::More;
        }
        if frame.data.trim_ascii() == b"[DONE]" {
            return Step::End;
        }
        self.chunk(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let mut draft = Draft::default();
        let mut events = Self::plain(self.end);
        match events.chunk(Frame { name: b"", data: body }, &mut draft, &mut |_| {}) {
            Step::Fail(failure) => Err(Failure { usage: draft.usage_so_far(), ..*failure }),
            Step::Garbage => Err(match holm_read::from_slice::<Chunk<'_>>(body) {
                Err(error) => classify::unreadable(body, &error),
                Ok(_) => classify::failure(FailureClass::Server, "the reply cannot be read"),
            }),
            Step::More | Step::End if draft.is_empty() && draft.stop().is_none() => Err(not_a_reply(body)),
            Step::More | Step::End => Ok(draft.into_reply()),
        }
    }

    fn is_complete(&self, draft: &Draft) -> bool {
        self.end == EndMark::FinishReason && draft.stop().is_some()
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

fn read_choice(choice: &Choice<'_>, draft: &mut Draft, sink: Sink<'_>) -> Option<FailureClass> {
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

fn read_delta(delta: &Delta<'_>, draft: &mut Draft, sink: Sink<'_>) {
    // Services that send both spellings send the same text in both.
    let reasoning =
        if delta.reasoning_content == Words::Nothing { &delta.reasoning } else { &delta.reasoning_content };
    read_words(reasoning, Kind::Thinking, draft, sink);
    read_words(&delta.content, Kind::Text, draft, sink);
    if !delta.refusal.as_str().is_empty() {
        draft.text(delta.refusal.as_str(), sink);
        draft.set_stop(StopReason::Refusal);
    }
    for call in delta.tool_calls.iter().flatten() {
        let (name, arguments) = call
            .function
            .as_ref()
            .map_or(("", Cow::Borrowed("")), |function| (function.name.as_str(), function.arguments()));
        let piece = CallPiece { id: call.id.as_str(), name, arguments: &arguments };
        draft.call(call.index.get(), &piece, sink);
    }
}

/// How deep reasoning may nest inside parts. The parser has its own depth limit too.
const PART_DEPTH: u8 = 4;

fn read_words(words: &Words<'_>, kind: Kind, draft: &mut Draft, sink: Sink<'_>) {
    read_parts(words, kind, PART_DEPTH, draft, sink);
}

fn read_parts(words: &Words<'_>, kind: Kind, depth: u8, draft: &mut Draft, sink: Sink<'_>) {
    match words {
        Words::Nothing => {}
        Words::Text(text) => match kind {
            Kind::Thinking => draft.thinking(text, sink),
            Kind::Text | Kind::Arguments(_) => draft.text(text, sink),
        },
        Words::Parts(parts) => {
            let Some(depth) = depth.checked_sub(1) else { return };
            for part in parts {
                read_parts(&part.thinking, Kind::Thinking, depth, draft, sink);
                read_parts(&Words::Text(part.text.0.clone()), kind, depth, draft, sink);
            }
        }
    }
}

/// The only borrowed text of a chunk that has no other effect, so that similar chunks
/// need not be parsed.
fn only_text<'c>(chunk: &'c Chunk<'_>, frame: &[u8]) -> Option<(&'c str, Kind)> {
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
        let silent =
            |words: &Words<'_>| matches!(words, Words::Nothing) || *words == Words::Text(Cow::Borrowed(""));
        let silent = [&delta.content, &delta.reasoning_content, &delta.reasoning].into_iter().all(silent);
        return if silent { only_arguments(calls, frame) } else { None };
    }
    match (&delta.content, &delta.reasoning_content, &delta.reasoning) {
        (Words::Text(Cow::Borrowed(text)), Words::Nothing, Words::Nothing) => Some((text, Kind::Text)),
        (Words::Nothing, Words::Text(Cow::Borrowed(text)), Words::Nothing)
        | (Words::Nothing, Words::Nothing, Words::Text(Cow::Borrowed(text))) => Some((text, Kind::Thinking)),
        _ => None,
    }
}

/// The arguments in a chunk that continues a call.
fn only_arguments<'c>(calls: &'c [Call<'_>], frame: &[u8]) -> Option<(&'c str, Kind)> {
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
    Some((function.plain_arguments()?, Kind::Arguments(call.index.get())))
}
