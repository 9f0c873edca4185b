//! The configuration of a server. The defaults are the safe choice: only this machine, small
//! limits.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use crate::ServerError;

/// The port unless another is chosen.
const PORT: u16 = 7417;

/// How a server is set up.
///
/// ```
/// use holm_server::Config;
///
/// let config = Config::new("/var/lib/holm/server");
/// assert!(config.listen.ip().is_loopback());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub listen: SocketAddr,
    /// The folder of its own files: tokens and the audit log.
    pub folder: PathBuf,
    /// Below which path everything is served, for a server behind a proxy.
    pub base: BasePath,
    /// Names beside those of this machine to which requests may be sent, such as the proxy's.
    pub hosts: Vec<String>,
    /// Origins beside its own whose pages may ask, such as `https://holm.example.org`.
    pub origins: Vec<String>,
    /// Proxies that are trusted to say in `x-forwarded-for` whose requests they pass on.
    pub proxies: Vec<IpAddr>,
    /// The certificate; none speaks plain HTTP.
    pub tls: Option<Tls>,
    /// Where sites with a host name of their own are shown; none shows no such sites.
    pub sites: Option<SocketAddr>,
    /// How often the server looks for sessions whose server has ended, if several servers share a
    /// store. `None` if this server has the store to itself.
    pub takeover: Option<Duration>,
    /// How much at once.
    pub limits: Limits,
}

impl Config {
    /// Loopback, no base path, the usual limits; files go into `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            folder: folder.into(),
            base: BasePath::default(),
            hosts: Vec::new(),
            origins: Vec::new(),
            proxies: Vec::new(),
            tls: None,
            sites: None,
            takeover: None,
            limits: Limits::default(),
        }
    }
}

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The chain, the server's own first.
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// How much at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The largest body of a request in bytes.
    pub body: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    pub connections: usize,
    /// Runs that work at the same time, of all users.
    pub runs: usize,
    /// Runs of one user that work at the same time.
    pub runs_per_user: usize,
    /// Runs of one user that wait for their turn; more are refused.
    pub waiting_per_user: usize,
    /// Sessions that are kept open at the same time; more are refused until one has been idle.
    pub sessions: usize,
    /// Requests of one token a minute.
    pub requests_per_minute: u32,
    /// Wrong tokens from one address a minute, loopback too.
    pub failures_per_minute: u32,
    /// How long an idle session is kept open.
    pub idle: Duration,
    /// Bytes that are kept for watchers, of all sessions together; more than that for a moment only.
    pub memory: usize,
    /// How long a client of `/v1` may take to bring what its tools came to; its run is stopped then.
    pub results: Duration,
    /// How long runs may finish once the server is told to stop; what is left then is parked and goes on at the next start.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // A prompt with a few pictures; files are uploaded by tools, not through the API.
            body: 8 * 1024 * 1024,
            body_time: Duration::from_secs(30),
            connections: 16_384,
            runs: 1_024,
            runs_per_user: 64,
            waiting_per_user: 256,
            sessions: 16_384,
            memory: 256 * 1024 * 1024,
            results: Duration::from_secs(120),
            requests_per_minute: 6_000,
            failures_per_minute: 30,
            idle: Duration::from_secs(600),
            grace: Duration::from_secs(20),
        }
    }
}

/// A path below which everything is served: empty, or `/` and a name, as often as wanted.
///
/// ```
/// use holm_server::BasePath;
///
/// assert_eq!("/team/holm/".parse::<BasePath>()?.as_str(), "/team/holm");
/// assert!("/team/../x".parse::<BasePath>().is_err());
/// # Ok::<(), holm_server::ServerError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasePath(String);

impl BasePath {
    /// The path without a slash at its end; empty for none.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BasePath {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        let path = text.trim_end_matches('/');
        if path.is_empty() {
            return Ok(Self::default());
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain);
        let parts = path.strip_prefix('/').filter(|rest| rest.split('/').all(is_part));
        parts.map(|_| Self(path.to_owned())).ok_or_else(|| ServerError::BasePath(text.to_owned()))
    }
}

#[cfg(test)]
mod tests;
