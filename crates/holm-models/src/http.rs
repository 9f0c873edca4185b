//! An HTTP transport with one connection pool for all runs. What is sent is decided in `client.rs`,
//! and how an answer is read in `exchange.rs`. It follows no redirect, because that would send the
//! key to another address. It is for model providers only: tools reach the network through
//! `holm-net`.

use std::{error::Error, future::Future, sync::Once, time::Duration};

use bytes::Bytes;
use holm_runtime::BoxFuture;
use holm_wire::HttpMethod;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::ExposeSecret;

use crate::{ResponseBody, Transport, TransportError, TransportRequest, TransportResponse};

/// How many idle connections are kept for each host, and for how long. It is enough for a busy
/// process, and short enough that a connection closed by the peer is rarely tried.
const IDLE_CONNECTIONS: usize = 32;
const IDLE_TIME: Duration = Duration::from_secs(60);

/// How often an idle connection is checked with a keep-alive, so that a dead one is found
/// before the idle timeout.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// The timeouts of the stages of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpTimeouts {
    /// Until the connection is open, including TLS.
    pub connect: Duration,
    /// From there until the head of the answer. Providers that do not stream think
    /// before they send anything.
    pub first_byte: Duration,
    /// The longest pause between two pieces of the body.
    pub idle: Duration,
    /// The longest pause between two pieces of the reply. Keep-alives without content hold a
    /// connection open forever, while a model that thinks silently may need long.
    pub silence: Duration,
}

impl Default for HttpTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_mins(10),
            idle: Duration::from_mins(3),
            silence: Duration::from_hours(1),
        }
    }
}

/// Whether proxies are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProxyPolicy {
    /// The proxies of the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, with
    /// the exceptions of `NO_PROXY`.
    #[default]
    Environment,
    /// No proxy, even if the environment names one.
    None,
}

/// The pooled HTTP client. Clones share the pool.
#[derive(Debug, Clone)]
pub struct HttpTransport {
    client: reqwest::Client,
    timeouts: HttpTimeouts,
}

impl HttpTransport {
    /// Creates a new connection pool.
    ///
    /// # Errors
    /// [`TransportError::Unsendable`] if the system's certificates cannot be used.
    pub fn new(timeouts: HttpTimeouts, proxies: ProxyPolicy) -> Result<Self, TransportError> {
        use_ring();
        let builder = reqwest::Client::builder()
            .connect_timeout(timeouts.connect)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .pool_idle_timeout(IDLE_TIME)
            .tcp_nodelay(true)
            .tcp_keepalive(KEEP_ALIVE)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_adaptive_window(true)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(concat!("holm/", env!("CARGO_PKG_VERSION")));
        let builder = match proxies {
            ProxyPolicy::Environment => builder,
            ProxyPolicy::None => builder.no_proxy(),
        };
        let client =
            builder.build().map_err(|error| TransportError::Unsendable { reason: causes(&error) })?;
        Ok(Self { client, timeouts })
    }
}

impl Transport for HttpTransport {
    fn send(
        &self,
        request: TransportRequest,
    ) -> BoxFuture<'static, Result<TransportResponse, TransportError>> {
        let (client, timeouts) = (self.client.clone(), self.timeouts);
        Box::pin(async move {
            let request = build(request)?;
            // Connecting has its own limit, and also counts towards this one.
            let limit = timeouts.first_byte.saturating_add(timeouts.connect);
            let answer = within(limit, "no answer started", client.execute(request))
                .await?
                .map_err(|error| sending(&error))?;
            let status = answer.status().as_u16();
            let headers = answer
                .headers()
                .iter()
                .map(|(name, value)| {
                    (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                })
                .collect();
            Ok(TransportResponse {
                status,
                headers,
                body: Box::new(HttpBody { answer, idle: timeouts.idle }),
            })
        })
    }
}

/// A body on a real connection. Dropping it closes the connection, unless the body was
/// read to its end.
struct HttpBody {
    answer: reqwest::Response,
    idle: Duration,
}

impl ResponseBody for HttpBody {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>> {
        Box::pin(async {
            let broken = |error: reqwest::Error| TransportError::Broken { reason: causes(&error) };
            within(self.idle, "no more data arrived", self.answer.chunk()).await?.map_err(broken)
        })
    }
}

async fn within<T>(
    limit: Duration,
    stage: &'static str,
    future: impl Future<Output = T>,
) -> Result<T, TransportError> {
    let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    tokio::time::timeout(limit, future).await.map_err(|_| TransportError::Late { what: stage, millis })
}

fn build(request: TransportRequest) -> Result<reqwest::Request, TransportError> {
    let unsendable = |reason: String| TransportError::Unsendable { reason };
    let url = reqwest::Url::parse(&request.url).map_err(|error| unsendable(format!("the URL: {error}")))?;
    let method = match request.method {
        HttpMethod::Get => reqwest::Method::GET,
        HttpMethod::Post => reqwest::Method::POST,
    };
    let mut out = reqwest::Request::new(method, url);
    let name = |name: &str| {
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable(format!("a header is named {name:?}")))
    };
    for (given, value) in &request.headers {
        let value = HeaderValue::from_str(value).map_err(|_| unsendable(format!("the value of {given}")))?;
        out.headers_mut().insert(name(given)?, value);
    }
    for (given, value) in &request.secrets {
        let value = HeaderValue::from_str(value.expose_secret().trim());
        let mut value = value.map_err(|_| {
            unsendable(format!(
                "the key in {given} has a character that is not allowed in a \
                                             header"
            ))
        })?;
        value.set_sensitive(true);
        out.headers_mut().insert(name(given)?, value);
    }
    if request.method == HttpMethod::Post {
        *out.body_mut() = Some(request.body.into());
    }
    Ok(out)
}

fn sending(error: &reqwest::Error) -> TransportError {
    if error.is_connect() || error.is_timeout() {
        return TransportError::Connect { reason: unreached(error) };
    }
    if error.is_builder() {
        return TransportError::Unsendable { reason: causes(error) };
    }
    TransportError::Broken { reason: causes(error) }
}

/// The host that could not be reached, and the innermost cause. The rest of the URL is left out,
/// because it may contain the user's data.
fn unreached(error: &reqwest::Error) -> String {
    let mut innermost = error.source();
    while let Some(cause) = innermost.and_then(std::error::Error::source) {
        innermost = Some(cause);
    }
    let why = innermost.map_or_else(|| "it gave no reason".to_owned(), ToString::to_string);
    let url = error.url();
    let host = url.and_then(reqwest::Url::host_str).unwrap_or("the provider");
    match url.and_then(reqwest::Url::port) {
        Some(port) => format!("{host}:{port}: {why}"),
        None => format!("{host}: {why}"),
    }
}

/// An error with its sources. The URL is left out, because it may contain the user's data.
fn causes(error: &reqwest::Error) -> String {
    let mut out = String::new();
    let mut next = error.source();
    while let Some(cause) = next {
        if !out.is_empty() {
            out.push_str(": ");
        }
        out.push_str(&cause.to_string());
        next = cause.source();
    }
    if out.is_empty() { "it gave no reason".into() } else { out }
}

/// Selects the cryptography provider once, unless the program has already selected one.
fn use_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that the program has already selected one.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
