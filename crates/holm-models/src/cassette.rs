//! Records HTTP traffic as lines of JSON without secrets, and replays it.
//!
//! A recording is a fixture made from a provider's real answers. Exchanges are matched by method,
//! path and body, and not by host. A recording made against one address can therefore be replayed
//! for another.

use std::{
    collections::VecDeque,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use holm_runtime::{BoxFuture, Secrets};
use holm_wire::Method;
use serde::{Deserialize, Serialize};

use crate::{Body, Incoming, Outgoing, Transport, TransportError};

/// Headers whose values are never recorded, in requests and in responses.
const REMOVED: [&str; 14] = [
    "api-key",
    "authorization",
    "cookie",
    "openai-organization",
    "openai-project",
    "proxy-authenticate",
    "proxy-authorization",
    "set-cookie",
    "www-authenticate",
    "x-amz-security-token",
    "x-api-key",
    "x-auth-token",
    "x-goog-api-key",
    "x-goog-user-project",
];

/// The replacement of a removed value.
const GONE: &str = "‹removed›";

/// How many bytes of a body are recorded.
const MAX_BODY: usize = 16 << 20;

/// One request and its answer, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The method, `GET` or `POST`.
    pub method: String,
    pub url: String,
    #[serde(default)]
    pub request_headers: Vec<(String, String)>,
    pub request: Content,
    pub status: u16,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    pub answer: Content,
    /// Whether the answer's body was complete.
    #[serde(default)]
    pub end: End,
}

/// A body, stored as text if it is valid UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Text(String),
    Base64(String),
}

/// How a body ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    #[default]
    Whole,
    /// The connection broke, or the reader stopped early.
    Cut,
}

impl Content {
    fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes)
            .map_or_else(|error| Self::Base64(STANDARD.encode(error.as_bytes())), Self::Text)
    }

    /// The bytes; empty if the base64 is damaged.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        }
    }
}

/// A recording: exchanges in the order in which they ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cassette {
    pub exchanges: Vec<Exchange>,
}

impl Cassette {
    /// Parses a recording from lines of JSON.
    ///
    /// # Errors
    /// [`BadCassette`] with the line that cannot be parsed.
    pub fn parse(text: &str) -> Result<Self, BadCassette> {
        let mut exchanges = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let read = serde_json::from_str(line);
            let line = index.saturating_add(1);
            exchanges.push(read.map_err(|error| BadCassette { line, reason: error.to_string() })?);
        }
        Ok(Self { exchanges })
    }
}

/// A recording cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the recording cannot be read ({reason}); record it again")]
pub struct BadCassette {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub reason: String,
}

/// A transport that records the traffic of another transport.
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<dyn Transport>,
    tape: Tape,
}

impl Recorder {
    /// Records to a writer. Each exchange becomes one line when its body ends or is dropped.
    ///
    /// Removes these secrets and everything else that looks like a key, so that a recording
    /// can be stored safely.
    pub fn new(inner: Arc<dyn Transport>, secrets: Secrets, writer: impl Write + Send + 'static) -> Self {
        let secrets = secrets.with_shapes().nameless();
        Self { inner, tape: Tape { secrets, writer: Arc::new(Mutex::new(writer)) } }
    }
}

impl Transport for Recorder {
    fn send(&self, request: Outgoing) -> BoxFuture<'static, Result<Incoming, TransportError>> {
        let (tape, exchange) = (self.tape.clone(), self.tape.begin(&request));
        let sent = self.inner.send(request);
        Box::pin(async move {
            let answer = sent.await?;
            let (status, headers) = (answer.status, tape.headers(&answer.headers));
            let exchange = Exchange { status, headers, ..exchange };
            let body = Recording { inner: answer.body, tape, exchange: Some(exchange), bytes: Vec::new() };
            Ok(Incoming { body: Box::new(body), ..answer })
        })
    }
}

#[derive(Clone)]
struct Tape {
    secrets: Secrets,
    writer: Arc<Mutex<dyn Write + Send>>,
}

impl Tape {
    fn begin(&self, request: &Outgoing) -> Exchange {
        let mut request_headers = self.headers(&request.headers);
        request_headers.extend(request.secrets.iter().map(|(name, _)| (name.clone(), GONE.to_owned())));
        Exchange {
            method: method(request.method).into(),
            url: self.secrets.text(&request.url).into_owned(),
            request_headers,
            request: Content::of(self.secrets.bytes(&request.body).into_owned()),
            status: 0,
            headers: Vec::new(),
            answer: Content::Text(String::new()),
            end: End::Cut,
        }
    }

