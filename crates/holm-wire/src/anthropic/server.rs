//! The server side of Anthropic Messages: reads requests of clients and writes replies, streamed
//! and whole.
//!
//! Holm's own requests are written in `request.rs`, and replies of the service are read in
//! `stream.rs`. What all formats share (errors, statuses, pieces) is in `server.rs` of the crate.
//! Signatures and redacted reasoning pass through unchanged.

use alloc::{boxed::Box, format, string::String, string::ToString, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Failure, FailureClass, Media, Message, MessageId, Outcome, Reply, Role, Source, StopReason,
    Thinking, ToolCall, ToolResult, Usage, plain_text,
};

use super::REPLAY;
use crate::{
    Delivery, Parallel, Reasoning, ToolChoice, WireDelta, lenient,
    server::{
        CompletionRequest, CompletionTool, ReplyHead, ReplyStream, RequestBodyError, ServerCodec,
        UsageReporting, pieces, status,
    },
    write::{self, ObjectWriter},
};

/// The server side of Anthropic Messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnthropicServerCodec;

impl ServerCodec for AnthropicServerCodec {
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        read(&RequestBodyError::parse(body)?)
    }

    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(AnthropicReplyStream { head, begun: false, index: 0, open: None })
    }

    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        write_message_head(head, &mut object);
        if let Some(out) = object.member("content") {
            out.push(b'[');
            for block in &reply.blocks {
                write_whole_block(block, out);
            }
            out.push(b']');
        }
        object.string("stop_reason", stop_reason(reply.stop));
        object.raw("stop_sequence", "null");
        if let Some(out) = object.member("usage") {
            write_usage(reply.usage, out);
        }
        object.close();
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        write_error(failure, &mut out);
        // This format has its own status for overload.
        let status = if failure.class == FailureClass::Overloaded { 529 } else { status(failure.class) };
        (status, out)
    }
}

/// Writes a streamed reply.
#[derive(Debug)]
pub struct AnthropicReplyStream {
    head: ReplyHead,
    begun: bool,
    /// The next block's index.
    index: u64,
    open: Option<AnthropicBlockKind>,
}

/// The kind of the open block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnthropicBlockKind {
    Text,
    Thinking,
    Call,
}

impl AnthropicReplyStream {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.begun {
            return;
        }
        self.begun = true;
        event("message_start", out, |object| {
            let Some(out) = object.member("message") else { return };
            let mut message = ObjectWriter::open(out);
            write_message_head(&self.head, &mut message);
            message.raw("content", "[]");
            message.raw("stop_reason", "null");
            message.raw("stop_sequence", "null");
            if let Some(out) = message.member("usage") {
                write_usage(self.head.prompt, out);
            }
            message.close();
        });
    }

    fn open(&mut self, kind: AnthropicBlockKind, block: &str, out: &mut Vec<u8>) {
        self.close(out);
        let index = self.index;
        event("content_block_start", out, |object| {
            object.number("index", index);
            object.raw("content_block", block);
        });
        self.open = Some(kind);
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        self.begin(out);
        if self.open.take().is_some() {
            let index = self.index;
            event("content_block_stop", out, |object| object.number("index", index));
            self.index = self.index.saturating_add(1);
        }
    }

    fn piece(&mut self, kind: &str, member: &str, text: &str, out: &mut Vec<u8>) {
        let index = self.index;
        event("content_block_delta", out, |object| {
            object.number("index", index);
            if let Some(out) = object.member("delta") {
                let mut delta = ObjectWriter::open(out);
                delta.string("type", kind);
                delta.string(member, text);
                delta.close();
            }
        });
    }

    fn call(&mut self, id: &str, name: &str, out: &mut Vec<u8>) {
        let mut block = Vec::new();
        let mut object = ObjectWriter::open(&mut block);
        object.string("type", "tool_use");
        object.string("id", id);
        object.string("name", name);
        object.raw("input", "{}");
        object.close();
        self.open(AnthropicBlockKind::Call, &String::from_utf8_lossy(&block), out);
    }
}

