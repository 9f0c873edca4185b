//! An HTTP client for `rmcp` that sends every request through `holm-net`, which checks all
//! connections.
//!
//! The client of `rmcp` resolves names and connects without such checks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use holm_grants::Policy;
use holm_net::{Client, HttpRequest, HttpResponse, Limits, Mimes, NetError};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;
use tokio::sync::watch;
use tokio::time::timeout;

use super::events::events;

/// The largest JSON answer, and the largest single event. `rmcp` has the same
/// limit on standard streams.
pub(crate) const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// How long an answer may be silent. Servers send a keep-alive about every fifteen seconds, and
/// calls have their own deadlines.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// How long one stream may last. After that it is opened again.
const TOTAL: Duration = Duration::from_secs(24 * 60 * 60);
/// How many redirects are followed. Each is checked again; this is enough for a server that moved.
const REDIRECTS: u8 = 3;
/// How long to wait until a server can send its own requests. Opening the stream
/// takes one round trip.
const SETTLING: Duration = Duration::from_secs(2);
/// How much of an answer that is not a message is repeated in an error.
const SHOWN: usize = 256;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

type Fault = StreamableHttpError<NetError>;

/// Sends HTTP requests to one server. Its policy limits what it can reach.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    client: Client,
    policy: Arc<Policy>,
    /// Whether the server refused the first request of the newer HTTP transport,
    /// as older servers do.
    refused_hello: Arc<AtomicBool>,
    own_words: Arc<watch::Sender<OwnWords>>,
}

/// The state of the stream on which a server with sessions sends its own requests and notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum OwnWords {
    /// The server has no session, so it has no such stream.
    #[default]
    None,
    /// The stream is about to be opened.
    Awaited,
    /// The server has answered the request for the stream, with or without success.
    Settled,
}

impl Web {
    pub(crate) fn new(client: Client, policy: Policy) -> Self {
        Self { client, policy: Arc::new(policy), refused_hello: Arc::default(), own_words: Arc::default() }
    }

    /// Whether the server refused the first request since the last call of this function.
    pub(crate) fn refused_hello(&self) -> bool {
        self.refused_hello.swap(false, Ordering::Relaxed)
    }

    /// Waits until the server can send its own requests, if it supports that. A server that
    /// asks something during the first call, before its stream is open, would lose the
    /// question and wait forever.
    pub(crate) async fn can_be_asked(&self) {
        let mut own_words = self.own_words.subscribe();
        // Do not wait for a server that never answers the request for a stream.
        let _ = timeout(SETTLING, own_words.wait_for(|words| *words != OwnWords::Awaited)).await;
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Fault> {
        let limits =
            Limits { body: u64::MAX, total: TOTAL, idle: IDLE, redirects: REDIRECTS, mimes: Mimes::Any };
        let answer = self.client.send(request, &self.policy, &limits).await;
        answer.map_err(StreamableHttpError::Client)
    }
}

/// Events always have a size limit here, so the trait's variants that take a
/// limit keep their defaults.
impl StreamableHttpClient for Web {
    type Error = NetError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let body = serde_json::to_vec(&message)?;
        let request = request(Method::POST, &uri, session.as_deref(), token.as_deref(), &headers)?;
        let request = header(request, CONTENT_TYPE.as_str(), JSON)?.body(body);
        let answer = self.send(request).await?;
        challenged(&answer)?;
        let status = answer.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            if is_hello(&message) && means_older(status) {
                self.refused_hello.store(true, Ordering::Relaxed);
            }
            return refused(answer, &message, session.is_some()).await;
        }
        let given = text(&answer, SESSION);
        if is_hello(&message) && given.is_some() {
            self.own_words.send_replace(OwnWords::Awaited);
        }
        match kind(&answer) {
            Kind::Events => Ok(StreamableHttpPostResponse::Sse(events(answer, MAX_MESSAGE), given)),
            Kind::Json => read_message(answer, &message, given).await,
            // Some servers answer a notification with an empty success.
            Kind::Other(_) if is_one_way(&message) => Ok(StreamableHttpPostResponse::Accepted),
            Kind::Other(kind) => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Fault> {
        let request = request(Method::DELETE, &uri, Some(&session), token.as_deref(), &headers)?;
        let answer = self.send(request).await?;
        // A server that does not allow clients to end a session ends it by itself.
        if answer.status().is_success() || answer.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Ok(());
        }
        Err(HttpStatusError::new(answer.status().as_u16(), None).into())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Fault> {
        let mut request = request(Method::GET, &uri, session.as_deref(), token.as_deref(), &headers)?;
        if let Some(last) = last_event {
            request = header(request, LAST_EVENT, &last)?;
        }
        let answer = self.send(request).await;
        self.own_words.send_replace(OwnWords::Settled);
        let answer = answer?;
        if answer.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        challenged(&answer)?;
        if !answer.status().is_success() {
            return Err(status_error(&answer).into());
        }
        match kind(&answer) {
            Kind::Events => Ok(events(answer, MAX_MESSAGE)),
            Kind::Json => Err(StreamableHttpError::UnexpectedContentType(Some(JSON.into()))),
            Kind::Other(kind) => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }
}

fn is_hello(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::InitializeRequest(_))
}

/// Whether a refusal of the first request means that the server does not support this transport.
/// Other refusals concern authentication or rate limits.
fn means_older(status: StatusCode) -> bool {
    let other = [
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::PROXY_AUTHENTICATION_REQUIRED,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    status.is_client_error() && !other.contains(&status)
}

/// The content type of an answer.
enum Kind {
    Json,
    Events,
    Other(Option<String>),
}

fn kind(answer: &HttpResponse) -> Kind {
    match text(answer, CONTENT_TYPE.as_str()) {
        Some(kind) if kind.starts_with(JSON) => Kind::Json,
        Some(kind) if kind.starts_with(EVENTS) => Kind::Events,
        other => Kind::Other(other.map(|kind| kind.chars().take(SHOWN).collect())),
    }
}

fn request(
    method: Method,
    uri: &str,
    session: Option<&str>,
    token: Option<&str>,
    headers: &HashMap<HeaderName, HeaderValue>,
) -> Result<HttpRequest, Fault> {
    let url = uri.parse().map_err(|error| StreamableHttpError::Client(NetError::Url(error)))?;
    let mut request = header(HttpRequest::new(method, url), "accept", &format!("{JSON}, {EVENTS}"))?;
    for (name, value) in headers {
        let value =
            value.to_str().map_err(|_| StreamableHttpError::ReservedHeaderConflict(name.to_string()))?;
        if matches!(name.as_str(), "accept" | SESSION | LAST_EVENT) {
            return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
        }
        request = header(request, name.as_str(), value)?;
    }
    if let Some(session) = session {
        request = header(request, SESSION, session)?;
    }
    match token {
        Some(token) => header(request, "authorization", &format!("Bearer {token}")),
        None => Ok(request),
    }
}

fn header(request: HttpRequest, name: &str, value: &str) -> Result<HttpRequest, Fault> {
    request.header(name, value).map_err(StreamableHttpError::Client)
}

fn text(answer: &HttpResponse, name: &str) -> Option<String> {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Returns an error if the server requires a login, or a login with more scopes.
fn challenged(answer: &HttpResponse) -> Result<(), Fault> {
    let Some(challenge) = text(answer, WWW_AUTHENTICATE.as_str()) else { return Ok(()) };
    match answer.status() {
        StatusCode::UNAUTHORIZED => Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))),
        StatusCode::FORBIDDEN => {
            let scope = super::login::scope_of(&challenge);
            Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope)))
        }
        _ => Ok(()),
    }
}

