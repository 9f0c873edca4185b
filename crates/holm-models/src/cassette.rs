//! Records HTTP traffic as lines of JSON without secrets, and replays it.
//!
//! A recording is a fixture made from a provider's real answers. Exchanges are matched by method,
//! path and body, and not by host. A recording made against one address can therefore be replayed
//! for another.
//!
//! It is one of the transports of `transport.rs`; real connections are in `http.rs`. Nothing is
//! written before secrets were removed from it, and a failed write never disturbs the recorded
//! call.

use std::{
    collections::VecDeque,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use holm_runtime::{BoxFuture, SecretRedactor};
use holm_wire::HttpMethod;
use serde::{Deserialize, Serialize};

use crate::{ResponseBody, Transport, TransportError, TransportRequest, TransportResponse};

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
pub struct RecordedExchange {
    /// The method, `GET` or `POST`.
    pub method: String,
    pub url: String,
    #[serde(default)]
    pub request_headers: Vec<(String, String)>,
    pub request: RecordedBody,
    pub status: u16,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    pub answer: RecordedBody,
    /// Whether the answer's body was complete.
    #[serde(default)]
    pub end: BodyEnd,
}

/// A body, stored as text if it is valid UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedBody {
    Text(String),
    Base64(String),
}

/// How a body ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyEnd {
    #[default]
    Whole,
    /// The connection broke, or the reader stopped early.
    Cut,
}

impl RecordedBody {
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
    pub exchanges: Vec<RecordedExchange>,
}

impl Cassette {
    /// Parses a recording from lines of JSON.
    ///
    /// # Errors
    /// [`CassetteError`] with the line that cannot be parsed.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let mut exchanges = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let read = serde_json::from_str(line);
            let line = index.saturating_add(1);
            exchanges.push(read.map_err(|error| CassetteError { line, reason: error.to_string() })?);
        }
        Ok(Self { exchanges })
    }
}

/// A recording cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the recording cannot be read ({reason}); record it again")]
pub struct CassetteError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub reason: String,
}

/// A transport that records the traffic of another transport.
#[derive(Clone)]
pub struct RecordingTransport {
    inner: Arc<dyn Transport>,
    tape: CassetteWriter,
}

impl RecordingTransport {
    /// Records to a writer. Each exchange becomes one line when its body ends or is dropped.
    ///
    /// Removes these secrets and everything else that looks like a key, so that a recording
    /// can be stored safely.
    pub fn new(
        inner: Arc<dyn Transport>,
        secrets: SecretRedactor,
        writer: impl Write + Send + 'static,
    ) -> Self {
        let secrets = secrets.with_shapes().nameless();
        Self { inner, tape: CassetteWriter { secrets, writer: Arc::new(Mutex::new(writer)) } }
    }
}

impl Transport for RecordingTransport {
    fn send(
        &self,
        request: TransportRequest,
    ) -> BoxFuture<'static, Result<TransportResponse, TransportError>> {
        let (tape, exchange) = (self.tape.clone(), self.tape.begin(&request));
        let sent = self.inner.send(request);
        Box::pin(async move {
            let answer = sent.await?;
            let (status, headers) = (answer.status, tape.headers(&answer.headers));
            let exchange = RecordedExchange { status, headers, ..exchange };
            let body =
                RecordingBody { inner: answer.body, tape, exchange: Some(exchange), bytes: Vec::new() };
            Ok(TransportResponse { body: Box::new(body), ..answer })
        })
    }
}

#[derive(Clone)]
struct CassetteWriter {
    secrets: SecretRedactor,
    writer: Arc<Mutex<dyn Write + Send>>,
}

impl CassetteWriter {
    fn begin(&self, request: &TransportRequest) -> RecordedExchange {
        let mut request_headers = self.headers(&request.headers);
        request_headers.extend(request.secrets.iter().map(|(name, _)| (name.clone(), GONE.to_owned())));
        RecordedExchange {
            method: method(request.method).into(),
            url: self.secrets.text(&request.url).into_owned(),
            request_headers,
            request: RecordedBody::of(self.secrets.bytes(&request.body).into_owned()),
            status: 0,
            headers: Vec::new(),
            answer: RecordedBody::Text(String::new()),
            end: BodyEnd::Cut,
        }
    }

