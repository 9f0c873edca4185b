//! The server side of Ollama's API: reads requests of clients and writes replies, streamed and
//! whole.
//!
//! Holm's own requests are written in `request.rs`, and replies of a server are read in
//! `stream.rs`. A call is held back until it is complete, because the format cannot split one.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Failure, Media, Message, MessageId, Outcome, Reply, Role, Source, StopReason, Thinking, ToolCall,
    ToolResult, Usage,
};

use crate::{
    Delivery, Effort, Reasoning, WireDelta, lenient,
    server::{
        CompletionRequest, CompletionTool, ReplyHead, ReplyStream, RequestBodyError, ServerCodec, pieces,
        status,
    },
    utc_date_time::UtcDateTime,
    write::{self, ObjectWriter},
};

/// The server side of Ollama's API.
#[derive(Debug, Clone, Copy, Default)]
pub struct OllamaServerCodec;

impl ServerCodec for OllamaServerCodec {
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        read(&RequestBodyError::parse(body)?)
    }

    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(OllamaReplyStream { head, call: None })
    }

    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        write_head(head, &mut object);
        if let Some(out) = object.member("message") {
            let mut message = ObjectWriter::open(out);
            message.string("role", "assistant");
            let text: String = reply.blocks.iter().filter_map(Block::as_text).collect();
            message.string("content", &text);
            let thoughts: String = reply.blocks.iter().filter_map(thought).collect();
            if !thoughts.is_empty() {
                message.string("thinking", &thoughts);
            }
            let calls: Vec<&ToolCall> = reply.blocks.iter().filter_map(Block::as_tool_call).collect();
            if !calls.is_empty() {
                write_calls(&calls, &mut message);
            }
            message.close();
        }
        write_end(reply.stop, reply.usage, &mut object);
        object.close();
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        write_error(failure, &mut out);
        (status(failure.class), out)
    }
}

/// Writes a streamed reply. A call is held back until it is complete, because the
/// format cannot split one.
#[derive(Debug)]
pub struct OllamaReplyStream {
    head: ReplyHead,
    call: Option<ToolCall>,
}

impl OllamaReplyStream {
    fn line(&self, out: &mut Vec<u8>, members: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut object = ObjectWriter::open(out);
        write_head(&self.head, &mut object);
        if let Some(out) = object.member("message") {
            let mut message = ObjectWriter::open(out);
            message.string("role", "assistant");
            members(&mut message);
            message.close();
        }
        object.raw("done", "false");
        object.close();
        out.push(b'\n');
    }

    fn whole_call(&self, call: &ToolCall, out: &mut Vec<u8>) {
        self.line(out, |message| {
            message.string("content", "");
            write_calls(&[call], message);
        });
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        if let Some(call) = self.call.take() {
            self.whole_call(&call, out);
        }
    }
}

impl ReplyStream for OllamaReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => {
                self.flush(out);
                self.line(out, |message| message.string("content", text));
            }
            WireDelta::Thinking { text, .. } => {
                self.flush(out);
                self.line(out, |message| {
                    message.string("content", "");
                    message.string("thinking", text);
                });
            }
            WireDelta::ToolCallStarted { id, name, .. } => {
                self.flush(out);
                self.call = Some(ToolCall { id: (*id).into(), name: (*name).into(), ..ToolCall::default() });
            }
            WireDelta::ToolArguments { text, .. } => {
                if let Some(call) = &mut self.call {
                    call.arguments.push_str(text);
                }
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
                pieces(&thinking.text, piece)
                    .for_each(|text| self.delta(&WireDelta::Thinking { offset: 0, text }, out));
            }
            Block::ToolCall(call) => self.whole_call(call, out),
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
        }
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.flush(out);
        let mut object = ObjectWriter::open(out);
        write_head(&self.head, &mut object);
        object.raw("message", r#"{"role":"assistant","content":""}"#);
        write_end(stop, usage, &mut object);
        object.close();
        out.push(b'\n');
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        write_error(failure, out);
        out.push(b'\n');
    }
}

fn thought(block: &Block) -> Option<&str> {
    if let Block::Thinking(thinking) = block { Some(&thinking.text) } else { None }
}

fn write_head(head: &ReplyHead, object: &mut ObjectWriter<'_>) {
    object.string("model", &head.model);
    object.string("created_at", &UtcDateTime::from_seconds(head.created).rfc3339());
}

fn write_calls(calls: &[&ToolCall], message: &mut ObjectWriter<'_>) {
    let Some(out) = message.member("tool_calls") else { return };
    out.push(b'[');
    for call in calls {
        write::comma(out);
        let mut object = ObjectWriter::open(out);
        object.string("id", &call.id);
        if let Some(out) = object.member("function") {
            let mut function = ObjectWriter::open(out);
            function.string("name", &call.name);
            let valid = matches!(Json::parse(&call.arguments), Ok(Json::Object(_)));
            function.raw("arguments", if valid { call.arguments.as_str() } else { "{}" });
            function.close();
        }
        object.close();
    }
    out.push(b']');
}

