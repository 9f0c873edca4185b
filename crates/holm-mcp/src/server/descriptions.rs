//! Describes agents and tools in the types of the protocol.

use std::borrow::Cow;

use holm_runtime::Tool;
use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde_json::{Value, json};

/// An agent as a tool.
pub(super) fn ask(name: &str, description: &str) -> Described {
    let schema = json!({
        "type": "object",
        "properties": { "prompt": { "type": "string", "description": "What to do, or the question." } },
        "required": ["prompt"],
    });
    Described::new(name.to_owned(), description.to_owned(), object(schema))
}

pub(super) fn describe(tool: &dyn Tool) -> Described {
    let declared = tool.declaration();
    let schema: Value = serde_json::from_str(&declared.schema.canonical()).unwrap_or_default();
    let reads = declared.level <= holm_grants::Level::ReadOnly;
    let hints = ToolAnnotations::new().read_only(reads).idempotent(declared.may_run_again());
    Described::new(declared.name.clone(), Cow::Owned(declared.description.clone()), object(schema))
        .with_annotations(hints)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
