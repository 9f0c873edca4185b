//! Writes request bodies for Anthropic Messages: messages, tools, settings and cache breakpoints.
//!
//! Replies are read in `stream.rs`, and requests of clients in `server.rs`. Neighbours of one role
//! are joined. Only reasoning that this format signed is sent back. The arguments of a call are
//! sent as the model wrote them if they are an object, because prompt caches compare bytes.

use alloc::{borrow::Cow, format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, Role, Thinking, ToolCall, ToolResult, ToolSpec};

use super::{AnthropicDialect, AnthropicStructuredOutput, AnthropicThinking, REPLAY};
use crate::{
    Caching, Delivery, MediaSource, MessageBuffer, ModelCall, Parallel, ProviderRequest, Reasoning,
    RequestParts, ToolChoice,
    media::{MediaLocation, as_text, describe, resolve},
    write::{self, ObjectWriter},
};

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// Marks a block as the end of a cached prefix.
const BREAKPOINT: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;

/// The same, kept for an hour after its last use instead of five minutes.
const HOUR_BREAKPOINT: &[u8] = br#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;

const fn breakpoint(caching: Caching) -> Option<&'static [u8]> {
    match caching {
        Caching::On => Some(BREAKPOINT),
        Caching::Hour => Some(HOUR_BREAKPOINT),
        Caching::Off => None,
    }
}

/// The smallest thinking budget that the service accepts.
const MIN_THINKING: u64 = 1_024;

/// Writes a message. Neighbours of one role become one message, because the format requires all
/// results of a batch together.
pub(super) fn write_message(message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
    let role = match message.role {
        Role::Custom => return,
        Role::User | Role::Tool | Role::System => USER,
        Role::Assistant => ASSISTANT,
    };
    let mut first = true;
    for block in &message.blocks {
        let mut bytes = Vec::new();
        let marked = write_block(block, message.role, media, &mut bytes);
        if bytes.is_empty() {
            continue;
        }
        if first && out.group() != role {
            open(role, out);
        }
        first = false;
        write::comma(out.out());
        out.out().append(&mut bytes);
        if marked {
            out.mark();
        }
    }
}

