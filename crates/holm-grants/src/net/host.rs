//! A host in canonical form, and patterns of hosts.
//!
//! Every spelling of an address is reduced to the address, and a name to lower case without its
//! last dot, so that a check cannot be passed by another spelling. Names are not resolved here. The
//! class of an address is in `net/address.rs`, odd spellings of IPv4 in `net/ipv4.rs`, ports and
//! paths in `net/pattern.rs`. Wildcards never admit local names or private addresses, and nothing
//! admits a metadata service.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::net::{IpAddr, Ipv6Addr};
use core::str::FromStr;

use super::address::{AddressClass, AddressReach};
use super::ipv4::{self, Ipv4Reading};
use crate::error::HostError;
use crate::text::serde_as_text;

/// The longest host name without its trailing dot, as DNS has it.
const MAX_HOST: usize = 253;
/// The longest label of a host name, as DNS has it.
const MAX_LABEL: usize = 63;

/// Names under which clouds serve credentials to every program inside them.
const METADATA_NAMES: [&str; 9] = [
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.internal",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
];

/// One host: a name in lower case without trailing dot, or an address.
///
/// Every spelling of an address is reduced to the address, so that nothing can be
/// smuggled past a comparison:
///
/// ```
/// use holm_grants::UrlHost;
/// for spelling in ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1.", "%31%32%37.0.0.1"] {
///     assert_eq!(spelling.parse::<UrlHost>()?.to_string(), "127.0.0.1");
/// }
/// assert!("１２７.0.0.1".parse::<UrlHost>().is_err());
/// # Ok::<(), holm_grants::HostError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UrlHost {
    /// A DNS name. It has at least one label and its last label is not a number.
    Name(HostName),
    /// An IPv4 or IPv6 address.
    Address(IpAddr),
}

/// A DNS name in canonical form; only [`UrlHost`] makes one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

impl HostName {
    /// The name in lower case without trailing dot.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl UrlHost {
    /// Whether the host is a name under which a cloud serves credentials. Such a
    /// name is never admitted.
    #[must_use]
    pub fn is_metadata(&self) -> bool {
        match self {
            Self::Name(name) => METADATA_NAMES.contains(&name.as_str()),
            Self::Address(ip) => AddressClass::of(*ip) == AddressClass::Metadata,
        }
    }

    /// Whether no grant opens the host.
    fn is_closed(&self) -> bool {
        match self {
            Self::Name(_) => self.is_metadata(),
            Self::Address(ip) => AddressClass::of(*ip).reach() == AddressReach::Never,
        }
    }

    /// Whether the host is this machine itself: an address of its own, or a name that means nothing
    /// else, even if DNS says otherwise.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name(_) => self.is_loopback_name(),
            Self::Address(ip) => ip.is_loopback(),
        }
    }

    /// Whether the host is a name that means this machine, even if DNS says otherwise.
    pub(crate) fn is_loopback_name(&self) -> bool {
        match self {
            Self::Name(name) => is_loopback(name.as_str()),
            Self::Address(_) => false,
        }
    }

    /// Whether the host is a name that only means something inside a local network.
    ///
    /// Such a name may lead to private addresses when a grant names it; a public name that
    /// leads there is suspect.
    pub(crate) fn is_private_name(&self) -> bool {
        const SUFFIXES: [&str; 8] =
            ["local", "localdomain", "internal", "intranet", "lan", "home", "corp", "home.arpa"];
        match self {
            Self::Name(name) => {
                let single = !name.0.contains('.');
                single || is_loopback(&name.0) || SUFFIXES.iter().any(|suffix| is_beneath(&name.0, suffix))
            }
            Self::Address(_) => false,
        }
    }
}

impl FromStr for UrlHost {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if let Some(inner) = text.strip_prefix('[') {
            return bracketed(inner).map(|ip| Self::Address(IpAddr::V6(ip)));
        }
        let decoded = percent_decode(text)?;
        let name = decoded.strip_suffix('.').unwrap_or(&decoded);
        check_name(name)?;
        match ipv4::read(name) {
            Ipv4Reading::Address(ip) => Ok(Self::Address(IpAddr::V4(ip))),
            Ipv4Reading::Broken => Err(HostError::BadIpv4),
            Ipv4Reading::NotNumeric => Ok(Self::Name(HostName(name.to_owned()))),
        }
    }
}

impl fmt::Display for UrlHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name.as_str()),
            Self::Address(IpAddr::V4(ip)) => ip.fmt(f),
            Self::Address(IpAddr::V6(ip)) => write!(f, "[{ip}]"),
        }
    }
}

/// A set of hosts: one host, `*.domain` for the names beneath a domain, or `*`.
///
/// Wildcards never admit what only a literal name may open: private addresses, and names of this
/// machine such as `localhost`. Nothing admits metadata services.
///
/// ```
/// use holm_grants::HostPattern;
/// let pattern: HostPattern = "*.example.com".parse()?;
/// assert!(pattern.admits(&"api.example.com".parse()?));
/// assert!(!pattern.admits(&"example.com".parse()?));
/// assert!(!pattern.admits(&"example.com.evil.net".parse()?));
/// # Ok::<(), holm_grants::HostError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostPattern {
    One(UrlHost),
    /// Every name strictly beneath this domain.
    Beneath(HostName),
    /// Every name and every public address.
    Any,
}

