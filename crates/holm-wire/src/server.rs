//! The other side of the wire: reads requests and writes replies, for the provider double and for servers that speak a
//! provider's format.

use alloc::{boxed::Box, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Message, Reply, StopReason, Usage};

use crate::{Delivery, Delta, Parallel, Reasoning, ToolChoice};

/// A format seen from the server.
pub trait ServerCodec: Send + Sync {
    /// Reads a request body.
    ///
    /// # Errors
    /// [`BadBody`] with a reason that the client can read.
    fn read(&self, body: &[u8]) -> Result<Asked, BadBody>;

    /// Begins a streamed reply.
    fn stream(&self, head: Head) -> Box<dyn ReplyStream>;

    /// Writes a whole reply.
    fn reply(&self, head: &Head, reply: &Reply) -> Vec<u8>;

    /// Writes a failure: status and body.
    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>);
}

/// A streamed reply on its way out. Bytes are appended to `out`, ready to be sent.
///
/// Either pass live pieces with [`delta`](ReplyStream::delta), or finished blocks with [`block`](ReplyStream::block); then call [`end`](ReplyStream::end) or
/// [`fail`](ReplyStream::fail) once.
pub trait ReplyStream: Send {
    /// Writes one live piece.
    fn delta(&mut self, delta: &Delta<'_>, out: &mut Vec<u8>);

    /// Writes a finished block in pieces of at most `piece` bytes, with what only a finished block has (signatures).
    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>);

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>);

    /// Writes an error in place of the end.
    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>);

    /// Writes a whole reply.
    fn reply(&mut self, reply: &Reply, piece: usize, out: &mut Vec<u8>) {
        for block in &reply.blocks {
            self.block(block, piece, out);
        }
        self.end(reply.stop, reply.usage, out);
    }
}

/// What only the server knows of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    pub id: String,
    pub model: String,
    /// Seconds since the Unix epoch.
    pub created: u64,
    /// Whether the client asked for usage in the stream.
    pub usage: UsageWish,
    /// What the prompt took, if that is known when the reply begins; formats that open with it say so.
    pub prompt: Usage,
}

/// Whether a client wants usage in a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UsageWish {
    #[default]
    Wanted,
    Unsaid,
}

/// A request as a client sent it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub model: String,
    /// The system prompt: everything said before the conversation begins.
    pub system: String,
    /// The conversation, ids from 0.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<AskedTool>,
    /// Whether a tool must be called.
    pub tool_choice: ToolChoice,
    /// Whether several calls may stand in a reply.
    pub parallel: Parallel,
    /// How the reply is wanted.
    pub delivery: Delivery,
    /// Whether usage is wanted in a stream.
    pub usage: UsageWish,
    pub max_output: Option<u64>,
    /// Sampling temperature in thousandths.
    pub temperature_milli: Option<u32>,
    /// Texts that stop the reply.
    pub stop: Vec<String>,
    /// The schema of the reply.
    pub format: Option<Json>,
    /// How much thinking is wanted.
    pub reasoning: Reasoning,
}

/// How many messages back the call of a result is looked for: a batch lies directly before its results.
const BATCH_REACH: usize = 256;

/// How many calls are looked at for it, so that a request of many calls and many results is read in one pass.
const BATCH_CALLS: usize = 1_024;

impl Asked {
    /// The tool of a call whose result comes next; nothing if no call near by has this id.
    pub(crate) fn tool_of(&self, call: &str) -> String {
        let recent = self.messages.iter().rev().take(BATCH_REACH).flat_map(Message::tool_calls);
        let known = recent.take(BATCH_CALLS).find(|known| known.id == call);
        known.map(|known| known.name.clone()).unwrap_or_default()
    }
}

/// A tool as a client declares it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedTool {
    pub name: String,
    pub description: String,
    /// The schema of its arguments.
    pub schema: Json,
}

/// A request body that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadBody {
    /// It is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(holm_guards::json::ParseError),
    /// It is not UTF-8.
    #[error("the body is not UTF-8; send JSON as UTF-8")]
    NotUtf8,
    /// A member is missing or has another type.
    #[error("{place}: expected {expected}")]
    Member {
        /// Where, as a JSON pointer.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
}

impl BadBody {
    pub(crate) fn member(place: impl Into<String>, expected: &'static str) -> Self {
        Self::Member { place: place.into(), expected }
    }

    pub(crate) fn parse(body: &[u8]) -> Result<Json, Self> {
        let text = core::str::from_utf8(body).map_err(|_| Self::NotUtf8)?;
        Json::parse(text).map_err(Self::NotJson)
    }
}

/// What an answer must be, of OpenAI's two ways to say so: `schema` leads from the format to its schema. What is not known is refused:
/// a client that is not told would believe that its answer has the form it wished for.
pub(crate) fn read_format(format: Option<&Json>, place: &str, schema: &str) -> Result<Option<Json>, BadBody> {
    let Some(format) = format.filter(|format| !format.is_null()) else { return Ok(None) };
    match format.get("type").and_then(Json::as_str) {
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(Json::object([("type", "object".into())]))),
        Some("json_schema") => match format.pointer(schema) {
            Some(found) => Ok(Some(found.clone())),
            None => Err(BadBody::member(alloc::format!("{place}{schema}"), "a JSON Schema")),
        },
        Some(_) | None => {
            Err(BadBody::member(alloc::format!("{place}/type"), "text, json_object or json_schema"))
        }
    }
}

/// The status code under which a failure is reported to a client.
pub const fn status(class: FailureClass) -> u16 {
    match class {
        FailureClass::RateLimited | FailureClass::Quota => 429,
        FailureClass::Overloaded => 503,
        FailureClass::Server => 500,
        FailureClass::Network | FailureClass::Truncated | FailureClass::Empty | FailureClass::HostCrash => {
            502
        }
        FailureClass::Auth => 401,
        FailureClass::ContextOverflow | FailureClass::BadRequest | FailureClass::ContentFilter => 400,
    }
}

/// Cuts a text into pieces of at most `size` bytes at character borders; a character is never cut.
pub fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let size = size.max(4);
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = (0..=size.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at_checked(at)?;
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests;
