//! The differences between a service and `OpenAI`, as data. A new compatible service is an entry in
//! a list, and not code.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::Auth;

/// The differences between services that offer Chat Completions.
///
/// ```
/// use holm_wire::openai_chat::{Dialect, MaxTokens};
///
/// let local: Dialect = serde_json::from_str(r#"{"auth":"none","max_tokens":"max_tokens"}"#)?;
/// assert_eq!(local.max_tokens, MaxTokens::MaxTokens);
/// assert_eq!(local.path, "/chat/completions");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// The path after the base URL; `{model}` is replaced by the model's name.
    pub path: String,
    /// Query parameters, such as Azure's `api-version`.
    pub query: Vec<(String, String)>,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: Auth,
    /// The name of the field for the output limit.
    pub max_tokens: MaxTokens,
    /// The largest output limit that the service accepts.
    pub max_output: Option<u64>,
    /// The role of the system prompt.
    pub system: SystemRole,
    /// Whether `stream_options` may be sent to request usage.
    pub stream_usage: Field,
    /// Whether `parallel_tool_calls` may be sent.
    pub parallel_tools: Field,
    /// Whether `prompt_cache_key` may be sent.
    pub cache_key: Field,
    /// Whether `temperature` may be sent.
    pub temperature: Field,
    /// Whether pictures may be sent. Otherwise they are described in text.
    pub images: Field,
    /// Whether files may be sent. Otherwise they are described in text.
    pub files: Field,
    /// How the request asks for a reply with a JSON schema.
    pub schema: SchemaFormat,
    /// How the request sets the reasoning effort.
    pub effort: EffortField,
    /// Whether reasoning is sent back.
    pub reasoning: ReasoningEcho,
    /// Which ids the service accepts for tool calls.
    pub tool_ids: ToolIds,
    /// What ends a stream.
    pub end: EndMark,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            path: "/chat/completions".into(),
            query: Vec::new(),
            headers: Vec::new(),
            auth: Auth::Bearer,
            max_tokens: MaxTokens::default(),
            max_output: None,
            system: SystemRole::default(),
            stream_usage: Field::Sent,
            parallel_tools: Field::Sent,
            cache_key: Field::Omitted,
            temperature: Field::Sent,
            images: Field::Sent,
            files: Field::Sent,
            schema: SchemaFormat::default(),
            effort: EffortField::default(),
            reasoning: ReasoningEcho::default(),
            tool_ids: ToolIds::default(),
            end: EndMark::default(),
        }
    }
}

impl Dialect {
    /// The conservative dialect for a service of which only the base URL is known: older field
    /// names, and no optional fields.
    pub fn compatible() -> Self {
        Self {
            max_tokens: MaxTokens::MaxTokens,
            parallel_tools: Field::Omitted,
            files: Field::Omitted,
            effort: EffortField::Omitted,
            ..Self::default()
        }
    }
}

/// Whether an optional field may be sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    #[default]
    Sent,
    /// The service refuses the field.
    Omitted,
}

/// The name of the field for the output limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokens {
    /// `max_completion_tokens`, which counts reasoning too.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, the older name.
    MaxTokens,
}

impl MaxTokens {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::MaxTokens => "max_tokens",
        }
    }
}

/// The role of the system prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    #[default]
    System,
    Developer,
}

impl SystemRole {
    /// The role on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
        }
    }
}

/// How the request asks for structured output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum SchemaFormat {
    /// `response_format` with the schema.
    #[default]
    JsonSchema,
    /// `response_format` that requires any JSON object. The prompt must describe the schema.
    JsonObject,
    /// The request leaves it out.
    Omitted,
}

/// How the request sets the reasoning effort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum EffortField {
    #[default]
    ReasoningEffort,
    /// Send it as `reasoning: {"effort": …}`.
    Reasoning,
    /// The request leaves it out.
    Omitted,
}

/// Whether reasoning is sent back to the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEcho {
    /// It is not sent back, because some services refuse it.
    #[default]
    Dropped,
    /// In this member of the assistant's message.
    Member(String),
}

/// Which ids a service accepts for tool calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ToolIds {
    #[default]
    Any,
    /// Nine letters and digits. Other ids are replaced by nine characters derived from them.
    Nine,
}

/// What ends a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum EndMark {
    /// Only `[DONE]` ends a stream.
    #[default]
    Done,
    /// A finish reason, for services that simply close the connection.
    FinishReason,
}
