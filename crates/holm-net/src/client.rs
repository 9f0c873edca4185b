//! An HTTP client over checked connections. The HTTP library opens no connection itself, so it can
//! neither resolve a name again nor follow a redirect.
//!
//! Connections come from `connector.rs` alone, the next request of a redirect from `redirect.rs`,
//! and bodies are read in `response.rs`. A request is sent again only if the peer has certainly
//! received nothing. A pooled connection is checked again for each request.

use std::sync::Arc;

use bytes::Bytes;
use holm_grants::{GrantPolicy, Url};
use http::{Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use crate::connector::{Connector, spoken};
use crate::error::{ExchangeStage, NetError, origin};
use crate::limits::ExchangeLimits;
use crate::pool::{HttpConnection, HttpConnectionPool, HttpSender, PoolKey};
use crate::redirect;
use crate::request::HttpClientRequest;
use crate::response::HttpClientResponse;
use crate::tls::{TlsConfig, chose_h2};

/// The largest response head: ten times what servers send.
const MAX_HEAD: usize = 64 * 1024;
/// The most headers of an answer.
const MAX_HEADERS: usize = 128;

/// Sends HTTP/1.1 and HTTP/2 requests. It is cheap to clone, and clones
/// share their idle connections.
///
/// ```no_run
/// use holm_grants::{GrantPolicy, GrantSet};
/// use holm_net::{
///     Connector, ExchangeLimits, HttpClient, HttpClientRequest, SystemResolver, TlsConfig,
/// };
/// use std::sync::Arc;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client =
///     HttpClient::new(Connector::new(Arc::new(SystemResolver)), TlsConfig::platform()?);
/// let policy = GrantPolicy {
///     grants: GrantSet::parse(["fetch:https://example.com"])?,
///     ..GrantPolicy::default()
/// };
/// let request = HttpClientRequest::get("https://example.com/".parse()?);
/// let page = client.send(request, &policy, &ExchangeLimits::default()).await?.bytes().await?;
/// # drop(page); Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct HttpClient {
    connector: Connector,
    tls: TlsConfig,
    pool: Arc<HttpConnectionPool>,
}

impl HttpClient {
    /// Creates a client that uses this connector.
    #[must_use]
    pub fn new(connector: Connector, tls: TlsConfig) -> Self {
        Self { connector, tls, pool: Arc::default() }
    }

    /// The connector that opens its connections.
    #[must_use]
    pub fn connector(&self) -> &Connector {
        &self.connector
    }

    /// Sends a request and follows its redirects, each of them checked under `policy`.
    ///
    /// A response of any status is `Ok`. Dropping the future or the response closes the connection.
    ///
    /// # Errors
    ///
    /// If no grant admits the request, a limit is reached, or the peer closes the connection early.
    pub async fn send(
        &self,
        mut request: HttpClientRequest,
        policy: &GrantPolicy,
        limits: &ExchangeLimits,
    ) -> Result<HttpClientResponse, NetError> {
        let deadline = Instant::now() + limits.total;
        let mut followed = 0;
        loop {
            let sent = self.exchange(&request, policy, deadline).await;
            let (answer, line) =
                sent.map_err(|error| if followed > 0 { led(error, &request.url) } else { error })?;
            let next = redirect::next(&request, answer.status(), answer.headers())?;
            match next {
                Some(next) if limits.redirects > 0 => {
                    if followed == limits.redirects {
                        return Err(NetError::TooManyRedirects(limits.redirects));
                    }
                    followed += 1;
                    request = next;
                }
                Some(_) | None => {
                    let line = line.map(|line| (Arc::clone(&self.pool), line));
                    return HttpClientResponse::new(answer, request.url, limits, deadline, line);
                }
            }
        }
    }

    /// Sends one request and returns its response, with the connection if it can be reused.
    async fn exchange(
        &self,
        request: &HttpClientRequest,
        policy: &GrantPolicy,
        deadline: Instant,
    ) -> Result<(Response<Incoming>, Option<HttpConnection>), NetError> {
        spoken(&request.url)?;
        let key = PoolKey::of(&request.url);
        let may = |peer: std::net::SocketAddr| self.connector.recheck(&request.url, policy, peer.ip());
        // A server may close an idle connection just as it is used. A request that certainly was
        // not sent is sent again on another connection.
        while let Some(line) = self.pool.take(&key, may) {
            if let SendOutcome::Answer(answer, line) = self.on_line(line, request, deadline).await? {
                return Ok((answer, line));
            }
        }
        let line = in_time(deadline, ExchangeStage::Connecting, self.open(&request.url, policy)).await?;
        match self.on_line(line, request, deadline).await? {
            SendOutcome::Answer(answer, line) => Ok((answer, line)),
            SendOutcome::Nothing(reason) => Err(NetError::Http { origin: origin(&request.url), why: reason }),
        }
    }

