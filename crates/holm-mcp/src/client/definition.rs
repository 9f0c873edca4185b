//! A tool definition as its server sent it, limited in size and with a hash that reveals changes.
//!
//! Whether a changed definition may be used is decided in `remote_server.rs`, by its pin. The model
//! never sees a character that a person cannot see. The hash covers everything that either of them
//! reads, so a new field that they read must become part of it.
//!
//! A definition is read in `server_connection.rs` and becomes a tool in `tool.rs`. Pins are stored
//! by `holm-tools/src/registry/pins.rs`.

use std::time::Duration;

use holm_guards::json::Json;
use holm_tools::text::is_shown;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The longest description: ten times what tools need, and a hundredth of what fills a context.
pub(crate) const MAX_DESCRIPTION: usize = 16 * 1024;
/// The longest schema, as text.
pub(crate) const MAX_SCHEMA: usize = 128 * 1024;
/// The longest name, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// A tool as its server defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDefinition {
    /// The tool's name on the server.
    pub name: String,
    /// The description that the server gives.
    pub description: String,
    /// The schema of its arguments.
    pub schema: Json,
    /// Whether the server claims that the tool only reads.
    pub reads_only: bool,
    /// Whether the server claims that calling twice has the same effect as calling once.
    pub idempotent: bool,
    /// SHA-256 of everything that a model or a person reads about the tool.
    pub sha256: [u8; 32],
}

/// The tools of a server at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolListing {
    /// The tools that Holm can use, in the server's order.
    pub tools: Vec<ToolDefinition>,
    pub flaws: Vec<ToolDefinitionError>,
    /// The names of tools that changed since they were first seen. The pin check fills it in.
    pub changed: Vec<String>,
    /// How long the list stays valid, if the server says so.
    pub fresh_for: Option<Duration>,
}

/// Everything a server offered when it was last asked: its tools, and whether it has more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerInventory {
    pub listing: ToolListing,
    /// Whether it has resources.
    pub resources: bool,
    /// Whether it has prompts.
    pub prompts: bool,
}

/// Why a tool is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolDefinitionError {
    /// The name is empty or too long.
    #[error("a tool has a name of {0} bytes or none; it is left out")]
    Name(usize),
    /// Some part of the definition is too long.
    #[error("`{tool}` has {what} of {bytes} bytes, more than {most}; it is left out")]
    TooLong {
        tool: String,
        /// The part that is too long.
        what: &'static str,
        /// Its length in bytes.
        bytes: usize,
        /// The largest length allowed.
        most: usize,
    },
    /// A schema that cannot be used.
    #[error("`{tool}` has a schema that cannot be used: {why}; it is left out")]
    Schema { tool: String, why: String },
    /// A name or a schema with invisible characters.
    #[error("`{0}` has invisible characters in its name or its schema; it is left out")]
    Hidden(String),
    /// Two tools with the same name.
    #[error("`{0}` occurs twice; the second is left out")]
    Twice(String),
    #[error("it has more than {0} tools; the rest is left out")]
    TooMany(usize),
    /// The list has too many pages.
    #[error("its list has more than {0} pages; the rest is left out")]
    Endless(usize),
}

impl ToolDefinition {
    /// Checks a tool definition as a server sent it.
    ///
    /// # Errors
    ///
    /// [`ToolDefinitionError`] if the definition is too long or contains something that Holm rejects.
    pub fn take(tool: &rmcp::model::Tool) -> Result<Self, ToolDefinitionError> {
        let name = tool.name.to_string();
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(ToolDefinitionError::Name(name.len()));
        }
        if !name.chars().all(is_shown) {
            return Err(ToolDefinitionError::Hidden(seen(&name)));
        }
        let description = seen(tool.description.as_deref().unwrap_or_default());
        bounded(&name, "a description", description.len(), MAX_DESCRIPTION)?;
        let text = Value::Object((*tool.input_schema).clone()).to_string();
        bounded(&name, "a schema", text.len(), MAX_SCHEMA)?;
        let schema = Json::parse(&text)
            .map_err(|error| ToolDefinitionError::Schema { tool: name.clone(), why: error.to_string() })?;
        if let Some(reference) = external_reference(&schema) {
            let reason = format!("it points to {}, which Holm does not fetch", super::error::cut(reference));
            return Err(ToolDefinitionError::Schema { tool: name, why: reason });
        }
        let sha256 = hash(tool, &schema);
        let schema = shown(&schema).ok_or_else(|| ToolDefinitionError::Hidden(name.clone()))?;
        let hints = tool.annotations.clone().unwrap_or_default();
        Ok(Self {
            sha256,
            name,
            description,
            schema,
            reads_only: hints.read_only_hint == Some(true),
            idempotent: hints.idempotent_hint == Some(true),
        })
    }
}

/// The text as a person sees it. The model must not see what a person cannot see.
fn seen(text: &str) -> String {
    text.chars().filter(|character| matches!(character, '\n' | '\t') || is_shown(*character)).collect()
}

/// The schema as a person sees it. Returns `None` if a name or value that a call would
/// carry has hidden characters.
fn shown(schema: &Json) -> Option<Json> {
    let is_plain = |text: &str| seen(text) == text;
    match schema {
        Json::Object(members) => {
            let member = |(name, value): (&String, &Json)| {
                let value = match value {
                    Json::String(text) if WORDS.contains(&name.as_str()) => Json::from(seen(text).as_str()),
                    value => shown(value)?,
                };
                is_plain(name).then(|| (name.clone(), value))
            };
            Some(Json::Object(members.iter().map(member).collect::<Option<_>>()?))
        }
        Json::Array(items) => Some(Json::Array(items.iter().map(shown).collect::<Option<_>>()?)),
        Json::String(text) if !is_plain(text) => None,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Some(schema.clone()),
    }
}

/// The members of a schema that are text for its reader.
const WORDS: [&str; 3] = ["description", "title", "$comment"];

/// Finds a reference in a schema that points outside of it.
fn external_reference(schema: &Json) -> Option<&str> {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                let reference = |name| members.get(name).and_then(Json::as_str);
                let out = ["$ref", "$dynamicRef"]
                    .into_iter()
                    .filter_map(reference)
                    .find(|target| !target.starts_with('#'));
                if out.is_some() {
                    return out;
                }
                open.extend(members.values());
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    None
}

fn bounded(tool: &str, part: &'static str, bytes: usize, most: usize) -> Result<(), ToolDefinitionError> {
    if bytes <= most {
        return Ok(());
    }
    Err(ToolDefinitionError::TooLong { tool: tool.to_owned(), what: part, bytes, most })
}

/// Hashes the canonical form, so that only a change of meaning changes the hash.
fn hash(tool: &rmcp::model::Tool, schema: &Json) -> [u8; 32] {
    let text = |value: Option<&str>| value.map_or(Json::Null, Json::from);
    let value = |value: Option<Value>| {
        value.and_then(|value| Json::parse(&value.to_string()).ok()).unwrap_or(Json::Null)
    };
    let hints = tool.annotations.as_ref().and_then(|hints| serde_json::to_value(hints).ok());
    let output = tool.output_schema.as_deref().map(|schema| Value::Object(schema.clone()));
    let document = Json::object([
        ("name", Json::from(tool.name.as_ref())),
        ("title", text(tool.title.as_deref())),
        ("description", text(tool.description.as_deref())),
        ("input", schema.clone()),
        ("output", value(output)),
        ("hints", value(hints)),
    ]);
    Sha256::digest(document.canonical()).into()
}

#[cfg(test)]
mod tests;
