//! Writes request bodies for `generateContent`: contents, tools and settings. The model and the
//! delivery are in the path.
//!
//! Replies are read in `stream.rs`, and requests of clients in `request_reader.rs`. Each signature
//! must be on its original, unmerged part. The results of a batch are adjacent, and their
//! images follow them. Reasoning that the service did not sign is not sent.

use alloc::{borrow::ToOwned, format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, Role, ToolCall, ToolResult, ToolSpec};

use super::{GeminiDialect, GeminiThinking, SignaturePlace, signature};
use crate::{
    Delivery, MediaSource, MessageBuffer, ModelCall, ProviderRequest, Reasoning, RequestParts, ToolChoice,
    http::escape,
    media::{MediaLocation, as_text, describe, resolve},
    openai_chat::OptionalField,
    write::{self, ObjectWriter},
};

const USER: &str = "user";
const MODEL: &str = "model";
/// The group of results of one batch, which contains nothing else. Their images wait in the tail.
const RESULTS: &str = "results";

/// Writes a message. Neighbours of one kind become one content.
pub(super) fn write_message(
    dialect: &GeminiDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut MessageBuffer,
) {
    match message.role {
        Role::Custom => {}
        Role::System => {
            let text = format!("<operator>\n{}\n</operator>", message.plain_text());
            add(USER, out, |out| write_text(&text, out));
        }
        Role::Assistant => write_reply(dialect, message, media, out),
        Role::User | Role::Tool => write_incoming(dialect, message, media, out),
    }
}

