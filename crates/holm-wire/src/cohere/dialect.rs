//! The differences between services that offer Cohere's format, as data. Nothing is written here:
//! `request.rs` reads these settings. The values of a known service are in `data/services.json`.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{AuthScheme, openai_chat::OptionalField};

/// The differences between services that offer this format.
///
/// ```
/// use holm_wire::{AuthScheme, cohere::CohereDialect};
///
/// let own: CohereDialect = serde_json::from_str(r#"{"path":"/cohere/v2/chat","auth":"none"}"#)?;
/// assert_eq!(own.auth, AuthScheme::None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct CohereDialect {
    /// The path after the base URL.
    pub path: String,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: AuthScheme,
    /// Whether images may be sent. Otherwise they are described in text.
    pub images: OptionalField,
    /// Whether `thinking` may be sent.
    pub thinking: OptionalField,
    /// Whether a reply schema may be sent together with tools. The service refuses the combination.
    pub schema_with_tools: OptionalField,
}

impl Default for CohereDialect {
    fn default() -> Self {
        Self {
            path: "/v2/chat".into(),
            headers: Vec::new(),
            auth: AuthScheme::Bearer,
            images: OptionalField::Sent,
            thinking: OptionalField::Sent,
            schema_with_tools: OptionalField::Omitted,
        }
    }
}
