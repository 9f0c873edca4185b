//! Google Gemini's `generateContent`, streamed and unstreamed.
//!
//! The format has no end mark: a stream is complete once a finish reason has arrived. Calls come in
//! one piece and usually without an id. A signature can be on a part of any kind, and must be sent
//! back on the same, unmerged part. A signed text is therefore a separate block, followed by an
//! empty reasoning block with the signature.
//!
//! Where things are:
//! - `request.rs`: writes request bodies. `dialect.rs`: the differences between services.
//! - `stream.rs`: reads replies and finish reasons. `wire.rs`: the types of its chunks.
//! - `server.rs`: writes replies for clients. `request_reader.rs`: reads their requests.
//! - This file: the form in which a signature is stored, which all of them share.

mod dialect;
mod request;
mod request_reader;
mod server;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub use dialect::{GeminiDialect, GeminiThinking};
pub use server::{GeminiReplyStream, GeminiServerCodec, route};
pub use stream::GeminiEventReader;

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Failure, Message, Reply, ToolSpec};

use crate::{
    Format, FramedDecoder, MediaSource, MessageBuffer, ModelCall, ProviderCodec, ProviderRequest,
    RequestParts, StreamDecoder, framing::sse, stream::EventReader,
};

/// The name under which reasoning and calls keep the data that this format must receive again.
const REPLAY: &str = "gemini";

/// The codec for Gemini's `generateContent`.
///
/// ```
/// use holm_wire::{ProviderCodec, gemini::GeminiCodec};
///
/// let body = br#"{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}"#;
/// let reply = GeminiCodec::default().reply(body)?;
/// assert_eq!(reply.blocks[0].as_text(), Some("hi"));
/// # Ok::<(), holm_kernel::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeminiCodec {
    dialect: GeminiDialect,
}

impl GeminiCodec {
    /// Creates the codec for a dialect.
    pub const fn new(dialect: GeminiDialect) -> Self {
        Self { dialect }
    }

    pub const fn dialect(&self) -> &GeminiDialect {
        &self.dialect
    }
}

impl ProviderCodec for GeminiCodec {
    fn format(&self) -> Format {
        Format::Gemini
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
        Box::new(FramedDecoder::new(sse::SseDecoder::default(), GeminiEventReader::default()))
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        GeminiEventReader::default().whole(body)
    }
}

/// The part that a signature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SignaturePlace {
    /// A call, or the reasoning that holds it.
    Own,
    /// The text block before it.
    Text,
    /// An empty part of its own.
    Empty,
}

impl SignaturePlace {
    const fn word(self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::Text => Some("text"),
            Self::Empty => Some("empty"),
        }
    }
}

/// A signature as it is stored, under this format's name, so that no other provider receives it.
fn signed(signature: &str, part: SignaturePlace) -> Json {
    let part = part.word().map(|word| ("part", Json::from(word)));
    let members = [("thoughtSignature", Json::from(signature))].into_iter().chain(part);
    Json::object([(REPLAY, Json::object(members))])
}

/// The stored signature, and the part that it belongs to.
fn signature(replay: Option<&Json>) -> Option<(&str, SignaturePlace)> {
    let kept = replay?.get(REPLAY)?;
    let signature_place = match kept.get("part").and_then(Json::as_str) {
        Some("text") => SignaturePlace::Text,
        Some("empty") => SignaturePlace::Empty,
        Some(_) | None => SignaturePlace::Own,
    };
    Some((kept.get("thoughtSignature")?.as_str()?, signature_place))
}
