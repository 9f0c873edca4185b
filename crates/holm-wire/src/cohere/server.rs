//! The server side of Cohere's chat: writes replies, streamed and whole.
//!
//! Requests are read in `request_reader.rs`, and replies of the service in `stream.rs`. Text is
//! written as content even next to calls, not as a plan. Calls may be interleaved, so each is
//! closed by its own index.

use alloc::{boxed::Box, collections::BTreeSet, format, vec::Vec};

use holm_kernel::{Block, Failure, Reply, StopReason, ToolCall, Usage};

use super::request_reader;
use crate::{
    WireDelta,
    server::{CompletionRequest, ReplyHead, ReplyStream, RequestBodyError, ServerCodec, pieces, status},
    write::{self, ObjectWriter},
};

/// The server side of Cohere chat.
#[derive(Debug, Clone, Copy, Default)]
pub struct CohereServerCodec;

impl ServerCodec for CohereServerCodec {
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        request_reader::read(&RequestBodyError::parse(body)?)
    }

    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(CohereReplyStream {
            head,
            begun: false,
            index: 0,
            open: None,
            calls: BTreeSet::new(),
            written: 0,
        })
    }

    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        object.string("id", &head.id);
        if let Some(out) = object.member("message") {
            write_reply_message(reply, out);
        }
        object.string("finish_reason", finish_reason(reply.stop));
        if let Some(out) = object.member("usage") {
            write_usage(reply.usage, out);
        }
        object.close();
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        object.string("message", &failure.message);
        object.close();
        (status(failure.class), out)
    }
}

/// Writes a streamed reply.
#[derive(Debug)]
pub struct CohereReplyStream {
    head: ReplyHead,
    begun: bool,
    /// The next content's index.
    index: u64,
    open: Option<CohereBlockKind>,
    /// The open calls. Deltas of several calls may be interleaved.
    calls: BTreeSet<u64>,
    /// How many calls were written as blocks.
    written: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CohereBlockKind {
    Text,
    Thinking,
}

impl CohereBlockKind {
    /// The part's type and the member that holds its text.
    const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
        }
    }
}

impl CohereReplyStream {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.begun {
            return;
        }
        self.begun = true;
        event("message-start", out, |object| {
            object.string("id", &self.head.id);
            let message =
                r#"{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}"#;
            object.raw("delta", format!(r#"{{"message":{message}}}"#));
        });
    }

    fn piece(&mut self, kind: CohereBlockKind, text: &str, out: &mut Vec<u8>) {
        if self.open != Some(kind) {
            self.close(out);
            self.open = Some(kind);
            content("content-start", self.index, Some(kind), (kind, ""), out);
        }
        content("content-delta", self.index, None, (kind, text), out);
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        self.begin(out);
        if self.open.take().is_some() {
            let index = self.index;
            event("content-end", out, |object| object.number("index", index));
            self.index = self.index.saturating_add(1);
        }
    }

    fn call(&mut self, index: u64, id: &str, name: &str, out: &mut Vec<u8>) {
        self.close(out);
        self.calls.insert(index);
        event("tool-call-start", out, |object| {
            object.number("index", index);
            if let Some(out) = object.member("delta") {
                out.extend_from_slice(br#"{"message":{"tool_calls":"#);
                write_call(id, name, "", out);
                out.extend_from_slice(b"}}");
            }
        });
    }

    fn close_call(&mut self, index: u64, out: &mut Vec<u8>) {
        if self.calls.remove(&index) {
            event("tool-call-end", out, |object| object.number("index", index));
        }
    }
}

impl ReplyStream for CohereReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => self.piece(CohereBlockKind::Text, text, out),
            WireDelta::Thinking { text, .. } => self.piece(CohereBlockKind::Thinking, text, out),
            WireDelta::ToolCallStarted { index, id, name } => self.call(*index, id, name, out),
            WireDelta::ToolArguments { index, text, .. } => write_arguments(*index, text, out),
            WireDelta::Usage(_) => {}
        }
    }

    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>) {
        match block {
            Block::Text(text) => {
                pieces(text, piece).for_each(|text| self.piece(CohereBlockKind::Text, text, out));
            }
            Block::Thinking(thinking) => {
                pieces(&thinking.text, piece)
                    .for_each(|text| self.piece(CohereBlockKind::Thinking, text, out));
            }
            Block::ToolCall(call) => {
                let index = self.written;
                self.written = self.written.saturating_add(1);
                self.call(index, &call.id, &call.name, out);
                pieces(&call.arguments, piece).for_each(|text| write_arguments(index, text, out));
                self.close_call(index, out);
            }
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => return,
        }
        self.close(out);
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.close(out);
        while let Some(index) = self.calls.first().copied() {
            self.close_call(index, out);
        }
        event("message-end", out, |object| {
            if let Some(out) = object.member("delta") {
                let mut delta = ObjectWriter::open(out);
                delta.string("finish_reason", finish_reason(stop));
                if let Some(out) = delta.member("usage") {
                    write_usage(usage, out);
                }
                delta.close();
            }
        });
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        self.begin(out);
        event("message-end", out, |object| {
            if let Some(out) = object.member("delta") {
                let mut delta = ObjectWriter::open(out);
                delta.string("finish_reason", "ERROR");
                delta.string("error", &failure.message);
                delta.close();
            }
        });
    }
}

