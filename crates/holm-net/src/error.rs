//! Why a connection or an exchange did not come about, sorted by blame: what was asked, the peer, this machine.

use std::fmt;
use std::net::IpAddr;

use holm_grants::{FetchPattern, Grant, Unreachable, Url, UrlError};
use thiserror::Error;

/// Why nothing, or not everything, was fetched.
///
/// No variant repeats a path, a query or a header, since secrets travel there; [`Refusal::origin`] is the most that is
/// shown. [`Refusal::led_to`] is for whoever asks for it by name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetError {
    /// No grant opens the way.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// A redirect led to something that is no URL for Holm.
    #[error("redirected to something that is never fetched: {0}")]
    Url(#[from] UrlError),
    /// The scheme has no meaning here.
    #[error("{found} is not spoken here; use {wanted}")]
    Scheme {
        /// The scheme that was asked for.
        found: &'static str,
        /// What would be understood.
        wanted: &'static str,
    },
    /// The port belongs to a protocol that could be talked into something by an HTTP request.
    #[error("port {0} belongs to another protocol and is never fetched from")]
    Port(u16),
    /// The address is one of Holm's own.
    #[error("{0} is a listener of this Holm, which no grant opens")]
    OwnListener(std::net::SocketAddr),
    /// Connections go no further than this machine.
    #[error("{0} is not on this machine, and nothing else is connected to while offline")]
    Offline(String),
    /// A header that this crate sets itself, or that is none.
    #[error("header {0} cannot be set; leave it out")]
    Header(String),
    /// The server redirected more often than the limits allow.
    #[error("redirected more than {0} times")]
    TooManyRedirects(u8),
    /// A redirect from an encrypted page to an open one.
    #[error("redirected from https to http")]
    Downgrade,
    /// A redirect that wants the body to be sent to somebody else.
    #[error("redirected to {0} with the body; ask there directly if that is meant")]
    BodyAcrossOrigins(String),
    /// The name has no address.
    #[error("{host} has no address: {why}")]
    Unresolved {
        host: String,
        /// What the resolver said.
        why: String,
    },
    #[error("{origin} cannot be connected to: {why}")]
    Connect {
        /// Scheme, host and port.
        origin: String,
        /// What the system said.
        why: String,
    },
    /// The peer could not prove who it is, or speaks no TLS.
    #[error("{origin} has no trusted connection: {why}")]
    Tls {
        /// Scheme, host and port.
        origin: String,
        /// What the TLS library said.
        why: String,
    },
    /// The peer broke the protocol.
    #[error("{origin} broke off: {why}")]
    Http {
        /// Scheme, host and port.
        origin: String,
        /// What the HTTP library said.
        why: String,
    },
    /// The answer is larger than allowed, before or after decompression.
    #[error("the answer is larger than {max} bytes")]
    TooLarge {
        max: u64,
    },
    /// The answer is compressed in a way that was not asked for, or wrongly.
    #[error("the answer is encoded as {0}, which cannot be read")]
    Encoding(String),
    /// The answer is of a kind that nobody wanted.
    #[error("the answer is {found}; wanted is {wanted}")]
    Mime {
        /// The media type that came.
        found: String,
        /// The types that were wanted.
        wanted: String,
    },
    /// It took too long.
    #[error("timed out while {0}")]
    TimedOut(Stage),
    /// This machine has no root certificates.
    #[error("no root certificates: {0}; install ca-certificates")]
    NoRoots(String),
}

/// How far an exchange had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The name was being looked up.
    Resolving,
    /// The connection was being opened.
    Connecting,
    /// The peer was proving who it is.
    Securing,
    /// The request was out.
    Answering,
    /// The answer was coming in.
    Reading,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolving => "resolving the name",
            Self::Connecting => "connecting",
            Self::Securing => "setting up TLS",
            Self::Answering => "waiting for the answer",
            Self::Reading => "reading the answer",
        })
    }
}

/// A way that no grant opens, and the grant that would.
#[derive(Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Scheme, host and port of what was asked for.
    pub origin: String,
    /// The address that the host led to, once it is known.
    pub address: Option<IpAddr>,
    pub why: Unreachable,
    /// What a person would have to grant; none where nothing helps.
    pub missing: Option<Grant>,
    /// The whole URL, where a server led there: whoever asks for it next must be able to name it. Never in the message.
    pub led_to: Option<Url>,
}

impl Refusal {
    pub(crate) fn new(url: &Url, address: Option<IpAddr>, why: Unreachable) -> Self {
        Self { origin: origin(url), address, why, missing: missing(url, address, why), led_to: None }
    }
}

/// Without the URL that a server led to: secrets may travel in it, and this goes to logs.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal")
            .field("origin", &self.origin)
            .field("address", &self.address)
            .field("why", &self.why)
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused: {}", self.origin, self.why)?;
        self.address.iter().try_for_each(|address| write!(f, " (it led to {address})"))?;
        self.missing.iter().try_for_each(|grant| write!(f, "; missing grant {grant}"))
    }
}

impl From<Refusal> for NetError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

/// Scheme, host and port: what may be shown of a URL.
pub(crate) fn origin(url: &Url) -> String {
    let (scheme, host) = (url.scheme(), url.host());
    if Some(url.port()) == scheme.default_port() {
        format!("{scheme}://{host}")
    } else {
        format!("{scheme}://{host}:{}", url.port())
    }
}

/// The narrowest grant that would open the way: the origin, or the address that a public name must not lead to unasked.
fn missing(url: &Url, address: Option<IpAddr>, why: Unreachable) -> Option<Grant> {
    match (why, address) {
        (Unreachable::NotGranted, _) => FetchPattern::origin(url).map(Grant::Fetch).ok(),
        (Unreachable::NotNamed(_), Some(ip)) => {
            let host = holm_grants::Host::Address(ip);
            format!("fetch:{}://{host}:{}", url.scheme(), url.port()).parse().ok()
        }
        (Unreachable::NotNamed(_), None) | (Unreachable::Never(_) | Unreachable::Denied, _) => None,
    }
}

#[cfg(test)]
mod tests;
