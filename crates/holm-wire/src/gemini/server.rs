//! The server side of `generateContent`: writes replies, streamed and whole, and finds the model
//! and the delivery in the path.
//!
//! Bodies are read in `request_reader.rs`, and replies of the service in `stream.rs`. Calls that
//! arrive in deltas are held back until the end, because the format sends a call in one piece. A
//! signed text is never split, because it would come back as several parts.

use alloc::{boxed::Box, collections::BTreeMap, format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Media, Reply, Source, StopReason, ToolCall, Usage};

use super::{SignaturePlace, request_reader, signature};
use crate::{
    Delivery, WireDelta,
    server::{CompletionRequest, ReplyHead, ReplyStream, RequestBodyError, ServerCodec, pieces, status},
    write::{self, ObjectWriter},
};

/// The server side of `generateContent`.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeminiServerCodec;

impl ServerCodec for GeminiServerCodec {
    /// Reads a body. The model and the delivery are in the path: see [`route`].
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        request_reader::read(&RequestBodyError::parse(body)?)
    }

    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(GeminiReplyStream { head, calls: BTreeMap::new() })
    }

    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let mut parts = Vec::new();
        for (index, block) in reply.blocks.iter().enumerate() {
            let signed = text_signature(reply.blocks.get(index.saturating_add(1)));
            write_block(block, signed, &mut parts);
        }
        let mut out = Vec::new();
        write_chunk(head, &parts, Some(reply.stop), Some(reply.usage), &mut out);
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        write_error(failure, &mut out);
        (status(failure.class), out)
    }
}

/// Reads the model and the delivery from a request's path; `None` for other paths.
///
/// ```
/// use holm_wire::{Delivery, gemini::route};
///
/// let path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";
/// assert_eq!(route(path), Some(("gemini-2.5-pro", Delivery::Stream)));
/// assert_eq!(route("/v1beta/models/gemini-2.5-pro:countTokens"), None);
/// ```
pub fn route(path: &str) -> Option<(&str, Delivery)> {
    let path = path.split('?').next().unwrap_or(path);
    let (model, method) = path.rsplit('/').next()?.rsplit_once(':')?;
    let delivery = match method {
        "streamGenerateContent" => Delivery::Stream,
        "generateContent" => Delivery::Whole,
        _ => return None,
    };
    Some((model, delivery))
}

/// Writes a streamed reply.
#[derive(Debug)]
pub struct GeminiReplyStream {
    head: ReplyHead,
    /// Calls whose arguments are still arriving, because the format sends a call in one piece.
    calls: BTreeMap<u64, ToolCall>,
}

impl GeminiReplyStream {
    fn parts(&self, parts: &[u8], out: &mut Vec<u8>) {
        if !parts.is_empty() {
            event(out, |out| write_chunk(&self.head, parts, None, None, out));
        }
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        for call in core::mem::take(&mut self.calls).into_values() {
            let mut part = Vec::new();
            write_block(&Block::ToolCall(call), None, &mut part);
            self.parts(&part, out);
        }
    }

    /// Writes a text in pieces, and adds `sign` to the last one.
    fn text(&self, text: &str, piece: usize, kind: GeminiTextKind, sign: Option<&str>, out: &mut Vec<u8>) {
        let mut rest = pieces(text, piece).peekable();
        while let Some(text) = rest.next() {
            let mut part = Vec::new();
            write_text(text, kind, sign.filter(|_| rest.peek().is_none()), &mut part);
            self.parts(&part, out);
        }
    }
}

/// Whether a text is an answer or reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GeminiTextKind {
    Said,
    Thought,
}

impl ReplyStream for GeminiReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => self.text(text, usize::MAX, GeminiTextKind::Said, None, out),
            WireDelta::Thinking { text, .. } => {
                self.text(text, usize::MAX, GeminiTextKind::Thought, None, out);
            }
            WireDelta::ToolCallStarted { index, id, name } => {
                let (id, name) = ((*id).into(), (*name).into());
                self.calls.insert(*index, ToolCall { id, name, ..ToolCall::default() });
            }
            WireDelta::ToolArguments { index, text, .. } => {
                if let Some(call) = self.calls.get_mut(index) {
                    call.arguments.push_str(text);
                }
            }
            WireDelta::Usage(_) => {}
        }
    }

    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>) {
        match block {
            Block::Text(text) => self.text(text, piece, GeminiTextKind::Said, None, out),
            Block::Thinking(thinking) => match signature(thinking.replay.as_ref()) {
                None => self.text(&thinking.text, piece, GeminiTextKind::Thought, None, out),
                Some(_) => {
                    let mut part = Vec::new();
                    write_block(block, None, &mut part);
                    self.parts(&part, out);
                }
            },
            Block::ToolCall(_) | Block::Image(_) | Block::File(_) => {
                let mut part = Vec::new();
                write_block(block, None, &mut part);
                self.parts(&part, out);
            }
            Block::ToolResult(_) | Block::Custom(_) => {}
        }
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.flush(out);
        event(out, |out| write_chunk(&self.head, b"", Some(stop), Some(usage), out));
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        event(out, |out| write_error(failure, out));
    }

    /// The signature of a text is in the next block, so blocks are not written one by one.
    fn reply(&mut self, reply: &Reply, piece: usize, out: &mut Vec<u8>) {
        for (index, block) in reply.blocks.iter().enumerate() {
            match (block, text_signature(reply.blocks.get(index.saturating_add(1)))) {
                // A signed text is one part. If it were split, it would come back as several.
                (Block::Text(text), Some(sign)) => {
                    self.text(text, usize::MAX, GeminiTextKind::Said, Some(sign), out);
                }
                (_, _) => self.block(block, piece, out),
            }
        }
        self.end(reply.stop, reply.usage, out);
    }
}

