//! `<tool>.toml`: a file beside a tool that corrects or completes what the tool says about itself.
//! It is read in `read.rs` and used by the loaders.
//!
//! A sidecar can describe and ask, but it cannot grant. What it asks for becomes a need of each
//! call. A call with a need that is not granted is asked about or refused like any other. An
//! unknown word is an error, so that a misspelt limit is not without effect.

use holm_grants::{Allowances, Level, NeedTemplate};
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_guards::postcondition::Postcondition;
use holm_kernel::Repeat;
use serde::Deserialize;
use thiserror::Error;

use crate::catalogue::SchemaDisclosure;
use crate::openapi::OpenApiSettings;

/// The most bytes of a sidecar: a person wrote it.
pub const MAX_SIDECAR: usize = 64 << 10;

/// The content of a sidecar. A field that it leaves out keeps the value from the tool itself.
///
/// ```
/// use holm_tools::registry::ToolSidecar;
///
/// let sidecar = ToolSidecar::parse(r#"
///     description = "Looks up the weather."
///     level = "read-only"
///     asks = ["fetch:https://api.weather.example"]
///     limits = ["time:5s", "mem:32MiB"]
/// "#)?;
/// assert_eq!(sidecar.asks[0].to_string(), "fetch:https://api.weather.example");
/// # Ok::<(), holm_tools::registry::SidecarError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSidecar {
    /// What it is called.
    pub name: Option<String>,
    /// Its purpose, for the model.
    pub description: Option<String>,
    /// Words under which it is found.
    pub keywords: Vec<String>,
    /// How much a call can change. It is never lower than what its needs make possible.
    pub level: Option<Level>,
    /// The needs of each call, as grants with arguments in braces:
    /// `read:{path}`, `fetch:https://api.example.com`.
    pub asks: Vec<NeedTemplate>,
    /// How much one call may use, such as `time:5s`.
    pub limits: Allowances,
    /// Conditions that every result must meet.
    pub postconditions: Vec<Postcondition>,
    /// How much of a result the model sees, in characters.
    pub result_limit: Option<u64>,
    /// Whether empty output is a fair result.
    pub empty: Option<EmptyOutput>,
    /// Whether output that reads like an error message may be data.
    pub error_text: Option<ErrorText>,
    /// Whether a call may run twice.
    pub repeat: Option<Repeat>,
    /// When a model sees its schema.
    pub disclosure: Option<SchemaDisclosure>,
    /// Whether its success is a vote to end the run. The run ends if all results of a reply vote so.
    pub ends_run: bool,
    /// The server and the keys of an OpenAPI document.
    pub api: Option<OpenApiSettings>,
}

/// Why a sidecar cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SidecarError {
    /// It is larger than any that a person wrote.
    #[error("the sidecar has {0} bytes; at most {MAX_SIDECAR} are allowed")]
    TooLarge(usize),
    /// It is not valid text.
    #[error("the sidecar is not UTF-8 text")]
    NotText,
    /// It says what no sidecar says.
    #[error("the sidecar is invalid: {0}")]
    Unreadable(String),
}

impl ToolSidecar {
    /// Reads a sidecar. An unknown word is an error, so that a misspelt one is
    /// not silently without effect.
    ///
    /// # Errors
    ///
    /// The error, with its line.
    pub fn parse(text: &str) -> Result<Self, SidecarError> {
        if text.len() > MAX_SIDECAR {
            return Err(SidecarError::TooLarge(text.len()));
        }
        toml::from_str(text)
            .map_err(|error: toml::de::Error| SidecarError::Unreadable(in_a_line(text, &error)))
    }

    /// Reads a sidecar's bytes.
    ///
    /// # Errors
    ///
    /// The same errors as [`Self::parse`].
    pub fn read(bytes: &[u8]) -> Result<Self, SidecarError> {
        Self::parse(std::str::from_utf8(bytes).map_err(|_| SidecarError::NotText)?)
    }
}

/// Characters of a line that are shown with its error.
const MOST_SHOWN: usize = 80;

/// Describes an error in a text, with its line.
fn in_a_line(text: &str, error: &toml::de::Error) -> String {
    let said = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return said };
    let number = before.matches('\n').count();
    let line: String = text.lines().nth(number).unwrap_or_default().trim().chars().take(MOST_SHOWN).collect();
    format!("line {}: {said}, in `{line}`", number + 1)
}
