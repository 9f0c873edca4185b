//! Reads the bodies of Converse requests from clients. The model and the delivery are in the path
//! and are read in `bedrock/server.rs`.
//!
//! Replies of the service are read in `bedrock/stream.rs`. Blocks of unknown kinds are left out; a
//! missing list, role or tool name is refused with its place.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Media, Message, MessageId, Outcome, Role, Source, Thinking, ToolCall, ToolResult, plain_text,
};

use super::REPLAY;
use crate::{
    Reasoning, ToolChoice, lenient,
    server::{CompletionRequest, CompletionTool, RequestBodyError},
};

/// The tool names by call id, because results contain only the id. The map is built while reading,
/// so that many calls with many results need one pass.
type CallToolNames<'j> = BTreeMap<&'j str, &'j str>;

pub(super) fn read(json: &Json) -> Result<CompletionRequest, RequestBodyError> {
    let messages = json
        .get("messages")
        .and_then(Json::as_array)
        .ok_or_else(|| RequestBodyError::member("/messages", "a list"))?;
    let mut asked = CompletionRequest::default();
    let system = json.get("system").and_then(Json::as_array).unwrap_or_default();
    let system: Vec<&str> = system.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    asked.system = system.join("\n\n");
    let mut tools = CallToolNames::new();
    for (index, message) in messages.iter().enumerate() {
        read_message(message, index, &mut tools, &mut asked)?;
    }
    let tools = json.pointer("/toolConfig/tools").and_then(Json::as_array).unwrap_or_default();
    for (index, tool) in tools.iter().enumerate() {
        // Cache points can be between the tools.
        let Some(spec) = tool.get("toolSpec") else { continue };
        let name = spec.get("name").and_then(Json::as_str).ok_or_else(|| {
            RequestBodyError::member(format!("/toolConfig/tools/{index}/toolSpec/name"), "a string")
        })?;
        let description = spec.get("description").and_then(Json::as_str).unwrap_or_default();
        let schema = spec.pointer("/inputSchema/json").cloned().unwrap_or_default();
        asked.tools.push(CompletionTool { name: name.into(), description: description.into(), schema });
    }
    read_settings(json, &mut asked);
    Ok(asked)
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let choice = json.pointer("/toolConfig/toolChoice");
    asked.tool_choice = match choice {
        Some(choice) if choice.get("any").is_some() => ToolChoice::Required,
        Some(choice) => choice
            .pointer("/tool/name")
            .and_then(Json::as_str)
            .map_or(ToolChoice::Auto, |name| ToolChoice::Tool(name.into())),
        None => ToolChoice::Auto,
    };
    let inference = |name: &str| json.get("inferenceConfig")?.get(name);
    asked.max_output = inference("maxTokens").and_then(Json::as_u64);
    asked.temperature_milli = inference("temperature")
        .and_then(Json::as_number)
        .and_then(|number| lenient::thousandths(number.as_str()));
    let stops = inference("stopSequences").and_then(Json::as_array).unwrap_or_default();
    asked.stop = stops.iter().filter_map(Json::as_str).map(String::from).collect();
    asked.format = json
        .pointer("/outputConfig/textFormat/structure/jsonSchema/schema")
        .and_then(Json::as_str)
        .and_then(|schema| Json::parse(schema).ok());
    asked.reasoning = json
        .pointer("/additionalModelRequestFields/thinking/budget_tokens")
        .and_then(Json::as_u64)
        .map_or(Reasoning::Unsaid, Reasoning::Budget);
}

