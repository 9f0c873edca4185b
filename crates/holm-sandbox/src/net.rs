//! The network of a call. Every request goes through a value that the caller passed in.
//!
//! This crate opens no connection for HTTP and resolves no name. It checks the URL against the
//! policy, so that a refusal names its grant, and hands the rest to an [`Outbound`]. That one
//! resolves the name, checks the address against the policy, and connects to that address. The
//! engine connects raw sockets, only to addresses that the [`Outbound`] has admitted. Without an
//! [`Outbound`] there is no network at all.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use holm_grants::{Decision, Grant, Host, Policy, Request, Url};
use thiserror::Error;
use wasmtime_wasi::sockets::SocketAddrUse;

use crate::lease::{Lease, Leases};
use crate::refusal::{Audit, Reason, Wanted};

/// A guest's access to the network: resolve, check the address, connect to that address.
///
/// An implementation must ask [`Policy::reach`] about the address that it is about to connect to.
/// It must not follow redirects: a guest follows them itself, and each one is checked. It must use
/// no proxy that would undo this.
pub trait Outbound: Send + Sync + 'static {
    /// Makes one HTTP exchange. The URL was already asked about; the address was not.
    fn send<'a>(
        &'a self,
        policy: &'a Policy,
        request: HttpRequest,
    ) -> Answer<'a, Result<HttpResponse, NetError>>;

    /// The addresses of a name, for a raw connection. They are asked about when the guest connects
    /// to one of them.
    fn resolve<'a>(&'a self, name: &'a str) -> Answer<'a, Result<Vec<IpAddr>, NetError>>;

    /// The addresses of an answer to which a raw connection for this URL may go, now. The answer
    /// holds all addresses of the URL's host, or the address itself if the guest asked for no name.
    /// One address that the policy does not admit spoils the whole answer.
    ///
    /// # Errors
    ///
    /// If no connection may be opened, and why.
    fn admit(&self, policy: &Policy, url: &Url, answer: &[IpAddr]) -> Result<Vec<IpAddr>, NetError> {
        for address in answer {
            policy.reach(url, *address).map_err(|why| NetError::Refused(why.to_string()))?;
        }
        Ok(answer.to_vec())
    }
}

/// A future that an [`Outbound`] returns.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One HTTP request, complete.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method, in capitals.
    pub method: String,
    /// The URL of the request, in canonical form.
    pub url: Url,
    /// The fields in the guest's order, names in lower case, without `host` and
    /// those about the connection.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Bytes,
}

/// Fields may hold secrets that were put in on the way, so only their names are shown.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url.to_string())
            .field("headers", &names)
            .field("body", &self.body.len())
            .finish()
    }
}

/// The response, with the body still to come.
pub struct HttpResponse {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, piece by piece.
    pub body: Box<dyn Chunks>,
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

/// A body that arrives piece by piece.
pub trait Chunks: Send + 'static {
    /// The next piece; nothing at the end.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, NetError>>>;
}