fn write_end(stop: StopReason, usage: Usage, object: &mut ObjectWriter<'_>) {
    object.raw("done", "true");
    object.string("done_reason", if stop == StopReason::MaxTokens { "length" } else { "stop" });
    object.number("prompt_eval_count", usage.input);
    object.number("eval_count", usage.output);
}

fn write_error(failure: &Failure, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.string("error", &failure.message);
    object.close();
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
    let mut asked = CompletionRequest { model: model.into(), ..CompletionRequest::default() };
    for (index, message) in messages.iter().enumerate() {
        read_message(message, index, &mut asked)?;
    }
    for (index, tool) in json.get("tools").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let function = |name: &str| tool.get("function")?.get(name);
        let name = function("name").and_then(Json::as_str);
        let name = name
            .ok_or_else(|| RequestBodyError::member(format!("/tools/{index}/function/name"), "a string"))?;
        let description = function("description").and_then(Json::as_str).unwrap_or_default();
        let schema = function("parameters").cloned().unwrap_or_default();
        asked.tools.push(CompletionTool { name: name.into(), description: description.into(), schema });
    }
    read_settings(json, &mut asked);
    Ok(asked)
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let unstreamed = json.get("stream").and_then(Json::as_bool) == Some(false);
    asked.delivery = if unstreamed { Delivery::Whole } else { Delivery::Stream };
    let option = |name: &str| json.get("options")?.get(name);
    asked.max_output = option("num_predict").and_then(Json::as_u64);
    asked.temperature_milli = option("temperature")
        .and_then(Json::as_number)
        .and_then(|number| lenient::thousandths(number.as_str()));
    let stops = option("stop").and_then(Json::as_array).unwrap_or_default();
    asked.stop = stops.iter().filter_map(Json::as_str).map(String::from).collect();
    asked.format = json.get("format").filter(|format| format.as_object().is_some()).cloned();
    asked.reasoning = match json.get("think") {
        Some(Json::Bool(false)) => Reasoning::Off,
        Some(Json::Bool(true)) => Reasoning::Effort(Effort::Medium),
        Some(Json::String(word)) => match word.as_str() {
            "low" => Reasoning::Effort(Effort::Low),
            "high" => Reasoning::Effort(Effort::High),
            _ => Reasoning::Effort(Effort::Medium),
        },
        _ => Reasoning::Unsaid,
    };
}

fn read_message(json: &Json, index: usize, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default();
    let (role, blocks) = match text("role") {
        "system" if asked.messages.is_empty() && asked.system.is_empty() => {
            asked.system = text("content").into();
            return Ok(());
        }
        "system" => (Role::System, read_content(json)),
        "user" => (Role::User, read_content(json)),
        "assistant" => (Role::Assistant, read_assistant(json)),
        "tool" => {
            let result = ToolResult {
                call: text("tool_call_id").into(),
                tool: text("tool_name").into(),
                text: text("content").into(),
                outcome: Outcome::Succeeded,
                parts: read_images(json),
            };
            (Role::Tool, alloc::vec![Block::ToolResult(result)])
        }
        _ => {
            let pointer = format!("/messages/{index}/role");
            return Err(RequestBodyError::member(pointer, "system, user, assistant or tool"));
        }
    };
    asked.messages.push(Message::new(MessageId::new(asked.messages.len() as u64), role, blocks));
    Ok(())
}

fn read_content(json: &Json) -> Vec<Block> {
    let text = json.get("content").and_then(Json::as_str).filter(|text| !text.is_empty());
    let mut blocks: Vec<Block> = text.map(|text| Block::Text(text.into())).into_iter().collect();
    blocks.extend(read_images(json));
    blocks
}

/// The format does not give the type of an image, so the viewer must detect it.
fn read_images(json: &Json) -> Vec<Block> {
    let images = json.get("images").and_then(Json::as_array).unwrap_or_default();
    images
        .iter()
        .filter_map(Json::as_str)
        .map(|data| {
            let source = Source::Base64(data.into());
            Block::Image(Media { media_type: "image/png".into(), source, name: None })
        })
        .collect()
}

fn read_assistant(json: &Json) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(text) = json.get("thinking").and_then(Json::as_str).filter(|text| !text.is_empty()) {
        blocks.push(Block::Thinking(Thinking { text: text.into(), replay: None }));
    }
    blocks.extend(read_content(json));
    for call in json.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
        let text = |pointer: &str| call.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        blocks.push(Block::ToolCall(ToolCall {
            id: text("/id").into(),
            name: text("/function/name").into(),
            arguments: call.pointer("/function/arguments").map(Json::canonical).unwrap_or_default(),
            replay: None,
        }));
    }
    blocks
}
