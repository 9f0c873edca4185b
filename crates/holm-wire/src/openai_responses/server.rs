//! The server's side: requests read, replies written.

use alloc::{boxed::Box, collections::BTreeMap, format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Reply, StopReason, Usage};

use super::{REPLAY, asked};
use crate::{
    Delta,
    openai_chat::write_error,
    server::{Asked, BadBody, Head, ReplyStream, ServerCodec, pieces, status},
    write::{self, Object},
};

/// Responses as a server speaks it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Server;

impl ServerCodec for Server {
    fn read(&self, body: &[u8]) -> Result<Asked, BadBody> {
        asked::read(&BadBody::parse(body)?)
    }

    fn stream(&self, head: Head) -> Box<dyn ReplyStream> {
        Box::new(ServerStream {
            head,
            sequence: 0,
            items: Vec::new(),
            open: None,
            calls: BTreeMap::new(),
            voice: Voice::Answer,
        })
    }

    fn reply(&self, head: &Head, reply: &Reply) -> Vec<u8> {
        let voice = Voice::of(reply.stop);
        let items: Vec<Vec<u8>> = (0_u64..)
            .zip(&reply.blocks)
            .filter_map(|(index, block)| whole_item(head, index, block, voice))
            .collect();
        let mut out = Vec::new();
        let end = End::of(reply.stop);
        write_response(head, &end, &items, Some(reply.usage), &mut out);
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        write_error(failure, &mut out);
        (status(failure.class), out)
    }
}

/// A streamed reply as a server writes it.
#[derive(Debug)]
pub struct ServerStream {
    head: Head,
    /// The next event's number; 0 until the reply has begun.
    sequence: u64,
    /// The finished items, which the last event repeats; an item under way has an empty place.
    items: Vec<Vec<u8>>,
    open: Option<Open>,
    /// Calls under way by their place among the calls: live pieces of several may be mixed.
    calls: BTreeMap<u64, OpenCall>,
    voice: Voice,
}

/// Text or reasoning under way.
#[derive(Debug)]
struct Open {
    kind: Kind,
    index: u64,
    id: String,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

#[derive(Debug)]
struct OpenCall {
    index: u64,
    item: Call,
}

/// A call as an item.
#[derive(Debug)]
struct Call {
    item_id: String,
    id: String,
    name: String,
    arguments: String,
}

/// Whether the text answers or refuses; the two have events of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Answer,
    Refusal,
}

impl Voice {
    const fn of(stop: StopReason) -> Self {
        if matches!(stop, StopReason::Refusal) { Self::Refusal } else { Self::Answer }
    }

    /// The part's type, its member, and the stem of its events.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Answer => ("output_text", "text", "response.output_text"),
            Self::Refusal => ("refusal", "refusal", "response.refusal"),
        }
    }
}

