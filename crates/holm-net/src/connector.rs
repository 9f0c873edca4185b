//! Resolves a name once, checks every address, and opens a stream to a checked address. The check
//! itself is in `check.rs`; TLS and HTTP are in `tls.rs` and `client.rs`. Only this file may open a
//! connection for a URL, and nothing may resolve the name again after the check, because the answer
//! could change in between.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{GrantPolicy, Url, UrlHost, UrlScheme};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::check::{admit, granted};
use crate::error::{ExchangeStage, NetError, origin};
use crate::listeners::ListenerRegistry;
use crate::port;
use crate::proxy::TunnelProxy;
use crate::resolver::HostResolver;

/// How many addresses of an answer are tried: enough for one broken address family, few enough to
/// stay within the timeout.
const MAX_TRIES: usize = 4;

/// Opens only connections that were checked. It is cheap to clone.
#[derive(Clone)]
pub struct Connector {
    resolver: Arc<dyn HostResolver>,
    listeners: ListenerRegistry,
    patience: ConnectTimeouts,
    proxy: Option<TunnelProxy>,
    bounds: ConnectionScope,
}

/// How far connections may go, independent of the grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionScope {
    /// As far as the grants allow.
    Grants,
    /// Only to this machine's own addresses.
    Loopback,
}

/// The timeouts of the steps before the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectTimeouts {
    /// The timeout of a name lookup.
    pub resolve: Duration,
    /// The timeout of connecting to one address.
    pub connect: Duration,
}

impl Default for ConnectTimeouts {
    /// Longer than a healthy network takes. It is enough time to ask a name server twice.
    fn default() -> Self {
        Self { resolve: Duration::from_secs(10), connect: Duration::from_secs(5) }
    }
}

/// The checked route to a URL's host. Only [`Connector::check`] creates one, so no unchecked
/// address can be dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedRoute {
    url: Url,
    addresses: Vec<SocketAddr>,
}

impl CheckedRoute {
    /// The URL that the route was checked for.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The checked addresses, in the order in which they are tried.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}

/// An open connection and the checked address of its peer.
#[derive(Debug)]
pub struct CheckedConnection {
    /// The stream, on which nothing has been sent yet.
    pub stream: TcpStream,
    /// The checked address, even if a proxy is in between.
    pub peer: SocketAddr,
}

impl Connector {
    /// Creates a connector without a proxy and without known listeners.
    #[must_use]
    pub fn new(resolver: Arc<dyn HostResolver>) -> Self {
        let (listeners, patience) = (ListenerRegistry::default(), ConnectTimeouts::default());
        Self { resolver, listeners, patience, proxy: None, bounds: ConnectionScope::Grants }
    }

    /// Sets the listeners that must never be reached.
    #[must_use]
    pub fn with_listeners(self, listeners: ListenerRegistry) -> Self {
        Self { listeners, ..self }
    }

    /// Replaces the timeouts for lookups and connections.
    #[must_use]
    pub fn with_patience(self, patience: ConnectTimeouts) -> Self {
        Self { patience, ..self }
    }

    /// Whether connections are opened directly, and not through a proxy.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.proxy.is_none()
    }

