//! Interprets the events of a streamed reply.

use alloc::{borrow::Cow, borrow::ToOwned, collections::BTreeMap, string::String};

use holm_guards::json::Json;
use holm_kernel::{Failure, FailureClass, Reply, StopReason};

use super::{
    REPLAY,
    wire::{Block, Counts, Delta, Event, Whole},
};
use crate::{
    CallPiece, Draft, Memo, Sink, Step, classify,
    framing::Frame,
    lean,
    loose::{Raw, Str},
    stream::Events,
};

/// Reads events into a draft.
#[derive(Debug, Default)]
pub struct MessageEvents {
    open: BTreeMap<u64, Open>,
    counts: Counts,
    memo: Memo<Kind>,
    /// Reads every frame with the general reader. Fuzzing and tests compare the two paths.
    plain_only: bool,
}

/// A block that has started and not ended.
#[derive(Debug)]
enum Open {
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

impl Open {
    /// The number of bytes that it keeps outside of the draft.
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
enum Kind {
    Text,
    Thinking,
    Arguments(u64),
}

impl MessageEvents {
    /// The same without memo and fast path: every frame goes through the general reader.
    pub fn plain() -> Self {
        Self { plain_only: true, ..Self::default() }
    }

    fn read(&mut self, frame: Frame<'_>, draft: &mut Draft, sink: Sink<'_>) -> Step {
        self.memo.forget();
        let event = if self.plain_only { holm_read::from_slice(frame.data) } else { lean::parse(frame.data) };
        let Ok(event): Result<Event<'_>, _> = event else { return Step::Garbage };
        let kind = match event.kind.as_str() {
            "" => core::str::from_utf8(frame.name).unwrap_or_default(),
            kind => kind,
        };
        match kind {
            "content_block_delta" => self.piece(frame, &event, draft, sink),
            "content_block_start" => {
                let block = event.content_block.unwrap_or_default();
                self.begin(event.index.or_zero(), &block, draft, sink);
            }
            "content_block_stop" => self.close(event.index.or_zero(), draft, sink),
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
                self.close_all(draft, sink);
                return Step::End;
            }
            "error" => return Step::fail(classify::in_stream(frame.data)),
            _ => {}
        }
        Step::More
    }

    fn begin(&mut self, index: u64, block: &Block<'_>, draft: &mut Draft, sink: Sink<'_>) {
        // The start was sent twice, or the stop was lost.
        self.close(index, draft, sink);
        draft.close();
        let open = match block.kind.as_str() {
            "text" => {
                draft.text(block.text.as_str(), sink);
                Open::Text
            }
            "thinking" => {
                draft.thinking(block.thinking.as_str(), sink);
                Open::Thinking { signature: block.signature.as_str().to_owned() }
            }
            "redacted_thinking" => {
                draft.charge(block.data.as_str().len());
                draft.thinking_replay(replay("redacted", block.data.as_str()));
                Open::Unknown
            }
            "tool_use" => {
                let piece = CallPiece { id: block.id.as_str(), name: block.name.as_str(), arguments: "" };
                draft.call(Some(index), &piece, sink);
                Open::Call { whole: block.input.map_or("{}", Raw::get).to_owned(), pieces: false }
            }
            _ => Open::Unknown,
        };
        draft.charge(open.size());
        self.open.insert(index, open);
    }

