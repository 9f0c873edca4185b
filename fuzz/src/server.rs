//! The other direction: requests from clients, and errors from providers.

use std::sync::Arc;

use holm_kernel::{Message, Messages, ModelSpec, Offer, Purpose, Request, ToolSpec};
use holm_wire::{
    ModelCall, NoMedia, ProviderCodec, RequestEncoder, WireOptions, anthropic, bedrock,
    classify::{self as classes, HttpFailure},
    cohere, gemini, ollama, openai_chat, openai_responses,
    server::{CompletionRequest, ServerCodec},
};
use serde::de::IgnoredAny;

/// A body that a client sent: whatever one format reads of it, every format can write, as JSON.
pub fn requests(data: &[u8]) {
    let servers: [Option<Box<dyn ServerCodec>>; 7] = [
        Some(Box::new(openai_chat::OpenaiChatServerCodec)),
        Some(Box::new(openai_responses::OpenaiResponsesServerCodec)),
        Some(Box::new(anthropic::AnthropicServerCodec)),
        Some(Box::new(gemini::GeminiServerCodec)),
        Some(Box::new(cohere::CohereServerCodec)),
        Some(Box::new(ollama::OllamaServerCodec)),
        bedrock::BedrockServerCodec::at("/model/m/converse")
            .map(|server| Box::new(server) as Box<dyn ServerCodec>),
    ];
    for server in servers.into_iter().flatten() {
        if let Ok(asked) = server.read(data) {
            encode_everywhere(asked);
        }
    }
}

/// An answer that is no reply: the first byte makes the status, the first line a wait, the rest the body.
pub fn classify(data: &[u8]) {
    let Some((status, rest)) = data.split_first() else { return };
    let split = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let (line, body) = rest.split_at(split);
    let wait = String::from_utf8_lossy(line);
    let names = ["Retry-After", "retry-after-ms", "x-ratelimit-reset-requests", "x-ratelimit-reset"];
    let headers = names.map(|name| (name, &*wait));
    let answer = HttpFailure {
        status: 400 + u16::from(*status),
        headers: &headers,
        body,
        now_ms: Some(1_700_000_000_000),
    };
    let failure = classes::http(&answer);
    assert!(failure.retry_after_ms.is_none_or(|wait| wait <= classes::MAX_RETRY_AFTER_MS));
    for failure in [failure, classes::in_stream(body)] {
        // Room for the status before the message and the ellipsis behind it.
        let length = failure.message.chars().count();
        assert!(length <= classes::MAX_MESSAGE + 16, "a message of {length} characters");
    }
    let _ = (classes::duration_ms(&wait), classes::http_date_ms(&wait), classes::rfc3339_ms(&wait));
}

fn encode_everywhere(asked: CompletionRequest) {
    let messages: Vec<Arc<Message>> = asked.messages.into_iter().map(Arc::new).collect();
    let tools =
        asked.tools.into_iter().map(|tool| Arc::new(ToolSpec::new(tool.name, tool.description, tool.schema)));
    let request = Request {
        purpose: Purpose::Turn,
        model: Arc::new(ModelSpec::named("fuzz/model")),
        system: asked.system.into(),
        messages: Messages::Own(messages),
        tools: Arc::new(Offer { epoch: 0, tools: tools.collect() }),
        max_output: asked.max_output,
        format: asked.format.map(Arc::new),
    };
    let options = WireOptions {
        tool_choice: asked.tool_choice,
        parallel: asked.parallel,
        reasoning: asked.reasoning,
        stop: asked.stop,
        ..WireOptions::default()
    };
    let codecs: [Arc<dyn ProviderCodec>; 7] = [
        Arc::new(openai_chat::OpenaiChatCodec::default()),
        Arc::new(openai_responses::OpenaiResponsesCodec::default()),
        Arc::new(anthropic::AnthropicCodec::default()),
        Arc::new(gemini::GeminiCodec::default()),
        Arc::new(cohere::CohereCodec::default()),
        Arc::new(ollama::OllamaCodec::default()),
        Arc::new(bedrock::BedrockCodec::default()),
    ];
    for codec in codecs {
        let call = ModelCall { request: &request, view: &[], options: &options, media: &NoMedia };
        let sent = RequestEncoder::new(Arc::clone(&codec)).encode(&call);
        let read = serde_json::from_slice::<IgnoredAny>(&sent.body);
        assert!(read.is_ok(), "{:?} wrote no JSON: {read:?}", codec.format());
    }
}
