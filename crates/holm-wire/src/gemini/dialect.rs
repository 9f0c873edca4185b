//! How a service differs from Google's own API for developers, as data.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Auth, openai_chat::Field};

/// What differs between services that speak this format.
///
/// ```
/// use holm_wire::{Auth, gemini::Dialect};
///
/// let cloud: Dialect = serde_json::from_str(r#"{"auth":"bearer","ids":"omitted",
///     "path":"/projects/p/locations/global/publishers/google/models/{model}"}"#)?;
/// assert_eq!(cloud.auth, Auth::Bearer);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// The path after the base URL and before the method; `{model}` is replaced by the model's name.
    pub path: String,
    /// Headers beside the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: Auth,
    /// Whether ids of calls are sent back. They tell two calls of one tool apart; order does so too.
    pub ids: Field,
    /// How thinking is asked for.
    pub thinking: ThinkingStyle,
    /// What stands in for the signature of a call that another provider made; newer models refuse a first call without
    /// one. None sends none.
    pub missing_signature: Option<String>,
    /// Whether a reply's schema may be sent beside tools; most models refuse the two together.
    pub schema_with_tools: Field,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            path: "/models/{model}".into(),
            headers: Vec::new(),
            auth: Auth::Header("x-goog-api-key".into()),
            ids: Field::Sent,
            thinking: ThinkingStyle::default(),
            // The value that Google documents for conversations begun elsewhere.
            missing_signature: Some("skip_thought_signature_validator".into()),
            schema_with_tools: Field::Omitted,
        }
    }
}

/// How thinking is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingStyle {
    /// With a number of tokens.
    #[default]
    Budget,
    /// With a word, as models from the third generation on want it; it cannot be turned off there.
    Level,
    /// The request leaves it out.
    Omitted,
}
