//! Interprets the events of a streamed reply, and reads a whole one, for Responses.
//!
//! The shape of an event is in `wire.rs`, framing and limits are in `stream.rs` of the crate, and
//! errors are classified in `classify/`. The service repeats each text at the end of its part, of
//! its item and of the reply, so content counts only if no delta has sent it. Reasoning items are
//! kept under this format's name alone. Items never share a block.

use alloc::{
    borrow::{Cow, ToOwned},
    collections::BTreeMap,
    format,
    string::String,
    vec::Vec,
};

use holm_guards::json::Json;
use holm_kernel::{Failure, FailureClass, Reply, StopReason};

use super::{
    REPLAY,
    wire::{ResponsesEvent, ResponsesItem, ResponsesPart, ResponsesReply},
};
use crate::{
    FrameMemo, FrameOutcome, ReplyDraft, ToolCallChunk, WireDeltaSink, classify, fast_read,
    framing::StreamFrame, lenient::RawJson, stream::EventReader,
};

/// The separator between the parts of one reasoning item.
const PART_BREAK: &str = "\n\n";

/// Reads events into a draft.
#[derive(Debug, Default)]
pub struct OpenaiResponsesEventReader {
    open: BTreeMap<u64, ResponsesOpenItem>,
    /// The item that the last piece belonged to.
    current: Option<u64>,
    memo: FrameMemo<ResponsesTextSource>,
    /// Reads every frame with the general reader. Fuzzing and tests compare the two paths.
    plain_only: bool,
}

/// An item that has started and not ended.
#[derive(Debug, Default)]
struct ResponsesOpenItem {
    /// Whether pieces have arrived. If not, the complete item counts.
    streamed: bool,
    /// The part of the reasoning that the last piece belonged to.
    part: Option<(ReasoningTextKind, u64)>,
    /// Whether the call's id and name are known.
    named: bool,
    /// Arguments that came with the call's start.
    whole: String,
    /// Whether its end has arrived. A repeated end adds nothing.
    done: bool,
}

/// The kind of text in a remembered event, and its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResponsesTextSource {
    Text(u64),
    Arguments(u64),
    Thought(u64, (ReasoningTextKind, u64)),
}

/// Which text of a reasoning item it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReasoningTextKind {
    Summary,
    Raw,
}

