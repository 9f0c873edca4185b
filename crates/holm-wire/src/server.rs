//! The server side of the formats: reads requests and writes replies. The provider double of
//! `holm-testkit` uses it, and so does `holm-server/src/routes/openai/mod.rs`.
//!
//! This file holds the interface and what all formats share; each format implements it in its own
//! `server.rs`. It accepts no connections. A body that cannot be read is refused with the place of
//! the mistake, and an unknown output format too, because the client would rely on it.

use alloc::{boxed::Box, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Failure, FailureClass, Message, Reply, StopReason, Usage};

use crate::{Delivery, Parallel, Reasoning, ToolChoice, WireDelta, lenient};

/// A format on the server side.
pub trait ServerCodec: Send + Sync {
    /// Reads a request body.
    ///
    /// # Errors
    /// [`RequestBodyError`] with a reason that the client can read.
    fn read(&self, body: &[u8]) -> Result<CompletionRequest, RequestBodyError>;

    /// Begins a streamed reply.
    fn stream(&self, head: ReplyHead) -> Box<dyn ReplyStream>;

    /// Writes a whole reply.
    fn reply(&self, head: &ReplyHead, reply: &Reply) -> Vec<u8>;

    /// Writes a failure: status and body.
    fn failure(&self, failure: &Failure) -> (u16, Vec<u8>);
}

/// A streamed reply on the server side. Bytes are appended to `out`, ready to be sent.
///
/// Either pass deltas with [`delta`](ReplyStream::delta), or finished
/// blocks with [`block`](ReplyStream::block); then call
/// [`end`](ReplyStream::end) or [`fail`](ReplyStream::fail) once.
pub trait ReplyStream: Send {
    /// Writes one delta as it arrives.
    fn delta(&mut self, delta: &WireDelta<'_>, out: &mut Vec<u8>);

    /// Writes a finished block in pieces of at most `piece` bytes, including data that only a
    /// finished block has (signatures).
    fn block(&mut self, block: &Block, piece: usize, out: &mut Vec<u8>);

    fn end(&mut self, stop: StopReason, usage: Usage, out: &mut Vec<u8>);

    /// Writes an error instead of the end.
    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>);

    /// Writes a whole reply.
    fn reply(&mut self, reply: &Reply, piece: usize, out: &mut Vec<u8>) {
        for block in &reply.blocks {
            self.block(block, piece, out);
        }
        self.end(reply.stop, reply.usage, out);
    }
}

/// The data of a reply that only the server knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyHead {
    pub id: String,
    pub model: String,
    /// Seconds since the Unix epoch.
    pub created: u64,
    /// Whether the client asked for usage in the stream.
    pub usage: UsageReporting,
    /// The usage of the prompt, if it is known when the reply starts. Some formats begin with it.
    pub prompt: Usage,
}

/// Whether a client requests usage in a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UsageReporting {
    #[default]
    Wanted,
    Unsaid,
}

/// A request from a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionRequest {
    pub model: String,
    /// The system prompt: everything before the conversation.
    pub system: String,
    /// The conversation, with ids counted from 0.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<CompletionTool>,
    /// Whether a tool must be called.
    pub tool_choice: ToolChoice,
    /// Whether one reply may have several calls.
    pub parallel: Parallel,
    /// Whether the reply is streamed.
    pub delivery: Delivery,
    /// Whether usage is requested in a stream.
    pub usage: UsageReporting,
    pub max_output: Option<u64>,
    /// Sampling temperature in thousandths.
    pub temperature_milli: Option<u32>,
    /// Stop sequences: texts that end the reply.
    pub stop: Vec<String>,
    /// The schema of the reply.
    pub format: Option<Json>,
    /// How much reasoning is requested.
    pub reasoning: Reasoning,
}

/// How many messages back the call of a result is searched. A batch is
/// directly before its results.
const BATCH_REACH: usize = 256;

/// How many calls are searched, so that a request with many calls and results is read in one pass.
const BATCH_CALLS: usize = 1_024;

impl CompletionRequest {
    /// The tool of the call with this id; empty if no call nearby has the id.
    pub(crate) fn tool_of(&self, call: &str) -> String {
        let recent = self.messages.iter().rev().take(BATCH_REACH).flat_map(Message::tool_calls);
        let known = recent.take(BATCH_CALLS).find(|known| known.id == call);
        known.map(|known| known.name.clone()).unwrap_or_default()
    }
}

