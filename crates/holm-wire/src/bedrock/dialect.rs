//! What differs between the models behind Converse, as data.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::Auth;

/// How Converse is spoken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// How the key is sent: signed, or as a bearer token for long-lived Bedrock keys.
    pub auth: Auth,
    /// Headers beside the content type.
    pub headers: Vec<(String, String)>,
    /// Whether cache points are set.
    pub cache: CachePoints,
    /// How thinking is asked for.
    pub thinking: ThinkingStyle,
    /// How a reply's JSON schema is asked for.
    pub structured: Structured,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            auth: Auth::SigV4("bedrock".into()),
            headers: Vec::new(),
            cache: CachePoints::default(),
            thinking: ThinkingStyle::default(),
            structured: Structured::default(),
        }
    }
}

/// Where cache points may stand. Models that do not know them refuse the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CachePoints {
    /// As the model's name tells.
    #[default]
    ByModel,
    /// On tools, system prompt and messages.
    Everywhere,
    /// On system prompt and messages.
    NotOnTools,
    Nowhere,
}

impl CachePoints {
    /// The places for a model.
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
        // Made before caching came.
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

/// How thinking is asked for: each maker has fields of its own beside Converse's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingStyle {
    /// As the model's name tells.
    #[default]
    ByModel,
    /// Claude's, with a number of tokens.
    Budget,
    /// Claude's, with a word.
    Adaptive,
    /// `reasoning_effort`, as open models of `OpenAI` have it.
    Effort,
    /// The request leaves it out.
    Omitted,
}

impl ThinkingStyle {
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

/// How structured output is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// `outputConfig.textFormat` with the schema.
    #[default]
    OutputConfig,
    /// Not at all; the schema is the prompt's business.
    Omitted,
}