/// Adds a part to the group's content, and opens the content if another group is open. A part that
/// writes nothing opens nothing.
fn add(group: &'static str, out: &mut MessageBuffer, part: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = Vec::new();
    part(&mut bytes);
    if bytes.is_empty() {
        return;
    }
    if out.group() != group {
        out.settle(group);
        let role = if group == MODEL { MODEL } else { USER };
        let open = out.out();
        write::comma(open);
        open.extend_from_slice(br#"{"role":""#);
        open.extend_from_slice(role.as_bytes());
        open.extend_from_slice(br#"","parts":["#);
        out.tail_mut().extend_from_slice(b"]}");
    }
    write::comma(out.out());
    out.out().append(&mut bytes);
}

fn write_incoming(
    dialect: &GeminiDialect,
    message: &Message,
    media: &dyn MediaSource,
    out: &mut MessageBuffer,
) {
    for block in &message.blocks {
        if let Block::ToolResult(result) = block {
            add(RESULTS, out, |out| write_result(dialect, result, out));
            queue_pictures(result, media, out.tail_mut());
        }
    }
    for block in &message.blocks {
        match block {
            Block::Text(_) | Block::Image(_) | Block::File(_) => {
                add(USER, out, |out| write_part(block, media, out));
            }
            Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => {}
        }
    }
}

/// Puts the images of a result after all results of the batch.
fn queue_pictures(result: &ToolResult, media: &dyn MediaSource, tail: &mut Vec<u8>) {
    if result.parts.is_empty() {
        return;
    }
    // Reopens the content by removing its two closing brackets.
    tail.truncate(tail.len().saturating_sub(2));
    let label = format!("From the tool {}, call {}:", result.tool, result.call);
    let mut part = Vec::new();
    write_text(&label, &mut part);
    tail.push(b',');
    tail.append(&mut part);
    for block in &result.parts {
        write_part(block, media, &mut part);
        if !part.is_empty() {
            tail.push(b',');
            tail.append(&mut part);
        }
    }
    tail.extend_from_slice(b"]}");
}

/// The parts of a reply, with each signature on its original part.
fn write_reply(dialect: &GeminiDialect, message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
    let mut first_call = true;
    for (index, block) in message.blocks.iter().enumerate() {
        match block {
            Block::Text(text) => {
                let next = message.blocks.get(index.saturating_add(1));
                let signed = match next {
                    Some(Block::Thinking(next)) => signature(next.replay.as_ref()),
                    _ => None,
                };
                let signed = signed.filter(|(_, place)| *place == SignaturePlace::Text);
                add(MODEL, out, |out| write_signed_text(text, signed.map(|(signature, _)| signature), out));
            }
            // The service understands only reasoning that it signed itself.
            Block::Thinking(thinking) => match signature(thinking.replay.as_ref()) {
                Some((signature, SignaturePlace::Own)) => {
                    add(MODEL, out, |out| write_thought(&thinking.text, signature, out));
                }
                Some((signature, SignaturePlace::Empty)) => {
                    add(MODEL, out, |out| write_empty(signature, out));
                }
                Some((_, SignaturePlace::Text)) | None => {}
            },
            Block::ToolCall(call) => {
                let stand_in = dialect.missing_signature.as_deref().filter(|_| first_call);
                let signed = signature(call.replay.as_ref()).map(|(signature, _)| signature).or(stand_in);
                first_call = false;
                add(MODEL, out, |out| write_call(dialect, call, signed, out));
            }
            Block::Image(_) | Block::File(_) => add(MODEL, out, |out| write_part(block, media, out)),
            Block::ToolResult(_) | Block::Custom(_) => {}
        }
    }
}

/// Writes text. The service refuses an empty part.
fn write_text(text: &str, out: &mut Vec<u8>) {
    write_signed_text(text, None, out);
}

fn write_signed_text(text: &str, signature: Option<&str>, out: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    let mut object = ObjectWriter::open(out);
    object.string("text", text);
    if let Some(signature) = signature {
        object.string("thoughtSignature", signature);
    }
    object.close();
}

fn write_thought(text: &str, signature: &str, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("text", text);
    object.raw("thought", "true");
    object.string("thoughtSignature", signature);
    object.close();
}

fn write_empty(signature: &str, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("text", "");
    object.string("thoughtSignature", signature);
    object.close();
}

fn write_call(dialect: &GeminiDialect, call: &ToolCall, signature: Option<&str>, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("functionCall") {
        let mut function = ObjectWriter::open(out);
        if dialect.ids == OptionalField::Sent {
            function.string("id", &call.id);
        }
        function.string("name", &call.name);
        if let Some(out) = function.member("args") {
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
        function.close();
    }
    if let Some(signature) = signature {
        object.string("thoughtSignature", signature);
    }
    object.close();
}

fn write_result(dialect: &GeminiDialect, result: &ToolResult, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("functionResponse") {
        let mut function = ObjectWriter::open(out);
        if dialect.ids == OptionalField::Sent {
            function.string("id", &result.call);
        }
        function.string("name", &result.tool);
        if let Some(out) = function.member("response") {
            let mut response = ObjectWriter::open(out);
            response.string(if result.outcome.is_error() { "error" } else { "output" }, &result.text);
            response.close();
        }
        function.close();
    }
    object.close();
}

fn write_part(block: &Block, media: &dyn MediaSource, out: &mut Vec<u8>) {
    match block {
        Block::Text(text) => write_text(text, out),
        Block::Image(file) | Block::File(file) => write_file(file, media, out),
        Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => {}
    }
}

/// A text file is sent as text, because the service supports few text types.
fn write_file(file: &Media, media: &dyn MediaSource, out: &mut Vec<u8>) {
    let (kind, member, value) = match resolve(file, media) {
        MediaLocation::Missing => return write_text(&describe(file), out),
        MediaLocation::Url(url) => ("fileData", "fileUri", url.to_owned()),
        MediaLocation::Base64(data) => match as_text(&file.media_type, &data) {
            Some(text) => {
                let name = file.name.as_deref().unwrap_or("file");
                return write_text(&format!("The file {name:?}:\n{text}"), out);
            }
            None => ("inlineData", "data", data.into_owned()),
        },
    };
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member(kind) {
        let mut inner = ObjectWriter::open(out);
        // If the type is only a guess, the service determines it.
        if !file.media_type.contains('*') {
            inner.string("mimeType", &file.media_type);
        }
        inner.string(member, &value);
        inner.close();
    }
    object.close();
}

pub(super) fn write_tools(tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
    for tool in tools {
        write::comma(out);
        let mut object = ObjectWriter::open(out);
        object.string("name", &tool.name);
        object.string("description", &tool.description);
        object.value("parametersJsonSchema", &tool.schema);
        object.close();
    }
}

/// Space for everything in a body other than messages, tools and system prompt.
const FRAME_BYTES: usize = 512;

pub(super) fn assemble(
    dialect: &GeminiDialect,
    call: &ModelCall<'_>,
    parts: &RequestParts<'_>,
) -> ProviderRequest {
    let system = &call.request.system;
    let size = parts.transcript.len().saturating_add(parts.tools.len()).saturating_add(system.len());
    let mut body = Vec::with_capacity(size.saturating_add(FRAME_BYTES));
    let extra = call.options.extra.as_ref().and_then(Json::as_object);
    let mut object = ObjectWriter::overridden(&mut body, extra);
    if !system.is_empty()
        && let Some(out) = object.member("systemInstruction")
    {
        out.extend_from_slice(br#"{"parts":["#);
        write_text(system, out);
        out.extend_from_slice(b"]}");
    }
    if let Some(out) = object.member("contents") {
        out.push(b'[');
        parts.transcript.copy_into(out);
        out.push(b']');
    }
    write_tool_settings(call, parts.tools, &mut object);
    write_settings(dialect, call, &mut object);
    object.close();
    let mut model = String::new();
    escape(call.model().strip_prefix("models/").unwrap_or(call.model()), &mut model);
    let (method, streamed) = match call.options.delivery {
        Delivery::Stream => ("streamGenerateContent", true),
        Delivery::Whole => ("generateContent", false),
    };
    let path = format!("{}:{method}", dialect.path.replace("{model}", &model));
    let mut request = ProviderRequest::post(path, dialect.auth.clone(), body);
    if streamed {
        request.query.push(("alt".into(), "sse".into()));
    }
    request.headers.extend_from_slice(&dialect.headers);
    request
}

fn write_tool_settings(call: &ModelCall<'_>, tools: &[u8], object: &mut ObjectWriter<'_>) {
    if tools.is_empty() {
        return;
    }
    if let Some(out) = object.member("tools") {
        out.extend_from_slice(br#"[{"functionDeclarations":["#);
        out.extend_from_slice(tools);
        out.extend_from_slice(b"]}]");
    }
    let (mode, name) = match call.tool_choice() {
        ToolChoice::Auto => return,
        ToolChoice::None => ("NONE", None),
        ToolChoice::Required => ("ANY", None),
        ToolChoice::Tool(name) => ("ANY", Some(name)),
    };
    if let Some(out) = object.member("toolConfig") {
        out.extend_from_slice(br#"{"functionCallingConfig":"#);
        let mut config = ObjectWriter::open(out);
        config.string("mode", mode);
        if let Some(name) = name
            && let Some(out) = config.member("allowedFunctionNames")
        {
            out.push(b'[');
            write::string(out, name);
            out.push(b']');
        }
        config.close();
        out.push(b'}');
    }
}

fn write_settings(dialect: &GeminiDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    let mut bytes = Vec::new();
    let mut config = ObjectWriter::open(&mut bytes);
    if let Some(most) = call.max_output() {
        config.number("maxOutputTokens", most);
    }
    if let Some(milli) = call.request.model.temperature_milli
        && let Some(out) = config.member("temperature")
    {
        write::thousandths(out, milli);
    }
    if !call.options.stop.is_empty()
        && let Some(out) = config.member("stopSequences")
    {
        out.push(b'[');
        for stop in &call.options.stop {
            write::comma(out);
            write::string(out, stop);
        }
        out.push(b']');
    }
    let alone = call.request.tools.tools.is_empty();
    if let Some(schema) = &call.request.format
        && (alone || dialect.schema_with_tools == OptionalField::Sent)
    {
        config.string("responseMimeType", "application/json");
        config.value("responseJsonSchema", schema);
    }
    write_thinking_settings(dialect.thinking, call.options.reasoning, &mut config);
    config.close();
    if bytes != b"{}" {
        object.raw("generationConfig", bytes);
    }
}

fn write_thinking_settings(style: GeminiThinking, reasoning: Reasoning, config: &mut ObjectWriter<'_>) {
    let wish = match (style, reasoning, reasoning.effort(), reasoning.budget()) {
        (GeminiThinking::Budget, Reasoning::Off, ..) => r#"{"thinkingBudget":0}"#.to_owned(),
        (GeminiThinking::Budget, _, _, Some(budget)) => {
            format!(r#"{{"includeThoughts":true,"thinkingBudget":{budget}}}"#)
        }
        (GeminiThinking::Level, _, Some(effort), _) => {
            format!(r#"{{"includeThoughts":true,"thinkingLevel":"{}"}}"#, effort.word())
        }
        (GeminiThinking::Budget | GeminiThinking::Level | GeminiThinking::Omitted, ..) => return,
    };
    config.raw("thinkingConfig", wish);
}
