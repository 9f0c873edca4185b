//! The format and the dialect of a service, as data, and the codec for them.
//! `holm-wasm/src/wire/codec.rs` creates codecs from a format's name instead. The settings of a
//! dialect are in the `dialect.rs` of each format. The default is the most conservative Chat
//! Completions, because it must work where only a base URL is known.

use alloc::sync::Arc;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{
    AuthScheme, Format, ProviderCodec, anthropic, bedrock, cohere, gemini, ollama, openai_chat,
    openai_responses,
};

/// A format with its dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ServiceDialect {
    OpenaiChat(openai_chat::OpenaiChatDialect),
    OpenaiResponses(openai_responses::OpenaiResponsesDialect),
    Anthropic(anthropic::AnthropicDialect),
    Gemini(gemini::GeminiDialect),
    Cohere(cohere::CohereDialect),
    Ollama(ollama::OllamaDialect),
    Bedrock(bedrock::BedrockDialect),
}

impl Default for ServiceDialect {
    /// Conservative Chat Completions, which a service should understand if only its
    /// base URL is known.
    fn default() -> Self {
        Self::OpenaiChat(openai_chat::OpenaiChatDialect::compatible())
    }
}

impl ServiceDialect {
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
    pub const fn auth(&self) -> &AuthScheme {
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
    /// use holm_wire::{ProviderCodec, Format, services::ServiceTable};
    ///
    /// let codec = ServiceTable::stock().find("mistral").unwrap().speaks.codec();
    /// assert_eq!(codec.format(), Format::OpenaiChat);
    /// ```
    pub fn codec(&self) -> Arc<dyn ProviderCodec> {
        match self {
            Self::OpenaiChat(dialect) => Arc::new(openai_chat::OpenaiChatCodec::new(dialect.clone())),
            Self::OpenaiResponses(dialect) => {
                Arc::new(openai_responses::OpenaiResponsesCodec::new(dialect.clone()))
            }
            Self::Anthropic(dialect) => Arc::new(anthropic::AnthropicCodec::new(dialect.clone())),
            Self::Gemini(dialect) => Arc::new(gemini::GeminiCodec::new(dialect.clone())),
            Self::Cohere(dialect) => Arc::new(cohere::CohereCodec::new(dialect.clone())),
            Self::Ollama(dialect) => Arc::new(ollama::OllamaCodec::new(dialect.clone())),
            Self::Bedrock(dialect) => Arc::new(bedrock::BedrockCodec::new(dialect.clone())),
        }
    }
}