impl ReplyStream for AnthropicReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => {
                if self.open != Some(AnthropicBlockKind::Text) {
                    self.open(AnthropicBlockKind::Text, r#"{"type":"text","text":""}"#, out);
                }
                self.piece("text_delta", "text", text, out);
            }
            WireDelta::Thinking { text, .. } => {
                if self.open != Some(AnthropicBlockKind::Thinking) {
                    self.open(
                        AnthropicBlockKind::Thinking,
                        r#"{"type":"thinking","thinking":"","signature":""}"#,
                        out,
                    );
                }
                self.piece("thinking_delta", "thinking", text, out);
            }
            WireDelta::ToolCallStarted { id, name, .. } => self.call(id, name, out),
            WireDelta::ToolArguments { text, .. } => {
                self.piece("input_json_delta", "partial_json", text, out);
            }
            WireDelta::Usage(_) => {}
        }
    }

    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>) {
        match block {
            Block::Text(text) => {
                pieces(text, piece).for_each(|text| self.delta(&WireDelta::Text { offset: 0, text }, out));
            }
            Block::Thinking(thinking) => {
                let replayed = |name: &str| thinking.replay.as_ref()?.get(REPLAY)?.get(name)?.as_str();
                if let Some(data) = replayed("redacted") {
                    let mut bytes = Vec::new();
                    write_redacted(data, &mut bytes);
                    self.open(AnthropicBlockKind::Thinking, &String::from_utf8_lossy(&bytes), out);
                } else {
                    let pieces = pieces(&thinking.text, piece);
                    self.open(
                        AnthropicBlockKind::Thinking,
                        r#"{"type":"thinking","thinking":"","signature":""}"#,
                        out,
                    );
                    pieces.for_each(|text| self.delta(&WireDelta::Thinking { offset: 0, text }, out));
                    self.piece(
                        "signature_delta",
                        "signature",
                        replayed("signature").unwrap_or_default(),
                        out,
                    );
                }
            }
            Block::ToolCall(call) => {
                self.call(&call.id, &call.name, out);
                for text in pieces(&call.arguments, piece) {
                    self.piece("input_json_delta", "partial_json", text, out);
                }
            }
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => return,
        }
        self.close(out);
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.close(out);
        event("message_delta", out, |object| {
            if let Some(out) = object.member("delta") {
                let mut delta = ObjectWriter::open(out);
                delta.string("stop_reason", stop_reason(stop));
                delta.raw("stop_sequence", "null");
                delta.close();
            }
            if let Some(out) = object.member("usage") {
                write_usage(usage, out);
            }
        });
        event("message_stop", out, |_| {});
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        out.extend_from_slice(b"event: error\ndata: ");
        write_error(failure, out);
        out.extend_from_slice(b"\n\n");
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

fn write_message_head(head: &ReplyHead, object: &mut ObjectWriter<'_>) {
    object.string("id", &head.id);
    object.string("type", "message");
    object.string("role", "assistant");
    object.string("model", &head.model);
}

fn write_redacted(data: &str, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("type", "redacted_thinking");
    object.string("data", data);
    object.close();
}

fn write_whole_block(block: &Block, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => {
            write::comma(out);
            let mut object = ObjectWriter::open(out);
            object.string("type", "text");
            object.string("text", text);
            object.close();
        }
        Block::Thinking(thinking) => {
            write::comma(out);
            let replayed = |name: &str| thinking.replay.as_ref()?.get(REPLAY)?.get(name)?.as_str();
            if let Some(data) = replayed("redacted") {
                return write_redacted(data, out);
            }
            let mut object = ObjectWriter::open(out);
            object.string("type", "thinking");
            object.string("thinking", &thinking.text);
            object.string("signature", replayed("signature").unwrap_or_default());
            object.close();
        }
        Block::ToolCall(call) => {
            write::comma(out);
            let mut object = ObjectWriter::open(out);
            object.string("type", "tool_use");
            object.string("id", &call.id);
            object.string("name", &call.name);
            let valid = matches!(Json::parse(&call.arguments), Ok(Json::Object(_)));
            object.raw("input", if valid { call.arguments.as_str() } else { "{}" });
            object.close();
        }
        Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
    }
}

fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let fresh = usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_write);
    let mut object = ObjectWriter::open(out);
    object.number("input_tokens", fresh);
    object.number("cache_creation_input_tokens", usage.cache_write);
    object.number("cache_read_input_tokens", usage.cached);
    object.number("output_tokens", usage.output);
    object.close();
}

fn write_error(failure: &Failure, out: &mut Vec<u8>) {
    let kind = match failure.class {
        FailureClass::RateLimited => "rate_limit_error",
        FailureClass::Overloaded => "overloaded_error",
        FailureClass::Quota => "billing_error",
        FailureClass::Auth => "authentication_error",
        FailureClass::ContextOverflow | FailureClass::BadRequest | FailureClass::ContentFilter => {
            "invalid_request_error"
        }
        FailureClass::Server
        | FailureClass::Network
        | FailureClass::Truncated
        | FailureClass::Empty
        | FailureClass::HostCrash => "api_error",
    };
    let mut object = ObjectWriter::open(out);
    object.string("type", "error");
    if let Some(out) = object.member("error") {
        let mut error = ObjectWriter::open(out);
        error.string("type", kind);
        error.string("message", &failure.message);
        error.close();
    }
    object.close();
}

const fn stop_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::Other => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::StopSequence => "stop_sequence",
        StopReason::Refusal | StopReason::ContentFilter => "refusal",
    }
}

fn read(json: &Json) -> Result<CompletionRequest, RequestBodyError> {
    let model = json
        .get("model")
        .and_then(Json::as_str)
        .ok_or_else(|| RequestBodyError::member("/model", "a string"))?;
    let messages = json
        .get("messages")
        .and_then(Json::as_array)
        .ok_or_else(|| RequestBodyError::member("/messages", "a list"))?;
    let mut asked = CompletionRequest {
        model: model.into(),
        usage: UsageReporting::Wanted,
        ..CompletionRequest::default()
    };
    asked.system = match json.get("system") {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n\n")
        }
        _ => String::new(),
    };
    for (index, message) in messages.iter().enumerate() {
        read_message(message, index, &mut asked)?;
    }
    for (index, tool) in json.get("tools").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let name = tool.get("name").and_then(Json::as_str);
        let name =
            name.ok_or_else(|| RequestBodyError::member(format!("/tools/{index}/name"), "a string"))?;
        let description = tool.get("description").and_then(Json::as_str).unwrap_or_default();
        let schema = tool.get("input_schema").cloned().unwrap_or_default();
        asked.tools.push(CompletionTool { name: name.into(), description: description.into(), schema });
    }
    read_settings(json, &mut asked);
    Ok(asked)
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let streamed = json.get("stream").and_then(Json::as_bool) == Some(true);
    asked.delivery = if streamed { Delivery::Stream } else { Delivery::Whole };
    let choice = |name: &str| json.pointer("/tool_choice")?.get(name);
    asked.parallel = match choice("disable_parallel_tool_use").and_then(Json::as_bool) {
        Some(true) => Parallel::Forbidden,
        Some(false) => Parallel::Allowed,
        None => Parallel::Unsaid,
    };
    asked.tool_choice = match choice("type").and_then(Json::as_str) {
        Some("none") => ToolChoice::None,
        Some("any") => ToolChoice::Required,
        Some("tool") => {
            ToolChoice::Tool(choice("name").and_then(Json::as_str).unwrap_or_default().to_string())
        }
        Some(_) | None => ToolChoice::Auto,
    };
    asked.max_output = json.get("max_tokens").and_then(Json::as_u64);
    asked.temperature_milli = json
        .get("temperature")
        .and_then(Json::as_number)
        .and_then(|number| lenient::thousandths(number.as_str()));
    let stops = json.get("stop_sequences").and_then(Json::as_array).unwrap_or_default();
    asked.stop = stops.iter().filter_map(Json::as_str).map(String::from).collect();
    asked.format = json.pointer("/output_config/format/schema").cloned();
    asked.reasoning = match json.pointer("/thinking/type").and_then(Json::as_str) {
        Some("enabled") => json
            .pointer("/thinking/budget_tokens")
            .and_then(Json::as_u64)
            .map_or(Reasoning::Unsaid, Reasoning::Budget),
        Some("disabled") => Reasoning::Off,
        Some(_) | None => Reasoning::Unsaid,
    };
}

