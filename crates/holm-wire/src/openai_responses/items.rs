//! The parts of a reply on the server side: the output items, and the reply around them.
//!
//! It keeps no state and orders no events: `server.rs` does. Items of Holm's own requests are
//! written in `request.rs`. Reasoning of this format is written unchanged, so that a client can
//! send it back.

use alloc::{format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, StopReason, Usage};

use super::REPLAY;
use crate::{
    server::ReplyHead,
    write::{self, ObjectWriter},
};

/// Whether a text is an answer or reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponsesTextKind {
    Text,
    Thinking,
}

/// A call as an item.
#[derive(Debug)]
pub(super) struct ResponsesCallItem {
    pub(super) item_id: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// Whether the text is an answer or a refusal. Each has its own events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponsesContentKind {
    Answer,
    Refusal,
}

impl ResponsesContentKind {
    pub(super) const fn of(stop: StopReason) -> Self {
        if matches!(stop, StopReason::Refusal) { Self::Refusal } else { Self::Answer }
    }

    /// The part's type, its member, and the prefix of its events.
    pub(super) const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Answer => ("output_text", "text", "response.output_text"),
            Self::Refusal => ("refusal", "refusal", "response.refusal"),
        }
    }
}

/// The status of a reply.
#[derive(Debug)]
pub(super) enum ResponsesStatus<'a> {
    Running,
    Completed,
    Incomplete(&'static str),
    Failed(&'a Failure),
}

impl ResponsesStatus<'_> {
    pub(super) const fn of(stop: StopReason) -> Self {
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

    pub(super) const fn status(&self) -> &'static str {
        match self {
            Self::Running => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete(_) => "incomplete",
            Self::Failed(_) => "failed",
        }
    }
}

pub(super) fn item_id(head: &ReplyHead, kind: &str, index: u64) -> String {
    format!("{kind}_{}_{index}", head.id)
}

pub(super) const fn stem(kind: ResponsesTextKind, voice: ResponsesContentKind) -> &'static str {
    match kind {
        ResponsesTextKind::Text => voice.words().2,
        ResponsesTextKind::Thinking => "response.reasoning_summary_text",
    }
}

pub(super) fn write_place(kind: ResponsesTextKind, id: &str, index: u64, object: &mut ObjectWriter<'_>) {
    object.string("item_id", id);
    object.number("output_index", index);
    object.number(if kind == ResponsesTextKind::Text { "content_index" } else { "summary_index" }, 0);
}

pub(super) fn part(kind: ResponsesTextKind, voice: ResponsesContentKind, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::open(&mut out);
    match kind {
        ResponsesTextKind::Text => {
            let (name, member, _) = voice.words();
            object.string("type", name);
            if voice == ResponsesContentKind::Answer {
                object.raw("annotations", "[]");
            }
            object.string(member, text);
        }
        ResponsesTextKind::Thinking => {
            object.string("type", "summary_text");
            object.string("text", text);
        }
    }
    object.close();
    out
}

pub(super) fn message_item(id: &str, status: &str, text: Option<(ResponsesContentKind, &str)>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::open(&mut out);
    object.string("id", id);
    object.string("type", "message");
    object.string("status", status);
    object.string("role", "assistant");
    if let Some(out) = object.member("content") {
        out.push(b'[');
        if let Some((voice, text)) = text {
            out.extend_from_slice(&part(ResponsesTextKind::Text, voice, text));
        }
        out.push(b']');
    }
    object.close();
    out
}

/// Reasoning as an item: unchanged if it came from this format, otherwise with its
/// text as the summary.
pub(super) fn reasoning_item(id: &str, text: &str, replay: Option<&Json>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::open(&mut out);
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
                    out.extend_from_slice(&part(
                        ResponsesTextKind::Thinking,
                        ResponsesContentKind::Answer,
                        text,
                    ));
                }
                out.push(b']');
            }
        }
    }
    object.close();
    out
}

pub(super) fn call_item(call: &ResponsesCallItem, status: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::open(&mut out);
    object.string("id", &call.item_id);
    object.string("type", "function_call");
    object.string("status", status);
    object.string("call_id", &call.id);
    object.string("name", &call.name);
    object.string("arguments", &call.arguments);
    object.close();
    out
}

pub(super) fn whole_item(
    head: &ReplyHead,
    index: u64,
    block: &Block,
    voice: ResponsesContentKind,
) -> Option<Vec<u8>> {
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
            let call = ResponsesCallItem { item_id: item_id(head, "fc", index), id, name, arguments };
            Some(call_item(&call, "completed"))
        }
        Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => None,
    }
}

pub(super) fn write_response(
    head: &ReplyHead,
    end: &ResponsesStatus<'_>,
    items: &[Vec<u8>],
    usage: Option<Usage>,
    out: &mut Vec<u8>,
) {
    let mut object = ObjectWriter::open(out);
    object.string("id", &head.id);
    object.string("object", "response");
    object.number("created_at", head.created);
    object.string("status", end.status());
    match end {
        ResponsesStatus::Failed(failure) => {
            if let Some(out) = object.member("error") {
                let mut error = ObjectWriter::open(out);
                error.string("code", code(failure.class));
                error.string("message", &failure.message);
                error.close();
            }
        }
        ResponsesStatus::Running | ResponsesStatus::Completed | ResponsesStatus::Incomplete(_) => {
            object.raw("error", "null");
        }
    }
    match end {
        ResponsesStatus::Incomplete(reason) => {
            object.raw("incomplete_details", format!(r#"{{"reason":"{reason}"}}"#));
        }
        ResponsesStatus::Running | ResponsesStatus::Completed | ResponsesStatus::Failed(_) => {
            object.raw("incomplete_details", "null");
        }
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
    // Clients of the service expect these members in every reply.
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

fn write_usage(usage: Usage, object: &mut ObjectWriter<'_>) {
    let Some(out) = object.member("usage") else { return };
    let mut tokens = ObjectWriter::open(out);
    tokens.number("input_tokens", usage.input);
    tokens.raw("input_tokens_details", format!(r#"{{"cached_tokens":{}}}"#, usage.cached));
    tokens.number("output_tokens", usage.output);
    tokens.raw("output_tokens_details", format!(r#"{{"reasoning_tokens":{}}}"#, usage.reasoning));
    tokens.number("total_tokens", usage.total());
    tokens.close();
}

/// The code for a failure inside a reply, where there is no HTTP status.
const fn code(class: FailureClass) -> &'static str {
    match class {
        FailureClass::RateLimited => "rate_limit_exceeded",
        FailureClass::Quota => "insufficient_quota",
        FailureClass::Overloaded => "server_is_overloaded",
        FailureClass::Server
        | FailureClass::Network
        | FailureClass::Truncated
        | FailureClass::Empty
        | FailureClass::HostCrash => "server_error",
        FailureClass::ContextOverflow => "context_length_exceeded",
        FailureClass::Auth => "invalid_api_key",
        FailureClass::BadRequest => "invalid_request_error",
        FailureClass::ContentFilter => "invalid_prompt",
    }
}
