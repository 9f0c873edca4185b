//! The differences between services that offer Cohere's format, as data.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Auth, openai_chat::Field};

/// The differences between services that offer this format.
///
/// ```
/// use holm_wire::{Auth, cohere::Dialect};
///
/// let own: Dialect = serde_json::from_str(r#"{"path":"/cohere/v2/chat","auth":"none"}"#)?;
/// assert_eq!(own.auth, Auth::None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// The path after the base URL.
    pub path: String,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: Auth,
    /// Whether pictures may be sent. Otherwise they are described in text.
    pub images: Field,
    /// Whether `thinking` may be sent.
    pub thinking: Field,
    /// Whether a reply schema may be sent together with tools. The service refuses the combination.
    pub schema_with_tools: Field,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            path: "/v2/chat".into(),
            headers: Vec::new(),
            auth: Auth::Bearer,
            images: Field::Sent,
            thinking: Field::Sent,
            schema_with_tools: Field::Omitted,
        }
    }
}
