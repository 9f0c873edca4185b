//! An HTTP client for `rmcp` that sends every request through `holm-net`, which checks all
//! connections.
//!
//! The client of `rmcp` resolves names and connects without such checks.
//!
//! It must never use another network client, because only `holm-net` applies the grants. Tokens are
//! added by `login.rs`, and the older HTTP transport is in `legacy_sse.rs`. Messages and events are
//! bounded.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use holm_grants::GrantPolicy;
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, HttpClientResponse, MimeFilter, NetError};
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

type WebTransportError = StreamableHttpError<NetError>;

/// Sends HTTP requests to one server. Its policy limits what it can reach.
#[derive(Clone, Debug)]
pub(crate) struct McpHttpClient {
    client: HttpClient,
    policy: Arc<GrantPolicy>,
    /// Whether the server refused the first request of the newer HTTP transport,
    /// as older servers do.
    refused_hello: Arc<AtomicBool>,
    own_words: Arc<watch::Sender<PushStreamState>>,
}

/// The state of the stream on which a server with sessions sends its own requests and notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum PushStreamState {
    /// The server has no session, so it has no such stream.
    #[default]
    None,
    /// The stream is about to be opened.
    Awaited,
    /// The server has answered the request for the stream, with or without success.
    Settled,
}

impl McpHttpClient {
    pub(crate) fn new(client: HttpClient, policy: GrantPolicy) -> Self {
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
        let _ = timeout(SETTLING, own_words.wait_for(|words| *words != PushStreamState::Awaited)).await;
    }

    async fn send(&self, request: HttpClientRequest) -> Result<HttpClientResponse, WebTransportError> {
        let limits = ExchangeLimits {
            body: u64::MAX,
            total: TOTAL,
            idle: IDLE,
            redirects: REDIRECTS,
            mimes: MimeFilter::Any,
        };
        let answer = self.client.send(request, &self.policy, &limits).await;
        answer.map_err(StreamableHttpError::Client)
    }
}

/// Events always have a size limit here, so the trait's variants that take a
/// limit keep their defaults.
impl StreamableHttpClient for McpHttpClient {
    type Error = NetError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, WebTransportError> {
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
            self.own_words.send_replace(PushStreamState::Awaited);
        }
        match kind(&answer) {
            AnswerContentKind::Events => {
                Ok(StreamableHttpPostResponse::Sse(events(answer, MAX_MESSAGE), given))
            }
            AnswerContentKind::Json => read_message(answer, &message, given).await,
            // Some servers answer a notification with an empty success.
            AnswerContentKind::Other(_) if is_one_way(&message) => Ok(StreamableHttpPostResponse::Accepted),
            AnswerContentKind::Other(kind) => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), WebTransportError> {
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
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, WebTransportError> {
        let mut request = request(Method::GET, &uri, session.as_deref(), token.as_deref(), &headers)?;
        if let Some(last) = last_event {
            request = header(request, LAST_EVENT, &last)?;
        }
        let answer = self.send(request).await;
        self.own_words.send_replace(PushStreamState::Settled);
        let answer = answer?;
        if answer.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        challenged(&answer)?;
        if !answer.status().is_success() {
            return Err(status_error(&answer).into());
        }
        match kind(&answer) {
            AnswerContentKind::Events => Ok(events(answer, MAX_MESSAGE)),
            AnswerContentKind::Json => Err(StreamableHttpError::UnexpectedContentType(Some(JSON.into()))),
            AnswerContentKind::Other(kind) => Err(StreamableHttpError::UnexpectedContentType(kind)),
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
enum AnswerContentKind {
    Json,
    Events,
    Other(Option<String>),
}

fn kind(answer: &HttpClientResponse) -> AnswerContentKind {
    match text(answer, CONTENT_TYPE.as_str()) {
        Some(kind) if kind.starts_with(JSON) => AnswerContentKind::Json,
        Some(kind) if kind.starts_with(EVENTS) => AnswerContentKind::Events,
        other => AnswerContentKind::Other(other.map(|kind| kind.chars().take(SHOWN).collect())),
    }
}

fn request(
    method: Method,
    uri: &str,
    session: Option<&str>,
    token: Option<&str>,
    headers: &HashMap<HeaderName, HeaderValue>,
) -> Result<HttpClientRequest, WebTransportError> {
    let url = uri.parse().map_err(|error| StreamableHttpError::Client(NetError::Url(error)))?;
    let mut request = header(HttpClientRequest::new(method, url), "accept", &format!("{JSON}, {EVENTS}"))?;
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

fn header(
    request: HttpClientRequest,
    name: &str,
    value: &str,
) -> Result<HttpClientRequest, WebTransportError> {
    request.header(name, value).map_err(StreamableHttpError::Client)
}

fn text(answer: &HttpClientResponse, name: &str) -> Option<String> {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Returns an error if the server requires a login, or a login with more scopes.
fn challenged(answer: &HttpClientResponse) -> Result<(), WebTransportError> {
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

fn status_error(answer: &HttpClientResponse) -> HttpStatusError {
    HttpStatusError::new(answer.status().as_u16(), text(answer, RETRY_AFTER.as_str()))
}

/// The error for an unsuccessful answer: the error in its body, or its status.
async fn refused(
    answer: HttpClientResponse,
    message: &ClientJsonRpcMessage,
    in_session: bool,
) -> Result<StreamableHttpPostResponse, WebTransportError> {
    let status = answer.status();
    let error = status_error(&answer);
    let session = text(&answer, SESSION);
    let json = matches!(kind(&answer), AnswerContentKind::Json);
    let body = read_body(answer).await?;
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
    answer: HttpClientResponse,
    message: &ClientJsonRpcMessage,
    session: Option<String>,
) -> Result<StreamableHttpPostResponse, WebTransportError> {
    let body = read_body(answer).await?;
    match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(parsed) => Ok(StreamableHttpPostResponse::Json(parsed, session)),
        Err(_) if is_one_way(message) => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => {
            let shown: String = String::from_utf8_lossy(&body).chars().take(SHOWN).collect();
            let problem = format!("the answer is not a valid message ({error}): {shown}");
            Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(problem)))
        }
    }
}

/// Whether the message expects no answer.
fn is_one_way(message: &ClientJsonRpcMessage) -> bool {
    !matches!(message, JsonRpcMessage::Request(_))
}

async fn read_body(mut answer: HttpClientResponse) -> Result<Bytes, WebTransportError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.piece().await.map_err(StreamableHttpError::Client)? {
        if body.len() + chunk.len() > MAX_MESSAGE {
            return Err(StreamableHttpError::Client(NetError::TooLarge { max: MAX_MESSAGE as u64 }));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
