//! Exports messages in the JSON of the conventions, if the export of content is turned on. The
//! spans are made in `otel/spans.rs`, and the names are in `otel/names.rs`.

use holm_kernel::{Block, Message, Role};
use serde_json::{Value, json};

/// Messages as one attribute.
pub(super) fn messages<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    Value::Array(messages.into_iter().map(message).collect()).to_string()
}

/// A reply as one attribute, with why it ended.
pub(super) fn reply(reply: &Message, finish_reason: &str) -> String {
    let mut reply = message(reply);
    reply["finish_reason"] = finish_reason.into();
    Value::Array(vec![reply]).to_string()
}

/// The text of one call's result, as the model reads it.
pub(super) fn result_of<'a>(message: &'a Message, call: &str) -> Option<&'a str> {
    message.blocks.iter().find_map(|block| match block {
        Block::ToolResult(result) if result.call == call => Some(result.text.as_str()),
        _ => None,
    })
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User | Role::Custom => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    json!({ "role": role, "parts": message.blocks.iter().map(part).collect::<Vec<_>>() })
}

fn part(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "text", "content": text }),
        Block::Thinking(thinking) => json!({ "type": "reasoning", "content": thinking.text }),
        Block::ToolCall(call) => {
            // Arguments that are not JSON are shown as text.
            let arguments = serde_json::from_str(&call.arguments);
            let arguments: Value = arguments.unwrap_or_else(|_| Value::String(call.arguments.clone()));
            json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments })
        }
        Block::ToolResult(result) => {
            json!({ "type": "tool_call_response", "id": result.call, "response": result.text })
        }
        // Binary data does not belong in a span.
        Block::Image(media) => json!({ "type": "image", "mime_type": media.media_type }),
        Block::File(media) => json!({ "type": "file", "mime_type": media.media_type }),
        Block::Custom(custom) => json!({ "type": custom.kind }),
    }
}