fn open(role: &'static str, out: &mut MessageBuffer) {
    out.settle(role);
    let bytes = out.out();
    write::comma(bytes);
    bytes.extend_from_slice(br#"{"role":""#);
    bytes.extend_from_slice(role.as_bytes());
    bytes.extend_from_slice(br#"","content":["#);
    out.tail_mut().extend_from_slice(b"]}");
}

/// Writes one block, or nothing. Returns whether the block may carry a cache breakpoint.
fn write_block(block: &Block, role: Role, media: &dyn MediaSource, out: &mut Vec<u8>) -> bool {
    match block {
        Block::Text(text) if role == Role::System => {
            write_text(&format!("<operator>\n{text}\n</operator>"), out);
            true
        }
        // The service refuses blocks that contain only white space.
        Block::Text(text) if text.trim().is_empty() => false,
        Block::Text(text) => {
            write_text(text, out);
            true
        }
        Block::Thinking(thinking) => {
            write_thinking(thinking, out);
            false
        }
        Block::ToolCall(call) => {
            write_call(call, out);
            true
        }
        Block::ToolResult(result) => {
            write_result(result, media, out);
            true
        }
        Block::Image(image) => {
            write_image(image, media, out);
            true
        }
        Block::File(file) => {
            write_file(file, media, out);
            true
        }
        Block::Custom(_) => false,
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("type", "text");
    object.string("text", text);
    object.close();
}

/// Only reasoning that this format signed may be sent back. The service refuses any other.
fn write_thinking(thinking: &Thinking, out: &mut Vec<u8>) {
    let Some(replay) = thinking.replay.as_ref().and_then(|replay| replay.get(REPLAY)) else { return };
    let text = |name: &str| replay.get(name).and_then(Json::as_str);
    if let Some(data) = text("redacted") {
        let mut object = ObjectWriter::open(out);
        object.string("type", "redacted_thinking");
        object.string("data", data);
        object.close();
    } else if let Some(signature) = text("signature") {
        let mut object = ObjectWriter::open(out);
        object.string("type", "thinking");
        object.string("thinking", &thinking.text);
        object.string("signature", signature);
        object.close();
    }
}

fn write_call(call: &ToolCall, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("type", "tool_use");
    object.string("id", &tool_id(&call.id));
    object.string("name", &call.name);
    if let Some(out) = object.member("input") {
        let text = call.arguments.trim();
        match Json::parse(text) {
            // This is the model's own text, so that the bytes match the cache.
            Ok(Json::Object(_)) => out.extend_from_slice(text.as_bytes()),
            _ if text.is_empty() => out.extend_from_slice(b"{}"),
            _ => {
                let mut wrapped = ObjectWriter::open(out);
                wrapped.string("invalid_json", text);
                wrapped.close();
            }
        }
    }
    object.close();
}

fn write_result(result: &ToolResult, media: &dyn MediaSource, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("type", "tool_result");
    object.string("tool_use_id", &tool_id(&result.call));
    if let Some(out) = object.member("content") {
        if result.parts.is_empty() {
            write::string(out, &result.text);
        } else {
            out.push(b'[');
            if !result.text.trim().is_empty() {
                write_text(&result.text, out);
            }
            for part in &result.parts {
                write_part(part, media, out);
            }
            out.push(b']');
        }
    }
    if result.outcome.is_error() {
        object.raw("is_error", "true");
    }
    object.close();
}

/// A part of a result: text, images and files. The format allows nothing else there.
fn write_part(part: &Block, media: &dyn MediaSource, out: &mut Vec<u8>) {
    match part {
        Block::Text(text) if !text.trim().is_empty() => {
            write::comma(out);
            write_text(text, out);
        }
        Block::Image(image) => {
            write::comma(out);
            write_image(image, media, out);
        }
        Block::File(file) => {
            write::comma(out);
            write_file(file, media, out);
        }
        Block::Text(_)
        | Block::Thinking(_)
        | Block::ToolCall(_)
        | Block::ToolResult(_)
        | Block::Custom(_) => {}
    }
}

fn write_image(image: &Media, media: &dyn MediaSource, out: &mut Vec<u8>) {
    match resolve(image, media) {
        MediaLocation::Missing => write_text(&describe(image), out),
        found => write_source("image", image, &found, out),
    }
}

fn write_file(file: &Media, media: &dyn MediaSource, out: &mut Vec<u8>) {
    let found = resolve(file, media);
    if file.media_type == "application/pdf" && found != MediaLocation::Missing {
        write_source("document", file, &found, out);
        return;
    }
    let text = match &found {
        MediaLocation::Base64(data) => as_text(&file.media_type, data),
        MediaLocation::Url(_) | MediaLocation::Missing => None,
    };
    let Some(text) = text else { return write_text(&describe(file), out) };
    let mut object = ObjectWriter::open(out);
    object.string("type", "document");
    if let Some(out) = object.member("source") {
        let mut source = ObjectWriter::open(out);
        source.string("type", "text");
        source.string("media_type", "text/plain");
        source.string("data", &text);
        source.close();
    }
    if let Some(name) = &file.name {
        object.string("title", name);
    }
    object.close();
}

fn write_source(kind: &str, media: &Media, found: &MediaLocation<'_>, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("type", kind);
    if let Some(out) = object.member("source") {
        let mut source = ObjectWriter::open(out);
        match found {
            MediaLocation::Base64(data) => {
                source.string("type", "base64");
                source.string("media_type", &media.media_type);
                source.string("data", data);
            }
            MediaLocation::Url(url) => {
                source.string("type", "url");
                source.string("url", url);
            }
            MediaLocation::Missing => {}
        }
        source.close();
    }
    object.close();
}

pub(super) fn write_tools(tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
    for tool in tools {
        write::comma(out);
        let mut object = ObjectWriter::open(out);
        object.string("name", &tool.name);
        object.string("description", &tool.description);
        object.value("input_schema", &tool.schema);
        object.close();
    }
}

/// Space for everything in a body other than messages, tools and system prompt.
const FRAME_BYTES: usize = 1_024;

pub(super) fn assemble(
    dialect: &AnthropicDialect,
    call: &ModelCall<'_>,
    parts: &RequestParts<'_>,
) -> ProviderRequest {
    let system = &call.request.system;
    let size = parts.transcript.len().saturating_add(parts.tools.len()).saturating_add(system.len());
    let mut body = Vec::with_capacity(size.saturating_add(FRAME_BYTES));
    let extra = call.options.extra.as_ref().and_then(Json::as_object);
    let caching = call.options.caching;
    let mut object = ObjectWriter::overridden(&mut body, extra);
    object.string("model", call.model());
    write_settings(dialect, call, &mut object);
    write_tool_settings(call, parts.tools, &mut object);
    if !system.trim().is_empty()
        && let Some(out) = object.member("system")
    {
        out.push(b'[');
        write_text(system, out);
        if let Some(mark) = breakpoint(caching) {
            out.pop();
            out.extend_from_slice(mark);
            out.push(b'}');
        }
        out.push(b']');
    }
    if let Some(out) = object.member("messages") {
        out.push(b'[');
        write_transcript(parts.transcript, caching, out);
        out.push(b']');
    }
    object.close();
    let mut request = ProviderRequest::post(dialect.path.clone(), dialect.auth.clone(), body);
    request.headers.extend_from_slice(&dialect.headers);
    request
}

/// Copies the messages and puts breakpoints on the last block, and on the last block before
/// the last reply. The previous request ended at the second one, so its cache is found even
/// after a long turn.
fn write_transcript(transcript: &MessageBuffer, caching: Caching, out: &mut Vec<u8>) {
    let bytes = transcript.bytes();
    let mut from = 0;
    if let Some(mark) = breakpoint(caching) {
        for at in breakpoints(transcript).into_iter().flatten() {
            out.extend_from_slice(bytes.get(from..at).unwrap_or_default());
            out.extend_from_slice(mark);
            from = at;
        }
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out.extend_from_slice(transcript.tail());
}

fn breakpoints(transcript: &MessageBuffer) -> [Option<usize>; 2] {
    let mut marks = transcript.marks().iter().rev().peekable();
    let last = marks.peek().map(|mark| mark.at);
    let earlier =
        marks.skip_while(|mark| mark.group == USER).find(|mark| mark.group == USER).map(|mark| mark.at);
    [earlier, last]
}

fn write_settings(dialect: &AnthropicDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    let most = call.max_output().unwrap_or(dialect.max_tokens);
    object.number("max_tokens", most);
    let reasoning = call.options.reasoning;
    let thinks = write_thinking_settings(dialect.thinking, reasoning, most, object);
    // The service does not accept a temperature together with thinking.
    if let Some(milli) = call.request.model.temperature_milli.filter(|_| !thinks)
        && let Some(out) = object.member("temperature")
    {
        write::thousandths(out, milli);
    }
    let effort = reasoning.effort().filter(|_| dialect.thinking == AnthropicThinking::Adaptive);
    let schema = call
        .request
        .format
        .as_ref()
        .filter(|_| dialect.structured == AnthropicStructuredOutput::OutputConfig);
    if (effort.is_some() || schema.is_some())
        && let Some(out) = object.member("output_config")
    {
        let mut config = ObjectWriter::open(out);
        if let Some(effort) = effort {
            config.string("effort", effort.word());
        }
        if let Some(schema) = schema
            && let Some(out) = config.member("format")
        {
            out.extend_from_slice(br#"{"type":"json_schema","schema":"#);
            write::value(out, schema);
            out.push(b'}');
        }
        config.close();
    }
    if !call.options.stop.is_empty()
        && let Some(out) = object.member("stop_sequences")
    {
        out.push(b'[');
        for stop in &call.options.stop {
            write::comma(out);
            write::string(out, stop);
        }
        out.push(b']');
    }
    if call.options.delivery == Delivery::Stream {
        object.raw("stream", "true");
    }
}

/// Requests thinking, and returns whether it did.
fn write_thinking_settings(
    style: AnthropicThinking,
    reasoning: Reasoning,
    most: u64,
    object: &mut ObjectWriter<'_>,
) -> bool {
    let Some(budget) = reasoning.budget() else {
        if reasoning == Reasoning::Off && style != AnthropicThinking::Omitted {
            object.raw("thinking", r#"{"type":"disabled"}"#);
        }
        return false;
    };
    match style {
        AnthropicThinking::Omitted => false,
        AnthropicThinking::Adaptive => {
            object.raw("thinking", r#"{"type":"adaptive"}"#);
            true
        }
        AnthropicThinking::Budget if most <= MIN_THINKING => false,
        AnthropicThinking::Budget => {
            let budget = budget.clamp(MIN_THINKING, most.saturating_sub(1));
            object.raw("thinking", format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#));
            true
        }
    }
}

fn write_tool_settings(call: &ModelCall<'_>, tools: &[u8], object: &mut ObjectWriter<'_>) {
    if tools.is_empty() {
        return;
    }
    if let Some(out) = object.member("tools") {
        out.push(b'[');
        out.extend_from_slice(tools);
        if let Some(mark) = breakpoint(call.options.caching) {
            out.pop();
            out.extend_from_slice(mark);
            out.push(b'}');
        }
        out.push(b']');
    }
    let single = call.options.parallel == Parallel::Forbidden;
    let (kind, name) = match call.tool_choice() {
        ToolChoice::Auto if !single => return,
        ToolChoice::Auto => ("auto", None),
        ToolChoice::None => ("none", None),
        ToolChoice::Required => ("any", None),
        ToolChoice::Tool(name) => ("tool", Some(name)),
    };
    if let Some(out) = object.member("tool_choice") {
        let mut choice = ObjectWriter::open(out);
        choice.string("type", kind);
        if let Some(name) = name {
            choice.string("name", name);
        }
        if single && kind != "none" {
            choice.raw("disable_parallel_tool_use", "true");
        }
        choice.close();
    }
}

/// The id in the form that the service accepts: letters, digits, `_` and `-`. Ids of other
/// providers contain dots and colons.
fn tool_id(id: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !id.is_empty() && id.chars().all(fits) {
        return Cow::Borrowed(id);
    }
    let repaired: String = id.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    Cow::Owned(if repaired.is_empty() { "_".into() } else { repaired })
}