    fn headers(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        let clean = |(name, value): &(String, String)| {
            let removed = REMOVED.contains(&name.to_ascii_lowercase().as_str());
            (name.clone(), if removed { GONE.into() } else { self.secrets.text(value).into_owned() })
        };
        headers.iter().map(clean).collect()
    }

    fn write(&self, exchange: &RecordedExchange) {
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
struct RecordingBody {
    inner: Box<dyn ResponseBody>,
    tape: CassetteWriter,
    exchange: Option<RecordedExchange>,
    bytes: Vec<u8>,
}

impl RecordingBody {
    fn close(&mut self, end: BodyEnd) {
        let Some(exchange) = self.exchange.take() else { return };
        let answer = RecordedBody::of(self.tape.secrets.bytes(&self.bytes).into_owned());
        self.tape.write(&RecordedExchange { answer, end, ..exchange });
    }
}

impl ResponseBody for RecordingBody {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        Box::pin(async {
            let chunk = self.inner.next().await;
            match &chunk {
                Ok(Some(bytes)) => {
                    let remaining = MAX_BODY.saturating_sub(self.bytes.len());
                    self.bytes.extend_from_slice(bytes.get(..remaining).unwrap_or(bytes));
                }
                Ok(None) => self.close(BodyEnd::Whole),
                Err(_) => self.close(BodyEnd::Cut),
            }
            chunk
        })
    }
}

impl Drop for RecordingBody {
    fn drop(&mut self) {
        self.close(BodyEnd::Cut);
    }
}

/// A transport that answers from a recording instead of a network. Each exchange answers once.
#[derive(Debug, Clone)]
pub struct ReplayTransport {
    waiting: Arc<Mutex<VecDeque<RecordedExchange>>>,
    secrets: SecretRedactor,
}

impl ReplayTransport {
    /// Replays a recording. `secrets` are the keys in use during the replay; bodies
    /// are compared without them.
    pub fn new(cassette: Cassette, secrets: SecretRedactor) -> Self {
        let secrets = secrets.with_shapes().nameless();
        Self { waiting: Arc::new(Mutex::new(cassette.exchanges.into())), secrets }
    }

    /// How many exchanges have not been used yet.
    pub fn left(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn find(&self, request: &TransportRequest) -> Result<RecordedExchange, TransportError> {
        let body = RecordedBody::of(self.secrets.bytes(&request.body).into_owned());
        let url = self.secrets.text(&request.url).into_owned();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let same_place = |exchange: &RecordedExchange| {
            exchange.method == method(request.method) && path(&exchange.url) == path(&url)
        };
        let index = waiting.iter().position(|exchange| same_place(exchange) && exchange.request == body);
        if let Some(exchange) = index.and_then(|index| waiting.remove(index)) {
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

impl Transport for ReplayTransport {
    fn send(
        &self,
        request: TransportRequest,
    ) -> BoxFuture<'static, Result<TransportResponse, TransportError>> {
        let found = self.find(&request);
        Box::pin(async move {
            let RecordedExchange { status, headers, answer, end, .. } = found?;
            let bytes = Some(answer.bytes().into()).filter(|bytes: &Bytes| !bytes.is_empty());
            Ok(TransportResponse { status, headers, body: Box::new(ReplayBody { bytes, end }) })
        })
    }
}

struct ReplayBody {
    bytes: Option<Bytes>,
    end: BodyEnd,
}

impl ResponseBody for ReplayBody {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        let chunk = match (self.bytes.take(), self.end) {
            (Some(bytes), _) => Ok(Some(bytes)),
            (None, BodyEnd::Whole) => Ok(None),
            (None, BodyEnd::Cut) => {
                Err(TransportError::Broken { reason: "it did when it was recorded".into() })
            }
        };
        Box::pin(async { chunk })
    }
}

const fn method(method: HttpMethod) -> &'static str {
    match method {
        HttpMethod::Get => "GET",
        HttpMethod::Post => "POST",
    }
}

/// The path and query of a URL.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
}