impl ServerStream {
    fn event(&mut self, name: &str, out: &mut Vec<u8>, members: impl FnOnce(&mut Object<'_>)) {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        let mut object = Object::open(out);
        object.string("type", name);
        object.number("sequence_number", self.sequence);
        members(&mut object);
        object.close();
        out.extend_from_slice(b"\n\n");
        self.sequence = self.sequence.saturating_add(1);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.sequence > 0 {
            return;
        }
        let mut response = Vec::new();
        write_response(&self.head, &End::Running, &[], None, &mut response);
        for name in ["response.created", "response.in_progress"] {
            self.event(name, out, |object| object.raw("response", &response));
        }
    }

    /// Announces an item and gives its place.
    fn add(&mut self, item: impl FnOnce(u64) -> Vec<u8>, out: &mut Vec<u8>) -> u64 {
        self.begin(out);
        let index = self.items.len() as u64;
        let item = item(index);
        self.items.push(Vec::new());
        self.event("response.output_item.added", out, |object| {
            object.number("output_index", index);
            object.raw("item", item);
        });
        index
    }

    fn finish(&mut self, index: u64, item: Vec<u8>, out: &mut Vec<u8>) {
        self.event("response.output_item.done", out, |object| {
            object.number("output_index", index);
            object.raw("item", &item);
        });
        if let Some(place) = usize::try_from(index).ok().and_then(|index| self.items.get_mut(index)) {
            *place = item;
        }
    }

    /// Makes text or reasoning the item under way.
    fn open(&mut self, kind: Kind, out: &mut Vec<u8>) {
        if self.open.as_ref().is_some_and(|open| open.kind == kind) {
            return;
        }
        self.close(None, out);
        let id = item_id(&self.head, if kind == Kind::Text { "msg" } else { "rs" }, self.items.len() as u64);
        let item = match kind {
            Kind::Text => message_item(&id, "in_progress", None),
            Kind::Thinking => reasoning_item(&id, "", None),
        };
        let index = self.add(|_| item, out);
        let voice = self.voice;
        let name = match kind {
            Kind::Text => "response.content_part.added",
            Kind::Thinking => "response.reasoning_summary_part.added",
        };
        self.event(name, out, |object| {
            write_place(kind, &id, index, object);
            object.raw("part", part(kind, voice, ""));
        });
        self.open = Some(Open { kind, index, id, text: String::new() });
    }

    fn piece(&mut self, kind: Kind, text: &str, out: &mut Vec<u8>) {
        self.open(kind, out);
        let Some(mut open) = self.open.take() else { return };
        open.text.push_str(text);
        let stem = stem(kind, self.voice);
        self.event(&format!("{stem}.delta"), out, |object| {
            write_place(kind, &open.id, open.index, object);
            object.string("delta", text);
        });
        self.open = Some(open);
    }

    /// Ends the text or reasoning under way; `replay` is what only finished reasoning has.
    fn close(&mut self, replay: Option<&Json>, out: &mut Vec<u8>) {
        let Some(open) = self.open.take() else { return };
        let (kind, voice) = (open.kind, self.voice);
        let member = if kind == Kind::Text { voice.words().1 } else { "text" };
        self.event(&format!("{}.done", stem(kind, voice)), out, |object| {
            write_place(kind, &open.id, open.index, object);
            object.string(member, &open.text);
        });
        let name = match kind {
            Kind::Text => "response.content_part.done",
            Kind::Thinking => "response.reasoning_summary_part.done",
        };
        self.event(name, out, |object| {
            write_place(kind, &open.id, open.index, object);
            object.raw("part", part(kind, voice, &open.text));
        });
        let item = match kind {
            Kind::Text => message_item(&open.id, "completed", Some((voice, &open.text))),
            Kind::Thinking => reasoning_item(&open.id, &open.text, replay),
        };
        self.finish(open.index, item, out);
    }

    fn call(&mut self, key: u64, id: &str, name: &str, out: &mut Vec<u8>) {
        self.close(None, out);
        let item_id = item_id(&self.head, "fc", self.items.len() as u64);
        let item = Call { item_id, id: id.into(), name: name.into(), arguments: String::new() };
        let index = self.add(|_| call_item(&item, "in_progress"), out);
        self.calls.insert(key, OpenCall { index, item });
    }

    fn arguments(&mut self, key: u64, text: &str, out: &mut Vec<u8>) {
        let Some(mut call) = self.calls.remove(&key) else { return };
        call.item.arguments.push_str(text);
        self.event("response.function_call_arguments.delta", out, |object| {
            object.string("item_id", &call.item.item_id);
            object.number("output_index", call.index);
            object.string("delta", text);
        });
        self.calls.insert(key, call);
    }

    fn close_calls(&mut self, out: &mut Vec<u8>) {
        for call in core::mem::take(&mut self.calls).into_values() {
            self.event("response.function_call_arguments.done", out, |object| {
                object.string("item_id", &call.item.item_id);
                object.number("output_index", call.index);
                object.string("name", &call.item.name);
                object.string("arguments", &call.item.arguments);
            });
            self.finish(call.index, call_item(&call.item, "completed"), out);
        }
    }

    fn last(&mut self, end: &End<'_>, usage: Usage, out: &mut Vec<u8>) {
        self.begin(out);
        let mut response = Vec::new();
        write_response(&self.head, end, &self.items, Some(usage), &mut response);
        self.event(&format!("response.{}", end.status()), out, |object| object.raw("response", &response));
    }
}

impl ReplyStream for ServerStream {
    fn delta(&mut self, delta: &Delta<'_>, out: &mut Vec<u8>) {
        match delta {
            Delta::Text { text, .. } => self.piece(Kind::Text, text, out),
            Delta::Thinking { text, .. } => self.piece(Kind::Thinking, text, out),
            Delta::ToolCallStarted { index, id, name } => self.call(*index, id, name, out),
            Delta::ToolArguments { index, text, .. } => self.arguments(*index, text, out),
            Delta::Usage(_) => {}
        }
    }

    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>) {
        match block {
            Block::Text(text) => {
                self.close(None, out);
                pieces(text, piece).for_each(|text| self.piece(Kind::Text, text, out));
                self.close(None, out);
            }
            Block::Thinking(thinking) => {
                self.close(None, out);
                self.open(Kind::Thinking, out);
                pieces(&thinking.text, piece).for_each(|text| self.piece(Kind::Thinking, text, out));
                self.close(thinking.replay.as_ref().and_then(|replay| replay.get(REPLAY)), out);
            }
            Block::ToolCall(call) => {
                self.call(0, &call.id, &call.name, out);
                pieces(&call.arguments, piece).for_each(|text| self.arguments(0, text, out));
                self.close_calls(out);
            }
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
        }
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.close(None, out);
        self.close_calls(out);
        self.last(&End::of(stop), usage, out);
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        self.last(&End::Failed(failure), failure.usage, out);
    }