/// A tool that a client declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionTool {
    pub name: String,
    pub description: String,
    /// The schema of its arguments.
    pub schema: Json,
}

/// A request body that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestBodyError {
    /// It is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(holm_guards::json::JsonParseError),
    /// It is not UTF-8.
    #[error("the body is not UTF-8; send JSON as UTF-8")]
    NotUtf8,
    /// A member is missing or has the wrong type.
    #[error("{place}: expected {expected}")]
    Member {
        /// The position as a JSON pointer.
        place: String,
        /// What the member should be.
        expected: &'static str,
    },
}

impl RequestBodyError {
    pub(crate) fn member(pointer: impl Into<String>, expected: &'static str) -> Self {
        Self::Member { place: pointer.into(), expected }
    }

    pub(crate) fn parse(body: &[u8]) -> Result<Json, Self> {
        let text = core::str::from_utf8(body).map_err(|_| Self::NotUtf8)?;
        Json::parse(text).map_err(Self::NotJson)
    }
}

/// The output format in either of OpenAI's two notations; `schema` is the path from the format to
/// its schema. An unknown format is refused, because the client would otherwise believe that the
/// answer has the requested form.
pub(crate) fn read_format(
    format: Option<&Json>,
    pointer: &str,
    schema: &str,
) -> Result<Option<Json>, RequestBodyError> {
    let Some(format) = format.filter(|format| !format.is_null()) else { return Ok(None) };
    match format.get("type").and_then(Json::as_str) {
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(Json::object([("type", "object".into())]))),
        Some("json_schema") => match format.pointer(schema) {
            Some(found) => Ok(Some(found.clone())),
            None => Err(RequestBodyError::member(alloc::format!("{pointer}{schema}"), "a JSON Schema")),
        },
        Some(_) | None => Err(RequestBodyError::member(
            alloc::format!("{pointer}/type"),
            "text, json_object or json_schema",
        )),
    }
}

/// The most stop sequences of one request, as `OpenAI` limits them.
const MOST_STOPS: usize = 4;

/// Refuses a request for several answers: a reply has one.
pub(crate) fn check_choices(json: &Json) -> Result<(), RequestBodyError> {
    match json.get("n") {
        None | Some(Json::Null) => Ok(()),
        Some(choices) if choices.as_u64() == Some(1) => Ok(()),
        Some(_) => Err(RequestBodyError::member("/n", "1, because a reply has one choice")),
    }
}

/// The sampling temperature in thousandths.
pub(crate) fn read_temperature(json: &Json) -> Result<Option<u32>, RequestBodyError> {
    let Some(temperature) = json.get("temperature").filter(|temperature| !temperature.is_null()) else {
        return Ok(None);
    };
    let number = temperature.as_number().and_then(|number| number.as_str().parse::<f64>().ok());
    let number = number.filter(|number| (0.0..=2.0).contains(number));
    let milli = number.and_then(|number| lenient::thousandths(&alloc::format!("{number:.3}")));
    milli.map(Some).ok_or_else(|| RequestBodyError::member("/temperature", "a number from 0 to 2"))
}

/// The texts that end a reply.
pub(crate) fn read_stop(json: &Json) -> Result<Vec<String>, RequestBodyError> {
    let texts: Option<Vec<&str>> = match json.get("stop") {
        None | Some(Json::Null) => Some(Vec::new()),
        Some(Json::String(text)) => Some(alloc::vec![text.as_str()]),
        Some(Json::Array(texts)) => texts.iter().map(Json::as_str).collect(),
        Some(Json::Bool(_) | Json::Number(_) | Json::Object(_)) => None,
    };
    let texts = texts.filter(|texts| texts.len() <= MOST_STOPS && texts.iter().all(|text| !text.is_empty()));
    let expected = "a text or a list of at most 4 texts, none of them empty";
    let texts = texts.ok_or_else(|| RequestBodyError::member("/stop", expected))?;
    Ok(texts.into_iter().map(String::from).collect())
}

/// The HTTP status with which a failure is reported to a client.
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

/// Splits a text into pieces of at most `size` bytes. A character is never split.
pub fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let size = size.max(4);
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = (0..=size.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at_checked(at)?;
        rest = after;
        Some(chunk)
    })
}

#[cfg(test)]
mod tests;
