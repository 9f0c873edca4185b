//! However a stream is cut, the turn is the same.

use holm_wire::{
    ProviderCodec, anthropic::AnthropicCodec, bedrock::BedrockCodec, cohere, gemini::GeminiCodec,
    ollama::OllamaCodec, openai_chat::OpenaiChatCodec, openai_responses::OpenaiResponsesCodec,
};

use crate::turn::decode;

/// The most pieces that an input asks for.
const MAX_CUTS: usize = 32;

/// The first byte chooses the format, the second how many cuts there are; two bytes say where each one is; the rest is the
/// stream.
pub fn any_split(data: &[u8]) {
    let [choice, cuts, rest @ ..] = data else { return };
    let cuts = usize::from(*cuts).min(MAX_CUTS).min(rest.len() / 2);
    let (places, stream) = rest.split_at(cuts * 2);
    let mut places: Vec<usize> = places
        .chunks_exact(2)
        .map(|place| usize::from(u16::from_le_bytes([place[0], place[1]])) % (stream.len() + 1))
        .collect();
    places.sort_unstable();
    let codec = codec(*choice);
    let whole = decode(codec.as_ref(), [stream]);
    assert_eq!(decode(codec.as_ref(), pieces(stream, &places)), whole, "cut at {places:?}");
}

fn codec(choice: u8) -> Box<dyn ProviderCodec> {
    match choice % 7 {
        0 => Box::new(OpenaiChatCodec::default()),
        1 => Box::new(OpenaiResponsesCodec::default()),
        2 => Box::new(AnthropicCodec::default()),
        3 => Box::new(GeminiCodec::default()),
        4 => Box::new(cohere::CohereCodec::default()),
        5 => Box::new(OllamaCodec::default()),
        _ => Box::new(BedrockCodec::default()),
    }
}

/// The stream cut at places in order; equal places give empty pieces, which must not matter.
fn pieces<'s>(stream: &'s [u8], places: &[usize]) -> Vec<&'s [u8]> {
    let mut rest = stream;
    let mut done = 0;
    let mut pieces = Vec::with_capacity(places.len() + 1);
    for place in places {
        let (piece, after) = rest.split_at(place - done);
        pieces.push(piece);
        (rest, done) = (after, *place);
    }
    pieces.push(rest);
    pieces
}
