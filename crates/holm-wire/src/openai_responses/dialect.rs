//! The differences between a service and `OpenAI` itself, as data.
//!
//! Nothing is written here: `request.rs` reads these settings. The values of a known service are in
//! `data/services.json`, so that a new service needs no code. A new setting needs a default that
//! keeps existing lists valid.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{AuthScheme, openai_chat::OptionalField};

/// The differences between services that offer Responses.
///
/// ```
/// use holm_wire::openai_responses::{OpenaiResponsesDialect, ReasoningItems};
///
/// let local: OpenaiResponsesDialect = serde_json::from_str(r#"{"auth":"none","reasoning":"plain"}"#)?;
/// assert_eq!(local.reasoning, ReasoningItems::Plain);
/// assert_eq!(local.path, "/responses");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct OpenaiResponsesDialect {
    /// The path after the base URL.
    pub path: String,
    /// Query parameters, such as Azure's `api-version`.
    pub query: Vec<(String, String)>,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: AuthScheme,
    /// How reasoning items are handled. Models without reasoning refuse a
    /// request for encrypted ones.
    pub reasoning: ReasoningItems,
    /// Which summary of the reasoning is requested together with effort.
    /// `None` requests no summary.
    pub summary: Option<String>,
    /// Whether `temperature` may be sent. Reasoning models refuse it.
    pub temperature: OptionalField,
    /// Whether `parallel_tool_calls` may be sent.
    pub parallel_tools: OptionalField,
    /// Whether images may be sent. Otherwise they are described in text.
    pub images: OptionalField,
    /// Whether files may be sent. Otherwise they are described in text.
    pub files: OptionalField,
}

impl Default for OpenaiResponsesDialect {
    fn default() -> Self {
        Self {
            path: "/responses".into(),
            query: Vec::new(),
            headers: Vec::new(),
            auth: AuthScheme::Bearer,
            reasoning: ReasoningItems::default(),
            summary: Some("auto".into()),
            temperature: OptionalField::Sent,
            parallel_tools: OptionalField::Sent,
            images: OptionalField::Sent,
            files: OptionalField::Sent,
        }
    }
}

/// How reasoning items are handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningItems {
    /// They are requested in encrypted form and sent back. Unencrypted items are left out, because
    /// the service would look for them in a store that the request disables.
    #[default]
    Encrypted,
    /// All items are sent back, as services with open reasoning require.
    /// Encryption is not requested.
    Plain,
    /// No item is sent back.
    Dropped,
}
