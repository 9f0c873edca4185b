//! Ollama's own API: one JSON object per line, arguments as objects, pictures beside the text.

mod dialect;
mod request;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{Context, Dialect};
pub use server::{Server, ServerStream};
pub use stream::LineEvents;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, Tool};

use crate::{
    Codec, Format, HttpRequest, MediaSource, ModelCall, Parts, Stream, StreamDecoder, Transcript,
    framing::ndjson, stream::Events,
};

/// The codec for Ollama's API.
///
/// ```
/// use holm_wire::{Codec, ollama::Ollama};
///
/// let body = br#"{"message":{"role":"assistant","content":"hi"},"done":true,"done_reason":"stop"}"#;
/// let reply = Ollama::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ollama {
    dialect: Dialect,
}

impl Ollama {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &Dialect {
        &self.dialect
    }
}

impl Codec for Ollama {
    fn format(&self) -> Format {
        Format::Ollama
    }

    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut Transcript) {
        request::write_message(message, media, out);
    }

    fn write_tools(&self, tools: &[Arc<Tool>], out: &mut Vec<u8>) {
        request::write_tools(tools, out);
    }

    fn assemble(&self, call: &ModelCall<'_>, parts: &Parts<'_>) -> HttpRequest {
        request::assemble(&self.dialect, call, parts)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(Stream::new(ndjson::Decoder::default(), LineEvents::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        LineEvents::default().whole(body)
    }
}
