//! Writes request bodies for Cohere's chat: messages, tools and settings.
//!
//! Replies are read in `stream.rs`, and requests of clients in `request_reader.rs`. Tool messages
//! contain only text, so images of results follow in one user message after all results of the
//! batch. Text next to calls is sent as the plan. Only reasoning of this format is sent back.

use alloc::{format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, Role, ToolCall, ToolResult, ToolSpec};

use super::{CohereDialect, REPLAY};
use crate::{
    Delivery, MediaSource, MessageBuffer, ModelCall, ProviderRequest, Reasoning, RequestParts, ToolChoice,
    media::{MediaLocation, as_text, data_url, describe, resolve},
    openai_chat::OptionalField,
    write::{self, ObjectWriter},
};

/// The group of consecutive tool results. Their images follow in one user message, because tool
/// messages contain only text.
const RESULTS: &str = "results";

pub(super) fn write_message(
    dialect: &CohereDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut MessageBuffer,
) {
    match message.role {
        Role::Custom => {}
        Role::System => {
            out.settle("");
            write_text("system", &message.plain_text(), out.out());
        }
        Role::Assistant => {
            out.settle("");
            write_assistant(message, out.out());
        }
        Role::User | Role::Tool => write_incoming(dialect, message, media, out),
    }
}

/// Writes the results first, each as a separate message, and then the rest of the message.
fn write_incoming(
    dialect: &CohereDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut MessageBuffer,
) {
    for block in &message.blocks {
        if let Block::ToolResult(result) = block {
            if out.group() != RESULTS {
                out.settle(RESULTS);
            }
            write_result(result, out.out());
            queue_pictures(dialect, result, media, out.tail_mut());
        }
    }
    let content: Vec<&Block> = message
        .blocks
        .iter()
        .filter(|block| matches!(block, Block::Text(_) | Block::Image(_) | Block::File(_)))
        .collect();
    match content.as_slice() {
        [] => {}
        [Block::Text(text)] => {
            out.settle("");
            write_text("user", text, out.out());
        }
        blocks => {
            out.settle("");
            let out = out.out();
            write::comma(out);
            out.extend_from_slice(br#"{"role":"user","content":["#);
            for block in blocks {
                write_part(dialect, block, media, out);
            }
            out.extend_from_slice(b"]}");
        }
    }
}

fn write_text(role: &str, text: &str, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", role);
    object.string("content", text);
    object.close();
}

/// Writes a reply. Text next to calls becomes the plan, because the service accepts no other text
/// there. A reply without any content is left out, because the service refuses it.
fn write_assistant(message: &Message, out: &mut Vec<u8>) {
    let text = message.plain_text();
    let calls: Vec<&ToolCall> = message.tool_calls().collect();
    let thoughts: Vec<&str> = message.blocks.iter().filter_map(own_thought).collect();
    if text.is_empty() && calls.is_empty() {
        return;
    }
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", "assistant");
    let answer = if calls.is_empty() { text.as_str() } else { "" };
    if !thoughts.is_empty() {
        if let Some(out) = object.member("content") {
            out.push(b'[');
            for thought in thoughts {
                write_typed("thinking", thought, out);
            }
            if !answer.is_empty() {
                write_typed("text", answer, out);
            }
            out.push(b']');
        }
    } else if !answer.is_empty() {
        object.string("content", answer);
    }
    if !calls.is_empty() {
        if !text.is_empty() {
            object.string("tool_plan", &text);
        }
        if let Some(out) = object.member("tool_calls") {
            out.push(b'[');
            for call in calls {
                write_call(call, out);
            }
            out.push(b']');
        }
    }
    object.close();
}

/// The reasoning of this format. Reasoning of other formats is not sent.
fn own_thought(block: &Block) -> Option<&str> {
    let Block::Thinking(thinking) = block else { return None };
    thinking.replay.as_ref()?.get(REPLAY)?;
    Some(thinking.text.as_str()).filter(|text| !text.is_empty())
}

fn write_call(call: &ToolCall, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("id", &call.id);
    object.string("type", "function");
    if let Some(out) = object.member("function") {
        let mut function = ObjectWriter::open(out);
        function.string("name", &call.name);
        // Some models call a tool without arguments with an empty text; the service requires an
        // object.
        function.string("arguments", if call.arguments.is_empty() { "{}" } else { &call.arguments });
        function.close();
    }
    object.close();
}

fn write_result(result: &ToolResult, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", "tool");
    object.string("tool_call_id", &result.call);
    object.string("content", &result.text);
    object.close();
}

fn queue_pictures(dialect: &CohereDialect, result: &ToolResult, media: &dyn MediaSource, tail: &mut Vec<u8>) {
    if result.parts.is_empty() {
        return;
    }
    if tail.is_empty() {
        tail.extend_from_slice(br#",{"role":"user","content":["#);
    } else {
        // Reopens the message by removing its two closing brackets.
        tail.truncate(tail.len().saturating_sub(2));
    }
    write_typed("text", &format!("From the tool {}, call {}:", result.tool, result.call), tail);
    for part in &result.parts {
        write_part(dialect, part, media, tail);
    }
    tail.extend_from_slice(b"]}");
}

/// A part whose text is in the member with the name of its type.
fn write_typed(kind: &str, text: &str, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", kind);
    object.string(kind, text);
    object.close();
}

fn write_part(dialect: &CohereDialect, block: &Block, source: &dyn MediaSource, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => write_typed("text", text, out),
        Block::Image(media) if dialect.images == OptionalField::Sent => match resolve(media, source) {
            MediaLocation::Base64(data) => write_image(&data_url(&media.media_type, &data), out),
            MediaLocation::Url(url) => write_image(url, out),
            MediaLocation::Missing => write_typed("text", &describe(media), out),
        },
        Block::Image(media) => write_typed("text", &describe(media), out),
        Block::File(media) => write_typed("text", &read_file(media, source), out),
        Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => {}
    }
}

fn write_image(url: &str, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "image_url");
    if let Some(out) = object.member("image_url") {
        let mut image = ObjectWriter::open(out);
        image.string("url", url);
        image.close();
    }
    object.close();
}

