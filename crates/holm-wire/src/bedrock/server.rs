//! The server side of Converse: writes replies, streamed and whole, and finds the model and the
//! delivery in the path.
//!
//! Bodies of requests are read in `server/read.rs`, and messages of the event stream are written in
//! `framing/event_stream.rs`. It does not check signatures.

mod read;

use alloc::{boxed::Box, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Reply, StopReason, Thinking, ToolCall, Usage};

use super::REPLAY;
use crate::{
    Delivery, WireDelta,
    framing::event_stream,
    server::{CompletionRequest, ReplyHead, ReplyStream, RequestBodyError, ServerCodec, pieces, status},
    write::{self, ObjectWriter},
};

/// The server side of Converse. The model and the delivery are in the path and not in the body, so
/// a server is created for a path.
///
/// ```
/// use holm_wire::{Delivery, bedrock::BedrockServerCodec};
///
/// let server = BedrockServerCodec::at("/model/amazon.nova-lite-v1%3A0/converse-stream").unwrap();
/// assert_eq!(server.model(), "amazon.nova-lite-v1:0");
/// assert_eq!(BedrockServerCodec::at("/model/x/invoke"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BedrockServerCodec {
    model: String,
    delivery: Delivery,
}

impl BedrockServerCodec {
    /// The server for a request's path, or `None` if it is not a path of Converse.
    pub fn at(path: &str) -> Option<Self> {
        let (model, verb) = path.strip_prefix("/model/")?.rsplit_once('/')?;
        let delivery = match verb {
            "converse-stream" => Delivery::Stream,
            "converse" => Delivery::Whole,
            _ => return None,
        };
        Some(Self { model: read::unescape(model), delivery })
    }

    /// The model that the path names.
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl ServerCodec for BedrockServerCodec {
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        let mut asked = read::read(&RequestBodyError::parse(body)?)?;
        asked.model.clone_from(&self.model);
        asked.delivery = self.delivery;
        Ok(asked)
    }

    fn stream(&self, _: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(BedrockReplyStream { begun: false, index: 0, open: None })
    }

