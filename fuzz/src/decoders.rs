//! One target for each format's decoder, and one for the memo that some of them have.

use holm_wire::{
    Codec, Stream,
    anthropic::{MessageEvents, Messages},
    bedrock::{Converse, ConverseEvents},
    cohere as cohere_v2,
    framing::{Framing, event_stream as aws, sse},
    gemini::GenerateContent,
    ollama::Ollama,
    openai_chat::{Chat, ChatEvents, EndMark},
    openai_responses::{ResponseEvents, Responses},
    stream::Events,
};

use crate::turn::{abort, decode, decode_with};

/// `OpenAI` Chat Completions.
pub fn openai_chat(data: &[u8]) {
    check(&Chat::default(), data);
}

/// `OpenAI` Responses.
pub fn openai_responses(data: &[u8]) {
    check(&Responses::default(), data);
}

/// Anthropic Messages.
pub fn anthropic(data: &[u8]) {
    check(&Messages::default(), data);
}

/// Google Gemini.
pub fn gemini(data: &[u8]) {
    check(&GenerateContent::default(), data);
}

/// Cohere v2.
pub fn cohere(data: &[u8]) {
    check(&cohere_v2::Chat::default(), data);
}

/// Ollama's own API.
pub fn ollama(data: &[u8]) {
    check(&Ollama::default(), data);
}

/// Bedrock Converse: the bytes as they are, and their lines as messages with sound checksums, which no fuzzer would find.
pub fn bedrock(data: &[u8]) {
    let codec = Converse::default();
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
            sse::Decoder::default,
            ChatEvents::new(EndMark::Done),
            ChatEvents::plain(EndMark::Done),
            &events(&twice),
        ),
        1 => {
            let end = EndMark::FinishReason;
            same(sse::Decoder::default, ChatEvents::new(end), ChatEvents::plain(end), &events(&twice));
        }
        2 => same(sse::Decoder::default, MessageEvents::default(), MessageEvents::plain(), &events(&twice)),
        3 => same(sse::Decoder::default, ResponseEvents::default(), ResponseEvents::plain(), &events(&twice)),
        _ => {
            same(
                aws::Decoder::default,
                ConverseEvents::default(),
                ConverseEvents::plain(),
                &messages(&twice),
            );
        }
    }
}

/// What every decoder holds: it takes anything, the cut does not matter, and watchers see what the reply says.
fn check(codec: &dyn Codec, data: &[u8]) {
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
    F: Framing + Send + 'static,
    E: Events + 'static,
{
    let plain = decode_with(Box::new(Stream::new(framing(), plain)), [stream]);
    let memo = decode_with(Box::new(Stream::new(framing(), memo)), [stream]);
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
