//! The configuration of a server. The defaults are the safe choice: only this machine, small
//! limits. It reads no file and no flag; `holm-cli/src/commands/serve.rs` does. It does not check
//! that an address is safe either: `serve.rs` refuses to listen to other machines without a
//! certificate.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use crate::ServerError;

const PORT: u16 = 7417;

/// The configuration of a server.
///
/// ```
/// use holm_server::ServerOptions;
///
/// let config = ServerOptions::new("/var/lib/holm/server");
/// assert!(config.listen.ip().is_loopback());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOptions {
    pub listen: SocketAddr,
    /// The folder for its own files: tokens and the audit log.
    pub folder: PathBuf,
    /// The path prefix of all routes, for a server behind a proxy.
    pub base: BasePath,
    /// Host names that are accepted in addition to this machine's, such as the proxy's.
    pub hosts: Vec<String>,
    /// Origins whose pages may send requests in addition to its
    /// own, such as `https://holm.example.org`.
    pub origins: Vec<String>,
    /// Proxies whose `x-forwarded-for` header is trusted.
    pub proxies: Vec<IpAddr>,
    /// The certificate; `None` means plain HTTP.
    pub tls: Option<TlsFiles>,
    /// The address for sites with their own host names; `None` disables such sites.
    pub sites: Option<SocketAddr>,
    /// How often the server looks for sessions whose server has ended, if several servers share a
    /// store. `None` if this server has the store to itself.
    pub takeover: Option<Duration>,
    /// The folder with the evaluations that administrators see; `None` if there is none.
    pub evaluations: Option<PathBuf>,
    pub limits: ServerLimits,
}

impl ServerOptions {
    /// Loopback, no base path, the default limits; files go into `folder`.
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
            evaluations: None,
            limits: ServerLimits::default(),
        }
    }

    /// The address under which other programs reach the server: the first of its host names, or
    /// the address on which it listens. A host name without
    /// a certificate belongs to a proxy, which has one.
    pub fn public_url(&self) -> String {
        let base = self.base.as_str();
        match (self.hosts.first(), &self.tls) {
            (Some(host), None) => format!("https://{host}{base}"),
            (Some(host), Some(_)) => format!("https://{host}:{}{base}", self.listen.port()),
            (None, Some(_)) => format!("https://{}{base}", self.listen),
            (None, None) => format!("http://{}{base}", self.listen),
        }
    }
}

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, the server's own first.
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Resource limits of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLimits {
    /// The largest request body in bytes.
    pub body: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    pub connections: usize,
    /// Runs that work at the same time, for all users together.
    pub runs: usize,
    /// Runs of one user that work at the same time.
    pub runs_per_user: usize,
    /// Runs of one user that wait for a permit; more are refused.
    pub waiting_per_user: usize,
    /// Sessions that are open at the same time; more are refused until one was closed as idle.
    pub sessions: usize,
    /// Requests per token and minute.
    pub requests_per_minute: u32,
    /// Invalid tokens per address and minute, including loopback.
    pub failures_per_minute: u32,
    /// How long an idle session is kept open.
    pub idle: Duration,
    /// The memory in bytes for all feeds and watchers together; it may be exceeded for a moment.
    pub memory: usize,
    /// How long a client of `/v1` may take to send the results of its tools; then
    /// its run is stopped.
    pub results: Duration,
    /// How long runs may finish after the server is asked to stop. The rest is parked and resumed
    /// at the next start.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            // Enough for a prompt with a few images; tools upload files, not the API.
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

/// The path prefix of all routes: empty, or any number of `/` and a name.
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
    /// The path without a trailing slash; empty if there is no prefix.
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
