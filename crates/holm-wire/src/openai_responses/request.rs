//! Writes request bodies for Responses: input items, tools and settings.
//!
//! Replies are read in `stream.rs`, and requests of clients in `request_reader.rs`. Requests say
//! `store: false`, because the journal is the only memory. Only reasoning of this format is sent
//! back, and only if an item follows it, because the service refuses it otherwise.

use alloc::{format, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, Role, Thinking, ToolCall, ToolResult, ToolSpec};

use super::{OpenaiResponsesDialect, REPLAY, ReasoningItems};
use crate::{
    Delivery, MediaSource, ModelCall, Parallel, ProviderRequest, Reasoning, RequestParts, ToolChoice,
    media::{MediaLocation, as_text, data_url, describe, resolve},
    openai_chat::{OptionalField, is_strict},
    write::{self, ObjectWriter},
};

/// The smallest output limit that the service accepts.
const MIN_OUTPUT: u64 = 16;

pub(super) fn write_message(
    dialect: &OpenaiResponsesDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut Vec<u8>,
) {
    match message.role {
        Role::Custom => {}
        Role::System => write_text("developer", &message.plain_text(), out),
        Role::Assistant => write_assistant(dialect, message, out),
        Role::User | Role::Tool => write_incoming(dialect, message, media, out),
    }
}

/// Writes the results first, each as a separate item, and then the rest of the message.
fn write_incoming(
    dialect: &OpenaiResponsesDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut Vec<u8>,
) {
    for block in &message.blocks {
        if let Block::ToolResult(result) = block {
            write_result(dialect, result, media, out);
        }
    }
    let content: Vec<&Block> = message
        .blocks
        .iter()
        .filter(|block| matches!(block, Block::Text(_) | Block::Image(_) | Block::File(_)))
        .collect();
    match content.as_slice() {
        [] => {}
        [Block::Text(text)] => write_text("user", text, out),
        blocks => {
            write::comma(out);
            out.extend_from_slice(br#"{"type":"message","role":"user","content":["#);
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
    object.string("type", "message");
    object.string("role", role);
    object.string("content", text);
    object.close();
}

/// The items of a reply in order. Reasoning without a following item is left out, because
/// the service refuses it.
fn write_assistant(dialect: &OpenaiResponsesDialect, message: &Message, out: &mut Vec<u8>) {
    let leads_on = |block: &Block| match block {
        Block::Text(text) => !text.is_empty(),
        Block::ToolCall(_) => true,
        Block::Thinking(_) | Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {
            false
        }
    };
    let last = message.blocks.iter().rposition(leads_on).unwrap_or(0);
    for (index, block) in message.blocks.iter().enumerate() {
        match block {
            Block::Text(text) if !text.is_empty() => {
                write::comma(out);
                out.extend_from_slice(br#"{"type":"message","role":"assistant","content":["#);
                write_text_part("output_text", text, out);
                out.extend_from_slice(b"]}");
            }
            Block::Thinking(thinking) if index < last => write_thinking(dialect, thinking, out),
            Block::ToolCall(call) => write_call(call, out),
            Block::Text(_)
            | Block::Thinking(_)
            | Block::ToolResult(_)
            | Block::Image(_)
            | Block::File(_)
            | Block::Custom(_) => {}
        }
    }
}

/// Only reasoning of this format may be sent back, and only if the service can read
/// it without its store.
fn write_thinking(dialect: &OpenaiResponsesDialect, thinking: &Thinking, out: &mut Vec<u8>) {
    let Some(item) = thinking.replay.as_ref().and_then(|replay| replay.get(REPLAY)) else { return };
    let encrypted = item.get("encrypted_content").and_then(Json::as_str).is_some_and(|text| !text.is_empty());
    match dialect.reasoning {
        ReasoningItems::Dropped => return,
        ReasoningItems::Encrypted if !encrypted => return,
        ReasoningItems::Encrypted | ReasoningItems::Plain => {}
    }
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "reasoning");
    if let Some(id) = item.get("id") {
        object.value("id", id);
    }
    object.value("summary", item.get("summary").unwrap_or(&Json::Array(Vec::new())));
    for name in ["content", "encrypted_content"] {
        if let Some(value) = item.get(name) {
            object.value(name, value);
        }
    }
    object.close();
}

fn write_call(call: &ToolCall, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "function_call");
    object.string("call_id", &call.id);
    object.string("name", &call.name);
    // Some models call a tool without arguments with an empty text; the service requires an object.
    object.string("arguments", if call.arguments.is_empty() { "{}" } else { &call.arguments });
    object.close();
}

fn write_result(
    dialect: &OpenaiResponsesDialect,
    result: &ToolResult,
    media: &dyn MediaSource,
    out: &mut Vec<u8>,
) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "function_call_output");
    object.string("call_id", &result.call);
    if let Some(out) = object.member("output") {
        if result.parts.is_empty() {
            write::string(out, &result.text);
        } else {
            out.push(b'[');
            write_text_part("input_text", &result.text, out);
            for part in &result.parts {
                write_part(dialect, part, media, out);
            }
            out.push(b']');
        }
    }
    object.close();
}

