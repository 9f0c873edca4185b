//! Serves MCP over HTTP. It checks `Host`, `Origin` and then the token before it reads any part of
//! a message.
//!
//! What clients can do is in `server_handler.rs`; host names are compared in `host_names.rs`.
//! `holm-server/src/routes/mcp.rs` uses only [`McpHttpService`], because it checks tokens itself.
//! Without a token it listens to this machine only. Messages and connections are bounded.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use holm_runtime::CancellationToken;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::{McpServerHandler, named_hosts};

/// The largest message from a client.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// How many connections may be open at once. Clients are a few programs of one person.
const MAX_CONNECTIONS: usize = 256;
/// The one path at which the server answers.
const PATH: &str = "/mcp";

/// Which HTTP requests the server accepts, by token, `Host` and `Origin`.
#[derive(Clone, Default)]
pub struct HttpAccessPolicy {
    token: Option<SecretString>,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl HttpAccessPolicy {
    /// Accepts programs on this machine that know the token.
    pub fn new(token: impl Into<SecretString>) -> Self {
        Self { token: Some(token.into()), ..Self::open() }
    }

    /// Accepts every program on this machine, including programs of other users. Web
    /// pages are still rejected.
    #[must_use]
    pub fn open() -> Self {
        let own = |text: &[&str]| text.iter().map(|text| (*text).to_owned()).collect();
        Self {
            token: None,
            hosts: own(&["localhost", "127.0.0.1", "::1"]),
            origins: own(&["http://localhost:*", "http://127.0.0.1:*"]),
        }
    }

    /// Accepts requests addressed to this host name, for a server behind a proxy.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Accepts web pages of this origin.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Whether the token is correct. The comparison takes the same time for every wrong token.
    fn knows(&self, request: &Request<Incoming>) -> bool {
        let Some(token) = &self.token else { return true };
        let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        let (given, right) = (Sha256::digest(given), Sha256::digest(token.expose_secret()));
        given.iter().zip(right.iter()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

impl std::fmt::Debug for HttpAccessPolicy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("HttpAccessPolicy")
            .field("token", &self.token.is_some())
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .finish()
    }
}

/// Why the server cannot start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum McpHttpError {
    /// Every program that can reach this address could use the server.
    #[error("other machines can reach {0}; set a token, or listen on 127.0.0.1")]
    Exposed(SocketAddr),
    /// The system does not allow it to listen.
    #[error("cannot listen: {0}")]
    Listen(String),
}

type McpHttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Serves until it is dropped. Each client has its own handler and cannot
/// see another client's session.
///
/// # Errors
///
/// [`McpHttpError`] if it cannot start. An error of one client affects only that client.
pub async fn serve_http<S: ServerHandler + Clone>(
    listener: TcpListener,
    handler: S,
    door: HttpAccessPolicy,
) -> Result<Infallible, McpHttpError> {
    let address = listener.local_addr().map_err(|error| McpHttpError::Listen(error.to_string()))?;
    if door.token.is_none() && !address.ip().is_loopback() {
        return Err(McpHttpError::Exposed(address));
    }
    let service = service(handler, &door, CancellationToken::new());
    let (door, connections) = (Arc::new(door), Arc::new(Semaphore::new(MAX_CONNECTIONS)));
    loop {
        // The semaphore is never closed. A connection that fails during accept concerns only its
        // client.
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { continue };
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (service, door) = (service.clone(), Arc::clone(&door));
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let (service, door) = (service.clone(), Arc::clone(&door));
                async move { Ok::<McpHttpResponse, Infallible>(answer(&service, &door, request).await) }
            });
            drop(Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), answer).await);
            drop(permit);
        });
    }
}

/// Answers MCP requests for an HTTP server that has already checked their token. Clones
/// share the clients' sessions.
#[derive(Clone)]
pub struct McpHttpService(StreamableHttpService<McpServerHandler, LocalSessionManager>);

impl McpHttpService {
    /// Serves requests whose host and origin the door admits. It does not check the door's token.
    #[must_use]
    pub fn new(exposed: McpServerHandler, door: &HttpAccessPolicy) -> Self {
        Self::until(exposed, door, CancellationToken::new())
    }

    /// Like [`new`](Self::new), but ends open streams when `stop` fires.
    #[must_use]
    pub fn until(exposed: McpServerHandler, door: &HttpAccessPolicy, stop: CancellationToken) -> Self {
        Self(service(exposed, door, stop))
    }

    pub async fn handle<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: std::fmt::Display,
    {
        self.0.handle(request).await
    }
}

impl std::fmt::Debug for McpHttpService {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("McpHttpService").finish_non_exhaustive()
    }
}

fn service<S: ServerHandler + Clone>(
    handler: S,
    door: &HttpAccessPolicy,
    stop: CancellationToken,
) -> StreamableHttpService<S, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_cancellation_token(stop)
        .with_allowed_hosts(door.hosts.clone())
        .with_allowed_origins(door.origins.clone())
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY);
    let sessions = Arc::new(LocalSessionManager::default());
    StreamableHttpService::new(move || Ok(handler.clone()), sessions, config)
}

async fn answer<S: ServerHandler>(
    service: &StreamableHttpService<S, LocalSessionManager>,
    door: &HttpAccessPolicy,
    request: Request<Incoming>,
) -> McpHttpResponse {
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "not found: the server is at /mcp");
    }
    // The service checks one name, so the request must not carry a different one.
    match named_hosts(request.headers(), request.uri().authority()) {
        Ok(named) if are_one(&named) => {}
        Ok(_) => return plain(StatusCode::MISDIRECTED_REQUEST, "the request names two hosts"),
        Err(_) => return plain(StatusCode::BAD_REQUEST, "the request has more than one `Host`"),
    }
    if !door.knows(&request) {
        let reason = if request.headers().contains_key(AUTHORIZATION) {
            "unknown token"
        } else {
            "a token is needed: `authorization: Bearer …`"
        };
        let mut refused = plain(StatusCode::UNAUTHORIZED, reason);
        refused.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
        return refused;
    }
    service.handle(request).await
}

/// Whether all names are equal.
fn are_one(named: &[&str]) -> bool {
    named.windows(2).all(|pair| matches!(pair, [one, other] if one.eq_ignore_ascii_case(other)))
}

fn plain(status: StatusCode, text: &'static str) -> McpHttpResponse {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}