    fn reply(&mut self, reply: &Reply, piece: usize, out: &mut Vec<u8>) {
        self.voice = Voice::of(reply.stop);
        for block in &reply.blocks {
            self.block(block, piece, out);
        }
        self.end(reply.stop, reply.usage, out);
    }
}

/// How a reply stands.
#[derive(Debug)]
enum End<'a> {
    Running,
    Completed,
    Incomplete(&'static str),
    Failed(&'a Failure),
}

impl End<'_> {
    const fn of(stop: StopReason) -> Self {
        match stop {
            StopReason::MaxTokens => Self::Incomplete("max_output_tokens"),
            StopReason::ContentFilter => Self::Incomplete("content_filter"),
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::StopSequence
            | StopReason::Refusal
            | StopReason::Other => Self::Completed,
        }
    }

    const fn status(&self) -> &'static str {
        match self {
            Self::Running => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete(_) => "incomplete",
            Self::Failed(_) => "failed",
        }
    }
}

fn item_id(head: &Head, kind: &str, index: u64) -> String {
    format!("{kind}_{}_{index}", head.id)
}

const fn stem(kind: Kind, voice: Voice) -> &'static str {
    match kind {
        Kind::Text => voice.words().2,
        Kind::Thinking => "response.reasoning_summary_text",
    }
}

fn write_place(kind: Kind, id: &str, index: u64, object: &mut Object<'_>) {
    object.string("item_id", id);
    object.number("output_index", index);
    object.number(if kind == Kind::Text { "content_index" } else { "summary_index" }, 0);
}

fn part(kind: Kind, voice: Voice, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    match kind {
        Kind::Text => {
            let (name, member, _) = voice.words();
            object.string("type", name);
            if voice == Voice::Answer {
                object.raw("annotations", "[]");
            }
            object.string(member, text);
        }
        Kind::Thinking => {
            object.string("type", "summary_text");
            object.string("text", text);
        }
    }
    object.close();
    out
}

fn message_item(id: &str, status: &str, text: Option<(Voice, &str)>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.string("id", id);
    object.string("type", "message");
    object.string("status", status);
    object.string("role", "assistant");
    if let Some(out) = object.member("content") {
        out.push(b'[');
        if let Some((voice, text)) = text {
            out.extend_from_slice(&part(Kind::Text, voice, text));
        }
        out.push(b']');
    }
    object.close();
    out
}

/// Reasoning as an item: to the letter if it came from this format, otherwise its text as the summary.
fn reasoning_item(id: &str, text: &str, replay: Option<&Json>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.string("type", "reasoning");
    match replay {
        Some(replay) => {
            for (name, value) in replay.as_object().into_iter().flatten() {
                object.value(name, value);
            }
        }
        None => {
            object.string("id", id);
            if let Some(out) = object.member("summary") {
                out.push(b'[');
                if !text.is_empty() {
                    out.extend_from_slice(&part(Kind::Thinking, Voice::Answer, text));
                }
                out.push(b']');
            }
        }
    }
    object.close();
    out
}