    fn headers(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        let clean = |(name, value): &(String, String)| {
            let removed = REMOVED.contains(&name.to_ascii_lowercase().as_str());
            (name.clone(), if removed { GONE.into() } else { self.secrets.text(value).into_owned() })
        };
        headers.iter().map(clean).collect()
    }

    fn write(&self, exchange: &Exchange) {
        let Ok(mut line) = serde_json::to_string(exchange) else { return };
        // Searches the whole line again, because adjacent texts could form a secret together.
        self.secrets.clean(&mut line);
        line.push('\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // A failed write of the recording must not disturb the recorded call.
        let _ = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
    }
}

/// A body that is recorded when it ends, or when it is dropped.
struct Recording {
    inner: Box<dyn Body>,
    tape: Tape,
    exchange: Option<Exchange>,
    bytes: Vec<u8>,
}

impl Recording {
    fn close(&mut self, end: End) {
        let Some(exchange) = self.exchange.take() else { return };
        let answer = Content::of(self.tape.secrets.bytes(&self.bytes).into_owned());
        self.tape.write(&Exchange { answer, end, ..exchange });
    }
}

impl Body for Recording {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        Box::pin(async {
            let piece = self.inner.next().await;
            match &piece {
                Ok(Some(bytes)) => {
                    let room = MAX_BODY.saturating_sub(self.bytes.len());
                    self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
                }
                Ok(None) => self.close(End::Whole),
                Err(_) => self.close(End::Cut),
            }
            piece
        })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.close(End::Cut);
    }
}

/// A transport that answers from a recording instead of a network. Each exchange answers once.
#[derive(Debug, Clone)]
pub struct Player {
    waiting: Arc<Mutex<VecDeque<Exchange>>>,
    secrets: Secrets,
}

impl Player {
    /// Replays a recording. `secrets` are the keys in use during the replay; bodies
    /// are compared without them.
    pub fn new(cassette: Cassette, secrets: Secrets) -> Self {
        let secrets = secrets.with_shapes().nameless();
        Self { waiting: Arc::new(Mutex::new(cassette.exchanges.into())), secrets }
    }

    /// How many exchanges have not been used yet.
    pub fn left(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn find(&self, request: &Outgoing) -> Result<Exchange, TransportError> {
        let body = Content::of(self.secrets.bytes(&request.body).into_owned());
        let url = self.secrets.text(&request.url).into_owned();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let same_place = |exchange: &Exchange| {
            exchange.method == method(request.method) && path(&exchange.url) == path(&url)
        };
        let place = waiting.iter().position(|exchange| same_place(exchange) && exchange.request == body);
        if let Some(exchange) = place.and_then(|place| waiting.remove(place)) {
            return Ok(exchange);
        }
        let reason = if waiting.iter().any(same_place) {
            format!("{} was recorded with a different body", path(&url))
        } else {
            format!("{} was not recorded, or not that many times", path(&url))
        };
        Err(TransportError::NotRecorded { reason })
    }
}

impl Transport for Player {
    fn send(&self, request: Outgoing) -> BoxFuture<'static, Result<Incoming, TransportError>> {
        let found = self.find(&request);
        Box::pin(async move {
            let Exchange { status, headers, answer, end, .. } = found?;
            let bytes = Some(answer.bytes().into()).filter(|bytes: &Bytes| !bytes.is_empty());
            Ok(Incoming { status, headers, body: Box::new(Playing { bytes, end }) })
        })
    }
}

struct Playing {
    bytes: Option<Bytes>,
    end: End,
}

impl Body for Playing {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let piece = match (self.bytes.take(), self.end) {
            (Some(bytes), _) => Ok(Some(bytes)),
            (None, End::Whole) => Ok(None),
            (None, End::Cut) => Err(TransportError::Broken { reason: "it did when it was recorded".into() }),
        };
        Box::pin(async { piece })
    }
}

const fn method(method: Method) -> &'static str {
    match method {
        Method::Get => "GET",
        Method::Post => "POST",
    }
}

/// The path and query of a URL.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
}
