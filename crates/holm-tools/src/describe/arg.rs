//! One declared argument: its name, and how its value reaches the program. It holds data only; the
//! description is parsed in `program.rs`, and values are written to a command line in `call.rs`.

use holm_guards::json::Json;
use serde::{Deserialize, Serialize};

/// An argument of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramArgument {
    /// Its name, for the model and after `--`.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema type of its value.
    pub kind: String,
    /// Whether it may be left out.
    pub arity: ArgumentArity,
    /// How the value is passed.
    pub mode: ArgumentMode,
}

impl ProgramArgument {
    /// The JSON Schema of its value.
    #[must_use]
    pub fn schema(&self) -> Json {
        let mut members = vec![("type", Json::from(self.kind.as_str()))];
        if !self.description.is_empty() {
            members.push(("description", Json::from(self.description.as_str())));
        }
        Json::object(members)
    }
}

/// How many values an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentArity {
    #[default]
    Single,
    Optional,
}

impl ArgumentArity {
    /// The arity that a description names.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "single" => Some(Self::Single),
            "optional" => Some(Self::Optional),
            _ => None,
        }
    }
}

/// How the value of an argument is passed to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentMode {
    /// As a word of its own.
    Positional,
    /// As two words: `--name value`.
    DashDashSpace,
    /// As one word: `--name=value`.
    DashDashEqual,
    Stdin,
}

impl ArgumentMode {
    /// The mode that a description names.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "positional" => Some(Self::Positional),
            "dashdashspace" => Some(Self::DashDashSpace),
            "dashdashequal" => Some(Self::DashDashEqual),
            "stdin" => Some(Self::Stdin),
            _ => None,
        }
    }
}
