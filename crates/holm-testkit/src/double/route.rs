//! Which format a path belongs to.

use holm_wire::{
    Delivery, Format, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses,
    server::{CompletionRequest, RequestBodyError, ServerCodec},
};

/// A format, with what only the path says.
pub(super) struct Route {
    pub(super) format: Format,
    pub(super) codec: Box<dyn ServerCodec>,
    /// Model and delivery, where they stand in the path.
    told: Option<(String, Delivery)>,
}

impl Route {
    /// The route of a path to which requests for replies are posted.
    pub(super) fn of(path: &str) -> Option<Self> {
        let plain = |format, codec| Some(Self { format, codec, told: None });
        if path.ends_with("/chat/completions") {
            return plain(Format::OpenaiChat, Box::new(openai_chat::OpenaiChatServerCodec));
        }
        if path.ends_with("/responses") {
            return plain(Format::OpenaiResponses, Box::new(openai_responses::OpenaiResponsesServerCodec));
        }
        if path.ends_with("/v1/messages") {
            return plain(Format::Anthropic, Box::new(anthropic::AnthropicServerCodec));
        }
        if path.ends_with("/api/chat") {
            return plain(Format::Ollama, Box::new(ollama::OllamaServerCodec));
        }
        if path.ends_with("/v2/chat") {
            return plain(Format::Cohere, Box::new(cohere::CohereServerCodec));
        }
        if let Some((model, delivery)) = gemini::route(path) {
            let told = Some((model.to_owned(), delivery));
            return Some(Self { format: Format::Gemini, codec: Box::new(gemini::GeminiServerCodec), told });
        }
        if let Some(server) = bedrock::BedrockServerCodec::at(path) {
            return plain(Format::Bedrock, Box::new(server));
        }
        None
    }

    /// Reads a body, and adds what the path says.
    pub(super) fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError> {
        let mut asked = self.codec.read(body)?;
        if let Some((model, delivery)) = &self.told {
            asked.model.clone_from(model);
            asked.delivery = *delivery;
        }
        Ok(asked)
    }
}

/// What a format calls its streams.
pub(super) const fn stream_type(format: Format) -> &'static str {
    match format {
        Format::OpenaiChat
        | Format::OpenaiResponses
        | Format::Anthropic
        | Format::Gemini
        | Format::Cohere => "text/event-stream; charset=utf-8",
        Format::Ollama => "application/x-ndjson",
        Format::Bedrock => "application/vnd.amazon.eventstream",
    }
}

/// What follows the address in the base URL that a client of this format is given.
pub(super) const fn base(format: Format) -> &'static str {
    match format {
        Format::OpenaiChat | Format::OpenaiResponses => "/v1",
        Format::Gemini => "/v1beta",
        Format::Anthropic | Format::Cohere | Format::Ollama | Format::Bedrock => "",
    }
}

/// A list of models for the path where clients look for it.
pub(super) fn listing(path: &str) -> Option<&'static str> {
    if path.ends_with("/api/tags") {
        return Some(
            r#"{"models":[{"name":"double-one","model":"double-one"},{"name":"double-two","model":"double-two"}]}"#,
        );
    }
    if path.ends_with("/v1beta/models") {
        return Some(r#"{"models":[{"name":"models/double-one"},{"name":"models/double-two"}]}"#);
    }
    path.ends_with("/models").then_some(
        r#"{"object":"list","has_more":false,"first_id":"double-one","last_id":"double-two","data":[{"id":"double-one","object":"model","type":"model","display_name":"One","created":1700000000,"created_at":"2026-01-01T00:00:00Z","owned_by":"holm"},{"id":"double-two","object":"model","type":"model","display_name":"Two","created":1700000000,"created_at":"2026-01-01T00:00:00Z","owned_by":"holm"}]}"#,
    )
}
