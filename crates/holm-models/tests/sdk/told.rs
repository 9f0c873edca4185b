//! What Holm reads in bytes, in words that an SDK has as well.

use holm_kernel::{Block, Failure, Reply, StopReason, Usage};
use holm_wire::{ProviderCodec, StreamProgress};
use serde::Serialize;

/// What came of a body.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Told {
    Reply(Said),
    /// The provider's own words about its failure.
    Failure(String),
}

/// A reply without what Holm alone keeps of it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Said {
    text: String,
    thinking: String,
    /// Id, name and arguments of each.
    calls: Vec<(String, String, String)>,
    stop: StopReason,
    usage: Usage,
}

impl Told {
    /// Reads a streamed body at once and byte by byte, which must come to the same.
    pub(crate) fn by_stream(codec: &dyn ProviderCodec, body: &[u8]) -> Self {
        let whole = decode(codec, &[body]);
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(decode(codec, &bytes), whole, "byte by byte");
        Self::of(whole)
    }

    /// Reads a body that is not streamed.
    pub(crate) fn by_body(codec: &dyn ProviderCodec, body: &[u8]) -> Self {
        Self::of(codec.reply(body))
    }

    fn of(result: Result<Reply, Failure>) -> Self {
        match result {
            Ok(reply) => Self::Reply(Said::of(reply)),
            Err(failure) => Self::Failure(failure.message),
        }
    }
}

impl Said {
    fn of(reply: Reply) -> Self {
        let mut said = Self { stop: reply.stop, usage: reply.usage, ..Self::default() };
        for block in reply.blocks {
            match block {
                Block::Text(text) => said.text.push_str(&text),
                Block::Thinking(thinking) => said.thinking.push_str(&thinking.text),
                Block::ToolCall(call) => said.calls.push((call.id, call.name, call.arguments)),
                other @ (Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_)) => {
                    unreachable!("nobody compares {other:?}")
                }
            }
        }
        said
    }
}

fn decode(codec: &dyn ProviderCodec, pieces: &[&[u8]]) -> Result<Reply, Failure> {
    let mut decoder = codec.stream();
    for piece in pieces {
        if decoder.feed(piece, &mut |_| {}) == StreamProgress::Ended {
            break;
        }
    }
    decoder.finish(&mut |_| {})
}
