//! Keeps idle connections, sorted by the origin that they were opened for.
//!
//! Whether a caller may use a connection is decided for each use by the caller of `take`, in
//! `client.rs`. Number and age of idle connections are bounded.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use holm_grants::{Url, UrlHost, UrlScheme};
use http_body_util::Full;
use hyper::client::conn::{http1, http2};

/// The largest number of idle connections. A run talks to a handful of hosts.
const MAX_IDLE: usize = 32;
/// How long an idle connection is kept: shorter than servers wait before they close it.
const MAX_AGE: Duration = Duration::from_secs(20);

/// The origin that a connection was opened for. Two names at one address never share a connection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PoolKey {
    scheme: UrlScheme,
    host: UrlHost,
    port: u16,
}

impl PoolKey {
    pub(crate) fn of(url: &Url) -> Self {
        Self { scheme: url.scheme(), host: url.host().clone(), port: url.port() }
    }
}

/// The sending half of a connection.
pub(crate) enum HttpSender {
    /// HTTP/1.1, with one exchange at a time.
    One(http1::SendRequest<Full<Bytes>>),
    /// HTTP/2, with many exchanges at once.
    Many(http2::SendRequest<Full<Bytes>>),
}

impl HttpSender {
    fn is_usable(&self) -> bool {
        match self {
            Self::One(sender) => sender.is_ready(),
            Self::Many(sender) => !sender.is_closed(),
        }
    }
}

/// An open connection and its peer's address.
pub(crate) struct HttpConnection {
    pub(crate) sender: HttpSender,
    pub(crate) peer: SocketAddr,
}

/// Idle connections that can be reused.
#[derive(Default)]
pub(crate) struct HttpConnectionPool(Mutex<BTreeMap<PoolKey, Vec<(Instant, HttpConnection)>>>);

impl HttpConnectionPool {
    /// Takes an open connection for this key whose peer the caller may reach.
    ///
    /// The check is repeated for each caller, because the connection may have been opened under a
    /// grant that this caller lacks.
    pub(crate) fn take(&self, key: &PoolKey, may: impl Fn(SocketAddr) -> bool) -> Option<HttpConnection> {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = pool.get_mut(key)?;
        lines.retain(|(since, line)| since.elapsed() < MAX_AGE && line.sender.is_usable());
        let found = lines.iter().rposition(|(_, line)| may(line.peer))?;
        match &lines.get(found)?.1 {
            HttpConnection { sender: HttpSender::Many(sender), peer } => {
                Some(HttpConnection { sender: HttpSender::Many(sender.clone()), peer: *peer })
            }
            HttpConnection { sender: HttpSender::One(_), .. } => Some(lines.remove(found).1),
        }
    }

    /// Keeps a connection for later use.
    pub(crate) fn keep(&self, key: PoolKey, line: HttpConnection) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !line.sender.is_usable() {
            return;
        }
        pool.values_mut().for_each(|lines| {
            lines.retain(|(since, line)| since.elapsed() < MAX_AGE && line.sender.is_usable());
        });
        pool.retain(|_, lines| !lines.is_empty());
        if pool.values().map(Vec::len).sum::<usize>() < MAX_IDLE {
            pool.entry(key).or_default().push((Instant::now(), line));
        }
    }
}