fn event(name: &str, out: &mut Vec<u8>, members: impl FnOnce(&mut ObjectWriter<'_>)) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    let mut object = ObjectWriter::open(out);
    object.string("type", name);
    members(&mut object);
    object.close();
    out.extend_from_slice(b"\n\n");
}

/// Writes a content event. A start event also contains the type.
fn content(
    name: &str,
    index: u64,
    typed: Option<CohereBlockKind>,
    (kind, text): (CohereBlockKind, &str),
    out: &mut Vec<u8>,
) {
    event(name, out, |object| {
        object.number("index", index);
        if let Some(out) = object.member("delta") {
            out.extend_from_slice(br#"{"message":{"content":"#);
            let mut part = ObjectWriter::open(out);
            if let Some(kind) = typed {
                part.string("type", kind.word());
            }
            part.string(kind.word(), text);
            part.close();
            out.extend_from_slice(b"}}");
        }
    });
}

fn write_arguments(index: u64, text: &str, out: &mut Vec<u8>) {
    event("tool-call-delta", out, |object| {
        object.number("index", index);
        if let Some(out) = object.member("delta") {
            out.extend_from_slice(br#"{"message":{"tool_calls":{"function":{"arguments":"#);
            write::string(out, text);
            out.extend_from_slice(b"}}}}");
        }
    });
}

fn write_call(id: &str, name: &str, arguments: &str, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("id", id);
    object.string("type", "function");
    if let Some(out) = object.member("function") {
        let mut function = ObjectWriter::open(out);
        function.string("name", name);
        function.string("arguments", arguments);
        function.close();
    }
    object.close();
}

fn write_reply_message(reply: &Reply, out: &mut Vec<u8>) {
    let calls: Vec<&ToolCall> = reply.blocks.iter().filter_map(Block::as_tool_call).collect();
    let mut parts = Vec::new();
    for block in &reply.blocks {
        let (kind, text) = match block {
            Block::Text(text) => (CohereBlockKind::Text, text.as_str()),
            Block::Thinking(thinking) => (CohereBlockKind::Thinking, thinking.text.as_str()),
            Block::ToolCall(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => continue,
        };
        write::comma(&mut parts);
        let mut part = ObjectWriter::open(&mut parts);
        part.string("type", kind.word());
        part.string(kind.word(), text);
        part.close();
    }
    let mut message = ObjectWriter::open(out);
    message.string("role", "assistant");
    if let Some(out) = message.member("content") {
        out.push(b'[');
        out.append(&mut parts);
        out.push(b']');
    }
    if !calls.is_empty()
        && let Some(out) = message.member("tool_calls")
    {
        out.push(b'[');
        for call in calls {
            write::comma(out);
            write_call(&call.id, &call.name, &call.arguments, out);
        }
        out.push(b']');
    }
    message.close();
}

/// The service bills less than it reads; here the two numbers are equal.
fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let counts = format!(r#"{{"input_tokens":{},"output_tokens":{}}}"#, usage.input, usage.output);
    let mut object = ObjectWriter::open(out);
    object.raw("billed_units", &counts);
    object.raw("tokens", &counts);
    if usage.cached > 0 {
        object.number("cached_tokens", usage.cached);
    }
    object.close();
}

const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::Refusal | StopReason::Other => "COMPLETE",
        StopReason::ToolUse => "TOOL_CALL",
        StopReason::MaxTokens => "MAX_TOKENS",
        StopReason::StopSequence => "STOP_SEQUENCE",
        StopReason::ContentFilter => "ERROR_TOXIC",
    }
}
