//! Writes request bodies for Chat Completions: messages, tools and settings.
//!
//! Replies are read in `stream.rs`, and requests of clients in `server.rs`. Differences between
//! services are settings in `dialect.rs`; this file names no service. Tool messages contain only
//! text, so images of results follow in one user message after all results of the batch. A call
//! and its result must get the same id.

use alloc::{format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, Role, ToolCall, ToolResult, ToolSpec};

use super::{EffortField, OpenaiChatDialect, OptionalField, ReasoningEcho, SchemaFormat, ToolIdFormat};
use crate::{
    Delivery, MediaSource, MessageBuffer, ModelCall, Parallel, ProviderRequest, Reasoning, RequestParts,
    ToolChoice,
    http::escape,
    media::{MediaLocation, as_text, data_url, describe, resolve},
    write::{self, ObjectWriter},
};

/// The group of consecutive tool results. Their images follow in one user message, because tool
/// messages contain only text, and nothing may be between the results of a batch.
const RESULTS: &str = "results";

pub(super) fn write_message(
    dialect: &OpenaiChatDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut MessageBuffer,
) {
    match message.role {
        Role::Custom => {}
        Role::System => {
            out.settle("");
            write_text(dialect.system.name(), &message.plain_text(), out.out());
        }
        Role::Assistant => {
            out.settle("");
            write_assistant(dialect, message, out.out());
        }
        Role::User | Role::Tool => write_incoming(dialect, message, media, out),
    }
}

