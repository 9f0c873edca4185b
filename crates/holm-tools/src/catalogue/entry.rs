//! The description of a tool as its source offers it, before it has a name in the catalogue. It
//! holds data only: names are given in `naming.rs`, and entries are listed in `list.rs`.

use holm_grants::Level;
use holm_guards::json::Json;
use serde::{Deserialize, Serialize};

/// The description of a tool by its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueEntry {
    /// The name it wants.
    pub wanted: String,
    /// The name it wants if another tool has that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_taken: Option<String>,
    /// Where it comes from, for people: a file, a server, `built in`.
    pub origin: String,
    pub description: String,
    /// Words under which it is found.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// How much it can do at most.
    pub level: Level,
    /// JSON Schema of its arguments.
    pub schema: Json,
    /// Whether its schema is shown from the start.
    #[serde(default)]
    pub disclosure: SchemaDisclosure,
}

impl CatalogueEntry {
    /// A tool that is shown from the start and has no keywords.
    #[must_use]
    pub fn new(wanted: &str, origin: &str, level: Level, schema: Json) -> Self {
        Self {
            wanted: wanted.into(),
            if_taken: None,
            origin: origin.into(),
            description: String::new(),
            keywords: Vec::new(),
            level,
            schema,
            disclosure: SchemaDisclosure::Full,
        }
    }
}

/// When a model sees the schema of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaDisclosure {
    #[default]
    Full,
    /// After it has asked for the tool by name; until then only name and first line are listed.
    OnDemand,
}
