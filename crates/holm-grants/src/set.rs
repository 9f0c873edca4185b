//! A set of grants that one holder has, what two holders have in common, and which address a
//! connection may reach.
//!
//! Containment looks for one grant that contains the other; several together do not count. Denials
//! are not considered here; `policy.rs` adds them. A child's set is made with `meet`, so it is
//! contained in its parent's by construction: no other operation may be used for that. Addresses
//! are classified in `net/address.rs`, URLs are compared in `net/pattern.rs`. A list is bounded
//! while it is read, because it may come from a stranger.

use alloc::collections::BTreeSet;
use core::fmt;
use core::net::IpAddr;

use holm_read::{Read, ReadError, Reader};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::error::GrantError;
use crate::grant::Grant;
use crate::net::address::{AddressClass, AddressReach};
use crate::net::{HostNaming, Url};
use crate::request::AccessRequest;

/// The most grants in one list: more than people write, few enough that comparing
/// two lists stays cheap.
pub(crate) const MAX_GRANTS: usize = 1024;

/// An ordered set of grants, in serde a list of their texts.
///
/// Containment looks for *one* grant that contains the other. A grant that is covered only by
/// several grants together (`read:*/**` and `read:.` cover `read:**`) counts as not contained.
/// Refusing too much is safe, and a user can check the rule in the list.
///
/// ```
/// use holm_grants::GrantSet;
/// let parent = GrantSet::parse(["read:src/**", "exec:git"])?;
/// let wish = GrantSet::parse(["read:**", "read:src/net/", "exec:sh"])?;
/// let child = parent.meet(&wish);
/// assert_eq!(child, GrantSet::parse(["read:src/**", "read:src/net/"])?);
/// assert!(parent.contains_all(&child));
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct GrantSet(BTreeSet<Grant>);

/// Why an address may not be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AddressDenied {
    /// No grant admits the URL at all.
    #[error("no grant admits the url")]
    NotGranted,
    /// The address is inside, and no grant names it.
    #[error("leads to {}; only a grant that names the address opens it", .0.describe())]
    NotNamed(AddressClass),
    /// No grant can open the address.
    #[error("leads to {}, which no grant opens", .0.describe())]
    Never(AddressClass),
    /// A denial hits the URL or the address.
    #[error("a denial hits the host or its address")]
    Denied,
}

