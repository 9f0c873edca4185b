//! `OpenAI` Responses, and services that offer it for their own models ([`Dialect`]).
//!
//! The API can store a conversation on the server. Holm never uses this, because the journal is the
//! only memory. Instead, reasoning comes back encrypted and is sent with the next request.

mod asked;
mod dialect;
mod items;
mod request;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{Dialect, ReasoningItems};
pub use server::{Server, ServerStream};
pub use stream::ResponseEvents;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, Tool};

use crate::{
    Codec, Format, HttpRequest, MediaSource, ModelCall, Parts, Stream, StreamDecoder, Transcript,
    framing::sse, stream::Events,
};

/// The name under which reasoning keeps the data that this format must receive again.
const REPLAY: &str = "openai_responses";

/// The codec for `OpenAI` Responses.
///
/// ```
/// use holm_wire::{Codec, openai_responses::Responses};
///
/// let body = br#"{"object":"response","status":"completed","output":[
///     {"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}]}"#;
/// let reply = Responses::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Responses {
    dialect: Dialect,
}

impl Responses {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &Dialect {
        &self.dialect
    }
}

impl Codec for Responses {
    fn format(&self) -> Format {
        Format::OpenaiResponses
    }

    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut Transcript) {
        request::write_message(&self.dialect, message, media, out.out());
    }

    fn write_tools(&self, tools: &[Arc<Tool>], out: &mut Vec<u8>) {
        request::write_tools(tools, out);
    }

    fn assemble(&self, call: &ModelCall<'_>, parts: &Parts<'_>) -> HttpRequest {
        request::assemble(&self.dialect, call, parts)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(Stream::new(sse::Decoder::default(), ResponseEvents::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        ResponseEvents::default().whole(body)
    }
}