impl OpenaiResponsesEventReader {
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
        let Ok(event): Result<ResponsesEvent<'_>, _> = event else { return FrameOutcome::Garbage };
        let kind = match event.kind.as_str() {
            "" => core::str::from_utf8(frame.name).unwrap_or_default(),
            kind => kind,
        };
        let index = event.output_index.or_zero();
        if let Some(kind) = piece_kind(kind, index, &event) {
            self.piece(kind, event.delta.as_str(), draft, sink);
            // If the event's own name decides, equal bytes can have different meanings.
            if let Cow::Borrowed(text) = event.delta.0
                && !self.plain_only
                && !event.kind.as_str().is_empty()
            {
                self.memo.learn(frame.data, text, kind);
            }
            return FrameOutcome::More;
        }
        match kind {
            "response.refusal.delta" => self.refusal(index, event.delta.as_str(), draft, sink),
            "response.output_item.added" => {
                if let Some(item) = read_item(event.item) {
                    self.begin(index, &item, draft, sink);
                }
            }
            "response.output_item.done" => self.item(index, event.item, draft, sink),
            "error" => return FrameOutcome::fail(classify::in_stream(frame.data)),
            "" if event.error.is_some() => return FrameOutcome::fail(classify::in_stream(frame.data)),
            _ => return self.rest(kind, &event, draft, sink),
        }
        FrameOutcome::More
    }

    /// Events that repeat the content of earlier deltas, and events about the whole reply.
    fn rest(
        &mut self,
        kind: &str,
        event: &ResponsesEvent<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        let index = event.output_index.or_zero();
        let silent = !self.open.get(&index).is_some_and(|open| open.streamed);
        match kind {
            "response.output_text.done" if silent => self.text(index, event.text.as_str(), draft, sink),
            "response.refusal.done" if silent => self.refusal(index, event.refusal.as_str(), draft, sink),
            "response.function_call_arguments.done" if silent => {
                self.arguments(index, event.arguments.as_str(), draft, sink);
            }
            "response.created" | "response.in_progress" | "response.queued" => {
                event.response.iter().for_each(|response| draft.set_model(response.model.as_str()));
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => {
                let nothing = ResponsesReply::default();
                let response = event.response.as_ref().unwrap_or(&nothing);
                let status = match kind.strip_prefix("response.") {
                    Some("done") | None => response.status.as_str(),
                    Some(status) => status,
                };
                return self.end(status, response, draft, sink);
            }
            _ => {}
        }
        FrameOutcome::More
    }

    fn piece(
        &mut self,
        kind: ResponsesTextSource,
        text: &str,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        match kind {
            ResponsesTextSource::Text(index) => self.text(index, text, draft, sink),
            ResponsesTextSource::Arguments(index) => self.arguments(index, text, draft, sink),
            ResponsesTextSource::Thought(index, part) => self.thought(index, part, text, draft, sink),
        }
    }

    fn text(&mut self, index: u64, text: &str, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        self.turn_to(index, draft).streamed |= !text.is_empty();
        draft.text(text, sink);
    }

    fn refusal(&mut self, index: u64, text: &str, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        self.text(index, text, draft, sink);
        draft.set_stop(StopReason::Refusal);
    }

    fn arguments(&mut self, index: u64, text: &str, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        self.turn_to(index, draft).streamed |= !text.is_empty();
        draft.call(Some(index), &ToolCallChunk { arguments: text, ..ToolCallChunk::default() }, sink);
    }

    fn thought(
        &mut self,
        index: u64,
        part: (ReasoningTextKind, u64),
        text: &str,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        let open = self.turn_to(index, draft);
        open.streamed |= !text.is_empty();
        if open.part.replace(part).is_some_and(|before| before != part) {
            draft.thinking(PART_BREAK, sink);
        }
        draft.thinking(text, sink);
    }

    /// Records that a piece belongs to this item. Items never share a block.
    fn turn_to(&mut self, index: u64, draft: &mut ReplyDraft) -> &mut ResponsesOpenItem {
        if self.current.replace(index) != Some(index) {
            draft.close();
        }
        self.open.entry(index).or_insert_with(|| {
            draft.charge(size_of::<ResponsesOpenItem>());
            ResponsesOpenItem::default()
        })
    }

    fn begin(
        &mut self,
        index: u64,
        item: &ResponsesItem<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        draft.close();
        draft.charge(size_of::<ResponsesOpenItem>());
        self.current = Some(index);
        let open = self.open.entry(index).or_default();
        if item.kind.as_str() == "function_call" && !open.named {
            open.named = true;
            open.whole = arguments(item).into_owned();
            draft.charge(open.whole.len());
            // Services without their own call ids repeat the item's id.
            let id = if item.call_id.as_str().is_empty() { &item.id } else { &item.call_id };
            let chunk = ToolCallChunk { id: id.as_str(), name: item.name.as_str(), arguments: "" };
            draft.call(Some(index), &chunk, sink);
        }
    }

    /// Reads a finished item: content that no delta has sent, and data that must be sent back.
    fn item(
        &mut self,
        index: u64,
        raw: Option<RawJson<'_>>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        let Some(item) = read_item(raw) else { return };
        if self.open.get(&index).is_some_and(|open| open.done) {
            return;
        }
        if item.kind.as_str() == "function_call" || !self.open.contains_key(&index) {
            self.begin(index, &item, draft, sink);
        }
        let silent = !self.turn_to(index, draft).streamed;
        match item.kind.as_str() {
            "message" if silent => {
                for part in item.content.iter().flatten() {
                    self.part(index, part, draft, sink);
                }
            }
            "function_call" if silent => self.arguments(index, &arguments(&item), draft, sink),
            "reasoning" => {
                if silent {
                    let summary =
                        item.summary.iter().flatten().map(|part| (ReasoningTextKind::Summary, part));
                    let raw = item.content.iter().flatten().map(|part| (ReasoningTextKind::Raw, part));
                    for (position, (kind, part)) in (0_u64..).zip(summary.chain(raw)) {
                        self.thought(index, (kind, position), part.text.as_str(), draft, sink);
                    }
                }
                if let Some(replay) = raw.and_then(replay) {
                    draft.charge(raw.map_or(0, |raw| raw.get().len()));
                    draft.thinking_replay(replay);
                }
            }
            _ => {}
        }
        self.turn_to(index, draft).done = true;
        draft.close();
    }

    fn part(
        &mut self,
        index: u64,
        part: &ResponsesPart<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) {
        match part.kind.as_str() {
            "refusal" => self.refusal(index, part.refusal.as_str(), draft, sink),
            "output_text" | "text" => self.text(index, part.text.as_str(), draft, sink),
            _ => {}
        }
    }

    fn end(
        &mut self,
        status: &str,
        response: &ResponsesReply<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        draft.set_model(response.model.as_str());
        if let Some(tokens) = &response.usage {
            draft.set_usage(tokens.usage(), sink);
        }
        match status {
            "completed" | "" => {}
            "incomplete" => {
                let reason =
                    response.incomplete_details.as_ref().map_or("", |details| details.reason.as_str());
                draft.set_stop(match reason {
                    "max_output_tokens" | "max_tokens" => StopReason::MaxTokens,
                    "content_filter" => StopReason::ContentFilter,
                    _ => StopReason::Other,
                });
            }
            other => return FrameOutcome::fail(failed(other, response)),
        }
        if draft.is_empty() {
            for (index, item) in (0_u64..).zip(response.output.iter().flatten()) {
                self.item(index, Some(*item), draft, sink);
            }
        }
        self.close_all(draft, sink);
        FrameOutcome::End
    }

    /// Closes the items whose end was lost.
    fn close_all(&mut self, draft: &mut ReplyDraft, sink: WireDeltaSink<'_>) {
        for (index, open) in core::mem::take(&mut self.open) {
            if open.named && !open.streamed && !open.done {
                let chunk = ToolCallChunk { arguments: &open.whole, ..ToolCallChunk::default() };
                draft.call(Some(index), &chunk, sink);
            }
        }
        draft.close();
    }
}

