//! A URL that may be fetched, split the way browsers split it. Text that two parsers could read
//! differently is refused.
//!
//! The caller must fetch the canonical form and not the text that it was given: only that form was
//! checked. Hosts are read in `net/host.rs`, paths in `net/prefix.rs`, patterns in
//! `net/pattern.rs`. There is no general URL library here on purpose: it would accept more than
//! clients agree on.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use super::host::UrlHost;
use super::prefix::canonical;
use super::scheme::UrlScheme;
use crate::error::UrlError;
use crate::text::{is_refused, serde_as_text};

/// The longest URL in bytes: what common servers accept, and far less than could be used to
/// carry a file away.
pub(super) const MAX_URL: usize = 8192;

/// One URL in canonical form: the same text is checked, shown and fetched.
///
/// The fragment is dropped, since it is never sent. User information, backslashes, white space and
/// invisible characters are refused; the host is reduced to one spelling (see [`UrlHost`]); dot
/// segments of the path are resolved.
///
/// ```
/// use holm_grants::Url;
/// let url: Url = "HTTP://API.Example.com.:80/a/../b?q=1#part".parse()?;
/// assert_eq!(url.to_string(), "http://api.example.com/b?q=1");
/// assert!("http://good.example@evil.example/".parse::<Url>().is_err());
/// # Ok::<(), holm_grants::UrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url {
    scheme: UrlScheme,
    host: UrlHost,
    port: u16,
    path: String,
    query: Option<String>,
}

impl Url {
    /// The scheme of the connection.
    #[must_use]
    pub fn scheme(&self) -> UrlScheme {
        self.scheme
    }

    /// The host, which the caller resolves.
    #[must_use]
    pub fn host(&self) -> &UrlHost {
        &self.host
    }

    /// The port, written or by default.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path with its leading slash; empty for raw connections.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The query without its question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// The same URL at another host, to check an address that a name led to.
    pub(crate) fn at(&self, host: UrlHost) -> Self {
        Self { host, ..self.clone() }
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let UrlParts { scheme, host, port, path, query } = split(text)?;
        let scheme = UrlScheme::parse(scheme).ok_or(UrlError::UnknownScheme)?;
        let host = host.parse()?;
        let written = port.map(parse_port).transpose()?;
        let port = written.or(scheme.default_port()).ok_or(UrlError::TcpShape)?;
        if scheme == UrlScheme::Tcp {
            if !matches!(path, "" | "/") || query.is_some() {
                return Err(UrlError::TcpShape);
            }
            return Ok(Self { scheme, host, port, path: String::new(), query: None });
        }
        let query = query.map(|query| {
            let mut encoded = String::with_capacity(query.len());
            percent_encode(&mut encoded, query, b"!$&()*+,;=:@-._~%/?[]'|^`{}");
            encoded
        });
        Ok(Self { scheme, host, port, path: canonical(path), query })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if Some(self.port) != self.scheme.default_port() {
            write!(f, ":{}", self.port)?;
        }
        f.write_str(&self.path)?;
        self.query.iter().try_for_each(|query| write!(f, "?{query}"))
    }
}

serde_as_text!(Url);

/// The parts of a URL or of a pattern of URLs, as written.
pub(super) struct UrlParts<'a> {
    pub(super) scheme: &'a str,
    pub(super) host: &'a str,
    pub(super) port: Option<&'a str>,
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
}

/// Splits a text, refusing what parsers are known to disagree about.
pub(super) fn split(text: &str) -> Result<UrlParts<'_>, UrlError> {
    if text.len() > MAX_URL {
        return Err(UrlError::TooLong { max: MAX_URL as u64 });
    }
    if text.chars().any(|c| is_refused(c) || c.is_whitespace()) {
        return Err(UrlError::Hidden);
    }
    if text.contains('\\') {
        return Err(UrlError::Backslash);
    }
    let (scheme, rest) = text.split_once(':').ok_or(UrlError::NoScheme)?;
    if scheme != "*" && UrlScheme::parse(scheme).is_none() {
        return Err(UrlError::UnknownScheme);
    }
    let rest = rest.strip_prefix("//").ok_or(UrlError::NoScheme)?;
    // The authority ends here for every parser; no text behind it, even with an @, is a host.
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let (path, query) = match tail.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (tail, None),
    };
    if authority.contains('@') {
        return Err(UrlError::UserInfo);
    }
    let (host, port) = split_port(authority);
    Ok(UrlParts { scheme, host, port, path, query })
}

/// Separates `:port`; the colons inside brackets belong to the address.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// Reads a port; signs, spaces and zero are refused.
pub(super) fn parse_port(text: &str) -> Result<u16, UrlError> {
    if text.is_empty() || text.len() > 5 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(UrlError::BadPort);
    }
    text.parse().ok().filter(|port| *port != 0).ok_or(UrlError::BadPort)
}

/// Appends `text`, encoding each byte that is not a letter, not a digit and not in `keep`.
///
/// A percent sign in `keep` stays only in front of two digits, which are raised to capitals:
/// one spelling per byte.
pub(crate) fn percent_encode(into: &mut String, text: &str, keep: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let push_encoded = |into: &mut String, byte: u8| {
        into.push('%');
        for nibble in [byte >> 4, byte & 15] {
            into.push(char::from(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0')));
        }
    };
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'%', [high, low, ..])
                if keep.contains(&b'%') && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                into.push('%');
                into.push(char::from(high.to_ascii_uppercase()));
                into.push(char::from(low.to_ascii_uppercase()));
                rest = after.get(2..).unwrap_or_default();
            }
            (b'%', _) => push_encoded(into, b'%'),
            (byte, _) if byte.is_ascii_alphanumeric() || keep.contains(byte) => into.push(char::from(*byte)),
            (byte, _) => push_encoded(into, *byte),
        }
    }
}

#[cfg(test)]
mod tests;
