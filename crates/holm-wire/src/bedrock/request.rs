//! Writes request bodies for Converse: messages, tools, settings and cache points. The model is in
//! the path and not in the body.
//!
//! Pictures and documents are written in `request/files.rs`, the signature is computed in
//! `sign.rs`, and replies are read in `stream.rs`. Neighbours of one role are joined, because roles
//! must alternate. Only reasoning that this format signed is sent back. A call and its result must
//! get the same shortened id.

use alloc::{borrow::Cow, format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, Role, Thinking, ToolCall, ToolResult, ToolSpec};

use super::{BedrockDialect, BedrockStructuredOutput, BedrockThinking, CachePoints, REPLAY};
use crate::{
    Caching, Delivery, MediaSource, MessageBuffer, ModelCall, ProviderRequest, Reasoning, RequestParts,
    ToolChoice,
    http::escape,
    write::{self, ObjectWriter},
};

mod files;

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// The end of a cached prefix.
const POINT: &[u8] = br#"{"cachePoint":{"type":"default"}}"#;

/// The smallest thinking budget that Claude accepts.
const MIN_THINKING: u64 = 1_024;

/// The longest call id that the service accepts.
const MAX_ID: usize = 64;

/// Writes a message. Neighbours of one role become one message, because roles must alternate.
pub(super) fn write_message(message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
    let role = match message.role {
        Role::Custom => return,
        Role::User | Role::Tool | Role::System => USER,
        Role::Assistant => ASSISTANT,
    };
    let mut names = files::DocumentNames::new(message.id);
    let mut first = true;
    let mut add = |bytes: &mut Vec<u8>, out: &mut MessageBuffer, marked: bool| {
        if bytes.is_empty() {
            return;
        }
        if core::mem::take(&mut first) && out.group() != role {
            open(role, out);
        }
        write::comma(out.out());
        out.out().append(bytes);
        if marked {
            out.mark();
        }
    };
    for block in &message.blocks {
        let mut bytes = Vec::new();
        write_block(block, message.role, media, &mut names, &mut bytes);
        add(&mut bytes, out, !matches!(block, Block::Thinking(_)));
    }
    // The service refuses a document in a message without text.
    if names.used() && message.plain_text().trim().is_empty() && role == USER {
        let mut bytes = Vec::new();
        write_text("See the attached document.", &mut bytes);
        add(&mut bytes, out, true);
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

/// Writes one block, or nothing.
fn write_block(
    block: &Block,
    role: Role,
    media: &dyn MediaSource,
    names: &mut files::DocumentNames,
    out: &mut Vec<u8>,
) {
    match block {
        Block::Text(text) if role == Role::System => {
            write_text(&format!("<operator>\n{text}\n</operator>"), out);
        }
        // The service refuses blocks that contain only white space.
        Block::Text(text) if text.trim().is_empty() => {}
        Block::Text(text) => write_text(text, out),
        Block::Thinking(thinking) => write_thinking(thinking, out),
        Block::ToolCall(call) => write_call(call, out),
        Block::ToolResult(result) => write_result(result, media, names, out),
        Block::Image(image) => files::write_image(image, media, out),
        Block::File(file) => files::write_file(file, media, names, out),
        Block::Custom(_) => {}
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("text", text);
    object.close();
}

/// Only reasoning that this format signed may be sent back. The service refuses any other.
fn write_thinking(thinking: &Thinking, out: &mut Vec<u8>) {
    let Some(replay) = thinking.replay.as_ref().and_then(|replay| replay.get(REPLAY)) else { return };
    let text = |name: &str| replay.get(name).and_then(Json::as_str);
    let mut reasoning = Vec::new();
    if let Some(data) = text("redacted") {
        let mut object = ObjectWriter::open(&mut reasoning);
        object.string("redactedContent", data);
        object.close();
    } else if let Some(signature) = text("signature") {
        let mut object = ObjectWriter::open(&mut reasoning);
        if let Some(out) = object.member("reasoningText") {
            let mut inner = ObjectWriter::open(out);
            inner.string("text", &thinking.text);
            inner.string("signature", signature);
            inner.close();
        }
        object.close();
    } else {
        return;
    }
    let mut object = ObjectWriter::open(out);
    object.raw("reasoningContent", &reasoning);
    object.close();
}

fn write_call(call: &ToolCall, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"toolUse":"#);
    let mut object = ObjectWriter::open(out);
    object.string("toolUseId", &tool_id(&call.id));
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
    out.push(b'}');
}

fn write_result(
    result: &ToolResult,
    media: &dyn MediaSource,
    names: &mut files::DocumentNames,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(br#"{"toolResult":"#);
    let mut object = ObjectWriter::open(out);
    object.string("toolUseId", &tool_id(&result.call));
    if let Some(out) = object.member("content") {
        out.push(b'[');
        let blank = result.text.trim().is_empty();
        if !blank || result.parts.is_empty() {
            write_text(if blank { "(no output)" } else { &result.text }, out);
        }
        for part in &result.parts {
            let mut bytes = Vec::new();
            match part {
                Block::Text(_) | Block::Image(_) | Block::File(_) => {
                    write_block(part, Role::Tool, media, names, &mut bytes);
                }
                Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => {}
            }
            if !bytes.is_empty() {
                write::comma(out);
                out.append(&mut bytes);
            }
        }
        out.push(b']');
    }
    object.string("status", if result.outcome.is_error() { "error" } else { "success" });
    object.close();
    out.push(b'}');
}

pub(super) fn write_tools(tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
    for tool in tools {
        write::comma(out);
        out.extend_from_slice(br#"{"toolSpec":"#);
        let mut object = ObjectWriter::open(out);
        object.string("name", &tool.name);
        // The service refuses an empty description.
        if !tool.description.trim().is_empty() {
            object.string("description", &tool.description);
        }
        if let Some(out) = object.member("inputSchema") {
            let mut schema = ObjectWriter::open(out);
            schema.value("json", &tool.schema);
            schema.close();
        }
        object.close();
        out.push(b'}');
    }
}

/// Space for everything in a body other than messages, tools and system prompt.
const FRAME_BYTES: usize = 1_024;

pub(super) fn assemble(
    dialect: &BedrockDialect,
    call: &ModelCall<'_>,
    parts: &RequestParts<'_>,
) -> ProviderRequest {
    let system = &call.request.system;
    let size = parts.transcript.len().saturating_add(parts.tools.len()).saturating_add(system.len());
    let mut body = Vec::with_capacity(size.saturating_add(FRAME_BYTES));
    let extra = call.options.extra.as_ref().and_then(Json::as_object);
    let points = match call.options.caching {
        Caching::On | Caching::Hour => dialect.cache.for_model(call.model()),
        Caching::Off => CachePoints::Nowhere,
    };
    let cached = points != CachePoints::Nowhere;
    let mut object = ObjectWriter::overridden(&mut body, extra);
    if !system.trim().is_empty()
        && let Some(out) = object.member("system")
    {
        out.push(b'[');
        write_text(system, out);
        if cached {
            out.push(b',');
            out.extend_from_slice(POINT);
        }
        out.push(b']');
    }
    if let Some(out) = object.member("messages") {
        out.push(b'[');
        write_transcript(parts.transcript, cached, out);
        out.push(b']');
    }
    write_tool_settings(call, parts.tools, points == CachePoints::Everywhere, &mut object);
    write_settings(dialect, call, &mut object);
    object.close();
    let mut request = ProviderRequest::post(path(call), dialect.auth.clone(), body);
    if call.options.delivery == Delivery::Stream {
        request.headers.push(("accept".into(), "application/vnd.amazon.eventstream".into()));
    }
    request.headers.extend_from_slice(&dialect.headers);
    request
}

/// The path contains the model. The name of a profile contains slashes and colons.
fn path(call: &ModelCall<'_>) -> String {
    let mut path = String::from("/model/");
    escape(call.model(), &mut path);
    path.push_str(match call.options.delivery {
        Delivery::Stream => "/converse-stream",
        Delivery::Whole => "/converse",
    });
    path
}

/// Copies the messages and puts cache points after the last block, and after the last block
/// before the last reply. The previous request ended at the second one, so its cache is found
/// even after a long turn.
fn write_transcript(transcript: &MessageBuffer, cached: bool, out: &mut Vec<u8>) {
    let bytes = transcript.bytes();
    let mut from = 0;
    if cached {
        let mut marks = transcript.marks().iter().rev().peekable();
        let last = marks.peek().map(|mark| mark.at);
        let earlier =
            marks.skip_while(|mark| mark.group == USER).find(|mark| mark.group == USER).map(|mark| mark.at);
        for at in [earlier, last].into_iter().flatten() {
            // A mark is before the brace that closes its block.
            let at = at.saturating_add(1);
            out.extend_from_slice(bytes.get(from..at).unwrap_or_default());
            out.push(b',');
            out.extend_from_slice(POINT);
            from = at;
        }
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out.extend_from_slice(transcript.tail());
}

fn write_tool_settings(call: &ModelCall<'_>, tools: &[u8], cached: bool, object: &mut ObjectWriter<'_>) {
    if tools.is_empty() {
        return;
    }
    let Some(out) = object.member("toolConfig") else { return };
    let mut config = ObjectWriter::open(out);
    if let Some(out) = config.member("tools") {
        out.push(b'[');
        out.extend_from_slice(tools);
        if cached {
            out.push(b',');
            out.extend_from_slice(POINT);
        }
        out.push(b']');
    }
    match call.tool_choice() {
        // The format has no word for "none"; tools cannot be left out either while
        // the transcript holds calls.
        ToolChoice::Auto | ToolChoice::None => {}
        ToolChoice::Required => config.raw("toolChoice", r#"{"any":{}}"#),
        ToolChoice::Tool(name) => {
            if let Some(out) = config.member("toolChoice") {
                out.extend_from_slice(br#"{"tool":{"name":"#);
                write::string(out, name);
                out.extend_from_slice(b"}}");
            }
        }
    }
    config.close();
}

fn write_settings(dialect: &BedrockDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    let fields = thinking_fields(dialect.thinking.for_model(call.model()), call);
    let mut config = Vec::new();
    let mut inference = ObjectWriter::open(&mut config);
    if let Some(most) = call.max_output() {
        inference.number("maxTokens", most);
    }
    // Claude does not accept a temperature together with thinking.
    if let Some(milli) = call.request.model.temperature_milli.filter(|_| fields.is_none())
        && let Some(out) = inference.member("temperature")
    {
        write::thousandths(out, milli);
    }
    if !call.options.stop.is_empty()
        && let Some(out) = inference.member("stopSequences")
    {
        out.push(b'[');
        for stop in &call.options.stop {
            write::comma(out);
            write::string(out, stop);
        }
        out.push(b']');
    }
    inference.close();
    if config.len() > 2 {
        object.raw("inferenceConfig", &config);
    }
    if let Some(schema) =
        call.request.format.as_ref().filter(|_| dialect.structured == BedrockStructuredOutput::OutputConfig)
        && let Some(out) = object.member("outputConfig")
    {
        // The schema is sent as text.
        out.extend_from_slice(
            br#"{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"reply","schema":"#,
        );
        write::string(out, &schema.canonical());
        out.extend_from_slice(b"}}}}");
    }
    if let Some(fields) = fields {
        object.raw("additionalModelRequestFields", fields);
    }
}

/// The vendor's own fields that request thinking.
fn thinking_fields(style: BedrockThinking, call: &ModelCall<'_>) -> Option<String> {
    let reasoning = call.options.reasoning;
    match style {
        BedrockThinking::Budget => {
            let budget = reasoning.budget()?.max(MIN_THINKING);
            let budget = call.max_output().map_or(budget, |most| budget.min(most.saturating_sub(1)));
            (budget >= MIN_THINKING)
                .then(|| format!(r#"{{"thinking":{{"type":"enabled","budget_tokens":{budget}}}}}"#))
        }
        BedrockThinking::Adaptive => {
            let word = reasoning.effort()?.word();
            Some(format!(r#"{{"thinking":{{"type":"adaptive"}},"output_config":{{"effort":"{word}"}}}}"#))
        }
        BedrockThinking::Effort => {
            let word = reasoning.effort().map(crate::Effort::word);
            let word = word.or((reasoning == Reasoning::Off).then_some("low"))?;
            Some(format!(r#"{{"reasoning_effort":"{word}"}}"#))
        }
        BedrockThinking::ByModel | BedrockThinking::Omitted => None,
    }
}

/// The id in the form that the service accepts: at most 64 letters, digits, `_` and `-`. It depends
/// only on the original id, so a call and its result get the same one.
fn tool_id(id: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=MAX_ID).contains(&id.len()) && id.chars().all(fits) {
        return Cow::Borrowed(id);
    }
    let mut short: String = id.chars().map(|c| if fits(c) { c } else { '_' }).take(MAX_ID).collect();
    if id.chars().nth(MAX_ID).is_some() {
        // FNV-1a is small and stable, and no secret depends on it.
        let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        short.truncate(MAX_ID - 17);
        short.push_str(&format!("_{hash:016x}"));
    }
    Cow::Owned(if short.is_empty() { "_".into() } else { short })
}
