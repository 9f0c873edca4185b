//! The interface of a provider format, and the list of formats. It holds no behaviour: each format
//! implements it in the `mod.rs` of its own folder. The server side has its own interface in
//! `server.rs`.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use holm_kernel::{Failure, Message, Reply, ToolSpec};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{MediaSource, MessageBuffer, ModelCall, ProviderRequest, RequestParts, StreamDecoder};

/// One provider format, with the differences of one service. Each format has its own folder;
/// `stream.rs` there reads replies and stop reasons. Hosts call
/// [`RequestEncoder::encode`](crate::RequestEncoder::encode), [`stream`](ProviderCodec::stream) and
/// [`reply`](ProviderCodec::reply); the encoder calls the functions that write.
pub trait ProviderCodec: fmt::Debug + Send + Sync {
    fn format(&self) -> Format;

    /// Appends one message. Content that the format does not support is described in
    /// text or left out. It is never an error, because a run must not end when an old
    /// message contains an image.
    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut MessageBuffer);

    /// Writes the tools, or nothing if there are none. The order of tools and the bytes of schemas
    /// are kept, because prompt caches compare bytes.
    fn write_tools(&self, tools: &[Arc<ToolSpec>], out: &mut Vec<u8>);

    /// Assembles a request from its parts.
    fn assemble(&self, call: &ModelCall<'_>, parts: &RequestParts<'_>) -> ProviderRequest;

    /// Creates a decoder for the body of one streamed reply (status 2xx).
    fn stream(&self) -> Box<dyn StreamDecoder>;

    /// Decodes the body of a complete, unstreamed reply (status 2xx).
    ///
    /// # Errors
    /// The classified failure of the call.
    fn reply(&self, body: &[u8]) -> Result<Reply, Failure>;
}

/// The formats, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `OpenAI` Chat Completions and the many services compatible with it.
    OpenaiChat,
    /// `OpenAI` Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini.
    Gemini,
    /// Cohere v2 chat.
    Cohere,
    /// Ollama's own API.
    Ollama,
    /// AWS Bedrock Converse.
    Bedrock,
}