fn call_item(call: &Call, status: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.string("id", &call.item_id);
    object.string("type", "function_call");
    object.string("status", status);
    object.string("call_id", &call.id);
    object.string("name", &call.name);
    object.string("arguments", &call.arguments);
    object.close();
    out
}

fn whole_item(head: &Head, index: u64, block: &Block, voice: Voice) -> Option<Vec<u8>> {
    match block {
        Block::Text(text) => {
            Some(message_item(&item_id(head, "msg", index), "completed", Some((voice, text))))
        }
        Block::Thinking(thinking) => {
            let replay = thinking.replay.as_ref().and_then(|replay| replay.get(REPLAY));
            Some(reasoning_item(&item_id(head, "rs", index), &thinking.text, replay))
        }
        Block::ToolCall(call) => {
            let (id, name, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
            let call = Call { item_id: item_id(head, "fc", index), id, name, arguments };
            Some(call_item(&call, "completed"))
        }
        Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => None,
    }
}

fn write_response(head: &Head, end: &End<'_>, items: &[Vec<u8>], usage: Option<Usage>, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.string("id", &head.id);
    object.string("object", "response");
    object.number("created_at", head.created);
    object.string("status", end.status());
    match end {
        End::Failed(failure) => {
            if let Some(out) = object.member("error") {
                let mut error = Object::open(out);
                error.string("code", code(failure.class));
                error.string("message", &failure.message);
                error.close();
            }
        }
        End::Running | End::Completed | End::Incomplete(_) => object.raw("error", "null"),
    }
    match end {
        End::Incomplete(reason) => {
            object.raw("incomplete_details", format!(r#"{{"reason":"{reason}"}}"#));
        }
        End::Running | End::Completed | End::Failed(_) => object.raw("incomplete_details", "null"),
    }
    object.string("model", &head.model);
    if let Some(out) = object.member("output") {
        out.push(b'[');
        for item in items.iter().filter(|item| !item.is_empty()) {
            write::comma(out);
            out.extend_from_slice(item);
        }
        out.push(b']');
    }
    // Members that clients of the service expect in every reply.
    for name in ["instructions", "max_output_tokens", "previous_response_id", "temperature", "top_p"] {
        object.raw(name, "null");
    }
    object.raw("metadata", "{}");
    object.raw("parallel_tool_calls", "true");
    object.raw("store", "false");
    object.string("tool_choice", "auto");
    object.raw("tools", "[]");
    match usage {
        Some(usage) => write_usage(usage, &mut object),
        None => object.raw("usage", "null"),
    }
    object.close();
}

fn write_usage(usage: Usage, object: &mut Object<'_>) {
    let Some(out) = object.member("usage") else { return };
    let mut tokens = Object::open(out);
    tokens.number("input_tokens", usage.input);
    tokens.raw("input_tokens_details", format!(r#"{{"cached_tokens":{}}}"#, usage.cached));
    tokens.number("output_tokens", usage.output);
    tokens.raw("output_tokens_details", format!(r#"{{"reasoning_tokens":{}}}"#, usage.reasoning));
    tokens.number("total_tokens", usage.total());
    tokens.close();
}

/// The code that names a failure inside a reply, where there is no status to tell it by.
const fn code(class: FailureClass) -> &'static str {
    match class {
        FailureClass::RateLimited => "rate_limit_exceeded",
        FailureClass::Quota => "insufficient_quota",
        FailureClass::Overloaded => "server_is_overloaded",
        FailureClass::Server | FailureClass::Network | FailureClass::Truncated | FailureClass::Empty => {
            "server_error"
        }
        FailureClass::ContextOverflow => "context_length_exceeded",
        FailureClass::Auth => "invalid_api_key",
        FailureClass::BadRequest => "invalid_request_error",
        FailureClass::ContentFilter => "invalid_prompt",
    }
}