/// The format does not support files: text files are inserted as text, and others are described.
fn read_file(media: &Media, source: &dyn MediaSource) -> String {
    let text = match resolve(media, source) {
        MediaLocation::Base64(data) => as_text(&media.media_type, &data),
        MediaLocation::Url(_) | MediaLocation::Missing => None,
    };
    let name = media.name.as_deref().unwrap_or("file");
    text.map_or_else(|| describe(media), |text| format!("The file {name:?}:\n{text}"))
}

pub(super) fn write_tools(tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
    for tool in tools {
        write::comma(out);
        let mut object = ObjectWriter::open(out);
        object.string("type", "function");
        if let Some(out) = object.member("function") {
            let mut function = ObjectWriter::open(out);
            function.string("name", &tool.name);
            function.string("description", &tool.description);
            function.value("parameters", &tool.schema);
            function.close();
        }
        object.close();
    }
}

/// Space for everything in a body other than messages, tools and system prompt.
const FRAME_BYTES: usize = 512;

pub(super) fn assemble(
    dialect: &CohereDialect,
    call: &ModelCall<'_>,
    parts: &RequestParts<'_>,
) -> ProviderRequest {
    let system = &call.request.system;
    let size = parts.transcript.len().saturating_add(parts.tools.len()).saturating_add(system.len());
    let mut body = Vec::with_capacity(size.saturating_add(FRAME_BYTES));
    let extra = call.options.extra.as_ref().and_then(Json::as_object);
    let mut object = ObjectWriter::overridden(&mut body, extra);
    object.string("model", call.model());
    if let Some(out) = object.member("messages") {
        out.push(b'[');
        if !system.is_empty() {
            write_text("system", system, out);
        }
        if !parts.transcript.is_empty() {
            write::comma(out);
        }
        parts.transcript.copy_into(out);
        out.push(b']');
    }
    write_tool_settings(call, parts.tools, &mut object);
    write_settings(dialect, call, &mut object);
    object.close();
    let mut request = ProviderRequest::post(dialect.path.clone(), dialect.auth.clone(), body);
    request.headers.extend_from_slice(&dialect.headers);
    request
}

/// A request can demand that a tool is called, but not which one. For a chosen tool, the
/// request therefore offers only that tool.
fn write_tool_settings(call: &ModelCall<'_>, tools: &[u8], object: &mut ObjectWriter<'_>) {
    if tools.is_empty() {
        return;
    }
    let mut chosen = Vec::new();
    let word = match call.tool_choice() {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("NONE"),
        ToolChoice::Required => Some("REQUIRED"),
        ToolChoice::Tool(name) => {
            let tool = call.request.tools.tools.iter().find(|tool| tool.name == *name);
            tool.into_iter().for_each(|tool| write_tools(core::slice::from_ref(tool), &mut chosen));
            Some("REQUIRED")
        }
    };
    if let Some(out) = object.member("tools") {
        out.push(b'[');
        out.extend_from_slice(if chosen.is_empty() { tools } else { &chosen });
        out.push(b']');
    }
    if let Some(word) = word {
        object.string("tool_choice", word);
    }
}

fn write_settings(dialect: &CohereDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    let alone = call.request.tools.tools.is_empty();
    if let Some(schema) = &call.request.format
        && (alone || dialect.schema_with_tools == OptionalField::Sent)
        && let Some(out) = object.member("response_format")
    {
        out.extend_from_slice(br#"{"type":"json_object","json_schema":"#);
        write::value(out, schema);
        out.push(b'}');
    }
    if let Some(most) = call.max_output() {
        object.number("max_tokens", most);
    }
    if let Some(milli) = call.request.model.temperature_milli
        && let Some(out) = object.member("temperature")
    {
        write::thousandths(out, milli);
    }
    if dialect.thinking == OptionalField::Sent {
        match (call.options.reasoning, call.options.reasoning.budget()) {
            (_, Some(budget)) => {
                object.raw("thinking", format!(r#"{{"type":"enabled","token_budget":{budget}}}"#));
            }
            (Reasoning::Off, None) => object.raw("thinking", r#"{"type":"disabled"}"#),
            (Reasoning::Unsaid | Reasoning::Effort(_) | Reasoning::Budget(_), None) => {}
        }
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
    // This member is required here, for both kinds of delivery.
    object.raw("stream", if call.options.delivery == Delivery::Stream { "true" } else { "false" });
}
