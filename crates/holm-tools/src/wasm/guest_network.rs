//! Network access for guests, through the same resolve-check-connect code as the rest of Holm.
//! Secrets are inserted last.
//!
//! Which hosts may be reached is decided in `holm-net/src/connector.rs`. A secret is inserted only
//! into headers of encrypted requests, and only for hosts that its grant names.
//!
//! The sandbox decides which calls of a guest arrive here (`holm-sandbox`); the policy of a call is
//! made in `policy.rs`.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use holm_grants::{CallNeed, Grant, GrantPolicy, SecretUse, Url, UrlHost};
use holm_guards::json::Json;
use holm_net::{ExchangeLimits, HttpClient};
use holm_runtime::SecretRedactor;
use holm_sandbox::{
    BodyChunks, GuestHttpRequest, GuestHttpResponse, OutboundError, OutboundFuture, OutboundNetwork,
};

/// HTTP, lookups and raw connections for guests, over the same client that the rest of Holm uses.
///
/// Redirects are returned to the guest: each one that it follows is checked again. A raw connection
/// is looked up and checked by the same code that opens the client's own connections. Behind a
/// proxy there are no raw connections, because a guest's socket would bypass it.
#[derive(Clone)]
pub struct GuestNetwork {
    client: HttpClient,
    limits: ExchangeLimits,
}

impl GuestNetwork {
    pub fn new(client: HttpClient) -> Self {
        Self { client, limits: ExchangeLimits { redirects: 0, ..ExchangeLimits::default() } }
    }
}

impl std::fmt::Debug for GuestNetwork {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("GuestNetwork").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl OutboundNetwork for GuestNetwork {
    fn send<'a>(
        &'a self,
        policy: &'a GrantPolicy,
        request: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        Box::pin(async move {
            let answer = self
                .client
                .send(message(request)?, policy, &self.limits)
                .await
                .map_err(|error| failed(&error))?;
            let headers = answer.headers().iter();
            // The body is passed on decompressed, so headers about the compressed one are removed.
            let kept =
                headers.filter(|(name, _)| !matches!(name.as_str(), "content-encoding" | "content-length"));
            let headers =
                kept.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
            Ok(GuestHttpResponse {
                status: answer.status().as_u16(),
                headers,
                body: Box::new(GuestResponseBody::Idle(Box::new(answer))),
            })
        })
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async move {
            let host: UrlHost = name.parse().map_err(|_| OutboundError::NoSuchHost(name.to_owned()))?;
            self.client.connector().resolve(&host).await.map_err(|error| failed(&error))
        })
    }

    fn admit(
        &self,
        policy: &GrantPolicy,
        url: &Url,
        answer: &[IpAddr],
    ) -> Result<Vec<IpAddr>, OutboundError> {
        let connector = self.client.connector();
        if !connector.is_direct() {
            return Err(OutboundError::Refused("raw connections cannot use a proxy".to_owned()));
        }
        let route = connector.check_answer(url, policy, answer).map_err(|error| failed(&error))?;
        Ok(route.addresses().iter().map(SocketAddr::ip).collect())
    }
}

fn message(request: GuestHttpRequest) -> Result<holm_net::HttpClientRequest, OutboundError> {
    let method = request.method.parse().map_err(|_| OutboundError::Failed("unknown method".to_owned()))?;
    let mut message = holm_net::HttpClientRequest::new(method, request.url);
    for (name, value) in &request.headers {
        // The client sets these headers itself, so those of the guest are dropped.
        if matches!(name.as_str(), "accept-encoding" | "content-length" | "transfer-encoding") {
            continue;
        }
        let value = std::str::from_utf8(value)
            .map_err(|_| OutboundError::Failed(format!("header {name} is not text")))?;
        message = message.header(name, value).map_err(|error| failed(&error))?;
    }
    Ok(message.body(request.body))
}