fn write_text_part(kind: &str, text: &str, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", kind);
    object.string("text", text);
    object.close();
}

fn write_part(dialect: &OpenaiResponsesDialect, block: &Block, source: &dyn MediaSource, out: &mut Vec<u8>) {
    let words = |text: &str, out: &mut Vec<u8>| write_text_part("input_text", text, out);
    match block {
        Block::Text(text) => words(text, out),
        Block::Image(image) if dialect.images == OptionalField::Sent => match resolve(image, source) {
            MediaLocation::Base64(data) => write_image(&data_url(&image.media_type, &data), out),
            MediaLocation::Url(url) => write_image(url, out),
            MediaLocation::Missing => words(&describe(image), out),
        },
        Block::File(file) => match resolve(file, source) {
            MediaLocation::Missing => words(&describe(file), out),
            found => write_file(dialect, file, &found, out),
        },
        Block::Image(image) => words(&describe(image), out),
        Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => {}
    }
}

fn write_image(url: &str, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "input_image");
    object.string("image_url", url);
    object.close();
}

/// A text file is sent as text, which every model reads.
fn write_file(dialect: &OpenaiResponsesDialect, file: &Media, found: &MediaLocation<'_>, out: &mut Vec<u8>) {
    if let MediaLocation::Base64(data) = found
        && let Some(text) = as_text(&file.media_type, data)
    {
        let name = file.name.as_deref().unwrap_or("file");
        return write_text_part("input_text", &format!("The file {name:?}:\n{text}"), out);
    }
    if dialect.files == OptionalField::Omitted {
        return write_text_part("input_text", &describe(file), out);
    }
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "input_file");
    match found {
        MediaLocation::Base64(data) => {
            object.string("filename", file.name.as_deref().unwrap_or("file"));
            object.string("file_data", &data_url(&file.media_type, data));
        }
        MediaLocation::Url(url) => object.string("file_url", url),
        MediaLocation::Missing => {}
    }
    object.close();
}

pub(super) fn write_tools(tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
    for tool in tools {
        write::comma(out);
        let mut object = ObjectWriter::open(out);
        object.string("type", "function");
        object.string("name", &tool.name);
        object.string("description", &tool.description);
        object.value("parameters", &tool.schema);
        // The default here is true, and most schemas do not follow the strict rules.
        object.raw("strict", "false");
        object.close();
    }
}

/// Space for everything in a body other than messages, tools and system prompt.
const FRAME_BYTES: usize = 512;

