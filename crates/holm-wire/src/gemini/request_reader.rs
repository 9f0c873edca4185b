//! Reads requests from clients of `generateContent`, in both spellings of a member's name. The
//! model and the delivery are in the path, which `server.rs` reads.
//!
//! It writes nothing: replies are written in `server.rs`, and Holm's own requests in `request.rs`.
//! A signature is stored as `stream.rs` stores it, so that both come back alike.

use alloc::{format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Message, MessageId, Outcome, Role, Source, Thinking, ToolCall, ToolResult};

use super::{SignaturePlace, signed};
use crate::{
    Effort, Reasoning, ToolChoice, lenient,
    server::{CompletionRequest, CompletionTool, RequestBodyError, UsageReporting},
};

/// Reads a request. The model's name and the delivery are in the path
/// ([`route`](super::route)), and not here.
pub(super) fn read(json: &Json) -> Result<CompletionRequest, RequestBodyError> {
    let contents = json
        .get("contents")
        .and_then(Json::as_array)
        .ok_or_else(|| RequestBodyError::member("/contents", "a list"))?;
    let model = json.get("model").and_then(Json::as_str).unwrap_or_default();
    let mut asked = CompletionRequest {
        model: model.into(),
        usage: UsageReporting::Wanted,
        ..CompletionRequest::default()
    };
    if let Some(system) = either(json, "systemInstruction", "system_instruction") {
        let parts = system.get("parts").and_then(Json::as_array).unwrap_or_default();
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        asked.system = texts.join("\n\n");
    }
    for (index, content) in contents.iter().enumerate() {
        read_content(content, index, &mut asked)?;
    }
    for (index, tool) in json.get("tools").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let declared = either(tool, "functionDeclarations", "function_declarations");
        for (number, tool) in declared.and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
            let pointer = format!("/tools/{index}/functionDeclarations/{number}/name");
            asked.tools.push(read_tool(tool, pointer)?);
        }
    }
    read_settings(json, &mut asked);
    Ok(asked)
}

/// A member under either of its two spellings, both of which the service accepts.
fn either<'a>(json: &'a Json, camel: &str, snake: &str) -> Option<&'a Json> {
    json.get(camel).or_else(|| json.get(snake))
}

fn read_content(json: &Json, index: usize, asked: &mut CompletionRequest) -> Result<(), RequestBodyError> {
    let pointer = format!("/contents/{index}");
    let parts = json.get("parts").and_then(Json::as_array);
    let parts = parts.ok_or_else(|| RequestBodyError::member(format!("{pointer}/parts"), "a list"))?;
    let mut blocks = Vec::new();
    let mut calls: u64 = 0;
    for part in parts {
        read_part(part, asked.messages.len(), &mut calls, &mut blocks);
    }
    let results = blocks.iter().any(|block| matches!(block, Block::ToolResult(_)));
    let role = match json.get("role").and_then(Json::as_str) {
        Some("model") => Role::Assistant,
        Some("user" | "function") | None if results => Role::Tool,
        Some("user") | None => Role::User,
        Some(_) => return Err(RequestBodyError::member(pointer + "/role", "user or model")),
    };
    asked.messages.push(Message::new(MessageId::new(asked.messages.len() as u64), role, blocks));
    Ok(())
}

fn read_part(part: &Json, message: usize, calls: &mut u64, blocks: &mut Vec<Block>) {
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().into();
    let signature = either(part, "thoughtSignature", "thought_signature").and_then(Json::as_str);
    if let Some(call) = either(part, "functionCall", "function_call") {
        let id: String = text(call, "id");
        let id = if id.is_empty() { format!("call_{message}_{calls}") } else { id };
        *calls = calls.saturating_add(1);
        blocks.push(Block::ToolCall(ToolCall {
            id,
            name: text(call, "name"),
            arguments: call.get("args").map_or_else(|| "{}".into(), Json::canonical),
            replay: signature.map(|signature| signed(signature, SignaturePlace::Own)),
        }));
    } else if let Some(result) = either(part, "functionResponse", "function_response") {
        blocks.push(Block::ToolResult(read_result(result)));
    } else if let Some(media) = read_media(part) {
        let picture = media.media_type.starts_with("image/");
        blocks.push(if picture { Block::Image(media) } else { Block::File(media) });
    } else if part.get("thought").and_then(Json::as_bool) == Some(true) {
        let replay = signature.map(|signature| signed(signature, SignaturePlace::Own));
        blocks.push(Block::Thinking(Thinking { text: text(part, "text"), replay }));
    } else if let Some(content) = part.get("text").and_then(Json::as_str) {
        if !content.is_empty() {
            blocks.push(Block::Text(content.into()));
        }
        if let Some(signature) = signature {
            let place = if content.is_empty() { SignaturePlace::Empty } else { SignaturePlace::Text };
            let replay = Some(signed(signature, place));
            blocks.push(Block::Thinking(Thinking { text: String::new(), replay }));
        }
    }
}

