//! Postconditions as a tool declares them, as data that is stored with the tool's description.
//!
//! Nothing is compiled or checked here; see `postcondition/compiled_postconditions.rs`.
//! Declarations are part of record 0, so names of fields and variants keep their meaning. A new
//! kind of rule needs a variant here and its evaluation there.

use alloc::string::String;
use alloc::vec::Vec;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::ruling::Severity;

/// One promise of a tool about its output.
///
/// ```
/// use holm_guards::postcondition::Postcondition;
///
/// let declared = r#"{"name":"a version","rule":{"pattern":{"regex":"^\\d+\\.\\d+"}},"severity":"warn"}"#;
/// let postcondition: Postcondition = serde_json::from_str(declared)?;
/// assert_eq!(postcondition.name, "a version");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Postcondition {
    /// What the promise is called in reasons and events.
    pub name: String,
    /// What the output must be like.
    pub rule: Rule,
    /// What a broken promise leads to.
    #[serde(default)]
    pub severity: Severity,
    /// The message for the model when the promise is broken; without it, what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Postcondition {
    /// A promise that rejects when broken and explains itself.
    #[must_use]
    pub fn new(name: impl Into<String>, rule: Rule) -> Self {
        Self { name: name.into(), rule, severity: Severity::default(), message: None }
    }
}

/// What an output must be like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The whole output is one JSON value that this schema allows.
    Schema(Json),
    /// A regular expression (in JavaScript's syntax, unanchored, matched in linear time) that must
    /// match somewhere, or nowhere.
    Pattern {
        regex: String,
        /// Which of the two.
        #[serde(default)]
        must: Must,
    },
    /// Rules about lines. Lines of white space only are not counted and not matched.
    Lines {
        /// The minimum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u64>,
        /// The maximum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
        /// What every line must match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        each: Option<String>,
        /// What no line may match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        none: Option<String>,
    },
    /// Bounds on the length in bytes.
    Length {
        /// The minimum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u64>,
        /// The maximum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
    /// A program that gets the output and must succeed. It is never run here: the caller turns it
    /// into an effect, and the host's answer comes back as a fact.
    Executable {
        /// The program, under the names of the host.
        command: String,
        /// The arguments of the program.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<String>,
    },
}

/// Whether a pattern is demanded or forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Must {
    /// The output must match.
    #[default]
    Match,
    /// The output must not match.
    NotMatch,
}