fn read_message(json: &Json, index: usize, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let pointer = format!("/messages/{index}");
    let blocks = match json.get("content") {
        Some(Json::String(text)) => alloc::vec![Block::Text(text.clone())],
        Some(Json::Array(parts)) => {
            parts.iter().filter_map(|part| read_block(part, &asked.messages)).collect()
        }
        _ => return Err(RequestBodyError::member(pointer + "/content", "a string or a list of blocks")),
    };
    let results = blocks.iter().any(|block| matches!(block, Block::ToolResult(_)));
    let role = match json.get("role").and_then(Json::as_str) {
        Some("assistant") => Role::Assistant,
        Some("user") if results => Role::Tool,
        Some("user") => Role::User,
        Some("system") => Role::System,
        Some(_) | None => return Err(RequestBodyError::member(pointer + "/role", "user or assistant")),
    };
    asked.messages.push(Message::new(MessageId::new(asked.messages.len() as u64), role, blocks));
    Ok(())
}

fn read_block(json: &Json, before: &[Message]) -> Option<Block> {
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default();
    let replay =
        |name: &str, value: &str| Json::object([(REPLAY, Json::object([(name, Json::from(value))]))]);
    Some(match text("type") {
        "text" => Block::Text(text("text").into()),
        "thinking" => Block::Thinking(Thinking {
            text: text("thinking").into(),
            replay: Some(replay("signature", text("signature"))),
        }),
        "redacted_thinking" => {
            Block::Thinking(Thinking { text: String::new(), replay: Some(replay("redacted", text("data"))) })
        }
        "tool_use" => Block::ToolCall(ToolCall {
            id: text("id").into(),
            name: text("name").into(),
            arguments: json.get("input").map(Json::canonical).unwrap_or_default(),
            replay: None,
        }),
        "tool_result" => Block::ToolResult(read_result(json, before)),
        "image" => Block::Image(read_media(json)?),
        "document" => Block::File(read_media(json)?),
        _ => return None,
    })
}

fn read_result(json: &Json, before: &[Message]) -> ToolResult {
    let call = json.get("tool_use_id").and_then(Json::as_str).unwrap_or_default();
    let parts: Vec<Block> = match json.get("content") {
        Some(Json::String(text)) => alloc::vec![Block::Text(text.clone())],
        // Results do not contain results, so this recursion is one level deep.
        Some(Json::Array(parts)) => parts
            .iter()
            .filter(|part| part.get("type").and_then(Json::as_str) != Some("tool_result"))
            .filter_map(|part| read_block(part, &[]))
            .collect(),
        _ => Vec::new(),
    };
    let failed = json.get("is_error").and_then(Json::as_bool) == Some(true);
    let asked = before.iter().rev().find(|message| message.role == Role::Assistant);
    let tool = asked.and_then(|message| message.tool_calls().find(|known| known.id == call));
    ToolResult {
        call: call.into(),
        tool: tool.map(|known| known.name.clone()).unwrap_or_default(),
        text: plain_text(&parts),
        outcome: if failed { Outcome::Failed } else { Outcome::Succeeded },
        parts: parts.into_iter().filter(|part| !matches!(part, Block::Text(_))).collect(),
    }
}

fn read_media(json: &Json) -> Option<Media> {
    let source = json.get("source")?;
    let text = |name: &str| source.get(name).and_then(Json::as_str);
    let name = json.get("title").and_then(Json::as_str).map(String::from);
    let media_type = text("media_type").unwrap_or("application/octet-stream").into();
    let source = match text("type")? {
        "base64" => Source::Base64(text("data")?.into()),
        "url" => Source::Url(text("url")?.into()),
        _ => return None,
    };
    Some(Media { media_type, source, name })
}
