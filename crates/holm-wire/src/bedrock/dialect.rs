//! The differences between the models of Converse, as data, and what follows from a model's
//! name: cache points and the way to ask for thinking.
//!
//! Nothing is written here: `request.rs` reads these settings. Signing is in `sign.rs`. Cache
//! points must stay off for models that are not known to support them, because those refuse the
//! request.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::AuthScheme;

/// The settings of the Converse API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct BedrockDialect {
    /// How the key is sent: as a signature, or as a bearer token for long-lived Bedrock keys.
    pub auth: AuthScheme,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// Whether cache points are set.
    pub cache: CachePoints,
    /// How the request asks for thinking.
    pub thinking: BedrockThinking,
    /// How the request asks for a reply with a JSON schema.
    pub structured: BedrockStructuredOutput,
}

impl Default for BedrockDialect {
    fn default() -> Self {
        Self {
            auth: AuthScheme::SigV4("bedrock".into()),
            headers: Vec::new(),
            cache: CachePoints::default(),
            thinking: BedrockThinking::default(),
            structured: BedrockStructuredOutput::default(),
        }
    }
}

/// Where cache points are set. Models without support for them refuse the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CachePoints {
    /// Depends on the model's name.
    #[default]
    ByModel,
    /// On tools, system prompt and messages.
    Everywhere,
    /// On system prompt and messages.
    NotOnTools,
    Nowhere,
}

impl CachePoints {
    /// The places for this model.
    ///
    /// ```
    /// use holm_wire::bedrock::CachePoints;
    ///
    /// let places = |model| CachePoints::ByModel.for_model(model);
    /// assert_eq!(places("eu.anthropic.claude-sonnet-4-5-20250929-v1:0"), CachePoints::Everywhere);
    /// assert_eq!(places("amazon.nova-pro-v1:0"), CachePoints::NotOnTools);
    /// assert_eq!(places("meta.llama3-3-70b-instruct-v1:0"), CachePoints::Nowhere);
    /// ```
    #[must_use]
    pub fn for_model(self, model: &str) -> Self {
        // These models are older than caching.
        const OLD: [&str; 6] = [
            "claude-v2",
            "claude-instant",
            "claude-3-haiku",
            "claude-3-sonnet",
            "claude-3-opus",
            "-20240620-",
        ];
        match self {
            Self::ByModel if model.contains("amazon.nova") => Self::NotOnTools,
            Self::ByModel
                if model.contains("anthropic.claude") && !OLD.iter().any(|old| model.contains(old)) =>
            {
                Self::Everywhere
            }
            Self::ByModel => Self::Nowhere,
            said => said,
        }
    }
}

/// How the request asks for thinking. Each vendor has its own fields in
/// addition to those of Converse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum BedrockThinking {
    /// Depends on the model's name.
    #[default]
    ByModel,
    /// Claude's field, as a number of tokens.
    Budget,
    /// Claude's field, as a word.
    Adaptive,
    /// The field `reasoning_effort`, as for open models of `OpenAI`.
    Effort,
    /// The request leaves it out.
    Omitted,
}

impl BedrockThinking {
    /// The style for a model.
    #[must_use]
    pub fn for_model(self, model: &str) -> Self {
        match self {
            Self::ByModel if model.contains("claude") => Self::Budget,
            Self::ByModel if model.contains("gpt-oss") => Self::Effort,
            Self::ByModel => Self::Omitted,
            said => said,
        }
    }
}

/// How the request asks for structured output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum BedrockStructuredOutput {
    /// `outputConfig.textFormat` with the schema.
    #[default]
    OutputConfig,
    /// The request leaves it out, and the prompt must describe the schema.
    Omitted,
}