impl GrantSet {
    /// The set without any power.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeSet::new())
    }

    /// Reads a list of texts.
    ///
    /// # Errors
    ///
    /// The first text that is not a grant, with its position ([`GrantError::Entry`]), or
    /// too many of them.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, GrantError> {
        let mut grants = BTreeSet::new();
        for (position, text) in (1..).zip(texts) {
            if position > MAX_GRANTS as u64 {
                return Err(GrantError::TooMany { max: MAX_GRANTS as u64 });
            }
            grants.insert(text.parse().map_err(|error: GrantError| error.in_list(position, text))?);
        }
        Ok(Self(grants))
    }

    /// Adds a grant. Returns whether it was new.
    pub fn insert(&mut self, grant: Grant) -> bool {
        self.0.insert(grant)
    }

    /// Removes a grant. Returns whether the set had it.
    pub fn remove(&mut self, grant: &Grant) -> bool {
        self.0.remove(grant)
    }

    /// Whether nothing is granted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of grants.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The grants in order.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter()
    }

    /// The first grant that lets the request pass.
    #[must_use]
    pub fn admitting(&self, request: &AccessRequest) -> Option<&Grant> {
        self.iter().find(|grant| grant.admits(request))
    }

    /// Whether some grant lets the request pass.
    #[must_use]
    pub fn admits(&self, request: &AccessRequest) -> bool {
        self.admitting(request).is_some()
    }

    /// The first grant that contains the other one.
    #[must_use]
    pub fn containing(&self, other: &Grant) -> Option<&Grant> {
        self.iter().find(|grant| grant.contains(other))
    }

    /// Whether some grant contains the other one.
    #[must_use]
    pub fn contains(&self, other: &Grant) -> bool {
        self.containing(other).is_some()
    }

    /// Whether each grant of `other` is contained.
    #[must_use]
    pub fn contains_all(&self, other: &Self) -> bool {
        other.iter().all(|grant| self.contains(grant))
    }

    /// The grants that both sets give: of each, the grants that the other contains.
    ///
    /// A child's set is `parent.meet(&wish)`, so it is contained in the parent by construction.
    /// Grants that merely overlap give nothing.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let ours = self.iter().filter(|grant| other.contains(grant));
        let theirs = other.iter().filter(|grant| self.contains(grant));
        ours.chain(theirs).cloned().collect()
    }

    /// Checks whether a connection for `url` may go to `ip`, the address of its host.
    ///
    /// A public address needs a grant that admits the URL. A private one needs more, because the
    /// owner of a name decides where it leads: a grant must name the address itself, or name a host
    /// that only means something locally (`localhost`, `nas.lan`). A grant with a path names the
    /// address for that path alone. `localhost` leads to this machine alone. Metadata services, and
    /// addresses that are not destinations, are never reached.
    ///
    /// # Errors
    ///
    /// Why it is not allowed.
    ///
    /// ```
    /// use holm_grants::GrantSet;
    /// let grants = GrantSet::parse(["fetch:https://api.example.com"])?;
    /// let url = "https://api.example.com/x".parse()?;
    /// assert!(grants.reach(&url, "93.184.216.34".parse().unwrap()).is_ok());
    /// assert!(grants.reach(&url, "10.0.0.1".parse().unwrap()).is_err());
    /// # Ok::<(), holm_grants::GrantError>(())
    /// ```
    pub fn reach(&self, url: &Url, ip: IpAddr) -> Result<(), AddressDenied> {
        let fetches = || {
            self.iter().filter_map(|grant| match grant {
                Grant::Fetch(pattern) => Some(pattern),
                _ => None,
            })
        };
        let class = AddressClass::of(ip);
        let namings = || fetches().filter_map(|pattern| pattern.naming(url));
        if namings().next().is_none() {
            return Err(AddressDenied::NotGranted);
        }
        match class.reach() {
            AddressReach::Never => Err(AddressDenied::Never(class)),
            AddressReach::Public if url.host().is_loopback_name() => Err(AddressDenied::NotNamed(class)),
            AddressReach::Public => Ok(()),
            AddressReach::Named => {
                let host = url.host();
                let local = if host.is_loopback_name() {
                    class == AddressClass::Loopback
                } else {
                    host.is_private_name()
                };
                let by_name = local && namings().any(|named| named == HostNaming::Literally);
                let by_address = fetches().any(|pattern| pattern.names_address(url, ip));
                if by_name || by_address { Ok(()) } else { Err(AddressDenied::NotNamed(class)) }
            }
        }
    }
}

impl FromIterator<Grant> for GrantSet {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        // One by one: collecting would bring a sort of its own into every program.
        let mut all = Self::default();
        all.extend(grants);
        all
    }
}

impl Extend<Grant> for GrantSet {
    fn extend<I: IntoIterator<Item = Grant>>(&mut self, grants: I) {
        self.0.extend(grants);
    }
}

impl<'de> Deserialize<'de> for GrantSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(GrantListVisitor)
    }
}

impl<'a> Read<'a> for GrantSet {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        let mut grants = BTreeSet::new();
        let mut count = 0;
        reader.items(&mut |reader| {
            count += 1;
            if count > MAX_GRANTS {
                return Err(reader.refused(&GrantError::TooMany { max: MAX_GRANTS as u64 }));
            }
            grants.insert(Grant::read(reader)?);
            Ok(())
        })?;
        Ok(Self(grants))
    }
}

/// Reads a list and stops at the limit, before a hostile list has cost anything.
struct GrantListVisitor;

impl<'de> Visitor<'de> for GrantListVisitor {
    type Value = GrantSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of grants such as read:src/**")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<GrantSet, A::Error> {
        let mut grants = BTreeSet::new();
        let mut count = 0;
        while let Some(grant) = list.next_element()? {
            count += 1;
            if count > MAX_GRANTS {
                return Err(A::Error::custom(GrantError::TooMany { max: MAX_GRANTS as u64 }));
            }
            grants.insert(grant);
        }
        Ok(GrantSet(grants))
    }
}

#[cfg(test)]
mod tests;
