//! The seam: what a format must be able to do.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use holm_kernel::{Failure, Message, Reply, Tool};
use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::{HttpRequest, MediaSource, ModelCall, Parts, StreamDecoder, Transcript};

/// One provider format, with its dialect. Hosts call [`Encoder::encode`](crate::Encoder::encode),
/// [`stream`](Codec::stream) and [`reply`](Codec::reply); the rest is for the encoder.
pub trait Codec: fmt::Debug + Send + Sync {
    fn format(&self) -> Format;

    /// Writes one message behind the others. What the format cannot say is said in words or left out, never an error:
    /// a run must not end because an old message holds a picture.
    fn write_message(&self, message: &Message, media: &dyn MediaSource, out: &mut Transcript);

    /// Writes the tools; nothing if there are none. The order of tools and the bytes of schemas stay as they are, because prompt caches
    /// compare bytes.
    fn write_tools(&self, tools: &[Arc<Tool>], out: &mut Vec<u8>);

    /// Puts a request together.
    fn assemble(&self, call: &ModelCall<'_>, parts: &Parts<'_>) -> HttpRequest;

    /// A decoder for the body of one streamed reply (status 2xx).
    fn stream(&self) -> Box<dyn StreamDecoder>;

    /// Decodes the body of a reply that came whole (status 2xx).
    ///
    /// # Errors
    /// The classified failure.
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
