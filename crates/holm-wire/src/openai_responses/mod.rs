//! `OpenAI` Responses, and services that offer it for their own models ([`OpenaiResponsesDialect`]).
//!
//! The API can store a conversation on the server. Holm never uses this, because the journal is the
//! only memory. Instead, reasoning comes back encrypted and is sent with the next request.
//!
//! Where things are:
//! - `request.rs`: writes request bodies. `dialect.rs`: the differences between services.
//! - `stream.rs`: reads replies. `wire.rs`: the types of its events, and the token counts.
//! - `server.rs`: writes replies for clients. `items.rs`: the items of such a reply.
//!   `request_reader.rs`: reads their requests.

mod dialect;
mod items;
mod request;
mod request_reader;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{OpenaiResponsesDialect, ReasoningItems};
pub use server::{OpenaiResponsesReplyStream, OpenaiResponsesServerCodec};
pub use stream::OpenaiResponsesEventReader;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::sse, stream::EventReader,
};

/// The name under which reasoning keeps the data that this format must receive again.
const REPLAY: &str = "openai_responses";

/// The codec for `OpenAI` Responses.
///
/// ```
/// use holm_wire::{ProviderCodec, openai_responses::OpenaiResponsesCodec};
///
/// let body = br#"{"object":"response","status":"completed","output":[
///     {"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}]}"#;
/// let reply = OpenaiResponsesCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenaiResponsesCodec {
    dialect: OpenaiResponsesDialect,
}

impl OpenaiResponsesCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: OpenaiResponsesDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &OpenaiResponsesDialect {
        &self.dialect
    }
}

impl ProviderCodec for OpenaiResponsesCodec {
    fn format(&self) -> Format {
        Format::OpenaiResponses
    }

    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer) {
        request::write_message(&self.dialect, message, media, out.out());
    }

    fn write_tools(&self, tools: &[Arc<ToolSpec>], out: &mut Vec<u8>) {
        request::write_tools(tools, out);
    }

    fn assemble(&self, call: &ModelCall<'_>, parts: &RequestParts<'_>) -> ProviderRequest {
        request::assemble(&self.dialect, call, parts)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(FramedDecoder::new(sse::SseDecoder::default(), OpenaiResponsesEventReader::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        OpenaiResponsesEventReader::default().whole(body)
    }
}
