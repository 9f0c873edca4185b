//! Reads requests from clients of Cohere's chat. It writes nothing: replies are written in
//! `server.rs`, and Holm's own requests in `request.rs`. A missing model, list, role or tool name
//! is refused with its place; parts of unknown kinds are left out.

use alloc::{format, string::String, string::ToString, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Outcome, Role, Thinking, ToolCall, ToolResult, plain_text};

use super::REPLAY;
use crate::{
    Delivery, Reasoning, ToolChoice, lenient, media,
    server::{CompletionRequest, CompletionTool, RequestBodyError, UsageReporting},
};

pub(super) fn read(json: &Json) -> Result<CompletionRequest, RequestBodyError> {
    let model = json
        .get("model")
        .and_then(Json::as_str)
        .ok_or_else(|| RequestBodyError::member("/model", "a string"))?;
    let messages = json
        .get("messages")
        .and_then(Json::as_array)
        .ok_or_else(|| RequestBodyError::member("/messages", "a list"))?;
    let mut asked = CompletionRequest {
        model: model.into(),
        usage: UsageReporting::Wanted,
        ..CompletionRequest::default()
    };
    for (index, message) in messages.iter().enumerate() {
        read_message(message, index, &mut asked)?;
    }
    for (index, tool) in json.get("tools").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        asked.tools.push(read_tool(tool, index)?);
    }
    read_settings(json, &mut asked);
    Ok(asked)
}

fn read_message(json: &Json, index: usize, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let pointer = || format!("/messages/{index}");
    let blocks = read_content(json.get("content"), &pointer())?;
    let id = MessageId::new(asked.messages.len() as u64);
    let message = match json.get("role").and_then(Json::as_str) {
        Some("system") if asked.messages.is_empty() => {
            if !asked.system.is_empty() {
                asked.system.push_str("\n\n");
            }
            asked.system.push_str(&plain_text(&blocks));
            return Ok(());
        }
        Some("system") => Message::new(id, Role::System, blocks),
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
            return Err(RequestBodyError::member(pointer() + "/role", "system, user, assistant or tool"));
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
        "thinking" => {
            let replay = Some(Json::object([(REPLAY, Json::Bool(true))]));
            text("/thinking").map(|text| Block::Thinking(Thinking { text: text.into(), replay }))
        }
        "image_url" => text("/image_url/url").map(|url| Block::Image(media::from_url(url, "image/*", None))),
        "document" => match part.pointer("/document/data")? {
            Json::String(text) => Some(Block::Text(text.clone())),
            data => Some(Block::Text(data.canonical())),
        },
        _ => None,
    }
}

/// Reasoning and text, then the plan, then the calls.
fn read_assistant(json: &Json, mut blocks: Vec<Block>) -> Vec<Block> {
    if let Some(plan) = json.get("tool_plan").and_then(Json::as_str).filter(|plan| !plan.is_empty()) {
        blocks.push(Block::Text(plan.into()));
    }
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
    let schema = json.pointer("/function/parameters").cloned();
    let schema = schema.unwrap_or_else(|| Json::object([("type", "object".into())]));
    Ok(CompletionTool { name: name.into(), description: description.into(), schema })
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let streamed = json.get("stream").and_then(Json::as_bool) == Some(true);
    asked.delivery = if streamed { Delivery::Stream } else { Delivery::Whole };
    asked.tool_choice = match json.get("tool_choice").and_then(Json::as_str) {
        Some("NONE") => ToolChoice::None,
        Some("REQUIRED") => ToolChoice::Required,
        Some(_) | None => ToolChoice::Auto,
    };
    asked.max_output = json.get("max_tokens").and_then(Json::as_u64);
    asked.temperature_milli = json
        .get("temperature")
        .and_then(Json::as_number)
        .and_then(|number| lenient::thousandths(number.as_str()));
    let stops = json.get("stop_sequences").and_then(Json::as_array).unwrap_or_default();
    asked.stop = stops.iter().filter_map(Json::as_str).map(String::from).collect();
    // The reference has one spelling, and the guides have the other.
    let format = json.get("response_format");
    asked.format =
        format.and_then(|format| format.get("json_schema").or_else(|| format.get("schema"))).cloned();
    let budget = json.pointer("/thinking/token_budget").and_then(Json::as_u64);
    asked.reasoning = match json.pointer("/thinking/type").and_then(Json::as_str) {
        Some("enabled") => budget.map_or(Reasoning::Unsaid, Reasoning::Budget),
        Some("disabled") => Reasoning::Off,
        Some(_) | None => Reasoning::Unsaid,
    };
}
