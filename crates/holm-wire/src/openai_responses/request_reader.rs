//! Reads requests from clients of Responses. It writes nothing: replies are written in `server.rs`,
//! and Holm's own requests in `request.rs`.
//!
//! A request that refers to a stored reply or a stored item is refused, because nothing is stored.
//! Items of tools that a provider runs itself are left out.

use alloc::{format, string::ToString, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Message, MessageId, Outcome, Role, Thinking, ToolCall, ToolResult, plain_text};

use super::REPLAY;
use crate::{
    Delivery, Effort, Parallel, Reasoning, ToolChoice, media,
    server::{
        CompletionRequest, CompletionTool, RequestBodyError, UsageReporting, check_choices, read_format,
        read_stop, read_temperature,
    },
};

/// Reads a request. A request that refers to an earlier reply is refused, because the
/// server keeps no replies.
pub(super) fn read(json: &Json) -> Result<CompletionRequest, RequestBodyError> {
    let model = json
        .get("model")
        .and_then(Json::as_str)
        .ok_or_else(|| RequestBodyError::member("/model", "a string"))?;
    if json.get("previous_response_id").is_some_and(|id| !id.is_null()) {
        let expected = "null, because replies are not stored; send the whole conversation as input";
        return Err(RequestBodyError::member("/previous_response_id", expected));
    }
    let system = json.get("instructions").and_then(Json::as_str).unwrap_or_default();
    let mut asked = CompletionRequest {
        model: model.into(),
        system: system.into(),
        usage: UsageReporting::Wanted,
        ..CompletionRequest::default()
    };
    match json.get("input") {
        Some(Json::String(text)) => push(Role::User, alloc::vec![Block::Text(text.clone())], &mut asked),
        Some(Json::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                read_item(item, index, &mut asked)?;
            }
        }
        _ => return Err(RequestBodyError::member("/input", "a string or a list of items")),
    }
    for (index, tool) in json.get("tools").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        if tool.get("type").and_then(Json::as_str).is_none_or(|kind| kind == "function") {
            asked.tools.push(read_tool(tool, index)?);
        }
    }
    read_settings(json, &mut asked);
    check_choices(json)?;
    asked.temperature_milli = read_temperature(json)?;
    asked.stop = read_stop(json)?;
    asked.format = read_format(json.pointer("/text/format"), "/text/format", "/schema")?;
    Ok(asked)
}

fn push(role: Role, blocks: Vec<Block>, asked: &mut CompletionRequest) {
    let id = MessageId::new(asked.messages.len() as u64);
    asked.messages.push(Message::new(id, role, blocks));
}

/// Adds to the current reply. Its reasoning, text and calls are separate items in this format.
fn push_reply(blocks: Vec<Block>, asked: &mut CompletionRequest) {
    match asked.messages.last_mut() {
        Some(message) if message.role == Role::Assistant => message.blocks.extend(blocks),
        _ => push(Role::Assistant, blocks, asked),
    }
}

fn read_item(item: &Json, index: usize, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let pointer = || format!("/input/{index}");
    let text = |name: &str| item.get(name).and_then(Json::as_str);
    match text("type").unwrap_or("message") {
        "message" => read_message(item, &pointer(), asked)?,
        "function_call" => {
            let call = ToolCall {
                id: text("call_id").or_else(|| text("id")).unwrap_or_default().into(),
                name: text("name").unwrap_or_default().into(),
                arguments: text("arguments").unwrap_or_default().into(),
                replay: None,
            };
            push_reply(alloc::vec![Block::ToolCall(call)], asked);
        }
        "function_call_output" => {
            let call = text("call_id");
            let call = call.ok_or_else(|| RequestBodyError::member(pointer() + "/call_id", "a string"))?;
            let parts = read_content(item.get("output"), &(pointer() + "/output"))?;
            let result = ToolResult {
                call: call.into(),
                tool: asked.tool_of(call),
                text: plain_text(&parts),
                outcome: Outcome::Succeeded,
                parts: parts.into_iter().filter(|part| !matches!(part, Block::Text(_))).collect(),
            };
            push(Role::Tool, alloc::vec![Block::ToolResult(result)], asked);
        }
        "reasoning" => push_reply(alloc::vec![Block::Thinking(read_reasoning(item))], asked),
        "item_reference" => {
            let expected = "an item with its content, because items are not stored";
            return Err(RequestBodyError::member(pointer(), expected));
        }
        // Items of tools that the provider runs itself have no meaning elsewhere.
        _ => {}
    }
    Ok(())
}

