//! AWS Bedrock's Converse API: one format for the models of many vendors, with a binary event
//! stream and signed requests.
//!
//! Where things are:
//! - `request.rs`: writes request bodies. `request/files.rs`: images and documents. `dialect.rs`:
//!   the differences between models.
//! - `sign.rs`: AWS Signature Version 4.
//! - `stream.rs`: reads replies and stop reasons. `wire.rs`: the types of its events.
//! - `server.rs`: writes replies for clients. `server/read.rs`: reads their requests.
//! - The binary framing is in `framing/event_stream.rs`.

mod dialect;
mod request;
mod server;
mod sign;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{BedrockDialect, BedrockStructuredOutput, BedrockThinking, CachePoints};
pub use server::{BedrockReplyStream, BedrockServerCodec};
pub use sign::{AwsCredentials, SigningScope, UnsignedRequest, sign, sign_request};
pub use stream::BedrockEventReader;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::event_stream, stream::EventReader,
};

/// The name under which reasoning keeps the data that this format must receive again.
const REPLAY: &str = "bedrock";

/// The codec for Bedrock Converse.
///
/// ```
/// use holm_wire::{ProviderCodec, bedrock::BedrockCodec};
///
/// let body = br#"{"output":{"message":{"role":"assistant","content":[{"text":"hi"}]}},
///     "stopReason":"end_turn"}"#;
/// let reply = BedrockCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BedrockCodec {
    dialect: BedrockDialect,
}

impl BedrockCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: BedrockDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &BedrockDialect {
        &self.dialect
    }
}

impl ProviderCodec for BedrockCodec {
    fn format(&self) -> Format {
        Format::Bedrock
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
        Box::new(FramedDecoder::new(
            event_stream::EventStreamDecoder::default(),
            BedrockEventReader::default(),
        ))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        BedrockEventReader::default().whole(body)
    }
}
