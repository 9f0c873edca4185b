//! The differences between services that offer Anthropic's format, as data.
//!
//! Nothing is written here: `request.rs` reads these settings. The values of a known service are in
//! `data/services.json`, so that a new service needs no code. A new setting needs a default that
//! keeps existing lists valid.

use alloc::{string::String, vec, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::AuthScheme;

/// The differences between services that offer the Messages API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct AnthropicDialect {
    /// The path after the base URL.
    pub path: String,
    /// Headers other than the content type: the API version and betas.
    pub headers: Vec<(String, String)>,
    /// How the key is sent.
    pub auth: AuthScheme,
    /// The output limit if the request has none, because the format requires a number.
    pub max_tokens: u64,
    /// How the request asks for thinking.
    pub thinking: AnthropicThinking,
    /// How the request asks for a reply with a JSON schema.
    pub structured: AnthropicStructuredOutput,
}

impl Default for AnthropicDialect {
    fn default() -> Self {
        Self {
            path: "/v1/messages".into(),
            headers: vec![("anthropic-version".into(), "2023-06-01".into())],
            auth: AuthScheme::Header("x-api-key".into()),
            max_tokens: 8_192,
            thinking: AnthropicThinking::default(),
            structured: AnthropicStructuredOutput::default(),
        }
    }
}

/// How the request asks for thinking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum AnthropicThinking {
    /// As a number of tokens.
    #[default]
    Budget,
    /// As a word; the model decides how much it thinks.
    Adaptive,
    /// The request leaves it out.
    Omitted,
}

/// How the request asks for structured output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum AnthropicStructuredOutput {
    /// `output_config.format` with the schema.
    #[default]
    OutputConfig,
    /// The request leaves it out, and the prompt must describe the schema.
    Omitted,
}
