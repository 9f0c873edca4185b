//! The network of a call. Every request goes through a value that the caller passed in.
//!
//! This crate opens no connection for HTTP and resolves no name. It checks the URL against the
//! policy, so that a refusal names its grant, and hands the rest to an [`OutboundNetwork`]. That
//! one resolves the name, checks the address against the policy, and connects to that address. The
//! engine connects raw sockets, only to addresses that the [`OutboundNetwork`] has admitted.
//! Without an [`OutboundNetwork`] there is no network at all.
//!
//! HTTP for components is in `p2/http.rs`, lookups in `p2/name_lookup.rs`, sockets in
//! `p2/sockets.rs`; all of them ask here. A name without a grant is not even looked up, because a
//! question to a name server is a message. The implementation that connects is in
//! `holm-tools/src/wasm/guest_network.rs`.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use holm_grants::{AccessRequest, Grant, GrantPolicy, PolicyDecision, Url, UrlHost};
use thiserror::Error;
use wasmtime_wasi::sockets::SocketAddrUse;

use crate::access_denied::{DenialLog, DeniedAction, DeniedReason};
use crate::lease::{HandleLease, HandleLeases};

/// A guest's access to the network: resolve, check the address, connect to that address.
///
/// An implementation must ask [`GrantPolicy::reach`] about the address that it is about to connect to.
/// It must not follow redirects: a guest follows them itself, and each one is checked. It must use
/// no proxy that would undo this.
pub trait OutboundNetwork: Send + Sync + 'static {
    /// Makes one HTTP exchange. The URL was already asked about; the address was not.
    fn send<'a>(
        &'a self,
        policy: &'a GrantPolicy,
        request: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>>;

    /// The addresses of a name, for a raw connection. They are asked about when the guest connects
    /// to one of them.
    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>>;

    /// The addresses of an answer to which a raw connection for this URL may go, now. The answer
    /// holds all addresses of the URL's host, or the address itself if the guest asked for no name.
    /// One address that the policy does not admit spoils the whole answer.
    ///
    /// # Errors
    ///
    /// If no connection may be opened, and why.
    fn admit(
        &self,
        policy: &GrantPolicy,
        url: &Url,
        answer: &[IpAddr],
    ) -> Result<Vec<IpAddr>, OutboundError> {
        for address in answer {
            policy.reach(url, *address).map_err(|reason| OutboundError::Refused(reason.to_string()))?;
        }
        Ok(answer.to_vec())
    }
}

/// A future that an [`OutboundNetwork`] returns.
pub type OutboundFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One HTTP request, complete.
#[derive(Clone, PartialEq, Eq)]
pub struct GuestHttpRequest {
    /// The method, in capitals.
    pub method: String,
    /// The URL of the request, in canonical form.
    pub url: Url,
    /// The fields in the guest's order, names in lower case, without `host` and
    /// those about the connection.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Bytes,
}

/// Fields may hold secrets that the host has inserted, so only their names are shown.
impl fmt::Debug for GuestHttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("GuestHttpRequest")
            .field("method", &self.method)
            .field("url", &self.url.to_string())
            .field("headers", &names)
            .field("body", &self.body.len())
            .finish()
    }
}

/// The response, with the body still to come.
pub struct GuestHttpResponse {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, piece by piece.
    pub body: Box<dyn BodyChunks>,
}

impl fmt::Debug for GuestHttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuestHttpResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

/// A body that arrives piece by piece.
pub trait BodyChunks: Send + 'static {
    /// The next piece; nothing at the end.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, OutboundError>>>;
}

