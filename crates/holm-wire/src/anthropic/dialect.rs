//! How a service differs from Anthropic itself, as data.

use alloc::{string::String, vec, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::Auth;

/// What differs between services that speak Messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// The path after the base URL.
    pub path: String,
    /// Headers beside the content type: the API's version, betas.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: Auth,
    /// The output cap where nobody gave one; the format demands a number.
    pub max_tokens: u64,
    /// How thinking is asked for.
    pub thinking: ThinkingStyle,
    /// How a reply's JSON schema is asked for.
    pub structured: Structured,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            path: "/v1/messages".into(),
            headers: vec![("anthropic-version".into(), "2023-06-01".into())],
            auth: Auth::Header("x-api-key".into()),
            max_tokens: 8_192,
            thinking: ThinkingStyle::default(),
            structured: Structured::default(),
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
    /// With a word; the model measures out its thinking itself.
    Adaptive,
    /// The request leaves it out.
    Omitted,
}

/// How structured output is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// `output_config.format` with the schema.
    #[default]
    OutputConfig,
    /// Not at all; the schema is the prompt's business.
    Omitted,
}