fn read_message(item: &Json, pointer: &str, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let blocks = read_content(item.get("content"), &format!("{pointer}/content"))?;
    match item.get("role").and_then(Json::as_str) {
        Some("system" | "developer") if asked.messages.is_empty() => {
            if !asked.system.is_empty() {
                asked.system.push_str("\n\n");
            }
            asked.system.push_str(&plain_text(&blocks));
        }
        Some("system" | "developer") => push(Role::System, blocks, asked),
        Some("user") => push(Role::User, blocks, asked),
        Some("assistant") => push_reply(blocks, asked),
        Some(_) | None => {
            return Err(RequestBodyError::member(
                format!("{pointer}/role"),
                "system, developer, user or assistant",
            ));
        }
    }
    Ok(())
}

fn read_content(content: Option<&Json>, pointer: &str) -> Result<Vec<Block>, RequestBodyError> {
    match content {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::String(text)) => Ok(alloc::vec![Block::Text(text.clone())]),
        Some(Json::Array(parts)) => Ok(parts.iter().filter_map(read_part).collect()),
        Some(Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {
            Err(RequestBodyError::member(pointer, "a string or a list of parts"))
        }
    }
}

fn read_part(part: &Json) -> Option<Block> {
    let text = |name: &str| part.get(name).and_then(Json::as_str);
    match text("type")? {
        "input_text" | "output_text" | "text" => text("text").map(|text| Block::Text(text.into())),
        "refusal" => text("refusal").map(|text| Block::Text(text.into())),
        "input_image" => text("image_url").map(|url| Block::Image(media::from_url(url, "image/*", None))),
        "input_file" => {
            let name = text("filename").map(ToString::to_string);
            text("file_data")
                .or_else(|| text("file_url"))
                .map(|data| Block::File(media::from_url(data, "application/octet-stream", name)))
        }
        _ => None,
    }
}

fn read_reasoning(item: &Json) -> Thinking {
    let texts = |name: &str| -> Vec<&str> {
        let parts = item.get(name).and_then(Json::as_array).unwrap_or_default();
        parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
    };
    let text: Vec<&str> = texts("summary").into_iter().chain(texts("content")).collect();
    let kept = ["id", "summary", "content", "encrypted_content"].into_iter().filter_map(|name| {
        let value = item.get(name).filter(|value| !value.is_null())?;
        Some((name, value.clone()))
    });
    Thinking { text: text.join("\n\n"), replay: Some(Json::object([(REPLAY, Json::object(kept))])) }
}

fn read_tool(json: &Json, index: usize) -> Result<CompletionTool, RequestBodyError> {
    let name = json.get("name").and_then(Json::as_str);
    let name = name.ok_or_else(|| RequestBodyError::member(format!("/tools/{index}/name"), "a string"))?;
    let description = json.get("description").and_then(Json::as_str).unwrap_or_default();
    let schema = json.get("parameters").filter(|schema| !schema.is_null()).cloned();
    let schema = schema.unwrap_or_else(|| Json::object([("type", "object".into())]));
    Ok(CompletionTool { name: name.into(), description: description.into(), schema })
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let flag = |name: &str| json.get(name).and_then(Json::as_bool);
    asked.delivery = if flag("stream") == Some(true) { Delivery::Stream } else { Delivery::Whole };
    asked.parallel = match flag("parallel_tool_calls") {
        None => Parallel::Unsaid,
        Some(true) => Parallel::Allowed,
        Some(false) => Parallel::Forbidden,
    };
    asked.tool_choice = match json.get("tool_choice") {
        Some(Json::String(word)) if word == "none" => ToolChoice::None,
        Some(Json::String(word)) if word == "required" => ToolChoice::Required,
        Some(choice) => choice
            .get("name")
            .and_then(Json::as_str)
            .map_or(ToolChoice::Auto, |name| ToolChoice::Tool(name.into())),
        None => ToolChoice::Auto,
    };
    asked.max_output = json.get("max_output_tokens").and_then(Json::as_u64);
    asked.reasoning = match json.pointer("/reasoning/effort").and_then(Json::as_str) {
        Some("none") => Reasoning::Off,
        Some("minimal" | "low") => Reasoning::Effort(Effort::Low),
        Some("medium") => Reasoning::Effort(Effort::Medium),
        Some("high" | "xhigh") => Reasoning::Effort(Effort::High),
        Some(_) | None => Reasoning::Unsaid,
    };
}