/// A body that is already there.
impl Chunks for Option<Bytes> {
    fn poll_chunk(&mut self, _cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, NetError>>> {
        Poll::Ready(self.take().map(Ok))
    }
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetError {
    /// The rules say no, such as for a private address; written down as a refusal.
    #[error("refused: {0}")]
    Refused(String),
    /// The name is not known.
    #[error("no such host: {0}")]
    NoSuchHost(String),
    /// It took too long.
    #[error("timed out")]
    TimedOut,
    /// Any failure without a variant of its own.
    #[error("{0}")]
    Failed(String),
}

/// The network of one call.
#[derive(Clone)]
pub(crate) struct Net(Arc<Inner>);

struct Inner {
    policy: Arc<Policy>,
    audit: Audit,
    outbound: Option<Arc<dyn Outbound>>,
    /// The addresses of looked-up names, because a raw connection only shows the address.
    names: Mutex<HashMap<String, BTreeSet<IpAddr>>>,
    leases: Leases,
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
pub(crate) struct BodyRoom {
    net: Net,
    bytes: usize,
}

impl BodyRoom {
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

impl Drop for BodyRoom {
    fn drop(&mut self) {
        self.net.0.bodies.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

impl Net {
    pub(crate) fn new(
        policy: Arc<Policy>,
        audit: Audit,
        outbound: Option<Arc<dyn Outbound>>,
        leases: Leases,
    ) -> Self {
        let bodies = AtomicUsize::new(MAX_BODIES);
        Self(Arc::new(Inner { policy, audit, outbound, names: Mutex::default(), leases, bodies }))
    }

    /// A handle for one connection or lookup, if the call may have one more.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.0.leases.take()
    }

    /// Room for a request, empty so far.
    pub(crate) fn body_room(&self) -> BodyRoom {
        BodyRoom { net: self.clone(), bytes: 0 }
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// The outbound network for an HTTP request, if the policy lets it pass.
    pub(crate) fn admit(&self, url: &Url) -> Option<Arc<dyn Outbound>> {
        let request = Request::Fetch(url.clone());
        let reason = match (self.0.policy.decide(&request), &self.0.outbound) {
            (Decision::Granted(_), Some(outbound)) => return Some(Arc::clone(outbound)),
            (Decision::Granted(_), None) => Reason::NoNetwork,
            (Decision::Denied(denial), _) => Reason::Denied(denial.to_string()),
            (Decision::Missing, _) => Reason::Missing,
        };
        self.0.audit.refuse(Wanted::Request(request), reason);
        None
    }

    /// Records a request that the outbound network refused.
    pub(crate) fn refused(&self, url: Url, error: &NetError) {
        if let NetError::Refused(why) = error {
            self.0.audit.refuse(Wanted::Request(Request::Fetch(url)), Reason::Network(why.clone()));
        }
    }

    /// The outbound network for looking up a name, if some grant mentions that name. Names without
    /// a grant are not looked up: a question to a name server is a message.
    pub(crate) fn admit_lookup(&self, name: &str) -> Option<Arc<dyn Outbound>> {
        if name.len() > MAX_NAME {
            let start = name.get(..name.floor_char_boundary(MAX_NAME)).unwrap_or_default();
            self.0.audit.refuse(Wanted::Lookup(format!("{start}…")), Reason::Missing);
            return None;
        }
        let granted = name.parse::<Host>().is_ok_and(|host| {
            self.0.policy.grants.iter().any(|grant| match grant {
                Grant::Fetch(pattern) => pattern.host().admits(&host),
                _ => false,
            })
        });
        let denied = format!("tcp://{name}:443")
            .parse::<Url>()
            .is_ok_and(|url| self.0.policy.denials.hitting(&Request::Fetch(url)).is_some());
        let reason = match (&self.0.outbound, granted && !denied) {
            (Some(outbound), true) => return Some(Arc::clone(outbound)),
            (None, true) => Reason::NoNetwork,
            (_, false) => Reason::Missing,
        };
        self.0.audit.refuse(Wanted::Lookup(name.to_owned()), reason);
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
                self.0.audit.refuse(Wanted::Listen(address), Reason::Never);
                false
            }
        }
    }

    fn admit_connect(&self, address: SocketAddr) -> bool {
        let ip = address.ip().to_canonical();
        let mut reason = Reason::Missing;
        for (host, answer) in self.ways_to(ip) {
            let Ok(url) = format!("tcp://{host}:{}", address.port()).parse::<Url>() else { continue };
            // The policy comes first, so that the message names the missing grant.
            let refused = match (self.0.policy.reach(&url, ip), &self.0.outbound) {
                (Err(holm_grants::Unreachable::NotGranted), _) => continue,
                (Err(why), _) => Reason::Network(why.to_string()),
                (Ok(()), None) => Reason::NoNetwork,
                (Ok(()), Some(outbound)) => match outbound.admit(&self.0.policy, &url, &answer) {
                    Ok(admitted) if admitted.contains(&ip) => return true,
                    Ok(_) => Reason::Network("this address of the answer is not to be used".to_owned()),
                    Err(NetError::Refused(why)) => Reason::Network(why),
                    Err(error) => Reason::Network(error.to_string()),
                },
            };
            reason = refused;
        }
        self.0.audit.refuse(Wanted::Connect(address), reason);
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