    fn reply(&self, _: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(br#"{"output":{"message":{"role":"assistant","content":["#);
        for block in &reply.blocks {
            write_whole_block(block, &mut out);
        }
        out.extend_from_slice(br#"]}},"stopReason":""#);
        out.extend_from_slice(stop_reason(reply.stop).as_bytes());
        out.extend_from_slice(br#"","usage":"#);
        write_usage(reply.usage, &mut out);
        out.extend_from_slice(br#","metrics":{"latencyMs":1}}"#);
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        object.string("__type", exception(failure.class));
        object.string("message", &failure.message);
        object.close();
        (status(failure.class), out)
    }
}

/// Writes a streamed reply.
#[derive(Debug)]
pub struct BedrockReplyStream {
    begun: bool,
    /// The next block's index.
    index: u64,
    open: Option<BedrockBlockKind>,
}

/// The kind of the open block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BedrockBlockKind {
    Text,
    Thinking,
    Call,
}

impl BedrockReplyStream {
    /// Opens a block of this kind. Only calls are announced.
    fn open(&mut self, kind: BedrockBlockKind, out: &mut Vec<u8>) {
        if !self.begun {
            self.begun = true;
            event("messageStart", out, |object| object.string("role", "assistant"));
        }
        if self.open != Some(kind) || kind == BedrockBlockKind::Call {
            self.close(out);
            self.open = Some(kind);
        }
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        if self.open.take().is_some() {
            let index = self.index;
            event("contentBlockStop", out, |object| object.number("contentBlockIndex", index));
            self.index = self.index.saturating_add(1);
        }
    }

    fn call(&mut self, id: &str, name: &str, out: &mut Vec<u8>) {
        self.open(BedrockBlockKind::Call, out);
        let index = self.index;
        event("contentBlockStart", out, |object| {
            object.number("contentBlockIndex", index);
            if let Some(out) = object.member("start") {
                out.extend_from_slice(br#"{"toolUse":"#);
                let mut call = ObjectWriter::open(out);
                call.string("toolUseId", id);
                call.string("name", name);
                call.close();
                out.push(b'}');
            }
        });
    }

    /// Writes a piece of the open block. `path` lists the members that lead to the text.
    fn piece(&self, path: &[&str], text: &str, out: &mut Vec<u8>) {
        event("contentBlockDelta", out, |object| {
            object.number("contentBlockIndex", self.index);
            let Some(out) = object.member("delta") else { return };
            for name in path {
                out.push(b'{');
                write::string(out, name);
                out.push(b':');
            }
            write::string(out, text);
            out.extend(path.iter().map(|_| b'}'));
        });
    }

    fn thinking(&mut self, thinking: &Thinking, piece: usize, out: &mut Vec<u8>) {
        self.open(BedrockBlockKind::Thinking, out);
        if let Some(data) = replayed(thinking, "redacted") {
            return self.piece(&["reasoningContent", "redactedContent"], data, out);
        }
        for text in pieces(&thinking.text, piece) {
            self.piece(&["reasoningContent", "text"], text, out);
        }
        if let Some(signature) = replayed(thinking, "signature") {
            self.piece(&["reasoningContent", "signature"], signature, out);
        }
    }
}

impl ReplyStream for BedrockReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => {
                self.open(BedrockBlockKind::Text, out);
                self.piece(&["text"], text, out);
            }
            WireDelta::Thinking { text, .. } => {
                self.open(BedrockBlockKind::Thinking, out);
                self.piece(&["reasoningContent", "text"], text, out);
            }
            WireDelta::ToolCallStarted { id, name, .. } => self.call(id, name, out),
            WireDelta::ToolArguments { text, .. } => self.piece(&["toolUse", "input"], text, out),
            WireDelta::Usage(_) => {}
        }
    }

    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>) {
        match block {
            Block::Text(text) => {
                pieces(text, piece).for_each(|text| self.delta(&WireDelta::Text { offset: 0, text }, out));
            }
            Block::Thinking(thinking) => self.thinking(thinking, piece, out),
            Block::ToolCall(call) => {
                self.call(&call.id, &call.name, out);
                pieces(&call.arguments, piece).for_each(|text| self.piece(&["toolUse", "input"], text, out));
            }
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => return,
        }
        self.close(out);
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        if !self.begun {
            self.open(BedrockBlockKind::Text, out);
        }
        self.close(out);
        event("messageStop", out, |object| object.string("stopReason", stop_reason(stop)));
        event("metadata", out, |object| {
            if let Some(out) = object.member("usage") {
                write_usage(usage, out);
            }
            object.raw("metrics", r#"{"latencyMs":1}"#);
        });
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        let mut payload = Vec::new();
        let mut object = ObjectWriter::open(&mut payload);
        object.string("message", &failure.message);
        object.close();
        let name = exception(failure.class);
        let headers = [
            (":exception-type", name),
            (":content-type", "application/json"),
            (":message-type", "exception"),
        ];
        event_stream::write(&headers, &payload, out);
    }
}

fn event(name: &str, out: &mut Vec<u8>, members: impl FnOnce(&mut ObjectWriter<'_>)) {
    let mut payload = Vec::new();
    let mut object = ObjectWriter::open(&mut payload);
    members(&mut object);
    object.close();
    let headers = [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    event_stream::write(&headers, &payload, out);
}

fn replayed<'t>(thinking: &'t Thinking, name: &str) -> Option<&'t str> {
    thinking.replay.as_ref()?.get(REPLAY)?.get(name)?.as_str()
}

fn write_whole_block(block: &Block, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => {
            write::comma(out);
            let mut object = ObjectWriter::open(out);
            object.string("text", text);
            object.close();
        }
        Block::Thinking(thinking) => {
            write::comma(out);
            out.extend_from_slice(br#"{"reasoningContent":"#);
            let mut object = ObjectWriter::open(out);
            if let Some(data) = replayed(thinking, "redacted") {
                object.string("redactedContent", data);
            } else if let Some(out) = object.member("reasoningText") {
                let mut inner = ObjectWriter::open(out);
                inner.string("text", &thinking.text);
                if let Some(signature) = replayed(thinking, "signature") {
                    inner.string("signature", signature);
                }
                inner.close();
            }
            object.close();
            out.push(b'}');
        }
        Block::ToolCall(call) => write_whole_call(call, out),
        Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
    }
}

fn write_whole_call(call: &ToolCall, out: &mut Vec<u8>) {
    write::comma(out);
    out.extend_from_slice(br#"{"toolUse":"#);
    let mut object = ObjectWriter::open(out);
    object.string("toolUseId", &call.id);
    object.string("name", &call.name);
    let valid = matches!(Json::parse(&call.arguments), Ok(Json::Object(_)));
    object.raw("input", if valid { call.arguments.as_str() } else { "{}" });
    object.close();
    out.push(b'}');
}

fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.number("inputTokens", usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_write));
    object.number("outputTokens", usage.output);
    object.number("totalTokens", usage.total());
    object.number("cacheReadInputTokens", usage.cached);
    object.number("cacheWriteInputTokens", usage.cache_write);
    object.close();
}

const fn exception(class: FailureClass) -> &'static str {
    match class {
        FailureClass::RateLimited => "throttlingException",
        FailureClass::Overloaded => "serviceUnavailableException",
        FailureClass::Quota => "serviceQuotaExceededException",
        FailureClass::Auth => "accessDeniedException",
        FailureClass::ContextOverflow | FailureClass::BadRequest | FailureClass::ContentFilter => {
            "validationException"
        }
        FailureClass::Server
        | FailureClass::Network
        | FailureClass::Truncated
        | FailureClass::Empty
        | FailureClass::HostCrash => "internalServerException",
    }
}

const fn stop_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::Other => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::StopSequence => "stop_sequence",
        StopReason::Refusal | StopReason::ContentFilter => "content_filtered",
    }
}