    /// Sets a proxy that the caller names. Proxies from the environment are never used.
    #[must_use]
    pub fn with_proxy(self, proxy: TunnelProxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// Limits connections to this machine's own addresses, independent of the grants. No other
    /// name is looked up.
    #[must_use]
    pub fn to_loopback_alone(self) -> Self {
        Self { bounds: ConnectionScope::Loopback, ..self }
    }

    /// Resolves and checks a URL without connecting.
    ///
    /// # Errors
    ///
    /// If no grant admits the URL, the name has no address, or the address belongs to a
    /// listener of this process.
    pub async fn check(&self, url: &Url, policy: &GrantPolicy) -> Result<CheckedRoute, NetError> {
        granted(policy, url)?;
        port::check(url)?;
        let answer = self.resolve(url.host()).await?;
        self.check_answer(url, policy, &answer)
    }

    /// Looks up a host without any check. This is for a sandbox whose guest resolves and connects
    /// in two steps, with [`Self::check_answer`] in between. The caller decides whether the name
    /// may be looked up at all.
    ///
    /// # Errors
    ///
    /// If the name has no address, or no answer arrives in time.
    pub async fn resolve(&self, host: &UrlHost) -> Result<Vec<IpAddr>, NetError> {
        let name = match host {
            UrlHost::Address(ip) => return Ok(vec![*ip]),
            // Looking up a name that is not local would already send data off this machine.
            UrlHost::Name(_) if self.bounds == ConnectionScope::Loopback && !host.is_loopback() => {
                return Err(NetError::Offline(host.to_string()));
            }
            UrlHost::Name(name) => name,
        };
        let found = timeout(self.patience.resolve, self.resolver.resolve(name)).await;
        let found = found.map_err(|_| NetError::TimedOut(ExchangeStage::Resolving))?;
        found.map_err(|error| NetError::Unresolved { host: host.to_string(), why: error.to_string() })
    }

    /// Checks an answer that was resolved earlier, as [`Self::check`] does after resolving.
    ///
    /// # Errors
    ///
    /// The same errors as for [`Self::check`].
    pub fn check_answer(
        &self,
        url: &Url,
        policy: &GrantPolicy,
        answer: &[IpAddr],
    ) -> Result<CheckedRoute, NetError> {
        granted(policy, url)?;
        port::check(url)?;
        if self.bounds == ConnectionScope::Loopback && !answer.iter().all(IpAddr::is_loopback) {
            return Err(NetError::Offline(origin(url)));
        }
        let admitted = admit(policy, url, answer)?;
        let addresses: Vec<_> = admitted.iter().map(|ip| SocketAddr::new(*ip, url.port())).collect();
        addresses.iter().try_for_each(|address| self.foreign(*address))?;
        Ok(CheckedRoute { url: url.clone(), addresses })
    }

    /// Connects to the first address of a checked route that accepts.
    ///
    /// # Errors
    ///
    /// If none of the first few addresses accepts in time.
    pub async fn dial(&self, route: &CheckedRoute) -> Result<CheckedConnection, NetError> {
        let mut failed = NetError::TimedOut(ExchangeStage::Connecting);
        for address in route.addresses.iter().take(MAX_TRIES) {
            // A listener may have been opened since the check.
            self.foreign(*address)?;
            match timeout(self.patience.connect, self.open(*address)).await {
                Ok(Ok(stream)) => return Ok(CheckedConnection { stream, peer: *address }),
                Ok(Err(error)) => {
                    failed = NetError::Connect { origin: origin(&route.url), why: error.to_string() };
                }
                Err(_) => failed = NetError::TimedOut(ExchangeStage::Connecting),
            }
        }
        Err(failed)
    }

    /// Combines [`Self::check`] and [`Self::dial`]: opens a raw connection for `tcp`, `ws` and
    /// `wss` URLs, or for a caller that speaks HTTP itself.
    ///
    /// # Errors
    ///
    /// The errors of both functions.
    pub async fn connect(&self, url: &Url, policy: &GrantPolicy) -> Result<CheckedConnection, NetError> {
        let route = self.check(url, policy).await?;
        self.dial(&route).await
    }

    /// Checks whether an open connection to `peer` may be used for `url` under `policy`.
    pub(crate) fn recheck(&self, url: &Url, policy: &GrantPolicy, peer: IpAddr) -> bool {
        let address = SocketAddr::new(peer, url.port());
        admit(policy, url, &[peer]).is_ok() && self.foreign(address).is_ok()
    }

    async fn open(&self, address: SocketAddr) -> std::io::Result<TcpStream> {
        let stream = match &self.proxy {
            None => TcpStream::connect(address).await?,
            Some(proxy) => proxy.tunnel(address).await?,
        };
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    fn foreign(&self, address: SocketAddr) -> Result<(), NetError> {
        if self.listeners.own(address) { Err(NetError::OwnListener(address)) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("patience", &self.patience)
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}

/// Whether [`crate::HttpClient`] supports the scheme, and whether it is encrypted.
pub(crate) fn spoken(url: &Url) -> Result<bool, NetError> {
    match url.scheme() {
        UrlScheme::Http => Ok(false),
        UrlScheme::Https => Ok(true),
        found @ (UrlScheme::Ws | UrlScheme::Wss | UrlScheme::Tcp) => {
            Err(NetError::Scheme { found: found.as_str(), wanted: "http or https" })
        }
    }
}
