//! Anthropic Messages, and services that offer it for their own models ([`Dialect`]).

mod dialect;
mod request;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{Dialect, Structured, ThinkingStyle};
pub use server::{Server, ServerStream};
pub use stream::MessageEvents;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, Tool};

use crate::{
    Codec, Format, HttpRequest, MediaSource, ModelCall, Parts, Stream, StreamDecoder, Transcript,
    framing::sse, stream::Events,
};

/// The name under which reasoning keeps the data that this format must receive again.
const REPLAY: &str = "anthropic";

/// The codec for Anthropic Messages.
///
/// ```
/// use holm_wire::{Codec, anthropic::Messages};
///
/// let body = br#"{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#;
/// let reply = Messages::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    dialect: Dialect,
}

impl Messages {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &Dialect {
        &self.dialect
    }
}

impl Codec for Messages {
    fn format(&self) -> Format {
        Format::Anthropic
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
        Box::new(Stream::new(sse::Decoder::default(), MessageEvents::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        MessageEvents::default().whole(body)
    }
}
