//! What a server says of a tool, bounded and with a hash by which a change is seen.

use std::time::Duration;

use holm_guards::json::Json;
use holm_tools::text::is_shown;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The longest description. Ten times what tools need, and a hundredth of what fills a context.
pub(crate) const MAX_DESCRIPTION: usize = 16 * 1024;
/// The longest schema, as text.
pub(crate) const MAX_SCHEMA: usize = 128 * 1024;
/// The longest name, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// A tool as its server defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name at the server.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// The schema of its arguments.
    pub schema: Json,
    /// Whether the server says that it only reads.
    pub reads_only: bool,
    /// Whether the server says that twice is the same as once.
    pub idempotent: bool,
    /// SHA-256 of everything that a model or a person reads of it.
    pub sha256: [u8; 32],
}

/// The tools of a server at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Those that can be used, in the server's order.
    pub tools: Vec<Definition>,
    pub flaws: Vec<Flaw>,
    /// The names of those that changed since they were first seen; filled in where pins are looked at.
    pub changed: Vec<String>,
    /// How long the list is good for, if the server says so.
    pub fresh_for: Option<Duration>,
}

/// What a server had to offer when it was read: its tools, and what else there is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    pub listing: Listing,
    /// Whether it has resources.
    pub resources: bool,
    /// Whether it has prompts.
    pub prompts: bool,
}

/// Why a tool is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Flaw {
    /// A name that nobody can use.
    #[error("a tool has a name of {0} bytes or none; it is left out")]
    Name(usize),
    /// Too much to read.
    #[error("`{tool}` has {what} of {bytes} bytes, more than {most}; it is left out")]
    TooLong {
        tool: String,
        /// What is too long.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// A schema that cannot be used.
    #[error("`{tool}` has a schema that cannot be used: {why}; it is left out")]
    Schema {
        tool: String,
        why: String,
    },
    /// A name or a schema with characters that nobody sees.
    #[error("`{0}` has characters that nobody sees in its name or its schema; it is left out")]
    Hidden(String),
    /// Two tools of one name.
    #[error("`{0}` is there twice; the second is left out")]
    Twice(String),
    #[error("it has more than {0} tools; the rest is left out")]
    TooMany(usize),
    /// A list that goes on and on.
    #[error("its list has more than {0} pages; the rest is left out")]
    Endless(usize),
}

impl Definition {
    /// Takes a tool as a server sent it.
    ///
    /// # Errors
    ///
    /// [`Flaw`] where it is too much to read, or not to be read.
    pub fn take(tool: &rmcp::model::Tool) -> Result<Self, Flaw> {
        let name = tool.name.to_string();
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(Flaw::Name(name.len()));
        }
        if !name.chars().all(is_shown) {
            return Err(Flaw::Hidden(seen(&name)));
        }
        let description = seen(tool.description.as_deref().unwrap_or_default());
        bounded(&name, "a description", description.len(), MAX_DESCRIPTION)?;
        let text = Value::Object((*tool.input_schema).clone()).to_string();
        bounded(&name, "a schema", text.len(), MAX_SCHEMA)?;
        let schema = Json::parse(&text)
            .map_err(|error| Flaw::Schema { tool: name.clone(), why: error.to_string() })?;
        if let Some(place) = elsewhere(&schema) {
            let why = format!("it points to {}, which nobody fetches", super::error::cut(place));
            return Err(Flaw::Schema { tool: name, why });
        }
        let sha256 = hash(tool, &schema);
        let schema = shown(&schema).ok_or_else(|| Flaw::Hidden(name.clone()))?;
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

/// The text as a person sees it: what is hidden from a person is hidden from the model.
fn seen(text: &str) -> String {
    text.chars().filter(|letter| matches!(letter, '\n' | '\t') || is_shown(*letter)).collect()
}

/// The schema as a person sees it; none where a name or a value that a call would carry has something hidden in it.
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

/// The members of a schema that are words for whoever reads it.
const WORDS: [&str; 3] = ["description", "title", "$comment"];

/// A reference in a schema that leads out of it.
fn elsewhere(schema: &Json) -> Option<&str> {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => {
                let reference = |name| members.get(name).and_then(Json::as_str);
                let out = ["$ref", "$dynamicRef"]
                    .into_iter()
                    .filter_map(reference)
                    .find(|place| !place.starts_with('#'));
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

fn bounded(tool: &str, what: &'static str, bytes: usize, most: usize) -> Result<(), Flaw> {
    if bytes <= most {
        return Ok(());
    }
    Err(Flaw::TooLong { tool: tool.to_owned(), what, bytes, most })
}

/// Over the canonical form, so that only what changes the meaning changes the hash.
fn hash(tool: &rmcp::model::Tool, schema: &Json) -> [u8; 32] {
    let text = |value: Option<&str>| value.map_or(Json::Null, Json::from);
    let value = |value: Option<Value>| {
        value.and_then(|value| Json::parse(&value.to_string()).ok()).unwrap_or(Json::Null)
    };
    let hints = tool.annotations.as_ref().and_then(|hints| serde_json::to_value(hints).ok());
    let output = tool.output_schema.as_deref().map(|schema| Value::Object(schema.clone()));
    let whole = Json::object([
        ("name", Json::from(tool.name.as_ref())),
        ("title", text(tool.title.as_deref())),
        ("description", text(tool.description.as_deref())),
        ("input", schema.clone()),
        ("output", value(output)),
        ("hints", value(hints)),
    ]);
    Sha256::digest(whole.canonical()).into()
}

#[cfg(test)]
mod tests;