fn read_message<'j>(
    json: &'j Json,
    index: usize,
    tools: &mut CallToolNames<'j>,
    asked: &mut CompletionRequest,
) -> Result<(), RequestBodyError> {
    let pointer = format!("/messages/{index}");
    let Some(parts) = json.get("content").and_then(Json::as_array) else {
        return Err(RequestBodyError::member(pointer + "/content", "a list of blocks"));
    };
    for call in parts.iter().filter_map(|part| part.get("toolUse")) {
        let text = |name: &str| call.get(name).and_then(Json::as_str).unwrap_or_default();
        tools.insert(text("toolUseId"), text("name"));
    }
    let blocks: Vec<Block> = parts.iter().filter_map(|part| read_block(part, tools)).collect();
    let results = blocks.iter().any(|block| matches!(block, Block::ToolResult(_)));
    let role = match json.get("role").and_then(Json::as_str) {
        Some("assistant") => Role::Assistant,
        Some("user") if results => Role::Tool,
        Some("user") => Role::User,
        Some(_) | None => return Err(RequestBodyError::member(pointer + "/role", "user or assistant")),
    };
    asked.messages.push(Message::new(MessageId::new(asked.messages.len() as u64), role, blocks));
    Ok(())
}

fn read_block(json: &Json, tools: &CallToolNames<'_>) -> Option<Block> {
    let text = |object: &Json, name: &str| {
        object.get(name).and_then(Json::as_str).map(String::from).unwrap_or_default()
    };
    if let Some(text) = json.get("text").and_then(Json::as_str) {
        return Some(Block::Text(text.into()));
    }
    if let Some(call) = json.get("toolUse") {
        return Some(Block::ToolCall(ToolCall {
            id: text(call, "toolUseId"),
            name: text(call, "name"),
            arguments: call.get("input").map(Json::canonical).unwrap_or_default(),
            replay: None,
        }));
    }
    if let Some(result) = json.get("toolResult") {
        return Some(Block::ToolResult(read_result(result, tools)));
    }
    if let Some(reasoning) = json.get("reasoningContent") {
        return Some(Block::Thinking(read_reasoning(reasoning)));
    }
    if let Some(image) = json.get("image") {
        return read_media(image, "image").map(Block::Image);
    }
    read_media(json.get("document")?, "application").map(Block::File)
}

fn read_reasoning(json: &Json) -> Thinking {
    let replay =
        |name: &str, value: &str| Some(Json::object([(REPLAY, Json::object([(name, Json::from(value))]))]));
    let inner = |name: &str| json.get("reasoningText")?.get(name)?.as_str();
    match json.get("redactedContent").and_then(Json::as_str) {
        Some(data) => Thinking { text: String::new(), replay: replay("redacted", data) },
        None => Thinking {
            text: inner("text").unwrap_or_default().into(),
            replay: inner("signature").and_then(|signature| replay("signature", signature)),
        },
    }
}

fn read_result(json: &Json, tools: &CallToolNames<'_>) -> ToolResult {
    let call = json.get("toolUseId").and_then(Json::as_str).unwrap_or_default();
    // Results do not contain results, so this recursion is one level deep.
    let content = json.get("content").and_then(Json::as_array).unwrap_or_default();
    let parts: Vec<Block> = content
        .iter()
        .filter(|part| part.get("toolResult").is_none())
        .filter_map(|part| match part.get("json") {
            Some(json) => Some(Block::Text(json.canonical())),
            None => read_block(part, &CallToolNames::new()),
        })
        .collect();
    let failed = json.get("status").and_then(Json::as_str) == Some("error");
    ToolResult {
        call: call.into(),
        tool: tools.get(call).copied().unwrap_or_default().into(),
        text: plain_text(&parts),
        outcome: if failed { Outcome::Failed } else { Outcome::Succeeded },
        parts: parts.into_iter().filter(|part| !matches!(part, Block::Text(_))).collect(),
    }
}

fn read_media(json: &Json, kind: &str) -> Option<Media> {
    let format = json.get("format").and_then(Json::as_str)?;
    let source = match json.pointer("/source/bytes").and_then(Json::as_str) {
        Some(data) => Source::Base64(data.into()),
        None => Source::Url(json.pointer("/source/s3Location/uri").and_then(Json::as_str)?.into()),
    };
    let name = json.get("name").and_then(Json::as_str).map(String::from);
    Some(Media { media_type: format!("{kind}/{format}"), source, name })
}

/// Decodes the escapes of a path segment. Invalid UTF-8 is replaced.
pub(super) fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits =
            after.get(..2).filter(|_| *byte == b'%').and_then(|digits| core::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                out.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
