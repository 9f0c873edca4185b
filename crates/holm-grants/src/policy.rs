//! Grants and denials together: the one place that tells allowed, denied and missing apart.
//!
//! A denial is final: it wins over every grant. This file does not ask the user and knows neither
//! modes nor leases; `holm-kernel/src/run/permit.rs` combines those. How a grant or a denial
//! matches is in `grant.rs`, `set.rs` and `denial.rs`. [`GrantPolicy::attenuate`] must never give a
//! child more grants or fewer denials than its parent.

use core::net::IpAddr;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::denial::{Denial, DenialSet};
use crate::grant::Grant;
use crate::net::{Url, UrlHost};
use crate::request::AccessRequest;
use crate::set::{AddressDenied, GrantSet};
use crate::template::CallNeed;

/// What a holder may do, and what no grant can allow it. A denial is final.
///
/// ```
/// use holm_grants::{PolicyDecision, DenialSet, GrantSet, GrantPolicy};
/// let policy = GrantPolicy {
///     grants: GrantSet::parse(["read:**"])?,
///     denials: DenialSet::parse(["path:**/.env"])?,
/// };
/// assert!(matches!(policy.decide(&"read:src/lib.rs".parse()?), PolicyDecision::Granted(_)));
/// assert!(matches!(policy.decide(&"read:app/.env".parse()?), PolicyDecision::Denied(_)));
/// assert_eq!(policy.decide(&"write:src/lib.rs".parse()?), PolicyDecision::Missing);
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
pub struct GrantPolicy {
    #[serde(default)]
    pub grants: GrantSet,
    /// What may not be done, even if a grant allows it.
    #[serde(default, skip_serializing_if = "DenialSet::is_empty")]
    pub denials: DenialSet,
}

/// The decision of a policy about one request or need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyDecision<'a> {
    /// This grant lets it pass.
    Granted(&'a Grant),
    /// This denial refuses it without asking the user.
    Denied(&'a Denial),
    /// No grant lets it pass; a person may add one.
    Missing,
}

impl GrantPolicy {
    /// Decides about one request.
    #[must_use]
    pub fn decide(&self, request: &AccessRequest) -> PolicyDecision<'_> {
        match (self.denials.hitting(request), self.grants.admitting(request)) {
            (Some(denial), _) => PolicyDecision::Denied(denial),
            (None, Some(grant)) => PolicyDecision::Granted(grant),
            (None, None) => PolicyDecision::Missing,
        }
    }

    /// Decides about one need of a tool.
    ///
    /// A need for a whole pattern, such as a search beneath a folder, is denied only if all of it
    /// is denied; the tool asks [`Self::decide`] about each file that it then meets.
    #[must_use]
    pub fn decide_need(&self, need: &CallNeed) -> PolicyDecision<'_> {
        let grant = match need {
            CallNeed::Request(request) => return self.decide(request),
            CallNeed::Grant(grant) => grant,
        };
        match (self.denials.covering(grant), self.grants.containing(grant)) {
            (Some(denial), _) => PolicyDecision::Denied(denial),
            (None, Some(grant)) => PolicyDecision::Granted(grant),
            (None, None) => PolicyDecision::Missing,
        }
    }

    /// Whether a connection for `url` may go to `ip`; see [`GrantSet::reach`]. A denied address is
    /// denied under every name.
    ///
    /// # Errors
    ///
    /// Why it is not allowed.
    pub fn reach(&self, url: &Url, ip: IpAddr) -> Result<(), AddressDenied> {
        let named = AccessRequest::Fetch(url.clone());
        let addressed = AccessRequest::Fetch(url.at(UrlHost::Address(ip)));
        if self.denials.hitting(&named).or(self.denials.hitting(&addressed)).is_some() {
            return Err(AddressDenied::Denied);
        }
        self.grants.reach(url, ip)
    }

    /// The policy of a child that wishes for `wish`: never more grants than
    /// here, never fewer denials.
    #[must_use]
    pub fn attenuate(&self, wish: &Self) -> Self {
        Self { grants: self.grants.meet(&wish.grants), denials: self.denials.join(&wish.denials) }
    }
}

#[cfg(test)]
mod tests;
