//! The differences between a service and `OpenAI`, as data. A new compatible service is an entry in
//! `data/services.json`, and not code.
//!
//! Nothing is written here: `request.rs` reads these settings, and `stream.rs` reads the end mark.
//! A new setting needs a default that keeps existing lists valid, and
//! [`OpenaiChatDialect::compatible`] must stay free of fields that a service might refuse.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::AuthScheme;

/// The differences between services that offer Chat Completions.
///
/// ```
/// use holm_wire::openai_chat::{OpenaiChatDialect, MaxTokensField};
///
/// let local: OpenaiChatDialect = serde_json::from_str(r#"{"auth":"none","max_tokens":"max_tokens"}"#)?;
/// assert_eq!(local.max_tokens, MaxTokensField::MaxTokens);
/// assert_eq!(local.path, "/chat/completions");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct OpenaiChatDialect {
    /// The path after the base URL; `{model}` is replaced by the model's name.
    pub path: String,
    /// Query parameters, such as Azure's `api-version`.
    pub query: Vec<(String, String)>,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: AuthScheme,
    /// The name of the field for the output limit.
    pub max_tokens: MaxTokensField,
    /// The largest output limit that the service accepts.
    pub max_output: Option<u64>,
    /// The role of the system prompt.
    pub system: SystemRole,
    /// Whether `stream_options` may be sent to request usage.
    pub stream_usage: OptionalField,
    /// Whether `parallel_tool_calls` may be sent.
    pub parallel_tools: OptionalField,
    /// Whether `prompt_cache_key` may be sent.
    pub cache_key: OptionalField,
    /// Whether `temperature` may be sent.
    pub temperature: OptionalField,
    /// Whether images may be sent. Otherwise they are described in text.
    pub images: OptionalField,
    /// Whether files may be sent. Otherwise they are described in text.
    pub files: OptionalField,
    /// How the request asks for a reply with a JSON schema.
    pub schema: SchemaFormat,
    /// How the request sets the reasoning effort.
    pub effort: EffortField,
    /// Whether reasoning is sent back.
    pub reasoning: ReasoningEcho,
    /// Which ids the service accepts for tool calls.
    pub tool_ids: ToolIdFormat,
    /// What ends a stream.
    pub end: StreamEndMark,
}

impl Default for OpenaiChatDialect {
    fn default() -> Self {
        Self {
            path: "/chat/completions".into(),
            query: Vec::new(),
            headers: Vec::new(),
            auth: AuthScheme::Bearer,
            max_tokens: MaxTokensField::default(),
            max_output: None,
            system: SystemRole::default(),
            stream_usage: OptionalField::Sent,
            parallel_tools: OptionalField::Sent,
            cache_key: OptionalField::Omitted,
            temperature: OptionalField::Sent,
            images: OptionalField::Sent,
            files: OptionalField::Sent,
            schema: SchemaFormat::default(),
            effort: EffortField::default(),
            reasoning: ReasoningEcho::default(),
            tool_ids: ToolIdFormat::default(),
            end: StreamEndMark::default(),
        }
    }
}

impl OpenaiChatDialect {
    /// The conservative dialect for a service of which only the base URL is known: older field
    /// names, and no optional fields.
    pub fn compatible() -> Self {
        Self {
            max_tokens: MaxTokensField::MaxTokens,
            parallel_tools: OptionalField::Omitted,
            files: OptionalField::Omitted,
            effort: EffortField::Omitted,
            ..Self::default()
        }
    }
}

/// Whether an optional field may be sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum OptionalField {
    #[default]
    Sent,
    /// The service refuses the field.
    Omitted,
}

/// The name of the field for the output limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_completion_tokens`, which counts reasoning too.
    #[default]
    MaxCompletionTokens,
    /// `max_tokens`, the older name.
    MaxTokens,
}

impl MaxTokensField {
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
pub enum ToolIdFormat {
    #[default]
    Any,
    /// Nine letters and digits. Other ids are replaced by nine characters derived from them.
    Nine,
}

/// What ends a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum StreamEndMark {
    /// Only `[DONE]` ends a stream.
    #[default]
    Done,
    /// A finish reason, for services that simply close the connection.
    FinishReason,
}