/// Writes the results first, each as a separate message, and then the rest of the message.
fn write_incoming(
    dialect: &OpenaiChatDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut MessageBuffer,
) {
    for block in &message.blocks {
        if let Block::ToolResult(result) = block {
            if out.group() != RESULTS {
                out.settle(RESULTS);
            }
            write_result(dialect, result, out.out());
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

fn write_assistant(dialect: &OpenaiChatDialect, message: &Message, out: &mut Vec<u8>) {
    let text = message.plain_text();
    let calls: Vec<&ToolCall> = message.tool_calls().collect();
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", "assistant");
    if text.is_empty() && !calls.is_empty() {
        object.raw("content", "null");
    } else {
        object.string("content", &text);
    }
    if let ReasoningEcho::Member(name) = &dialect.reasoning {
        let thoughts: String = message.blocks.iter().filter_map(thought).collect();
        if !thoughts.is_empty() {
            object.string(name, &thoughts);
        }
    }
    if !calls.is_empty()
        && let Some(out) = object.member("tool_calls")
    {
        out.push(b'[');
        for call in calls {
            write_call(dialect, call, out);
        }
        out.push(b']');
    }
    object.close();
}

fn thought(block: &Block) -> Option<&str> {
    if let Block::Thinking(thinking) = block { Some(&thinking.text) } else { None }
}

fn write_call(dialect: &OpenaiChatDialect, call: &ToolCall, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("id", &tool_id(dialect, &call.id));
    object.string("type", "function");
    if let Some(out) = object.member("function") {
        let mut function = ObjectWriter::open(out);
        function.string("name", &call.name);
        // Some models call a tool without arguments with an empty text; services require an object.
        function.string("arguments", if call.arguments.is_empty() { "{}" } else { &call.arguments });
        function.close();
    }
    object.close();
}

fn write_result(dialect: &OpenaiChatDialect, result: &ToolResult, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", "tool");
    object.string("tool_call_id", &tool_id(dialect, &result.call));
    object.string("content", &result.text);
    object.close();
}

fn queue_pictures(
    dialect: &OpenaiChatDialect,
    result: &ToolResult,
    media: &dyn MediaSource,
    tail: &mut Vec<u8>,
) {
    if result.parts.is_empty() {
        return;
    }
    if tail.is_empty() {
        tail.extend_from_slice(br#",{"role":"user","content":["#);
    } else {
        // Reopens the message by removing its two closing brackets.
        tail.truncate(tail.len().saturating_sub(2));
    }
    let label = format!("From the tool {}, call {}:", result.tool, tool_id(dialect, &result.call));
    write_text_part(&label, tail);
    for part in &result.parts {
        write_part(dialect, part, media, tail);
    }
    tail.extend_from_slice(b"]}");
}

fn write_text_part(text: &str, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("type", "text");
    object.string("text", text);
    object.close();
}

fn write_part(dialect: &OpenaiChatDialect, block: &Block, source: &dyn MediaSource, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => write_text_part(text, out),
        Block::Image(media) if dialect.images == OptionalField::Sent => match resolve(media, source) {
            MediaLocation::Base64(data) => write_image(&data_url(&media.media_type, &data), out),
            MediaLocation::Url(url) => write_image(url, out),
            MediaLocation::Missing => write_text_part(&describe(media), out),
        },
        Block::File(media) => match resolve(media, source) {
            MediaLocation::Base64(data) => write_file(dialect, media, &data, out),
            MediaLocation::Url(_) | MediaLocation::Missing => write_text_part(&describe(media), out),
        },
        Block::Image(media) => write_text_part(&describe(media), out),
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

/// A text file is sent as text, which every service accepts. Other files are sent in the form
/// that the service documents.
fn write_file(dialect: &OpenaiChatDialect, media: &Media, data: &str, out: &mut Vec<u8>) {
    if let Some(text) = as_text(&media.media_type, data) {
        let name = media.name.as_deref().unwrap_or("file");
        return write_text_part(&format!("The file {name:?}:\n{text}"), out);
    }
    if dialect.files == OptionalField::Omitted {
        return write_text_part(&describe(media), out);
    }
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    let sound = match media.media_type.as_str() {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    };
    if let Some(format) = sound {
        object.string("type", "input_audio");
        if let Some(out) = object.member("input_audio") {
            let mut audio = ObjectWriter::open(out);
            audio.string("data", data);
            audio.string("format", format);
            audio.close();
        }
    } else {
        object.string("type", "file");
        if let Some(out) = object.member("file") {
            let mut file = ObjectWriter::open(out);
            file.string("filename", media.name.as_deref().unwrap_or("file"));
            file.string("file_data", &data_url(&media.media_type, data));
            file.close();
        }
    }
    object.close();
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
    dialect: &OpenaiChatDialect,
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
            write_text(dialect.system.name(), system, out);
        }
        if !parts.transcript.is_empty() {
            write::comma(out);
        }
        parts.transcript.copy_into(out);
        out.push(b']');
    }
    write_tool_settings(dialect, call, parts.tools, &mut object);
    write_settings(dialect, call, &mut object);
    object.close();
    let mut model = String::new();
    escape(call.model(), &mut model);
    let mut request =
        ProviderRequest::post(dialect.path.replace("{model}", &model), dialect.auth.clone(), body);
    request.query.clone_from(&dialect.query);
    request.headers.extend_from_slice(&dialect.headers);
    request
}

fn write_tool_settings(
    dialect: &OpenaiChatDialect,
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
                out.extend_from_slice(br#"{"type":"function","function":{"name":"#);
                write::string(out, name);
                out.extend_from_slice(b"}}");
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

fn write_settings(dialect: &OpenaiChatDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    if let Some(schema) = &call.request.format {
        write_format(dialect.schema, schema, object);
    }
    if let Some(most) = call.max_output() {
        object.number(dialect.max_tokens.name(), dialect.max_output.map_or(most, |cap| most.min(cap)));
    }
    if let Some(milli) = call.request.model.temperature_milli
        && dialect.temperature == OptionalField::Sent
        && let Some(out) = object.member("temperature")
    {
        write::thousandths(out, milli);
    }
    write_effort(dialect.effort, call.options.reasoning, object);
    if !call.options.stop.is_empty()
        && let Some(out) = object.member("stop")
    {
        out.push(b'[');
        for stop in &call.options.stop {
            write::comma(out);
            write::string(out, stop);
        }
        out.push(b']');
    }
    if dialect.cache_key == OptionalField::Sent
        && let Some(key) = &call.options.cache_key
    {
        object.string("prompt_cache_key", key);
    }
    if call.options.delivery == Delivery::Stream {
        object.raw("stream", "true");
        if dialect.stream_usage == OptionalField::Sent {
            object.raw("stream_options", r#"{"include_usage":true}"#);
        }
    }
}

fn write_format(format: SchemaFormat, schema: &Json, object: &mut ObjectWriter<'_>) {
    match format {
        SchemaFormat::Omitted => {}
        SchemaFormat::JsonObject => object.raw("response_format", r#"{"type":"json_object"}"#),
        SchemaFormat::JsonSchema => {
            let Some(out) = object.member("response_format") else { return };
            let strict = if is_strict(schema) { "true" } else { "false" };
            out.extend_from_slice(br#"{"type":"json_schema","json_schema":{"name":"reply","strict":"#);
            out.extend_from_slice(strict.as_bytes());
            out.extend_from_slice(br#","schema":"#);
            write::value(out, schema);
            out.extend_from_slice(b"}}");
        }
    }
}

fn write_effort(field: EffortField, reasoning: Reasoning, object: &mut ObjectWriter<'_>) {
    let word = match (reasoning, reasoning.effort()) {
        (_, Some(effort)) => effort.word(),
        (Reasoning::Off, None) => "none",
        (_, None) => return,
    };
    match field {
        EffortField::Omitted => {}
        EffortField::ReasoningEffort => object.string("reasoning_effort", word),
        EffortField::Reasoning => {
            if let Some(out) = object.member("reasoning") {
                let mut reasoning = ObjectWriter::open(out);
                reasoning.string("effort", word);
                reasoning.close();
            }
        }
    }
}

/// Whether a schema follows the rules under which the service guarantees it: every object lists all
/// its properties as required and allows no others. The JSON parser limits the depth.
pub(crate) fn is_strict(schema: &Json) -> bool {
    match schema {
        Json::Array(items) => items.iter().all(is_strict),
        Json::Object(members) => {
            let closed = members.get("properties").and_then(Json::as_object).is_none_or(|properties| {
                let required = members.get("required").and_then(Json::as_array).unwrap_or_default();
                members.get("additionalProperties") == Some(&Json::Bool(false))
                    && required.len() == properties.len()
            });
            closed && members.values().all(is_strict)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

/// The id of a call in the form that the dialect accepts. It depends only on the original id, so a
/// call and its result get the same one.
fn tool_id(dialect: &OpenaiChatDialect, id: &str) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let fits = id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if dialect.tool_ids == ToolIdFormat::Any || fits {
        return id.into();
    }
    // FNV-1a is small and stable, and no secret depends on it.
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut short = String::with_capacity(9);
    for _ in 0..9 {
        let digit = usize::try_from(hash % 62).unwrap_or(0);
        short.push(char::from(DIGITS.get(digit).copied().unwrap_or(b'0')));
        hash /= 62;
    }
    short
}
