//! The network: URLs and hosts in canonical form, patterns of them, and which addresses may be
//! reached at all.
//!
//! Nothing here resolves a name or opens a connection. A host resolves once, asks
//! [`crate::GrantSet::reach`] about each address, and connects to the address that it asked about;
//! Holm does that in `holm-net/src/connector.rs`.
//!
//! Where things are:
//!
//! - `net/url.rs`: a URL in canonical form.
//! - `net/scheme.rs`: the schemes that exist.
//! - `net/prefix.rs`: paths of URLs, and prefixes of them.
//! - `net/host.rs`: a host in canonical form, and patterns of hosts.
//! - `net/ipv4.rs`: the many spellings of an IPv4 address.
//! - `net/pattern.rs`: the pattern of a network grant.
//! - `net/address.rs`: the class of an address.

pub mod address;
mod host;
mod ipv4;
mod pattern;
mod prefix;
mod scheme;
mod url;

pub use host::{HostName, HostPattern, UrlHost};
pub use pattern::FetchPattern;
pub use scheme::UrlScheme;
pub use url::Url;

pub(crate) use pattern::HostNaming;
pub(crate) use url::percent_encode;