/// A body that is already there.
impl BodyChunks for Option<Bytes> {
    fn poll_chunk(&mut self, _cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, OutboundError>>> {
        Poll::Ready(self.take().map(Ok))
    }
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutboundError {
    /// The rules say no, such as for a private address; written down as a refusal.
    #[error("refused: {0}")]
    Refused(String),
    /// The name is not known.
    #[error("no such host: {0}")]
    NoSuchHost(String),
    /// It took too long.
    #[error("timed out")]
    TimedOut,
    /// Any failure without its own variant.
    #[error("{0}")]
    Failed(String),
}

/// The network of one call.
#[derive(Clone)]
pub(crate) struct CallNetwork(Arc<CallNetworkInner>);

struct CallNetworkInner {
    policy: Arc<GrantPolicy>,
    audit: DenialLog,
    outbound: Option<Arc<dyn OutboundNetwork>>,
    /// The addresses of looked-up names, because a raw connection only shows the address.
    names: Mutex<HashMap<String, BTreeSet<IpAddr>>>,
    leases: HandleLeases,
    /// The bytes of requests that may still be held.
    bodies: AtomicUsize,
}

/// The most names that one call remembers, and the most addresses of each. A longer answer is not
/// remembered, so no connection is made by it.
const MAX_NAMES: usize = 64;
const MAX_ADDRESSES: usize = 64;

/// The longest name that there can be.
const MAX_NAME: usize = 253;

/// The most bytes of unsent requests that one call may hold: two of the largest.
const MAX_BODIES: usize = 16 << 20;

/// Room for a part of a request; free again when this is dropped.
pub(crate) struct BodyReservation {
    net: CallNetwork,
    bytes: usize,
}

impl BodyReservation {
    /// Takes room for more; whether there was enough.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let taken = |left: usize| left.checked_sub(bytes);
        let fits = self.net.0.bodies.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok();
        if fits {
            self.bytes += bytes;
        }
        fits
    }
}

impl Drop for BodyReservation {
    fn drop(&mut self) {
        self.net.0.bodies.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

impl CallNetwork {
    pub(crate) fn new(
        policy: Arc<GrantPolicy>,
        audit: DenialLog,
        outbound: Option<Arc<dyn OutboundNetwork>>,
        leases: HandleLeases,
    ) -> Self {
        let bodies = AtomicUsize::new(MAX_BODIES);
        Self(Arc::new(CallNetworkInner { policy, audit, outbound, names: Mutex::default(), leases, bodies }))
    }

    /// A handle for one connection or lookup, if the call may have one more.
    pub(crate) fn lease(&self) -> Option<HandleLease> {
        self.0.leases.take()
    }

    /// Room for a request, empty so far.
    pub(crate) fn body_room(&self) -> BodyReservation {
        BodyReservation { net: self.clone(), bytes: 0 }
    }

    pub(crate) fn policy(&self) -> &GrantPolicy {
        &self.0.policy
    }

    /// The outbound network for an HTTP request, if the policy lets it pass.
    pub(crate) fn admit(&self, url: &Url) -> Option<Arc<dyn OutboundNetwork>> {
        let request = AccessRequest::Fetch(url.clone());
        let reason = match (self.0.policy.decide(&request), &self.0.outbound) {
            (PolicyDecision::Granted(_), Some(outbound)) => return Some(Arc::clone(outbound)),
            (PolicyDecision::Granted(_), None) => DeniedReason::NoNetwork,
            (PolicyDecision::Denied(denial), _) => DeniedReason::Denied(denial.to_string()),
            (PolicyDecision::Missing, _) => DeniedReason::Missing,
        };
        self.0.audit.refuse(DeniedAction::Request(request), reason);
        None
    }

    /// Records a request that the outbound network refused.
    pub(crate) fn refused(&self, url: Url, error: &OutboundError) {
        if let OutboundError::Refused(reason) = error {
            self.0.audit.refuse(
                DeniedAction::Request(AccessRequest::Fetch(url)),
                DeniedReason::Network(reason.clone()),
            );
        }
    }

    /// The outbound network for looking up a name, if some grant mentions that name. Names without
    /// a grant are not looked up: a question to a name server is a message.
    pub(crate) fn admit_lookup(&self, name: &str) -> Option<Arc<dyn OutboundNetwork>> {
        if name.len() > MAX_NAME {
            let start = name.get(..name.floor_char_boundary(MAX_NAME)).unwrap_or_default();
            self.0.audit.refuse(DeniedAction::Lookup(format!("{start}…")), DeniedReason::Missing);
            return None;
        }
        let granted = name.parse::<UrlHost>().is_ok_and(|host| {
            self.0.policy.grants.iter().any(|grant| match grant {
                Grant::Fetch(pattern) => pattern.host().admits(&host),
                _ => false,
            })
        });
        let denied = format!("tcp://{name}:443")
            .parse::<Url>()
            .is_ok_and(|url| self.0.policy.denials.hitting(&AccessRequest::Fetch(url)).is_some());
        let reason = match (&self.0.outbound, granted && !denied) {
            (Some(outbound), true) => return Some(Arc::clone(outbound)),
            (None, true) => DeniedReason::NoNetwork,
            (_, false) => DeniedReason::Missing,
        };
        self.0.audit.refuse(DeniedAction::Lookup(name.to_owned()), reason);
        None
    }

    /// Remembers the addresses of a name, together with its earlier ones: all of
    /// them are checked together.
    pub(crate) fn looked_up(&self, name: &str, addresses: &[IpAddr]) {
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= MAX_NAMES && !names.contains_key(name) {
            return;
        }
        let known = names.entry(name.to_owned()).or_default();
        known.extend(addresses.iter().map(IpAddr::to_canonical));
        if known.len() > MAX_ADDRESSES {
            names.remove(name);
        }
    }

    /// Whether a socket may use an address.
    pub(crate) fn admit_socket(&self, address: SocketAddr, used: SocketAddrUse) -> bool {
        match used {
            // Every connection does this by itself: it takes any free port of this machine, without
            // listening.
            SocketAddrUse::TcpBind if address.ip().is_unspecified() && address.port() == 0 => true,
            SocketAddrUse::TcpConnect => self.admit_connect(address),
            SocketAddrUse::TcpBind
            | SocketAddrUse::TcpListen
            | SocketAddrUse::TcpAccept
            | SocketAddrUse::UdpBind
            | SocketAddrUse::UdpSend
            | SocketAddrUse::UdpReceive => {
                self.0.audit.refuse(DeniedAction::Listen(address), DeniedReason::Never);
                false
            }
        }
    }

    fn admit_connect(&self, address: SocketAddr) -> bool {
        let ip = address.ip().to_canonical();
        let mut reason = DeniedReason::Missing;
        for (host, answer) in self.ways_to(ip) {
            let Ok(url) = format!("tcp://{host}:{}", address.port()).parse::<Url>() else { continue };
            // The policy comes first, so that the message names the missing grant.
            let refused = match (self.0.policy.reach(&url, ip), &self.0.outbound) {
                (Err(holm_grants::AddressDenied::NotGranted), _) => continue,
                (Err(denied), _) => DeniedReason::Network(denied.to_string()),
                (Ok(()), None) => DeniedReason::NoNetwork,
                (Ok(()), Some(outbound)) => match outbound.admit(&self.0.policy, &url, &answer) {
                    Ok(admitted) if admitted.contains(&ip) => return true,
                    Ok(_) => DeniedReason::Network("this address of the answer is not to be used".to_owned()),
                    Err(OutboundError::Refused(denied)) => DeniedReason::Network(denied),
                    Err(error) => DeniedReason::Network(error.to_string()),
                },
            };
            reason = refused;
        }
        self.0.audit.refuse(DeniedAction::Connect(address), reason);
        false
    }

    /// Every host that an address is known by, with all addresses of the host; the address
    /// itself is the last.
    fn ways_to(&self, ip: IpAddr) -> Vec<(String, Vec<IpAddr>)> {
        let names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        let led_here = names.iter().filter(|(_, found)| found.contains(&ip));
        let mut ways: Vec<_> =
            led_here.map(|(name, found)| (name.clone(), found.iter().copied().collect())).collect();
        ways.sort();
        let literal = match ip {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        ways.push((literal, vec![ip]));
        ways
    }
}

#[cfg(test)]
mod tests;
