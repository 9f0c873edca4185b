//! AWS Bedrock's Converse API: one format for the models of many vendors, with a binary event
//! stream and signed requests.

mod dialect;
mod request;
mod server;
mod sign;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{CachePoints, Dialect, Structured, ThinkingStyle};
pub use server::{Server, ServerStream};
pub use sign::{Credentials, Scope, Unsigned, sign, sign_request};
pub use stream::ConverseEvents;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, Tool};

use crate::{
    Codec, Format, HttpRequest, MediaSource, ModelCall, Parts, Stream, StreamDecoder, Transcript,
    framing::event_stream, stream::Events,
};

/// The name under which reasoning keeps the data that this format must receive again.
const REPLAY: &str = "bedrock";

/// The codec for Bedrock Converse.
///
/// ```
/// use holm_wire::{Codec, bedrock::Converse};
///
/// let body = br#"{"output":{"message":{"role":"assistant","content":[{"text":"hi"}]}},"stopReason":"end_turn"}"#;
/// let reply = Converse::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Converse {
    dialect: Dialect,
}

impl Converse {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &Dialect {
        &self.dialect
    }
}

impl Codec for Converse {
    fn format(&self) -> Format {
        Format::Bedrock
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
        Box::new(Stream::new(event_stream::Decoder::default(), ConverseEvents::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        ConverseEvents::default().whole(body)
    }
}
