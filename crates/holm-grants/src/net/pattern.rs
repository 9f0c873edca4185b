//! The pattern of a network grant: schemes, a host, ports and a path prefix.
//!
//! The set is a product, except that a missing port means the default of each scheme; schemes are
//! few, so they are decided one by one and containment stays exact. Hosts are compared in
//! `net/host.rs`, paths in `net/prefix.rs`. That a URL is admitted does not mean that the address
//! behind its name may be reached: `set.rs` decides that.

use alloc::string::ToString;
use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;

use super::host::{HostPattern, UrlHost};
use super::prefix::PathPrefix;
use super::scheme::UrlScheme;
use super::url::{MAX_URL, Url, parse_port, split};
use crate::error::UrlError;
use crate::text::serde_as_text;

/// A set of URLs: `scheme://host[:port][/prefix]`.
///
/// The scheme may be `*`, the host `*` or `*.domain`, the port `*`. A missing port means the
/// scheme's default. The prefix is whole components: `/v1` admits `/v1` and `/v1/users`, not
/// `/v1x`. Any query is admitted.
///
/// ```
/// use holm_grants::FetchPattern;
/// let api: FetchPattern = "https://api.example.com/v1".parse()?;
/// assert!(api.admits(&"https://api.example.com/v1/users?page=2".parse()?));
/// assert!(!api.admits(&"http://api.example.com/v1/users".parse()?));
/// assert!(!api.admits(&"https://api.example.com/v1/../admin".parse()?));
/// # Ok::<(), holm_grants::UrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FetchPattern {
    scheme: Option<UrlScheme>,
    host: HostPattern,
    port: PortPattern,
    prefix: PathPrefix,
}

/// The ports of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PortPattern {
    /// The default of the scheme.
    Default,
    One(u16),
    Any,
}

/// How a pattern names a host or an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostNaming {
    Literally,
    ByWildcard,
}

impl FetchPattern {
    /// Whether `url` belongs to the set. This does not check the address that its name
    /// leads to; see [`crate::GrantSet::reach`].
    #[must_use]
    pub fn admits(&self, url: &Url) -> bool {
        self.admits_endpoint(url) && self.host.admits(url.host()) && self.prefix.admits(url.path())
    }