impl HostPattern {
    /// Whether `host` belongs to the set.
    #[must_use]
    pub fn admits(&self, host: &UrlHost) -> bool {
        if host.is_closed() {
            return false;
        }
        match (self, host) {
            (Self::One(one), _) => one == host,
            (Self::Beneath(domain), UrlHost::Name(name)) => {
                is_beneath(&name.0, &domain.0) && !host.is_loopback_name()
            }
            (Self::Beneath(_), UrlHost::Address(_)) => false,
            (Self::Any, UrlHost::Name(_)) => !host.is_loopback_name(),
            (Self::Any, UrlHost::Address(ip)) => AddressClass::of(*ip).reach() == AddressReach::Public,
        }
    }

    /// Whether every host of `other` belongs to this set. Exact.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::One(host)) => self.admits(host),
            (Self::Beneath(a), Self::Beneath(b)) => a == b || is_beneath(&b.0, &a.0),
            (Self::Any, Self::Beneath(_) | Self::Any) => true,
            (Self::One(_), Self::Beneath(_) | Self::Any) | (Self::Beneath(_), Self::Any) => false,
        }
    }

    /// Whether a denial of this pattern hits `host`. In a denial a wildcard stands for every
    /// host, local names too.
    pub(crate) fn denies(&self, host: &UrlHost) -> bool {
        match (self, host) {
            (Self::One(one), _) => one == host,
            (Self::Beneath(domain), UrlHost::Name(name)) => is_beneath(&name.0, &domain.0),
            (Self::Beneath(_), UrlHost::Address(_)) => false,
            (Self::Any, _) => true,
        }
    }

    /// Whether this is exactly `host`, spelled out.
    pub(crate) fn names(&self, host: &UrlHost) -> bool {
        matches!(self, Self::One(one) if one == host)
    }

    /// The pattern of one host, unless no grant may ever open it.
    ///
    /// # Errors
    ///
    /// Metadata services, addresses that are not destinations, and IPv6 addresses
    /// that carry IPv4 ones.
    pub fn exactly(host: UrlHost) -> Result<Self, HostError> {
        if host.is_metadata() {
            return Err(HostError::Never("a metadata service that hands out credentials"));
        }
        if let UrlHost::Address(ip) = &host {
            let class = AddressClass::of(*ip);
            match class.reach() {
                AddressReach::Public | AddressReach::Named => {}
                AddressReach::Never if class == AddressClass::Embedded => return Err(HostError::Embedded),
                AddressReach::Never => return Err(HostError::Never(class.describe())),
            }
        }
        Ok(Self::One(host))
    }
}

impl FromStr for HostPattern {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let Some(domain) = text.strip_prefix("*.") else {
            if text.contains('*') {
                return Err(HostError::Wildcard);
            }
            return Self::exactly(text.parse()?);
        };
        match domain.parse()? {
            UrlHost::Address(_) => Err(HostError::Wildcard),
            host if host.is_loopback_name() => Err(HostError::LocalWildcard),
            // One letter and a dot must still fit in front, or the pattern would admit nothing.
            UrlHost::Name(name) if name.0.len() + 2 > MAX_HOST => Err(HostError::TooLong),
            UrlHost::Name(name) => Ok(Self::Beneath(name)),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(host) => host.fmt(f),
            Self::Beneath(domain) => write!(f, "*.{}", domain.0),
            Self::Any => f.write_str("*"),
        }
    }
}

serde_as_text!(UrlHost, HostPattern);

/// Whether `name` lies strictly beneath `domain`.
fn is_beneath(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
}

fn is_loopback(name: &str) -> bool {
    const NAMES: [&str; 6] = [
        "localhost",
        "localhost.localdomain",
        "localhost6",
        "localhost6.localdomain6",
        "ip6-localhost",
        "ip6-loopback",
    ];
    NAMES.contains(&name) || is_beneath(name, "localhost")
}

/// The address of `…]`, the part after an opening bracket.
fn bracketed(inner: &str) -> Result<Ipv6Addr, HostError> {
    let Some(text) = inner.strip_suffix(']') else { return Err(HostError::BadIpv6) };
    if text.contains('%') {
        return Err(HostError::Zone);
    }
    text.parse().map_err(|_| HostError::BadIpv6)
}

/// Decodes percent-encoded letters and lowers the case; a client would do both before it resolves.
fn percent_decode(text: &str) -> Result<String, HostError> {
    // Three times the longest name: every letter may be encoded.
    if text.len() > 3 * (MAX_HOST + 1) {
        return Err(HostError::TooLong);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || rest.next().and_then(|b| char::from(b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(HostError::BadCharacter) };
        bytes.push(high * 16 + low);
    }
    if !bytes.is_ascii() {
        return Err(HostError::NotAscii);
    }
    bytes.make_ascii_lowercase();
    String::from_utf8(bytes).map_err(|_| HostError::NotAscii)
}

/// Checks a decoded name in lower case, without its trailing dot.
fn check_name(name: &str) -> Result<(), HostError> {
    if name.is_empty() {
        return Err(HostError::Empty);
    }
    if name.len() > MAX_HOST {
        return Err(HostError::TooLong);
    }
    for label in name.split('.') {
        if label.is_empty() {
            return Err(HostError::EmptyLabel);
        }
        if label.len() > MAX_LABEL {
            return Err(HostError::TooLong);
        }
        if !label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            return Err(HostError::BadCharacter);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
