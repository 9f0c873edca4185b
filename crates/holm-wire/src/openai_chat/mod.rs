//! `OpenAI` Chat Completions, and services that offer a variant of it ([`OpenaiChatDialect`]).
//!
//! Where things are:
//! - `request.rs`: writes request bodies. `dialect.rs`: the differences between services.
//! - `stream.rs`: reads replies and finish reasons. `wire.rs`: the types of its chunks. `usage.rs`:
//!   the token counts.
//! - `server.rs`: the other direction, for servers that offer this format.

mod dialect;
mod request;
mod server;
mod stream;
mod usage;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{
    EffortField, MaxTokensField, OpenaiChatDialect, OptionalField, ReasoningEcho, SchemaFormat,
    StreamEndMark, SystemRole, ToolIdFormat,
};
pub use server::{OpenaiChatReplyStream, OpenaiChatServerCodec};
pub use stream::OpenaiChatEventReader;
pub(crate) use {request::is_strict, server::write_error};

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::sse, stream::EventReader,
};

/// The codec for Chat Completions.
///
/// ```
/// use holm_wire::{ProviderCodec, openai_chat::OpenaiChatCodec};
///
/// let body = br#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;
/// let reply = OpenaiChatCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenaiChatCodec {
    dialect: OpenaiChatDialect,
}

impl OpenaiChatCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: OpenaiChatDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &OpenaiChatDialect {
        &self.dialect
    }
}

impl ProviderCodec for OpenaiChatCodec {
    fn format(&self) -> Format {
        Format::OpenaiChat
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
        Box::new(FramedDecoder::new(sse::SseDecoder::default(), OpenaiChatEventReader::new(self.dialect.end)))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        OpenaiChatEventReader::new(self.dialect.end).whole(body)
    }
}