fn read_result(json: &Json) -> ToolResult {
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().into();
    let member = |name: &str| json.get("response")?.get(name)?.as_str();
    let response_text = || json.get("response").map(Json::canonical).unwrap_or_default();
    let (text_said, outcome) = match (member("output").or_else(|| member("result")), member("error")) {
        (None, Some(error)) => (error.into(), Outcome::Failed),
        (Some(output), _) => (output.into(), Outcome::Succeeded),
        (None, None) => (response_text(), Outcome::Succeeded),
    };
    ToolResult { call: text("id"), tool: text("name"), text: text_said, outcome, parts: Vec::new() }
}

fn read_media(part: &Json) -> Option<Media> {
    let text = |json: &Json, camel: &str, snake: &str| {
        either(json, camel, snake).and_then(Json::as_str).map(String::from)
    };
    let (data, source) = match either(part, "inlineData", "inline_data") {
        Some(data) => (data, Source::Base64(text(data, "data", "data")?)),
        None => {
            let data = either(part, "fileData", "file_data")?;
            (data, Source::Url(text(data, "fileUri", "file_uri")?))
        }
    };
    let media_type = text(data, "mimeType", "mime_type").unwrap_or_else(|| "application/octet-stream".into());
    Some(Media { media_type, source, name: None })
}

fn read_tool(json: &Json, pointer: String) -> Result<CompletionTool, RequestBodyError> {
    let name = json.get("name").and_then(Json::as_str);
    let name = name.ok_or_else(|| RequestBodyError::member(pointer, "a string"))?;
    let description = json.get("description").and_then(Json::as_str).unwrap_or_default();
    let schema = either(json, "parametersJsonSchema", "parameters").cloned();
    let schema = schema.unwrap_or_else(|| Json::object([("type", "object".into())]));
    Ok(CompletionTool { name: name.into(), description: description.into(), schema })
}

fn read_settings(json: &Json, asked: &mut CompletionRequest) {
    let calling = either(json, "toolConfig", "tool_config")
        .and_then(|config| either(config, "functionCallingConfig", "function_calling_config"));
    if let Some(calling) = calling {
        let names = either(calling, "allowedFunctionNames", "allowed_function_names");
        let mode = calling.get("mode").and_then(Json::as_str);
        asked.tool_choice = match (mode, names.and_then(Json::as_array)) {
            (Some("NONE"), _) => ToolChoice::None,
            (Some("ANY"), Some([Json::String(name)])) => ToolChoice::Tool(name.clone()),
            (Some("ANY"), _) => ToolChoice::Required,
            (_, _) => ToolChoice::Auto,
        };
    }
    let Some(config) = either(json, "generationConfig", "generation_config") else { return };
    asked.max_output = either(config, "maxOutputTokens", "max_output_tokens").and_then(Json::as_u64);
    asked.temperature_milli = config
        .get("temperature")
        .and_then(Json::as_number)
        .and_then(|number| lenient::thousandths(number.as_str()));
    let stops = either(config, "stopSequences", "stop_sequences").and_then(Json::as_array);
    asked.stop = stops.unwrap_or_default().iter().filter_map(Json::as_str).map(String::from).collect();
    asked.format = either(config, "responseJsonSchema", "responseSchema").cloned();
    asked.reasoning =
        either(config, "thinkingConfig", "thinking_config").map_or(Reasoning::Unsaid, read_thinking);
}

fn read_thinking(config: &Json) -> Reasoning {
    let level = either(config, "thinkingLevel", "thinking_level").and_then(Json::as_str);
    match (either(config, "thinkingBudget", "thinking_budget").and_then(Json::as_u64), level) {
        (Some(0), _) => Reasoning::Off,
        (Some(budget), _) => Reasoning::Budget(budget),
        (None, Some("minimal" | "MINIMAL" | "low" | "LOW")) => Reasoning::Effort(Effort::Low),
        (None, Some("medium" | "MEDIUM")) => Reasoning::Effort(Effort::Medium),
        (None, Some("high" | "HIGH")) => Reasoning::Effort(Effort::High),
        (None, Some(_) | None) => Reasoning::Unsaid,
    }
}
