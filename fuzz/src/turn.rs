//! A decoded turn, with what must hold of every one.

use std::collections::BTreeSet;

use holm_kernel::{Block, Failure, Reply, Usage};
use holm_wire::{ProviderCodec, StreamDecoder, StreamProgress, WireDelta};

/// The result of a stream and what its watchers saw on the way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    result: Result<Reply, Failure>,
    seen: Seen,
}

/// What a watcher puts together from pieces.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    text: String,
    thinking: String,
    calls: Vec<Call>,
    usage: Option<Usage>,
    /// The length of every piece: a watcher sees the same pieces however the bytes came.
    pieces: Vec<usize>,
}

#[derive(Debug, PartialEq, Eq)]
struct Call {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

/// Decodes pieces with a new decoder of a codec.
pub(crate) fn decode<'b>(codec: &dyn ProviderCodec, pieces: impl IntoIterator<Item = &'b [u8]>) -> Turn {
    decode_with(codec.stream(), pieces)
}

/// Decodes pieces and checks that watcher and reply agree.
pub(crate) fn decode_with<'b>(
    mut decoder: Box<dyn StreamDecoder>,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> Turn {
    let mut seen = Seen::default();
    for piece in pieces {
        if decoder.feed(piece, &mut |delta| seen.take(&delta)) == StreamProgress::Ended {
            break;
        }
    }
    let result = decoder.finish(&mut |delta| seen.take(&delta));
    if let Ok(reply) = &result {
        seen.check(reply);
    }
    Turn { result, seen }
}

/// A reply that was stopped in the middle is still a reply.
pub(crate) fn abort(codec: &dyn ProviderCodec, bytes: &[u8]) {
    let mut decoder = codec.stream();
    decoder.feed(bytes, &mut |_| {});
    check_ids(&decoder.abort());
}

impl Seen {
    fn take(&mut self, delta: &WireDelta<'_>) {
        match *delta {
            WireDelta::Text { offset, text } => {
                assert_eq!(offset, self.text.len() as u64, "a gap in the text");
                self.text.push_str(text);
                self.pieces.push(text.len());
            }
            WireDelta::Thinking { offset, text } => {
                assert_eq!(offset, self.thinking.len() as u64, "a gap in the reasoning");
                self.thinking.push_str(text);
                self.pieces.push(text.len());
            }
            WireDelta::ToolCallStarted { index, id, name } => {
                assert!(self.calls.iter().all(|call| call.index != index), "call {index} began twice");
                let arguments = String::new();
                self.calls.push(Call { index, id: id.into(), name: name.into(), arguments });
            }
            WireDelta::ToolArguments { index, offset, text } => {
                let call = self.calls.iter_mut().find(|call| call.index == index);
                let call = call.expect("arguments of a call that never began");
                assert_eq!(offset, call.arguments.len() as u64, "a gap in the arguments");
                call.arguments.push_str(text);
                self.pieces.push(text.len());
            }
            WireDelta::Usage(usage) => self.usage = Some(usage),
        }
    }

    fn check(&self, reply: &Reply) {
        let (mut text, mut thinking) = (String::new(), String::new());
        let mut calls = Vec::new();
        for block in &reply.blocks {
            match block {
                Block::Text(piece) => text.push_str(piece),
                Block::Thinking(piece) => thinking.push_str(&piece.text),
                Block::ToolCall(call) => calls.push(call),
                Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
            }
        }
        assert_eq!((&self.text, &self.thinking), (&text, &thinking), "watchers and reply differ");
        for seen in &self.calls {
            let call = usize::try_from(seen.index).ok().and_then(|index| calls.get(index));
            let call = call.expect("watchers saw a call that is not in the reply");
            assert_eq!((&seen.id, &seen.name), (&call.id, &call.name));
            assert_eq!(seen.arguments, call.arguments);
        }
        assert_eq!(self.usage.unwrap_or_default(), reply.usage, "watchers saw another usage");
        check_ids(reply);
    }
}

fn check_ids(reply: &Reply) {
    let mut ids = BTreeSet::new();
    for call in reply.blocks.iter().filter_map(Block::as_tool_call) {
        assert!(!call.id.is_empty() && ids.insert(&call.id), "the id {:?} names no one call", call.id);
    }
}
