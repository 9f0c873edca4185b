//! Grants that end: at a time, or when they are revoked.
//!
//! This crate has no clock: the caller passes the time, and must ask again when it has passed. A
//! lease whose time has come does not hold, even if it was not removed yet. Who gives leases and
//! when they are withdrawn is decided in `holm-kernel/src/run/permit.rs`.

use alloc::vec::Vec;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::grant::Grant;
use crate::set::GrantSet;

/// A grant with an end. Times are milliseconds on the caller's clock; this crate has no clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct GrantLease {
    pub grant: Grant,
    /// The first moment at which it no longer holds; absent for a grant that only revoking ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl GrantLease {
    /// Whether the grant holds at this moment.
    #[must_use]
    pub fn active_at(&self, now: u64) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// Leases in the order in which they were given.
///
/// ```
/// use holm_grants::{GrantLease, GrantLeases};
/// let mut leases = GrantLeases::default();
/// leases.give(GrantLease { grant: "write:out/".parse()?, until: Some(1_000) });
/// assert_eq!(leases.active_at(999).len(), 1);
/// assert_eq!(leases.active_at(1_000).len(), 0);
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(transparent)]
pub struct GrantLeases(Vec<GrantLease>);

impl GrantLeases {
    /// Adds a lease; one for the same grant is replaced, so that the newest end counts.
    pub fn give(&mut self, lease: GrantLease) {
        self.0.retain(|old| old.grant != lease.grant);
        self.0.push(lease);
    }

    /// Ends every lease whose grant `revoked` contains. Returns how many.
    ///
    /// A wider lease stays whole: to take only a part of it back, deny that part.
    pub fn revoke(&mut self, revoked: &Grant) -> u64 {
        let before = self.0.len();
        self.0.retain(|lease| !revoked.contains(&lease.grant));
        before.saturating_sub(self.0.len()) as u64
    }

    /// Ends the lease for this very grant.
    pub fn end(&mut self, grant: &Grant) {
        self.0.retain(|lease| lease.grant != *grant);
    }

    /// The grants that hold at this moment.
    #[must_use]
    pub fn active_at(&self, now: u64) -> GrantSet {
        self.0.iter().filter(|lease| lease.active_at(now)).map(|lease| lease.grant.clone()).collect()
    }

    /// The next moment after `now` at which a lease ends.
    #[must_use]
    pub fn next_end(&self, now: u64) -> Option<u64> {
        self.0.iter().filter_map(|lease| lease.until).filter(|until| *until > now).min()
    }

    /// Drops the leases that no longer hold.
    pub fn expire(&mut self, now: u64) {
        self.0.retain(|lease| lease.active_at(now));
    }

    /// The leases, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &GrantLease> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests;
