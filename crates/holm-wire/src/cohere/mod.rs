//! Cohere's chat API, version 2.
//!
//! The text of a model before its tool calls is called its plan here, and has its own member.
//! In Holm it is ordinary text, and becomes the plan again when it is sent back.
//!
//! Where things are:
//! - `request.rs`: writes request bodies. `dialect.rs`: the differences between services.
//! - `stream.rs`: reads replies and stop reasons. `wire.rs`: the types of its events.
//! - `server.rs`: writes replies for clients. `request_reader.rs`: reads their requests.

mod dialect;
mod request;
mod request_reader;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::CohereDialect;
pub use server::{CohereReplyStream, CohereServerCodec};
pub use stream::CohereEventReader;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::sse, stream::EventReader,
};

/// The name that marks reasoning as this format's, so that it is sent back only to this format.
const REPLAY: &str = "cohere";

/// The codec for Cohere chat.
///
/// ```
/// use holm_wire::{ProviderCodec, cohere::CohereCodec};
///
/// let body = br#"{"message":{"role":"assistant","content":[{"type":"text","text":"hi"}]},
///     "finish_reason":"COMPLETE"}"#;
/// let reply = CohereCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CohereCodec {
    dialect: CohereDialect,
}

impl CohereCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: CohereDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &CohereDialect {
        &self.dialect
    }
}

impl ProviderCodec for CohereCodec {
    fn format(&self) -> Format {
        Format::Cohere
    }

    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
        request::write_message(&self.dialect, message, media, out);
    }

    fn write_tools(&self, tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
        request::write_tools(tools, out);
    }

    fn assemble(&self, call: &ModelCall<'_>, parts: &RequestParts<'_>) -> ProviderRequest {
        request::assemble(&self.dialect, call, parts)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(FramedDecoder::new(sse::SseDecoder::default(), CohereEventReader::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        CohereEventReader::default().whole(body)
    }
}
