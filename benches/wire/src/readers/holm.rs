//! Holm, through its public decoder; nobody watches the pieces.

use bytes::Bytes;
use holm_kernel::{Block, Reply};
use holm_wire::{
    Codec, Progress, Stream as Decoder, StreamDecoder,
    anthropic::{MessageEvents, Messages},
    framing::sse,
    openai_chat::{Chat, ChatEvents, EndMark},
    openai_responses::{ResponseEvents, Responses},
};

use super::Said;
use crate::streams::Stream;

pub(super) fn read(stream: Stream, pieces: &[Bytes]) -> Said {
    let decoder = match stream {
        Stream::ChatRepeating | Stream::ChatIds | Stream::ChatChanging | Stream::ChatVaried => {
            Chat::default().stream()
        }
        Stream::Anthropic => Messages::default().stream(),
        Stream::Responses => Responses::default().stream(),
    };
    decode(decoder, pieces)
}

pub(super) fn read_by_serde(stream: Stream, pieces: &[Bytes]) -> Said {
    let framing = sse::Decoder::default();
    match stream {
        Stream::ChatRepeating | Stream::ChatIds | Stream::ChatChanging | Stream::ChatVaried => {
            decode(Box::new(Decoder::new(framing, ChatEvents::plain(EndMark::Done))), pieces)
        }
        Stream::Anthropic => decode(Box::new(Decoder::new(framing, MessageEvents::plain())), pieces),
        Stream::Responses => decode(Box::new(Decoder::new(framing, ResponseEvents::plain())), pieces),
    }
}

fn decode(mut decoder: Box<dyn StreamDecoder>, pieces: &[Bytes]) -> Said {
    for piece in pieces {
        if decoder.feed(piece, &mut |_| {}) == Progress::Ended {
            break;
        }
    }
    said(decoder.finish(&mut |_| {}).expect("the stream is whole"))
}

fn said(reply: Reply) -> Said {
    let mut said = Said::default();
    for block in reply.blocks {
        match block {
            Block::Text(text) => append(&mut said.text, text),
            Block::Thinking(thinking) => append(&mut said.thinking, thinking.text),
            Block::ToolCall(call) => append(&mut said.arguments, call.arguments),
            Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
        }
    }
    said
}

fn append(to: &mut String, text: String) {
    if to.is_empty() { *to = text } else { to.push_str(&text) }
}
