//! Writes request bodies for Ollama: messages, tools and options.
//!
//! Replies are read in `stream.rs`, and requests of clients in `server.rs`. The format has no tool
//! choice, so tools that may not be called are left out. The context size is sent where it is
//! known, because the server silently drops what does not fit. An image at a URL is described in
//! text.

use alloc::{format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, Role, ToolCall, ToolResult, ToolSpec, plain_text};

use super::{OllamaContextSize, OllamaDialect};
use crate::{
    Delivery, MediaSource, MessageBuffer, ModelCall, ProviderRequest, Reasoning, RequestParts, ToolChoice,
    media::{MediaLocation, as_text, describe, resolve},
    write::{self, ObjectWriter},
};

pub(super) fn write_message(message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
    out.settle("");
    match message.role {
        Role::Custom => {}
        Role::System => write_plain("system", &OllamaContent::read(&message.blocks, media), out.out()),
        Role::Assistant => write_assistant(message, out.out()),
        Role::User | Role::Tool => {
            for block in &message.blocks {
                if let Block::ToolResult(result) = block {
                    write_result(result, media, out.out());
                }
            }
            let content = OllamaContent::read(&message.blocks, media);
            if !content.is_empty() {
                write_plain("user", &content, out.out());
            }
        }
    }
}

/// The text and the images of a message, which the format separates.
#[derive(Debug, Default)]
struct OllamaContent {
    text: String,
    images: Vec<String>,
}

impl OllamaContent {
    fn read(blocks: &[Block], media: &dyn MediaSource) -> Self {
        let mut content = Self::default();
        for block in blocks {
            match block {
                Block::Text(text) => content.say(text),
                Block::Image(image) => match resolve(image, media) {
                    MediaLocation::Base64(data) => content.images.push(data.into_owned()),
                    MediaLocation::Url(_) | MediaLocation::Missing => content.say(&describe(image)),
                },
                Block::File(file) => {
                    let text = match resolve(file, media) {
                        MediaLocation::Base64(data) => as_text(&file.media_type, &data),
                        MediaLocation::Url(_) | MediaLocation::Missing => None,
                    };
                    let name = file.name.as_deref().unwrap_or("file");
                    match text {
                        Some(text) => content.say(&format!("The file {name:?}:\n{text}")),
                        None => content.say(&describe(file)),
                    }
                }
                Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Custom(_) => {}
            }
        }
        content
    }

    fn say(&mut self, text: &str) {
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.images.is_empty()
    }

    fn write(&self, object: &mut ObjectWriter<'_>) {
        object.string("content", &self.text);
        if !self.images.is_empty()
            && let Some(out) = object.member("images")
        {
            out.push(b'[');
            for image in &self.images {
                write::comma(out);
                write::string(out, image);
            }
            out.push(b']');
        }
    }
}

fn write_plain(role: &str, content: &OllamaContent, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", role);
    content.write(&mut object);
    object.close();
}

fn write_assistant(message: &Message, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", "assistant");
    object.string("content", &plain_text(&message.blocks));
    let thoughts: String = message.blocks.iter().filter_map(thought).collect();
    if !thoughts.is_empty() {
        object.string("thinking", &thoughts);
    }
    let mut calls = message.tool_calls().peekable();
    if calls.peek().is_some()
        && let Some(out) = object.member("tool_calls")
    {
        out.push(b'[');
        calls.for_each(|call| write_call(call, out));
        out.push(b']');
    }
    object.close();
}

/// Reasoning from any provider. The model's template decides whether the model sees old reasoning.
fn thought(block: &Block) -> Option<&str> {
    if let Block::Thinking(thinking) = block { Some(&thinking.text) } else { None }
}

fn write_call(call: &ToolCall, out: &mut Vec<u8>) {
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("id", &call.id);
    if let Some(out) = object.member("function") {
        let mut function = ObjectWriter::open(out);
        function.string("name", &call.name);
        if let Some(out) = function.member("arguments") {
            let text = call.arguments.trim();
            match Json::parse(text) {
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
    object.close();
}

fn write_result(result: &ToolResult, media: &dyn MediaSource, out: &mut Vec<u8>) {
    let mut content = OllamaContent::default();
    content.say(&result.text);
    let parts = OllamaContent::read(&result.parts, media);
    content.say(&parts.text);
    content.images = parts.images;
    write::comma(out);
    let mut object = ObjectWriter::open(out);
    object.string("role", "tool");
    object.string("tool_name", &result.tool);
    object.string("tool_call_id", &result.call);
    content.write(&mut object);
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
    dialect: &OllamaDialect,
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
            let mut first = ObjectWriter::open(out);
            first.string("role", "system");
            first.string("content", system);
            first.close();
        }
        if !parts.transcript.is_empty() {
            write::comma(out);
        }
        parts.transcript.copy_into(out);
        out.push(b']');
    }
    // The format has no tool choice. Leaving the tools out is the only way to forbid them.
    if !parts.tools.is_empty()
        && *call.tool_choice() != ToolChoice::None
        && let Some(out) = object.member("tools")
    {
        out.push(b'[');
        out.extend_from_slice(parts.tools);
        out.push(b']');
    }
    write_settings(dialect, call, &mut object);
    object.close();
    let mut request = ProviderRequest::post(dialect.path.clone(), dialect.auth.clone(), body);
    request.headers.extend_from_slice(&dialect.headers);
    request
}

fn write_settings(dialect: &OllamaDialect, call: &ModelCall<'_>, object: &mut ObjectWriter<'_>) {
    if let Some(schema) = &call.request.format {
        object.value("format", schema);
    }
    match call.options.reasoning {
        Reasoning::Unsaid => {}
        Reasoning::Off => object.raw("think", "false"),
        // One model family accepts only words for its reasoning effort, and the others refuse
        // words.
        said => match said.effort().filter(|_| call.model().contains("gpt-oss")) {
            Some(effort) => object.string("think", effort.word()),
            None => object.raw("think", "true"),
        },
    }
    if let Some(time) = &dialect.keep_alive {
        object.string("keep_alive", time);
    }
    let mut bytes = Vec::new();
    write_options(dialect, call, &mut bytes);
    if bytes.len() > 2 {
        object.raw("options", &bytes);
    }
    // The server streams by default.
    object.raw("stream", if call.options.delivery == Delivery::Stream { "true" } else { "false" });
}

fn write_options(dialect: &OllamaDialect, call: &ModelCall<'_>, out: &mut Vec<u8>) {
    let mut options = ObjectWriter::open(out);
    let context = match dialect.context {
        OllamaContextSize::Window => call.request.model.window,
        OllamaContextSize::Tokens(tokens) => Some(tokens),
        OllamaContextSize::Unsaid => None,
    };
    if let Some(tokens) = context {
        options.number("num_ctx", tokens);
    }
    if let Some(most) = call.max_output() {
        options.number("num_predict", most);
    }
    if let Some(milli) = call.request.model.temperature_milli
        && let Some(out) = options.member("temperature")
    {
        write::thousandths(out, milli);
    }
    if !call.options.stop.is_empty()
        && let Some(out) = options.member("stop")
    {
        out.push(b'[');
        for stop in &call.options.stop {
            write::comma(out);
            write::string(out, stop);
        }
        out.push(b']');
    }
    options.close();
}
