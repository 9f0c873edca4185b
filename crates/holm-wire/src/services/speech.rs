//! Format and dialect of a service, as data.

use alloc::sync::Arc;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Auth, Codec, Format, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses};

/// How a service speaks: a format with its dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Speech {
    /// `OpenAI` Chat Completions.
    OpenaiChat(openai_chat::Dialect),
    /// `OpenAI` Responses.
    OpenaiResponses(openai_responses::Dialect),
    /// Anthropic Messages.
    Anthropic(anthropic::Dialect),
    /// Google Gemini.
    Gemini(gemini::Dialect),
    /// Cohere v2 chat.
    Cohere(cohere::Dialect),
    /// Ollama's own API.
    Ollama(ollama::Dialect),
    /// AWS Bedrock Converse.
    Bedrock(bedrock::Dialect),
}

impl Default for Speech {
    /// Chat Completions with care: what a service of which only the base URL is known will understand.
    fn default() -> Self {
        Self::OpenaiChat(openai_chat::Dialect::compatible())
    }
}

impl Speech {
    /// The format.
    pub const fn format(&self) -> Format {
        match self {
            Self::OpenaiChat(_) => Format::OpenaiChat,
            Self::OpenaiResponses(_) => Format::OpenaiResponses,
            Self::Anthropic(_) => Format::Anthropic,
            Self::Gemini(_) => Format::Gemini,
            Self::Cohere(_) => Format::Cohere,
            Self::Ollama(_) => Format::Ollama,
            Self::Bedrock(_) => Format::Bedrock,
        }
    }

    /// How requests are authenticated.
    pub const fn auth(&self) -> &Auth {
        match self {
            Self::OpenaiChat(dialect) => &dialect.auth,
            Self::OpenaiResponses(dialect) => &dialect.auth,
            Self::Anthropic(dialect) => &dialect.auth,
            Self::Gemini(dialect) => &dialect.auth,
            Self::Cohere(dialect) => &dialect.auth,
            Self::Ollama(dialect) => &dialect.auth,
            Self::Bedrock(dialect) => &dialect.auth,
        }
    }

    /// The codec.
    ///
    /// ```
    /// use holm_wire::{Codec, Format, services::Services};
    ///
    /// let codec = Services::stock().find("mistral").unwrap().speaks.codec();
    /// assert_eq!(codec.format(), Format::OpenaiChat);
    /// ```
    pub fn codec(&self) -> Arc<dyn Codec> {
        match self {
            Self::OpenaiChat(dialect) => Arc::new(openai_chat::Chat::new(dialect.clone())),
            Self::OpenaiResponses(dialect) => Arc::new(openai_responses::Responses::new(dialect.clone())),
            Self::Anthropic(dialect) => Arc::new(anthropic::Messages::new(dialect.clone())),
            Self::Gemini(dialect) => Arc::new(gemini::GenerateContent::new(dialect.clone())),
            Self::Cohere(dialect) => Arc::new(cohere::Chat::new(dialect.clone())),
            Self::Ollama(dialect) => Arc::new(ollama::Ollama::new(dialect.clone())),
            Self::Bedrock(dialect) => Arc::new(bedrock::Converse::new(dialect.clone())),
        }
    }
}
