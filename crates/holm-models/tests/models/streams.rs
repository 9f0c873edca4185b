//! The streams that are cut: replies with everything that a reply may hold, as the server of each format writes them.

use holm_kernel::{Block, Reply, StopReason, Thinking, ToolCall, Usage};
use holm_wire::{
    Format, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses,
    server::{ReplyHead, ServerCodec},
};

/// Every reply in small pieces and in large ones.
pub(crate) fn streams(formats: &[Format]) -> Vec<(Format, Vec<u8>)> {
    let mut streams = Vec::new();
    for format in formats {
        for reply in replies() {
            for piece in [7, 1_000] {
                let mut bytes = Vec::new();
                let head = ReplyHead {
                    id: "one".into(),
                    model: "any".into(),
                    created: 1_700_000_000,
                    ..ReplyHead::default()
                };
                server(*format).stream(head).reply(&reply, piece, &mut bytes);
                streams.push((*format, bytes));
            }
        }
    }
    streams
}

/// Replies with letters of every length, thoughts, several calls and nothing but a call.
fn replies() -> Vec<Reply> {
    let text = |text: &str| Block::Text(text.into());
    let call = |id: &str, arguments: &str| {
        Block::ToolCall(ToolCall {
            id: id.into(),
            name: "double".into(),
            arguments: arguments.into(),
            replay: None,
        })
    };
    let thought = Block::Thinking(Thinking { text: "Let me see: ä 日 🚀".into(), replay: None });
    let usage = Usage { input: 21, output: 13, ..Usage::default() };
    let ends = |blocks, stop| Reply { blocks, usage, stop, model: None };
    vec![
        ends(
            vec![text("Hello, wörld ✓ 🚀\n\ndata: [DONE]\n\r\n\"quoted\" \\ {\"a\":1}")],
            StopReason::EndTurn,
        ),
        ends(vec![thought, text("Good.")], StopReason::EndTurn),
        ends(vec![call("call_a", r#"{"n":3}"#)], StopReason::ToolUse),
        ends(
            vec![text("Both."), call("call_a", r#"{"n":3,"s":"ü\n"}"#), call("call_b", r#"{"n":21}"#)],
            StopReason::ToolUse,
        ),
        ends(vec![text(&"long ".repeat(60))], StopReason::MaxTokens),
    ]
}

fn server(format: Format) -> Box<dyn ServerCodec> {
    match format {
        Format::OpenaiChat => Box::new(openai_chat::OpenaiChatServerCodec),
        Format::OpenaiResponses => Box::new(openai_responses::OpenaiResponsesServerCodec),
        Format::Anthropic => Box::new(anthropic::AnthropicServerCodec),
        Format::Gemini => Box::new(gemini::GeminiServerCodec),
        Format::Cohere => Box::new(cohere::CohereServerCodec),
        Format::Ollama => Box::new(ollama::OllamaServerCodec),
        Format::Bedrock => Box::new(bedrock::BedrockServerCodec::at("/model/any/converse-stream").unwrap()),
    }
}
