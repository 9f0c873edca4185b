//! The server side of Chat Completions: reads requests of clients and writes replies, streamed and
//! whole, and the error object that `openai_responses/server.rs` shares.
//!
//! Holm's own requests are written in `request.rs`, and replies of services are read in
//! `stream.rs`. Routes and sessions are in `holm-server/src/routes/openai/mod.rs`. Parts of unknown
//! kinds are left out.

use alloc::{boxed::Box, format, string::String, string::ToString, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Failure, FailureClass, Message, MessageId, Outcome, Reply, Role, StopReason, ToolCall, ToolResult,
    Usage, plain_text,
};

use crate::{
    Delivery, Effort, Parallel, Reasoning, ToolChoice, WireDelta, media,
    server::{
        CompletionRequest, CompletionTool, ReplyHead, ReplyStream, RequestBodyError, ServerCodec,
        UsageReporting, check_choices, pieces, read_format, read_stop, read_temperature, status,
    },
    write::{self, ObjectWriter},
};

/// The server side of Chat Completions.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenaiChatServerCodec;

impl ServerCodec for OpenaiChatServerCodec {
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        read(&RequestBodyError::parse(body)?)
    }

    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream> {
        Box::new(OpenaiChatReplyStream { head, begun: false, calls: 0 })
    }

    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        write_head(head, "chat.completion", &mut object);
        if let Some(out) = object.member("choices") {
            out.extend_from_slice(br#"[{"index":0,"message":"#);
            write_reply_message(reply, out);
            out.extend_from_slice(br#","logprobs":null,"finish_reason":"#);
            write::string(out, finish_reason(reply.stop));
            out.extend_from_slice(b"}]");
        }
        if let Some(out) = object.member("usage") {
            write_usage(reply.usage, out);
        }
        object.close();
        out
    }

    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>) {
        let mut out = Vec::new();
        write_error(failure, &mut out);
        (status(failure.class), out)
    }
}

/// Writes a streamed reply.
#[derive(Debug)]
pub struct OpenaiChatReplyStream {
    head: ReplyHead,
    begun: bool,
    /// How many calls were written as blocks.
    calls: u64,
}