pub(super) fn assemble(
    dialect: &OpenaiResponsesDialect,
    call: &ModelCall<'_>,
    parts: &RequestParts<'_>,
) -> ProviderRequest {
    let system = &call.request.system;
    let size = parts.transcript.len().saturating_add(parts.tools.len()).saturating_add(system.len());
    let mut body = Vec::with_capacity(size.saturating_add(FRAME_BYTES));
    let extra = call.options.extra.as_ref().and_then(Json::as_object);
    let mut object = ObjectWriter::overridden(&mut body, extra);
    object.string("model", call.model());
    if !system.is_empty() {
        object.string("instructions", system);
    }
    if let Some(out) = object.member("input") {
        out.push(b'[');
        parts.transcript.copy_into(out);
        out.push(b']');
    }
    write_tool_settings(dialect, call, parts.tools, &mut object);
    write_settings(dialect, call, &mut object);
    if let Some(key) = &call.options.cache_key {
        object.string("prompt_cache_key", key);
    }
    object.raw("store", "false");
    if call.options.delivery == Delivery::Stream {
        object.raw("stream", "true");
    }
    object.close();
    let mut request = ProviderRequest::post(dialect.path.clone(), dialect.auth.clone(), body);
    request.query.clone_from(&dialect.query);
    request.headers.extend_from_slice(&dialect.headers);
    request
}

fn write_tool_settings(
    dialect: &OpenaiResponsesDialect,
    call: &ModelCall<'_>,
    tools: &[u8],
    object: &mut ObjectWriter<'_>,
) {
    if tools.is_empty() {
        return;
    }
    if let Some(out) = object.member("tools") {
        out.push(b'[');
        out.extend_from_slice(tools);
        out.push(b']');
    }
    match call.tool_choice() {
        ToolChoice::Auto => {}
        ToolChoice::None => object.string("tool_choice", "none"),
        ToolChoice::Required => object.string("tool_choice", "required"),
        ToolChoice::Tool(name) => {
            if let Some(out) = object.member("tool_choice") {
                out.extend_from_slice(br#"{"type":"function","name":"#);
                write::string(out, name);
                out.push(b'}');
            }
        }
    }
    if dialect.parallel_tools == OptionalField::Sent {
        match call.options.parallel {
            Parallel::Unsaid => {}
            Parallel::Allowed => object.raw("parallel_tool_calls", "true"),
            Parallel::Forbidden => object.raw("parallel_tool_calls", "false"),
        }
    }
}

fn write_settings(dialect: &OpenaiResponsesDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    if let Some(schema) = &call.request.format
        && let Some(out) = object.member("text")
    {
        let strict = if is_strict(schema) { "true" } else { "false" };
        out.extend_from_slice(br#"{"format":{"type":"json_schema","name":"reply","strict":"#);
        out.extend_from_slice(strict.as_bytes());
        out.extend_from_slice(br#","schema":"#);
        write::value(out, schema);
        out.extend_from_slice(b"}}");
    }
    if let Some(most) = call.max_output() {
        object.number("max_output_tokens", most.max(MIN_OUTPUT));
    }
    if let Some(milli) = call.request.model.temperature_milli
        && dialect.temperature == OptionalField::Sent
        && let Some(out) = object.member("temperature")
    {
        write::thousandths(out, milli);
    }
    write_reasoning(dialect, call.options.reasoning, object);
}

fn write_reasoning(dialect: &OpenaiResponsesDialect, reasoning: Reasoning, object: &mut ObjectWriter<'_>) {
    let effort = reasoning.effort();
    let word = match (reasoning, effort) {
        (_, Some(effort)) => Some(effort.word()),
        (Reasoning::Off, None) => Some("none"),
        (_, None) => None,
    };
    if let Some(word) = word
        && let Some(out) = object.member("reasoning")
    {
        let mut wish = ObjectWriter::open(out);
        wish.string("effort", word);
        if let Some(summary) = dialect.summary.as_deref().filter(|_| effort.is_some()) {
            wish.string("summary", summary);
        }
        wish.close();
    }
    if dialect.reasoning == ReasoningItems::Encrypted && reasoning != Reasoning::Off {
        object.raw("include", r#"["reasoning.encrypted_content"]"#);
    }
}