    /// Whether every URL of `other` belongs to this set. Exact.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        let endpoints =
            UrlScheme::ALL.into_iter().all(|scheme| match (self.ports(scheme), other.ports(scheme)) {
                (_, None) | (Some(SchemePorts::Any), Some(_)) => true,
                (Some(SchemePorts::One(a)), Some(SchemePorts::One(b))) => a == b,
                (None, Some(_)) | (Some(SchemePorts::One(_)), Some(SchemePorts::Any)) => false,
            });
        endpoints && self.host.contains(&other.host) && self.prefix.contains(&other.prefix)
    }

    /// The narrowest set that holds this URL: its scheme, host and port, its path
    /// and everything beneath it.
    ///
    /// # Errors
    ///
    /// If no grant may ever open the host, or if no pattern can spell the path: servers read it in
    /// more than one way, or it holds a `*`, or it is too long.
    ///
    /// ```
    /// use holm_grants::FetchPattern;
    /// let page = FetchPattern::exactly(&"https://h.example/pub/a?q=1".parse()?)?;
    /// assert_eq!(page.to_string(), "https://h.example/pub/a");
    /// assert!(!page.admits(&"https://h.example/secret".parse()?));
    /// # Ok::<(), holm_grants::UrlError>(())
    /// ```
    pub fn exactly(url: &Url) -> Result<Self, UrlError> {
        let pattern = Self { prefix: PathPrefix::parse(url.path())?, ..Self::origin(url)? };
        // The canonical form can be longer than the written text, because characters are encoded.
        if pattern.to_string().len() > MAX_URL {
            return Err(UrlError::TooLong { max: MAX_URL as u64 });
        }
        Ok(pattern)
    }

    /// The set of exactly this URL's scheme, host and port, with any path.
    ///
    /// # Errors
    ///
    /// If no grant may ever open the host.
    pub fn origin(url: &Url) -> Result<Self, UrlError> {
        let port = if Some(url.port()) == url.scheme().default_port() {
            PortPattern::Default
        } else {
            PortPattern::One(url.port())
        };
        let host = HostPattern::exactly(url.host().clone())?;
        Ok(Self { scheme: Some(url.scheme()), host, port, prefix: PathPrefix::default() })
    }

    /// The hosts of the set.
    #[must_use]
    pub fn host(&self) -> &HostPattern {
        &self.host
    }

    /// How an admitted URL's host is named.
    pub(crate) fn naming(&self, url: &Url) -> Option<HostNaming> {
        let named = if self.host.names(url.host()) { HostNaming::Literally } else { HostNaming::ByWildcard };
        self.admits(url).then_some(named)
    }

    /// Whether the pattern spells out the address `ip` and admits the URL's scheme,
    /// port and path there.
    pub(crate) fn names_address(&self, url: &Url, ip: IpAddr) -> bool {
        self.host.names(&UrlHost::Address(ip)) && self.admits(&url.at(UrlHost::Address(ip)))
    }

    /// Whether a denial of this pattern hits `url`.
    pub(crate) fn denies(&self, url: &Url) -> bool {
        self.admits_endpoint(url) && self.host.denies(url.host())
    }

    /// Whether the set holds only some paths of its hosts. A caller that can enforce only hosts and
    /// ports must not treat such a pattern as one of the whole host.
    #[must_use]
    pub fn names_path(&self) -> bool {
        !self.prefix.is_empty()
    }

    fn admits_endpoint(&self, url: &Url) -> bool {
        match self.ports(url.scheme()) {
            None => false,
            Some(SchemePorts::One(port)) => port == url.port(),
            Some(SchemePorts::Any) => true,
        }
    }

    /// The ports of the pattern for one scheme; `None` if the pattern does not include the scheme.
    fn ports(&self, scheme: UrlScheme) -> Option<SchemePorts> {
        if self.scheme.is_some_and(|own| own != scheme) {
            return None;
        }
        match self.port {
            PortPattern::Default => scheme.default_port().map(SchemePorts::One),
            PortPattern::One(port) => Some(SchemePorts::One(port)),
            PortPattern::Any => Some(SchemePorts::Any),
        }
    }
}

/// The ports of one scheme.
enum SchemePorts {
    One(u16),
    Any,
}

impl FromStr for FetchPattern {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let parts = split(text)?;
        if parts.query.is_some() || text.contains('#') {
            return Err(UrlError::PatternQuery);
        }
        let scheme = if parts.scheme == "*" { None } else { UrlScheme::parse(parts.scheme) };
        let port = match parts.port {
            None => PortPattern::Default,
            Some("*") => PortPattern::Any,
            Some(port) => match (parse_port(port)?, scheme.and_then(UrlScheme::default_port)) {
                (port, Some(default)) if port == default => PortPattern::Default,
                (port, _) => PortPattern::One(port),
            },
        };
        let prefix = PathPrefix::parse(parts.path)?;
        if scheme == Some(UrlScheme::Tcp) && (port == PortPattern::Default || !prefix.is_empty()) {
            return Err(UrlError::TcpShape);
        }
        Ok(Self { scheme, host: parts.host.parse()?, port, prefix })
    }
}

impl fmt::Display for FetchPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.map_or("*", UrlScheme::as_str), self.host)?;
        match self.port {
            PortPattern::Default => {}
            PortPattern::One(port) => write!(f, ":{port}")?,
            PortPattern::Any => f.write_str(":*")?,
        }
        self.prefix.fmt(f)
    }
}

serde_as_text!(FetchPattern);

#[cfg(test)]
mod tests;