fn failed(error: &holm_net::NetError) -> OutboundError {
    use holm_net::NetError as Net;
    match error {
        Net::Refused(_) | Net::OwnListener(_) | Net::Port(_) | Net::Offline(_) => {
            OutboundError::Refused(error.to_string())
        }
        Net::Unresolved { host, .. } => OutboundError::NoSuchHost(host.clone()),
        Net::TimedOut(_) => OutboundError::TimedOut,
        other => OutboundError::Failed(other.to_string()),
    }
}

type BodyPiece = (Box<holm_net::HttpClientResponse>, Result<Option<Bytes>, holm_net::NetError>);

/// A body that is read in pieces as the guest asks for them.
enum GuestResponseBody {
    Idle(Box<holm_net::HttpClientResponse>),
    Reading(Pin<Box<dyn Future<Output = BodyPiece> + Send>>),
    Ended,
}

impl BodyChunks for GuestResponseBody {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, OutboundError>>> {
        let mut reading = match std::mem::replace(self, Self::Ended) {
            Self::Ended => return Poll::Ready(None),
            Self::Reading(reading) => reading,
            Self::Idle(mut answer) => Box::pin(async move {
                let piece = answer.piece().await;
                (answer, piece)
            }),
        };
        match reading.as_mut().poll(cx) {
            Poll::Pending => {
                *self = Self::Reading(reading);
                Poll::Pending
            }
            Poll::Ready((answer, Ok(Some(piece)))) => {
                *self = Self::Idle(answer);
                Poll::Ready(Some(Ok(piece)))
            }
            Poll::Ready((_, Ok(None))) => Poll::Ready(None),
            Poll::Ready((_, Err(error))) => Poll::Ready(Some(Err(failed(&error)))),
        }
    }
}

/// Inserts secrets into the headers of requests, for the hosts to which the call may send them.
pub(super) struct SecretInjector {
    pub(super) inner: Arc<dyn OutboundNetwork>,
    pub(super) secrets: SecretRedactor,
}

impl OutboundNetwork for SecretInjector {
    fn send<'a>(
        &'a self,
        policy: &'a GrantPolicy,
        mut request: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        let needs = usable(policy, &request.url);
        if !needs.is_empty() {
            for (_, value) in &mut request.headers {
                if let Some(revealed) = self.reveal(value, &needs) {
                    *value = revealed;
                }
            }
        }
        self.inner.send(policy, request)
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        self.inner.resolve(name)
    }

    fn admit(
        &self,
        policy: &GrantPolicy,
        url: &Url,
        answer: &[IpAddr],
    ) -> Result<Vec<IpAddr>, OutboundError> {
        self.inner.admit(policy, url, answer)
    }
}

impl SecretInjector {
    /// The header value with its secret references replaced; `None` if it is not UTF-8.
    fn reveal(&self, value: &[u8], needs: &[CallNeed]) -> Option<Vec<u8>> {
        // The redactor works on JSON text, so the value is converted to a JSON string and back.
        let text = Json::from(std::str::from_utf8(value).ok()?).canonical();
        let revealed = self.secrets.reveal(&text, needs);
        let parsed = Json::parse(&revealed).ok()?;
        parsed.as_str().map(|text| text.as_bytes().to_vec())
    }
}

/// The secrets that may be sent to this URL. None over an unencrypted connection, because
/// others could read it.
fn usable(policy: &GrantPolicy, url: &Url) -> Vec<CallNeed> {
    if !matches!(url.scheme(), holm_grants::UrlScheme::Https | holm_grants::UrlScheme::Wss) {
        return Vec::new();
    }
    let admits = |grant: &&Grant| match grant {
        Grant::Secret(pattern) => {
            pattern.admits(&SecretUse { name: pattern.name().clone(), host: url.host().clone() })
        }
        _ => false,
    };
    policy.grants.iter().filter(admits).cloned().map(CallNeed::Grant).collect()
}