fn status_error(answer: &HttpResponse) -> HttpStatusError {
    HttpStatusError::new(answer.status().as_u16(), text(answer, RETRY_AFTER.as_str()))
}

/// The error for an unsuccessful answer: the error in its body, or its status.
async fn refused(
    answer: HttpResponse,
    message: &ClientJsonRpcMessage,
    in_session: bool,
) -> Result<StreamableHttpPostResponse, Fault> {
    let status = answer.status();
    let error = status_error(&answer);
    let session = text(&answer, SESSION);
    let json = matches!(kind(&answer), Kind::Json);
    let body = whole(answer).await?;
    let parsed = serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok();
    let login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if status.is_client_error()
        && !login
        && !in_session
        && let Some(answer) = rejected_probe(message, parsed.as_ref(), status)
    {
        return Ok(answer);
    }
    match parsed {
        Some(parsed @ JsonRpcMessage::Error(_)) if json && !login => {
            Ok(StreamableHttpPostResponse::Json(parsed, session))
        }
        Some(_) | None => Err(error.into()),
    }
}

/// A server of the older era may refuse the era probe in any way, and every refusal
/// counts as an answer.
fn rejected_probe(
    message: &ClientJsonRpcMessage,
    parsed: Option<&ServerJsonRpcMessage>,
    status: StatusCode,
) -> Option<StreamableHttpPostResponse> {
    let JsonRpcMessage::Request(request) = message else { return None };
    if !matches!(request.request, ClientRequest::DiscoverRequest(_)) {
        return None;
    }
    let error = match parsed {
        Some(JsonRpcMessage::Error(error)) => error.error.clone(),
        _ => ErrorData::invalid_request(format!("the server refused the request with HTTP {status}"), None),
    };
    let message = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
    Some(StreamableHttpPostResponse::Json(message, None))
}

async fn read_message(
    answer: HttpResponse,
    message: &ClientJsonRpcMessage,
    session: Option<String>,
) -> Result<StreamableHttpPostResponse, Fault> {
    let body = whole(answer).await?;
    match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(parsed) => Ok(StreamableHttpPostResponse::Json(parsed, session)),
        Err(_) if is_one_way(message) => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => {
            let shown: String = String::from_utf8_lossy(&body).chars().take(SHOWN).collect();
            let what = format!("the answer is not a valid message ({error}): {shown}");
            Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(what)))
        }
    }
}

/// Whether the message expects no answer.
fn is_one_way(message: &ClientJsonRpcMessage) -> bool {
    !matches!(message, JsonRpcMessage::Request(_))
}

async fn whole(mut answer: HttpResponse) -> Result<Bytes, Fault> {
    let mut body = BytesMut::new();
    while let Some(piece) = answer.piece().await.map_err(StreamableHttpError::Client)? {
        if body.len() + piece.len() > MAX_MESSAGE {
            return Err(StreamableHttpError::Client(NetError::TooLarge { max: MAX_MESSAGE as u64 }));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.freeze())
}
