//! `OpenAI` Chat Completions, and services that offer a variant of it ([`Dialect`]).

mod dialect;
mod request;
mod server;
mod stream;
mod usage;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{
    Dialect, EffortField, EndMark, Field, MaxTokens, ReasoningEcho, SchemaFormat, SystemRole, ToolIds,
};
pub use server::{Server, ServerStream};
pub use stream::ChatEvents;
pub(crate) use {request::is_strict, server::write_error};

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, Tool};

use crate::{
    Codec, Format, HttpRequest, MediaSource, ModelCall, Parts, Stream, StreamDecoder, Transcript,
    framing::sse, stream::Events,
};

/// The codec for Chat Completions.
///
/// ```
/// use holm_wire::{Codec, openai_chat::Chat};
///
/// let body = br#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;
/// let reply = Chat::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chat {
    dialect: Dialect,
}

impl Chat {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &Dialect {
        &self.dialect
    }
}

impl Codec for Chat {
    fn format(&self) -> Format {
        Format::OpenaiChat
    }

    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut Transcript) {
        request::write_message(&self.dialect, message, media, out);
    }

    fn write_tools(&self, tools: &[Arc<Tool>], out: &mut Vec<u8>) {
        request::write_tools(tools, out);
    }

    fn assemble(&self, call: &ModelCall<'_>, parts: &Parts<'_>) -> HttpRequest {
        request::assemble(&self.dialect, call, parts)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(Stream::new(sse::Decoder::default(), ChatEvents::new(self.dialect.end)))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        ChatEvents::new(self.dialect.end).whole(body)
    }
}
