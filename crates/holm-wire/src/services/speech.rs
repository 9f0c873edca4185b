//! The format and the dialect of a service, as data.

use alloc::sync::Arc;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{Auth, Codec, Format, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses};

/// A format with its dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Speech {
    OpenaiChat(openai_chat::Dialect),
    OpenaiResponses(openai_responses::Dialect),
    Anthropic(anthropic::Dialect),
    Gemini(gemini::Dialect),
    Cohere(cohere::Dialect),
    Ollama(ollama::Dialect),
    Bedrock(bedrock::Dialect),
}

impl Default for Speech {
    /// Conservative Chat Completions, which a service should understand if only its
    /// base URL is known.
    fn default() -> Self {
        Self::OpenaiChat(openai_chat::Dialect::compatible())
    }
}

impl Speech {
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

    /// Creates the codec for the dialect.
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