impl OpenaiChatReplyStream {
    /// Writes one chunk. `delta` appends the members of the delta.
    fn chunk(
        &mut self,
        out: &mut Vec<u8>,
        finish: Option<StopReason>,
        delta: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        out.extend_from_slice(b"data: ");
        let mut object = ObjectWriter::open(out);
        write_head(&self.head, "chat.completion.chunk", &mut object);
        if let Some(out) = object.member("choices") {
            out.extend_from_slice(br#"[{"index":0,"delta":"#);
            let mut inner = ObjectWriter::open(out);
            if !self.begun {
                inner.string("role", "assistant");
            }
            delta(&mut inner);
            inner.close();
            out.extend_from_slice(br#","logprobs":null,"finish_reason":"#);
            match finish {
                Some(stop) => write::string(out, finish_reason(stop)),
                None => out.extend_from_slice(b"null"),
            }
            out.extend_from_slice(b"}]");
        }
        object.close();
        out.extend_from_slice(b"\n\n");
        self.begun = true;
    }

    fn call(&mut self, index: u64, id: Option<(&str, &str)>, arguments: &str, out: &mut Vec<u8>) {
        self.chunk(out, None, |delta| {
            let Some(out) = delta.member("tool_calls") else { return };
            out.push(b'[');
            let mut call = ObjectWriter::open(out);
            call.number("index", index);
            if let Some((id, _)) = id {
                call.string("id", id);
                call.string("type", "function");
            }
            if let Some(out) = call.member("function") {
                let mut function = ObjectWriter::open(out);
                if let Some((_, name)) = id {
                    function.string("name", name);
                }
                function.string("arguments", arguments);
                function.close();
            }
            call.close();
            out.push(b']');
        });
    }
}

impl ReplyStream for OpenaiChatReplyStream {
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>) {
        match delta {
            WireDelta::Text { text, .. } => self.chunk(out, None, |object| object.string("content", text)),
            WireDelta::Thinking { text, .. } => {
                self.chunk(out, None, |object| object.string("reasoning_content", text));
            }
            WireDelta::ToolCallStarted { index, id, name } => self.call(*index, Some((id, name)), "", out),
            WireDelta::ToolArguments { index, text, .. } => self.call(*index, None, text, out),
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
            Block::ToolCall(call) => {
                let index = self.calls;
                self.calls = self.calls.saturating_add(1);
                self.call(index, Some((&call.id, &call.name)), "", out);
                pieces(&call.arguments, piece).for_each(|text| self.call(index, None, text, out));
            }
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
        }
    }

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>) {
        self.chunk(out, Some(stop), |_| {});
        if self.head.usage == UsageReporting::Wanted {
            out.extend_from_slice(b"data: ");
            let mut object = ObjectWriter::open(out);
            write_head(&self.head, "chat.completion.chunk", &mut object);
            object.raw("choices", "[]");
            if let Some(out) = object.member("usage") {
                write_usage(usage, out);
            }
            object.close();
            out.extend_from_slice(b"\n\n");
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        out.extend_from_slice(b"data: ");
        write_error(failure, out);
        out.extend_from_slice(b"\n\n");
    }
}

fn write_head(head: &ReplyHead, object_name: &str, object: &mut ObjectWriter<'_>) {
    object.string("id", &head.id);
    object.string("object", object_name);
    object.number("created", head.created);
    object.string("model", &head.model);
}

fn write_reply_message(reply: &Reply, out: &mut Vec<u8>) {
    let text = plain_text(&reply.blocks);
    let mut message = ObjectWriter::open(out);
    message.string("role", "assistant");
    match (reply.stop, text.as_str()) {
        (StopReason::Refusal, refusal) => {
            message.raw("content", "null");
            message.string("refusal", refusal);
        }
        (_, "") => message.raw("content", "null"),
        (_, text) => message.string("content", text),
    }
    let thoughts: String = reply
        .blocks
        .iter()
        .filter_map(
            |block| if let Block::Thinking(thinking) = block { Some(thinking.text.as_str()) } else { None },
        )
        .collect();
    if !thoughts.is_empty() {
        message.string("reasoning_content", &thoughts);
    }
    let calls: Vec<&ToolCall> = reply.blocks.iter().filter_map(Block::as_tool_call).collect();
    if !calls.is_empty()
        && let Some(out) = message.member("tool_calls")
    {
        out.push(b'[');
        for call in calls {
            write::comma(out);
            let mut object = ObjectWriter::open(out);
            object.string("id", &call.id);
            object.string("type", "function");
            if let Some(out) = object.member("function") {
                let mut function = ObjectWriter::open(out);
                function.string("name", &call.name);
                function.string("arguments", &call.arguments);
                function.close();
            }
            object.close();
        }
        out.push(b']');
    }
    message.close();
}

fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::open(out);
    object.number("prompt_tokens", usage.input);
    object.number("completion_tokens", usage.output);
    object.number("total_tokens", usage.total());
    object.raw("prompt_tokens_details", format!(r#"{{"cached_tokens":{}}}"#, usage.cached));
    object.raw("completion_tokens_details", format!(r#"{{"reasoning_tokens":{}}}"#, usage.reasoning));
    object.close();
}

/// Writes the error object that all `OpenAI` APIs share.
pub(crate) fn write_error(failure: &Failure, out: &mut Vec<u8>) {
    let (kind, code) = match failure.class {
        FailureClass::RateLimited => ("rate_limit_error", "rate_limit_exceeded"),
        FailureClass::Quota => ("insufficient_quota", "insufficient_quota"),
        FailureClass::Overloaded => ("server_error", "overloaded"),
        FailureClass::Server
        | FailureClass::Network
        | FailureClass::Truncated
        | FailureClass::Empty
        | FailureClass::HostCrash => ("server_error", "server_error"),
        FailureClass::ContextOverflow => ("invalid_request_error", "context_length_exceeded"),
        FailureClass::Auth => ("authentication_error", "invalid_api_key"),
        FailureClass::BadRequest => ("invalid_request_error", "invalid_request"),
        FailureClass::ContentFilter => ("invalid_request_error", "content_filter"),
    };
    let mut object = ObjectWriter::open(out);
    if let Some(out) = object.member("error") {
        let mut error = ObjectWriter::open(out);
        error.string("message", &failure.message);
        error.string("type", kind);
        error.raw("param", "null");
        error.string("code", code);
        error.close();
    }
    object.close();
}

const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::Refusal | StopReason::Other => "stop",
        StopReason::ToolUse => "tool_calls",
        StopReason::MaxTokens => "length",
        StopReason::ContentFilter => "content_filter",
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
    let mut asked = CompletionRequest { model: model.into(), ..CompletionRequest::default() };
    for (index, message) in messages.iter().enumerate() {
        read_message(message, index, &mut asked)?;
    }
    for (index, tool) in json.get("tools").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        asked.tools.push(read_tool(tool, index)?);
    }
    read_settings(json, &mut asked);
    check_choices(json)?;
    asked.temperature_milli = read_temperature(json)?;
    asked.stop = read_stop(json)?;
    asked.format = read_format(json.get("response_format"), "/response_format", "/json_schema/schema")?;
    Ok(asked)
}

fn read_message(json: &Json, index: usize, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let pointer = || format!("/messages/{index}");
    let role = json.get("role").and_then(Json::as_str);
    let blocks = read_content(json.get("content"), &pointer())?;
    let id = MessageId::new(asked.messages.len() as u64);
    let message = match role {
        Some("system" | "developer") if asked.messages.is_empty() => {
            if !asked.system.is_empty() {
                asked.system.push_str("\n\n");
            }
            asked.system.push_str(&plain_text(&blocks));
            return Ok(());
        }
        Some("system" | "developer") => Message::new(id, Role::System, blocks),
        Some("user") => Message::new(id, Role::User, blocks),
        Some("assistant") => Message::new(id, Role::Assistant, read_assistant(json, blocks)),
        Some("tool") => {
            let call = json.get("tool_call_id").and_then(Json::as_str);
            let call =
                call.ok_or_else(|| RequestBodyError::member(pointer() + "/tool_call_id", "a string"))?;
            let result = ToolResult {
                call: call.into(),
                tool: asked.tool_of(call),
                text: plain_text(&blocks),
                outcome: Outcome::Succeeded,
                parts: Vec::new(),
            };
            Message::new(id, Role::Tool, alloc::vec![Block::ToolResult(result)])
        }
        Some(_) | None => {
            return Err(RequestBodyError::member(
                pointer() + "/role",
                "system, developer, user, assistant or tool",
            ));
        }
    };
    asked.messages.push(message);
    Ok(())
}

fn read_content(content: Option<&Json>, pointer: &str) -> Result<Vec<Block>, RequestBodyError> {
    match content {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::String(text)) => Ok(alloc::vec![Block::Text(text.clone())]),
        Some(Json::Array(parts)) => Ok(parts.iter().filter_map(read_part).collect()),
        Some(Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {
            Err(RequestBodyError::member(format!("{pointer}/content"), "a string or a list of parts"))
        }
    }
}

fn read_part(part: &Json) -> Option<Block> {
    let text = |pointer: &str| part.pointer(pointer).and_then(Json::as_str);
    match text("/type")? {
        "text" => text("/text").map(|text| Block::Text(text.into())),
        "refusal" => text("/refusal").map(|text| Block::Text(text.into())),
        "image_url" => text("/image_url/url").map(|url| Block::Image(media::from_url(url, "image/*", None))),
        "file" => {
            let name = text("/file/filename").map(ToString::to_string);
            text("/file/file_data")
                .map(|data| Block::File(media::from_url(data, "application/octet-stream", name)))
        }
        "input_audio" => {
            let kind = if text("/input_audio/format") == Some("mp3") { "audio/mpeg" } else { "audio/wav" };
            let url = media::data_url(kind, text("/input_audio/data")?);
            Some(Block::File(media::from_url(&url, kind, None)))
        }
        _ => None,
    }
}

fn read_assistant(json: &Json, text: Vec<Block>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(thoughts) = json.get("reasoning_content").and_then(Json::as_str) {
        blocks.push(Block::Thinking(holm_kernel::Thinking { text: thoughts.into(), replay: None }));
    }
    blocks.extend(text);
    for call in json.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
        let member =
            |pointer: &str| call.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_string();
        blocks.push(Block::ToolCall(ToolCall {
            id: member("/id"),
            name: member("/function/name"),
            arguments: member("/function/arguments"),
            replay: None,
        }));
    }
    blocks
}

fn read_tool(json: &Json, index: usize) -> Result<CompletionTool, RequestBodyError> {
    let name = json.pointer("/function/name").and_then(Json::as_str);
    let name =
        name.ok_or_else(|| RequestBodyError::member(format!("/tools/{index}/function/name"), "a string"))?;
    let description = json.pointer("/function/description").and_then(Json::as_str).unwrap_or_default();
    let schema = json
        .pointer("/function/parameters")
        .cloned()
        .unwrap_or_else(|| Json::object([("type", "object".into())]));
    Ok(CompletionTool { name: name.into(), description: description.into(), schema })
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let flag = |name: &str| json.get(name).and_then(Json::as_bool);
    asked.delivery = if flag("stream") == Some(true) { Delivery::Stream } else { Delivery::Whole };
    let wished = json.pointer("/stream_options/include_usage").and_then(Json::as_bool) == Some(true);
    asked.usage = if wished { UsageReporting::Wanted } else { UsageReporting::Unsaid };
    asked.parallel = match flag("parallel_tool_calls") {
        None => Parallel::Unsaid,
        Some(true) => Parallel::Allowed,
        Some(false) => Parallel::Forbidden,
    };
    asked.tool_choice = match json.get("tool_choice") {
        Some(Json::String(word)) if word == "none" => ToolChoice::None,
        Some(Json::String(word)) if word == "required" => ToolChoice::Required,
        Some(choice) => choice
            .pointer("/function/name")
            .and_then(Json::as_str)
            .map_or(ToolChoice::Auto, |name| ToolChoice::Tool(name.into())),
        None => ToolChoice::Auto,
    };
    asked.max_output =
        json.get("max_completion_tokens").or_else(|| json.get("max_tokens")).and_then(Json::as_u64);
    asked.reasoning = match json.get("reasoning_effort").and_then(Json::as_str) {
        Some("none") => Reasoning::Off,
        Some("minimal" | "low") => Reasoning::Effort(Effort::Low),
        Some("medium") => Reasoning::Effort(Effort::Medium),
        Some("high" | "xhigh") => Reasoning::Effort(Effort::High),
        Some(_) | None => Reasoning::Unsaid,
    };
}
