//! How a service differs from `OpenAI`, as data: a new compatible service is an entry in a list and not code.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::Auth;

/// What differs between services that speak Chat Completions.
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
    /// Headers beside the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: Auth,
    /// What the output cap is called.
    pub max_tokens: MaxTokens,
    /// The largest output cap that the service takes.
    pub max_output: Option<u64>,
    /// Who speaks the system prompt.
    pub system: SystemRole,
    /// Whether `stream_options` may be sent to ask for usage.
    pub stream_usage: Field,
    /// Whether `parallel_tool_calls` may be sent.
    pub parallel_tools: Field,
    /// Whether `prompt_cache_key` may be sent.
    pub cache_key: Field,
    /// Whether `temperature` may be sent.
    pub temperature: Field,
    /// Whether pictures may be sent; otherwise they are named in words.
    pub images: Field,
    /// Whether files may be sent; otherwise they are named in words.
    pub files: Field,
    /// How a reply's JSON schema is asked for.
    pub schema: SchemaFormat,
    /// How effort is asked for.
    pub effort: EffortField,
    /// Whether reasoning is sent back.
    pub reasoning: ReasoningEcho,
    /// Which ids the service takes for tool calls.
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
    /// The careful dialect for a service of which only the base URL is known: the older field names, nothing optional.
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
    /// The service refuses it.
    Omitted,
}

/// What the output cap is called.
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

/// Who speaks the system prompt.
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

/// How structured output is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum SchemaFormat {
    /// `response_format` with the schema.
    #[default]
    JsonSchema,
    /// `response_format` that promises some JSON object; the schema is the prompt's business.
    JsonObject,
    /// The request leaves it out.
    Omitted,
}

/// How effort is asked for.
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
    /// It is not; some services refuse it.
    #[default]
    Dropped,
    /// In this member of the assistant's message.
    Member(String),
}

/// Which ids a service takes for tool calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ToolIds {
    #[default]
    Any,
    /// Nine letters and digits; others are replaced by nine that are derived from them.
    Nine,
}

/// What ends a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum EndMark {
    /// `[DONE]`, and nothing less.
    #[default]
    Done,
    /// A finish reason, for services that just close the connection.
    FinishReason,
}