fn event(out: &mut Vec<u8>, data: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b"data: ");
    data(out);
    out.extend_from_slice(b"\r\n\r\n");
}

/// The signature of a text, from the block after it.
fn text_signature(next: Option<&Block>) -> Option<&str> {
    let Some(Block::Thinking(thinking)) = next else { return None };
    signature(thinking.replay.as_ref())
        .filter(|(_, place)| *place == SignaturePlace::Text)
        .map(|(signature, _)| signature)
}

fn write_text(text: &str, kind: GeminiTextKind, signature: Option<&str>, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("text", text);
    if kind == GeminiTextKind::Thought {
        object.raw("thought", "true");
    }
    if let Some(signature) = signature {
        object.string("thoughtSignature", signature);
    }
    object.close();
}

/// Writes a block as a part; `signed` is the signature of a text.
fn write_block(block: &Block, signed: Option<&str>, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => write_text(text, GeminiTextKind::Said, signed, out),
        Block::Thinking(thinking) => match signature(thinking.replay.as_ref()) {
            Some((_, SignaturePlace::Text)) => {}
            Some((signature, SignaturePlace::Empty)) => {
                write_text("", GeminiTextKind::Said, Some(signature), out);
            }
            Some((signature, SignaturePlace::Own)) => {
                write_text(&thinking.text, GeminiTextKind::Thought, Some(signature), out);
            }
            None => write_text(&thinking.text, GeminiTextKind::Thought, None, out),
        },
        Block::ToolCall(call) => write_call(call, out),
        Block::Image(media) | Block::File(media) => write_media(media, out),
        Block::ToolResult(_) | Block::Custom(_) => {}
    }
}

fn write_call(call: &ToolCall, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("functionCall") {
        let mut function = ObjectWriter::open(out);
        function.string("id", &call.id);
        function.string("name", &call.name);
        let valid = matches!(Json::parse(&call.arguments), Ok(Json::Object(_)));
        function.raw("args", if valid { call.arguments.as_str() } else { "{}" });
        function.close();
    }
    if let Some((signature, _)) = signature(call.replay.as_ref()) {
        object.string("thoughtSignature", signature);
    }
    object.close();
}

fn write_media(media: &Media, out: &mut Vec<u8>) {
    let Source::Base64(data) = &media.source else { return };
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("inlineData") {
        let mut inner = ObjectWriter::open(out);
        inner.string("mimeType", &media.media_type);
        inner.string("data", data);
        inner.close();
    }
    object.close();
}

fn write_chunk(
    head: &ReplyHead,
    parts: &[u8],
    stop: Option<StopReason>,
    usage: Option<Usage>,
    out: &mut Vec<u8>,
) {
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("candidates") {
        out.extend_from_slice(br#"[{"content":{"parts":["#);
        out.extend_from_slice(parts);
        out.extend_from_slice(br#"],"role":"model"}"#);
        if let Some(stop) = stop {
            out.extend_from_slice(br#","finishReason":"#);
            write::string(out, finish_reason(stop));
        }
        out.extend_from_slice(br#","index":0}]"#);
    }
    if let Some(usage) = usage
        && let Some(out) = object.member("usageMetadata")
    {
        write_usage(usage, out);
    }
    object.string("modelVersion", &head.model);
    object.string("responseId", &head.id);
    object.close();
}

fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.number("promptTokenCount", usage.input);
    object.number("candidatesTokenCount", usage.output.saturating_sub(usage.reasoning));
    object.number("totalTokenCount", usage.total());
    if usage.cached > 0 {
        object.number("cachedContentTokenCount", usage.cached);
    }
    if usage.reasoning > 0 {
        object.number("thoughtsTokenCount", usage.reasoning);
    }
    object.close();
}

fn write_error(failure: &Failure, out: &mut Vec<u8>) {
    let kind = match failure.class {
        FailureClass::RateLimited | FailureClass::Quota => "RESOURCE_EXHAUSTED",
        FailureClass::Overloaded => "UNAVAILABLE",
        FailureClass::Auth => "UNAUTHENTICATED",
        FailureClass::ContextOverflow | FailureClass::BadRequest | FailureClass::ContentFilter => {
            "INVALID_ARGUMENT"
        }
        FailureClass::Server
        | FailureClass::Network
        | FailureClass::Truncated
        | FailureClass::Empty
        | FailureClass::HostCrash => "INTERNAL",
    };
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("error") {
        let mut error = ObjectWriter::open(out);
        error.number("code", status(failure.class).into());
        error.string("message", &failure.message);
        error.string("status", kind);
        if let Some(wait) = failure.retry_after_ms {
            let delay = format!("{}.{:03}s", wait / 1000, wait % 1000);
            error.raw("details", retry_info(&delay));
        }
        error.close();
    }
    object.close();
}

fn retry_info(delay: &str) -> String {
    format!(r#"[{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"{delay}"}}]"#)
}

const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::ToolUse | StopReason::StopSequence => "STOP",
        StopReason::MaxTokens => "MAX_TOKENS",
        StopReason::Refusal | StopReason::ContentFilter => "SAFETY",
        StopReason::Other => "OTHER",
    }
}