    fn piece(&mut self, frame: Frame<'_>, event: &Event<'_>, draft: &mut Draft, sink: Sink<'_>) {
        let Some(delta) = &event.delta else { return };
        let index = event.index.or_zero();
        match self.open.get_mut(&index) {
            Some(Open::Unknown) => return,
            Some(Open::Thinking { signature: so_far }) => {
                let more = delta.signature.as_ref().map_or("", Str::as_str);
                draft.charge(more.len());
                so_far.push_str(more);
            }
            Some(Open::Call { pieces, .. }) => {
                *pieces |= delta.partial_json.as_ref().is_some_and(|json| !json.as_str().is_empty());
            }
            Some(Open::Text) | None => {}
        }
        let in_call = matches!(self.open.get(&index), Some(Open::Call { .. }));
        if let Some(text) = &delta.text {
            draft.text(text.as_str(), sink);
        }
        if let Some(text) = &delta.thinking {
            draft.thinking(text.as_str(), sink);
        }
        if let Some(text) = delta.partial_json.as_ref().filter(|_| in_call) {
            draft.call(Some(index), &CallPiece { arguments: text.as_str(), ..CallPiece::default() }, sink);
        }
        if !self.plain_only
            && let Some((text, kind)) = only_text(delta, index, in_call)
        {
            self.memo.learn(frame.data, text, kind);
        }
    }

    fn close(&mut self, index: u64, draft: &mut Draft, sink: Sink<'_>) {
        match self.open.remove(&index) {
            Some(Open::Thinking { signature }) if !signature.is_empty() => {
                draft.thinking_replay(replay("signature", &signature));
            }
            Some(Open::Call { whole, pieces: false }) => {
                draft.call(Some(index), &CallPiece { arguments: &whole, ..CallPiece::default() }, sink);
            }
            Some(Open::Thinking { .. } | Open::Call { .. } | Open::Text | Open::Unknown) | None => {}
        }
        draft.close();
    }

    fn close_all(&mut self, draft: &mut Draft, sink: Sink<'_>) {
        while let Some((index, _)) = self.open.first_key_value() {
            let index = *index;
            self.close(index, draft, sink);
        }
    }
}

impl Events for MessageEvents {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(&mut self, frame: Frame<'_>, draft: &mut Draft, sink: Sink<'_>) -> Step {
        if let Some((kind, text)) = self.memo.recall(frame.data) {
            match kind {
                Kind::Text => draft.text(text, sink),
                Kind::Thinking => draft.thinking(text, sink),
                Kind::Arguments(index) => {
                    draft.call(Some(index), &CallPiece { arguments: text, ..CallPiece::default() }, sink);
                }
            }
            return Step::More;
        }
        self.read(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let whole: Whole<'_> =
            holm_read::from_slice(body).map_err(|error| classify::unreadable(body, &error))?;
        let Some(content) = &whole.content else { return Err(not_a_reply(&whole, body)) };
        let mut draft = Draft::default();
        let mut events = Self::plain();
        for (index, block) in (0_u64..).zip(content) {
            events.begin(index, block, &mut draft, &mut |_| {});
            events.close(index, &mut draft, &mut |_| {});
        }
        draft.set_model(whole.model.as_str());
        read_stop(whole.stop_reason.as_str(), &mut draft);
        whole.usage.iter().for_each(|tokens| events.counts.see(tokens));
        draft.set_usage(events.counts.usage(), &mut |_| {});
        Ok(draft.into_reply())
    }
}

fn not_a_reply(whole: &Whole<'_>, body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if whole.kind.as_str() == "error" || whole.error.is_some() || !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no content")
}

/// The data that must be sent back with the reasoning. It is stored under this format's name, so
/// that no other provider receives it.
fn replay(name: &str, value: &str) -> Json {
    Json::object([(REPLAY, Json::object([(name, Json::from(value))]))])
}

fn read_stop(reason: &str, draft: &mut Draft) {
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
fn only_text<'c>(delta: &'c Delta<'_>, index: u64, in_call: bool) -> Option<(&'c str, Kind)> {
    let (text, kind) = match (&delta.text, &delta.thinking, &delta.partial_json, &delta.signature) {
        (Some(text), None, None, None) => (text, Kind::Text),
        (None, Some(text), None, None) => (text, Kind::Thinking),
        // An empty first piece does not show whether more pieces follow.
        (None, None, Some(text), None) if in_call && !text.as_str().is_empty() => {
            (text, Kind::Arguments(index))
        }
        _ => return None,
    };
    let Cow::Borrowed(text) = &text.0 else { return None };
    Some((text, kind))
}
