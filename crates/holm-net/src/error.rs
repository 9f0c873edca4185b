//! The errors of this crate: why a connection or an exchange failed, sorted by cause: the request,
//! the peer, or this machine.
//!
//! An error never repeats a path, a query or the value of a request's header, because they may
//! contain secrets. Of a response it shows at most the media type and the encoding. It names the
//! missing grant if a grant could help.
//!
//! Nothing is refused here: grants and addresses are checked in `check.rs` and `connector.rs`,
//! redirects in `redirect.rs`, and limits in `response.rs`. What a model reads about a failed fetch
//! is worded in `holm-tools/src/fetch/`.

use std::fmt;
use std::net::IpAddr;

use holm_grants::{AddressDenied, FetchPattern, Grant, Url, UrlError};
use thiserror::Error;

/// Why a request failed, completely or in part.
///
/// No variant repeats a path, a query or the value
/// of a request's header, because they may contain secrets.
/// [`ConnectionDenied::origin`] is the most that is shown. [`ConnectionDenied::led_to`] is for
/// callers that ask for it by name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetError {
    /// No grant admits the connection.
    #[error("{0}")]
    Refused(Box<ConnectionDenied>),
    /// A redirect led to a URL that Holm does not accept.
    #[error("redirected to an address that Holm never fetches: {0}")]
    Url(#[from] UrlError),
    /// The scheme is not supported here.
    #[error("{found} is not supported; use {wanted}")]
    Scheme {
        /// The scheme of the request.
        found: &'static str,
        /// The schemes that are supported.
        wanted: &'static str,
    },
    /// The port belongs to a protocol that an HTTP request could misuse.
    #[error("port {0} belongs to another protocol; Holm never fetches from it")]
    Port(u16),
    /// The address belongs to one of Holm's own listeners.
    #[error("{0} is a listener of this Holm; no grant can allow it")]
    OwnListener(std::net::SocketAddr),
    /// Connections are limited to this machine.
    #[error("{0} is not on this machine, and Holm is offline")]
    Offline(String),
    /// The header is invalid, or this crate sets it itself.
    #[error("header {0} cannot be set; leave it out")]
    Header(String),
    /// The server redirected more often than the limits allow.
    #[error("redirected more than {0} times")]
    TooManyRedirects(u8),
    /// A redirect from an encrypted page to an unencrypted one.
    #[error("redirected from https to http")]
    Downgrade,
    /// A redirect would send the body to another origin.
    #[error("redirected to {0} with the body; send the request there directly if that is intended")]
    BodyAcrossOrigins(String),
    /// The name has no address.
    #[error("cannot resolve {host}: {why}")]
    Unresolved {
        host: String,
        /// What the resolver said.
        why: String,
    },
    #[error("cannot connect to {origin}: {why}")]
    Connect {
        /// Scheme, host and port.
        origin: String,
        /// What the system said.
        why: String,
    },
    /// The peer could not prove its identity, or does not support TLS.
    #[error("no trusted connection to {origin}: {why}")]
    Tls {
        /// Scheme, host and port.
        origin: String,
        /// What the TLS library said.
        why: String,
    },
    /// The peer broke the protocol.
    #[error("{origin} closed the connection: {why}")]
    Http {
        /// Scheme, host and port.
        origin: String,
        /// What the HTTP library said.
        why: String,
    },
    /// The response is larger than allowed, before or after decompression.
    #[error("the answer is larger than {max} bytes")]
    TooLarge { max: u64 },
    /// The response uses a compression that was not requested, or an invalid one.
    #[error("the answer is encoded as {0}, which is not supported")]
    Encoding(String),
    /// The response has a media type that the caller does not accept.
    #[error("the answer is {found}; expected {wanted}")]
    Mime {
        /// The media type of the response.
        found: String,
        /// The accepted media types.
        wanted: String,
    },
    /// It took too long.
    #[error("timed out while {0}")]
    TimedOut(ExchangeStage),
    /// This machine has no root certificates.
    #[error("no root certificates: {0}; install ca-certificates")]
    NoRoots(String),
}

/// The stage of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeStage {
    /// The name lookup was running.
    Resolving,
    /// The connection was being opened.
    Connecting,
    /// The TLS handshake was running.
    Securing,
    /// The request was sent, and no response had begun.
    Answering,
    /// The response was being read.
    Reading,
}

impl fmt::Display for ExchangeStage {
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

/// A connection that no grant admits, and the grant that would admit it.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectionDenied {
    /// The scheme, host and port of the request.
    pub origin: String,
    /// The address that the host resolved to, if it is known.
    pub address: Option<IpAddr>,
    pub why: AddressDenied,
    /// The grant that a person would have to give, or `None` if no grant helps.
    pub missing: Option<Grant>,
    /// The full URL, if a server redirected there, so that the caller can request it by name. It is
    /// never part of the message.
    pub led_to: Option<Url>,
}

impl ConnectionDenied {
    pub(crate) fn new(url: &Url, address: Option<IpAddr>, reason: AddressDenied) -> Self {
        Self {
            origin: origin(url),
            address,
            why: reason,
            missing: missing(url, address, reason),
            led_to: None,
        }
    }
}

/// Hides the URL of a redirect, because it may contain secrets and this text goes to logs.
impl fmt::Debug for ConnectionDenied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionDenied")
            .field("origin", &self.origin)
            .field("address", &self.address)
            .field("why", &self.why)
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for ConnectionDenied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused: {}", self.origin, self.why)?;
        self.address.iter().try_for_each(|address| write!(f, " (it led to {address})"))?;
        self.missing.iter().try_for_each(|grant| write!(f, "; missing grant {grant}"))
    }
}

impl From<ConnectionDenied> for NetError {
    fn from(refusal: ConnectionDenied) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

/// The scheme, host and port: the part of a URL that may be shown.
pub(crate) fn origin(url: &Url) -> String {
    let (scheme, host) = (url.scheme(), url.host());
    if Some(url.port()) == scheme.default_port() {
        format!("{scheme}://{host}")
    } else {
        format!("{scheme}://{host}:{}", url.port())
    }
}

/// The narrowest grant that would admit the connection: the origin, or the address that a public
/// name must not resolve to without permission.
fn missing(url: &Url, address: Option<IpAddr>, reason: AddressDenied) -> Option<Grant> {
    match (reason, address) {
        (AddressDenied::NotGranted, _) => FetchPattern::origin(url).map(Grant::Fetch).ok(),
        (AddressDenied::NotNamed(_), Some(ip)) => {
            let host = holm_grants::UrlHost::Address(ip);
            format!("fetch:{}://{host}:{}", url.scheme(), url.port()).parse().ok()
        }
        (AddressDenied::NotNamed(_), None) | (AddressDenied::Never(_) | AddressDenied::Denied, _) => None,
    }
}

#[cfg(test)]
mod tests;
