//! The differences between services that offer Google's developer API, as data.
//!
//! Nothing is written here: `request.rs` reads these settings. The values of a known service are in
//! `data/services.json`, so that a new service needs no code. A new setting needs a default that
//! keeps existing lists valid.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{AuthScheme, openai_chat::OptionalField};

/// The differences between services that offer this format.
///
/// ```
/// use holm_wire::{AuthScheme, gemini::GeminiDialect};
///
/// let cloud: GeminiDialect = serde_json::from_str(r#"{"auth":"bearer","ids":"omitted",
///     "path":"/projects/p/locations/global/publishers/google/models/{model}"}"#)?;
/// assert_eq!(cloud.auth, AuthScheme::Bearer);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct GeminiDialect {
    /// The path after the base URL and before the method; `{model}` is replaced by the model's name.
    pub path: String,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: AuthScheme,
    /// Whether call ids are sent back. They distinguish two calls of one tool; the
    /// order does so too.
    pub ids: OptionalField,
    /// How the request asks for thinking.
    pub thinking: GeminiThinking,
    /// The replacement for the signature of a call that another provider made. Newer models refuse
    /// a first call without a signature. `None` sends no signature.
    pub missing_signature: Option<String>,
    /// Whether a reply schema may be sent together with tools. Most models refuse the combination.
    pub schema_with_tools: OptionalField,
}

impl Default for GeminiDialect {
    fn default() -> Self {
        Self {
            path: "/models/{model}".into(),
            headers: Vec::new(),
            auth: AuthScheme::Header("x-goog-api-key".into()),
            ids: OptionalField::Sent,
            thinking: GeminiThinking::default(),
            // The value that Google documents for conversations from other providers.
            missing_signature: Some("skip_thought_signature_validator".into()),
            schema_with_tools: OptionalField::Omitted,
        }
    }
}

/// How the request asks for thinking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum GeminiThinking {
    /// As a number of tokens.
    #[default]
    Budget,
    /// As a word, which models from the third generation on require. It cannot be turned off there.
    Level,
    /// The request leaves it out.
    Omitted,
}