impl EventReader for OpenaiResponsesEventReader {
    const UNFRAMED: &'static [u8] = b"{[<";

    fn event(
        &mut self,
        frame: StreamFrame<'_>,
        draft: &mut ReplyDraft,
        sink: WireDeltaSink<'_>,
    ) -> FrameOutcome {
        // Servers that also offer Chat Completions add its end mark, which means nothing here.
        if frame.data.trim_ascii() == b"[DONE]" {
            return FrameOutcome::More;
        }
        // The memo lends out the text, so it is moved out of `self` while the text is used.
        let mut memo = core::mem::take(&mut self.memo);
        let known = memo.recall(frame.data).map(|(kind, text)| self.piece(kind, text, draft, sink));
        self.memo = memo;
        if known.is_some() {
            return FrameOutcome::More;
        }
        self.read(frame, draft, sink)
    }

    fn whole(&self, body: &[u8]) -> Result<Reply, Failure> {
        let response: ResponsesReply<'_> =
            holm_read::from_slice(body).map_err(|error| classify::unreadable(body, &error))?;
        if response.output.is_none() && response.status.as_str() != "failed" {
            return Err(not_a_reply(body));
        }
        let mut draft = ReplyDraft::default();
        match Self::default().end(response.status.as_str(), &response, &mut draft, &mut |_| {}) {
            FrameOutcome::Fail(failure) => Err(Failure { usage: draft.usage_so_far(), ..*failure }),
            FrameOutcome::More | FrameOutcome::End | FrameOutcome::Garbage => Ok(draft.into_reply()),
        }
    }
}

/// The kind of text that an event adds, if it adds any.
fn piece_kind(kind: &str, index: u64, event: &ResponsesEvent<'_>) -> Option<ResponsesTextSource> {
    Some(match kind {
        "response.output_text.delta" => ResponsesTextSource::Text(index),
        "response.function_call_arguments.delta" => ResponsesTextSource::Arguments(index),
        "response.reasoning_summary_text.delta" => {
            ResponsesTextSource::Thought(index, (ReasoningTextKind::Summary, event.summary_index.or_zero()))
        }
        "response.reasoning_text.delta" => {
            ResponsesTextSource::Thought(index, (ReasoningTextKind::Raw, event.content_index.or_zero()))
        }
        _ => return None,
    })
}

fn read_item(raw: Option<RawJson<'_>>) -> Option<ResponsesItem<'_>> {
    holm_read::from_str(raw?.get()).ok()
}

fn arguments<'a>(item: &ResponsesItem<'a>) -> Cow<'a, str> {
    item.arguments.map_or(Cow::Borrowed(""), RawJson::text)
}

/// The members of a reasoning item that are sent back. They are stored under this format's name, so
/// that no other provider receives them. `None` if they would mean nothing to the service.
fn replay(raw: RawJson<'_>) -> Option<Json> {
    let item = Json::parse(raw.get()).ok()?;
    let kept = |name: &str| {
        let value = item.get(name).filter(|value| !value.is_null())?;
        Some((name.to_owned(), value.clone()))
    };
    let says = |name: &str| match item.get(name) {
        Some(Json::String(text)) => !text.is_empty(),
        Some(Json::Array(parts)) => !parts.is_empty(),
        _ => false,
    };
    if !says("encrypted_content") && !says("content") {
        return None;
    }
    let members: Vec<(String, Json)> =
        ["id", "summary", "content", "encrypted_content"].into_iter().filter_map(kept).collect();
    Some(Json::object([(REPLAY, Json::object(members))]))
}

fn failed(status: &str, response: &ResponsesReply<'_>) -> Failure {
    if let Some(error) = response.error {
        return classify::in_stream(error.get().as_bytes());
    }
    let status: String = status.chars().take(40).collect();
    classify::failure(
        FailureClass::Server,
        &format!("the provider ended the reply with the status {status:?}"),
    )
}

/// The failure for JSON that is not a reply: an error in another shape, or something unknown.
fn not_a_reply(body: &[u8]) -> Failure {
    let failure = classify::in_stream(body);
    if !failure.message.is_empty() {
        return failure;
    }
    classify::failure(FailureClass::Server, "the reply holds no output")
}
