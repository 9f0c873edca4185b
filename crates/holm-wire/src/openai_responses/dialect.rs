//! How a service differs from `OpenAI` itself, as data.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Auth, openai_chat::Field};

/// What differs between services that speak Responses.
///
/// ```
/// use holm_wire::openai_responses::{Dialect, ReasoningItems};
///
/// let local: Dialect = serde_json::from_str(r#"{"auth":"none","reasoning":"plain"}"#)?;
/// assert_eq!(local.reasoning, ReasoningItems::Plain);
/// assert_eq!(local.path, "/responses");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// The path after the base URL.
    pub path: String,
    /// Query parameters, such as Azure's `api-version`.
    pub query: Vec<(String, String)>,
    /// Headers beside the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: Auth,
    /// What happens with reasoning items. Models that do not reason refuse the wish for encrypted ones.
    pub reasoning: ReasoningItems,
    /// Which summary of the reasoning is asked for when effort is; none asks for none.
    pub summary: Option<String>,
    /// Whether `temperature` may be sent; models that reason refuse it.
    pub temperature: Field,
    /// Whether `parallel_tool_calls` may be sent.
    pub parallel_tools: Field,
    /// Whether pictures may be sent; otherwise they are named in words.
    pub images: Field,
    /// Whether files may be sent; otherwise they are named in words.
    pub files: Field,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            path: "/responses".into(),
            query: Vec::new(),
            headers: Vec::new(),
            auth: Auth::Bearer,
            reasoning: ReasoningItems::default(),
            summary: Some("auto".into()),
            temperature: Field::Sent,
            parallel_tools: Field::Sent,
            images: Field::Sent,
            files: Field::Sent,
        }
    }
}

/// What happens with reasoning items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningItems {
    /// They are asked for in encrypted form and sent back; others are left out, because the service would look for them
    /// in a store that it was told not to keep.
    #[default]
    Encrypted,
    /// All are sent back, as services with open reasoning want it; encryption is not asked for.
    Plain,
    /// None is sent back.
    Dropped,
}
