//! The network: URLs and hosts in canonical form, patterns of them, and which addresses may be
//! reached at all.
//!
//! Nothing here resolves a name. A host resolves once, asks [`crate::GrantSet::reach`] about each
//! address, and connects to the address that it asked about.

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