    /// Resolves, checks, connects, and performs the TLS and HTTP handshakes.
    async fn open(&self, url: &Url, policy: &GrantPolicy) -> Result<HttpConnection, NetError> {
        let connection = self.connector.connect(url, policy).await?;
        let peer = connection.peer;
        let sender = if spoken(url)? {
            let stream = self.tls.secure(url, connection.stream).await?;
            if chose_h2(&stream) { many(url, stream).await? } else { one(url, stream).await? }
        } else {
            one(url, connection.stream).await?
        };
        if let HttpSender::Many(sender) = &sender {
            self.pool
                .keep(PoolKey::of(url), HttpConnection { sender: HttpSender::Many(sender.clone()), peer });
        }
        Ok(HttpConnection { sender, peer })
    }

    async fn on_line(
        &self,
        line: HttpConnection,
        request: &HttpClientRequest,
        deadline: Instant,
    ) -> Result<SendOutcome, NetError> {
        let broken = |reason: String| NetError::Http { origin: origin(&request.url), why: reason };
        let message = |version| request.message(version).map_err(|error| broken(error.to_string()));
        let peer = line.peer;
        let (result, line) = match line.sender {
            HttpSender::One(mut sender) => {
                let message = message(Version::HTTP_11)?;
                let sent = in_time(deadline, ExchangeStage::Answering, async {
                    Ok(sender.try_send_request(message).await)
                });
                (sent.await?, Some(HttpConnection { sender: HttpSender::One(sender), peer }))
            }
            HttpSender::Many(mut sender) => {
                let message = message(Version::HTTP_2)?;
                let sent = in_time(deadline, ExchangeStage::Answering, async {
                    Ok(sender.try_send_request(message).await)
                });
                // The connection stayed in the pool.
                (sent.await?, None)
            }
        };
        match result {
            Ok(answer) => Ok(SendOutcome::Answer(answer, line)),
            Err(mut error) => match error.take_message() {
                Some(_) => Ok(SendOutcome::Nothing(error.error().to_string())),
                None => Err(broken(error.error().to_string())),
            },
        }
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").field("connector", &self.connector).finish_non_exhaustive()
    }
}

/// The result of sending a request on a connection.
enum SendOutcome {
    Answer(Response<Incoming>, Option<HttpConnection>),
    /// The connection was closed; the peer has received nothing.
    Nothing(String),
}

async fn one<S>(url: &Url, stream: S) -> Result<HttpSender, NetError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let shaken = http1::Builder::new()
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_HEAD)
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await;
    let (sender, line) = shaken.map_err(|error| broken(url, &error))?;
    // The sender or the body also receives any error of the connection.
    tokio::spawn(async move { drop(line.await) });
    Ok(HttpSender::One(sender))
}

async fn many<S>(url: &Url, stream: S) -> Result<HttpSender, NetError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let shaken = http2::Builder::new(TokioExecutor::new())
        .max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX))
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await;
    let (sender, line) = shaken.map_err(|error| broken(url, &error))?;
    tokio::spawn(async move { drop(line.await) });
    Ok(HttpSender::Many(sender))
}

/// Adds the target of a redirect to a refusal, so that the caller can ask for a grant.
fn led(error: NetError, url: &Url) -> NetError {
    match error {
        NetError::Refused(refusal) => {
            NetError::Refused(Box::new(crate::ConnectionDenied { led_to: Some(url.clone()), ..*refusal }))
        }
        other => other,
    }
}

fn broken(url: &Url, error: &hyper::Error) -> NetError {
    NetError::Http { origin: origin(url), why: error.to_string() }
}

async fn in_time<T>(
    deadline: Instant,
    stage: ExchangeStage,
    work: impl Future<Output = Result<T, NetError>>,
) -> Result<T, NetError> {
    timeout_at(deadline, work).await.unwrap_or(Err(NetError::TimedOut(stage)))
}
