//! Anthropic Messages, and services that offer it for their own models ([`AnthropicDialect`]).
//!
//! Where things are:
//! - `request.rs`: writes request bodies, with cache breakpoints. `dialect.rs`: the differences
//!   between services.
//! - `stream.rs`: reads replies and stop reasons. `wire.rs`: the types of its frames, and the token
//!   counts.
//! - `server.rs`: the other direction, for servers that offer this format.

mod dialect;
mod request;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{AnthropicDialect, AnthropicStructuredOutput, AnthropicThinking};
pub use server::{AnthropicReplyStream, AnthropicServerCodec};
pub use stream::AnthropicEventReader;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::sse, stream::EventReader,
};

/// The name under which reasoning keeps the data that this format must receive again.
const REPLAY: &str = "anthropic";

/// The codec for Anthropic Messages.
///
/// ```
/// use holm_wire::{ProviderCodec, anthropic::AnthropicCodec};
///
/// let body = br#"{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#;
/// let reply = AnthropicCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnthropicCodec {
    dialect: AnthropicDialect,
}

impl AnthropicCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: AnthropicDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &AnthropicDialect {
        &self.dialect
    }
}

impl ProviderCodec for AnthropicCodec {
    fn format(&self) -> Format {
        Format::Anthropic
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
        Box::new(FramedDecoder::new(sse::SseDecoder::default(), AnthropicEventReader::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        AnthropicEventReader::default().whole(body)
    }
}
