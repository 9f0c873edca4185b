//! Ollama's own API: one JSON object per line, arguments as objects, images next to the text.
//!
//! Where things are:
//! - `request.rs`: writes request bodies. `dialect.rs`: the differences between servers.
//! - `stream.rs`: reads replies. `wire.rs`: the types of its lines.
//! - `server.rs`: the other direction, for servers that offer this format.

mod dialect;
mod request;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{OllamaContextSize, OllamaDialect};
pub use server::{OllamaReplyStream, OllamaServerCodec};
pub use stream::OllamaEventReader;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::ndjson, stream::EventReader,
};

/// The codec for Ollama's API.
///
/// ```
/// use holm_wire::{ProviderCodec, ollama::OllamaCodec};
///
/// let body = br#"{"message":{"role":"assistant","content":"hi"},"done":true,"done_reason":"stop"}"#;
/// let reply = OllamaCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OllamaCodec {
    dialect: OllamaDialect,
}

impl OllamaCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: OllamaDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &OllamaDialect {
        &self.dialect
    }
}

impl ProviderCodec for OllamaCodec {
    fn format(&self) -> Format {
        Format::Ollama
    }

    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
        request::write_message(message, media, out);
    }

    fn write_tools(&self, tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
        request::write_tools(tools, out);
    }

    fn assemble(&self, call: &ModelCall<'_>, parts: &RequestParts<'_>) -> ProviderRequest {
        request::assemble(&self.dialect, call, parts)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(FramedDecoder::new(ndjson::NdjsonDecoder::default(), OllamaEventReader::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        OllamaEventReader::default().whole(body)
    }
}
