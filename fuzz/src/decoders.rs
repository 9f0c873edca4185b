//! One target for each format's decoder, and one for the memo that some of them have.

use holm_wire::{
    FramedDecoder, ProviderCodec,
    anthropic::{AnthropicCodec, AnthropicEventReader},
    bedrock::{BedrockCodec, BedrockEventReader},
    cohere as cohere_v2,
    framing::{FrameDecoder, event_stream as aws, sse},
    gemini::GeminiCodec,
    ollama::OllamaCodec,
    openai_chat::{OpenaiChatCodec, OpenaiChatEventReader, StreamEndMark},
    openai_responses::{OpenaiResponsesCodec, OpenaiResponsesEventReader},
    stream::EventReader,
};

use crate::turn::{abort, decode, decode_with};

/// `OpenAI` Chat Completions.
pub fn openai_chat(data: &[u8]) {
    check(&OpenaiChatCodec::default(), data);
}

/// `OpenAI` Responses.
pub fn openai_responses(data: &[u8]) {
    check(&OpenaiResponsesCodec::default(), data);
}

/// Anthropic Messages.
pub fn anthropic(data: &[u8]) {
    check(&AnthropicCodec::default(), data);
}

/// Google Gemini.
pub fn gemini(data: &[u8]) {
    check(&GeminiCodec::default(), data);
}

/// Cohere v2.
pub fn cohere(data: &[u8]) {
    check(&cohere_v2::CohereCodec::default(), data);
}

/// Ollama's own API.
pub fn ollama(data: &[u8]) {
    check(&OllamaCodec::default(), data);
}

/// Bedrock Converse: the bytes as they are, and their lines as messages with sound checksums, which no fuzzer would find.
pub fn bedrock(data: &[u8]) {
    let codec = BedrockCodec::default();
    check(&codec, data);
    check(&codec, &messages(data));
}

/// The path with memo and short cuts gives the same turn as serde alone. The first byte chooses the format; every other line is a frame, and
/// all of them come twice, so that there is something to remember.
pub fn memo_equals_plain(data: &[u8]) {
    let Some((choice, lines)) = data.split_first() else { return };
    let twice = [lines, b"\n", lines].concat();
    match choice % 5 {
        0 => same(
            sse::SseDecoder::default,
            OpenaiChatEventReader::new(StreamEndMark::Done),
            OpenaiChatEventReader::plain(StreamEndMark::Done),
            &events(&twice),
        ),
        1 => {
            let end = StreamEndMark::FinishReason;
            same(
                sse::SseDecoder::default,
                OpenaiChatEventReader::new(end),
                OpenaiChatEventReader::plain(end),
                &events(&twice),
            );
        }
        2 => same(
            sse::SseDecoder::default,
            AnthropicEventReader::default(),
            AnthropicEventReader::plain(),
            &events(&twice),
        ),
        3 => same(
            sse::SseDecoder::default,
            OpenaiResponsesEventReader::default(),
            OpenaiResponsesEventReader::plain(),
            &events(&twice),
        ),
        _ => {
            same(
                aws::EventStreamDecoder::default,
                BedrockEventReader::default(),
                BedrockEventReader::plain(),
                &messages(&twice),
            );
        }
    }
}

/// What every decoder holds: it takes anything, the cut does not matter, and watchers see what the reply says.
fn check(codec: &dyn ProviderCodec, data: &[u8]) {
    let whole = decode(codec, [data]);
    assert_eq!(decode(codec, data.chunks(1)), whole, "byte by byte");
    let (a, b) = data.split_at(data.len() / 2);
    assert_eq!(decode(codec, [a, b]), whole, "in two halves");
    abort(codec, a);
    // A body that was not streamed is anything too.
    let _ = codec.reply(data);
}

fn same<F, E>(framing: impl Fn() -> F, memo: E, plain: E, stream: &[u8])
where
    F: FrameDecoder + Send + 'static,
    E: EventReader + 'static,
{
    let plain = decode_with(Box::new(FramedDecoder::new(framing(), plain)), [stream]);
    let memo = decode_with(Box::new(FramedDecoder::new(framing(), memo)), [stream]);
    assert_eq!(memo, plain, "the memo reads something else than the parser");
}

/// Each line as an event; a line may begin with the event's name and a tab.
fn events(lines: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let (name, line) = named(line);
        if !name.is_empty() {
            out.extend_from_slice(b"event: ");
            out.extend_from_slice(name.as_bytes());
            out.push(b'\n');
        }
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.extend_from_slice(b"\n\n");
    }
    out
}

/// Each line as a message of the binary event stream, its type before a tab.
fn messages(lines: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let (name, payload) = named(line);
        let headers = match name.strip_prefix('!') {
            Some(exception) => [(":message-type", "exception"), (":exception-type", exception)],
            None => [(":message-type", "event"), (":event-type", name)],
        };
        aws::write(&headers, payload, &mut out);
    }
    out
}

fn named(line: &[u8]) -> (&str, &[u8]) {
    let split = line.iter().position(|byte| *byte == b'\t').map(|at| line.split_at(at));
    let named = split.and_then(|(name, rest)| Some((core::str::from_utf8(name).ok()?, rest.get(1..)?)));
    named.unwrap_or(("", line))
}
