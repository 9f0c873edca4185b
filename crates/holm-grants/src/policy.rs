//! Grants and denials together: the one place that tells allowed, denied and missing apart.

use core::net::IpAddr;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::denial::{Denial, Denials};
use crate::grant::Grant;
use crate::net::{Host, Url};
use crate::request::Request;
use crate::set::{GrantSet, Unreachable};
use crate::template::Need;

/// What a holder may do, and what no grant can allow it. A denial is final.
///
/// ```
/// use holm_grants::{Decision, Denials, GrantSet, Policy};
/// let policy = Policy {
///     grants: GrantSet::parse(["read:**"])?,
///     denials: Denials::parse(["path:**/.env"])?,
/// };
/// assert!(matches!(policy.decide(&"read:src/lib.rs".parse()?), Decision::Granted(_)));
/// assert!(matches!(policy.decide(&"read:app/.env".parse()?), Decision::Denied(_)));
/// assert_eq!(policy.decide(&"write:src/lib.rs".parse()?), Decision::Missing);
/// # Ok::<(), holm_grants::GrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
pub struct Policy {
    #[serde(default)]
    pub grants: GrantSet,
    /// What may not be done, even if a grant allows it.
    #[serde(default, skip_serializing_if = "Denials::is_empty")]
    pub denials: Denials,
}

/// The decision of a policy about one request or need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'a> {
    /// This grant lets it pass.
    Granted(&'a Grant),
    /// This denial refuses it without asking the user.
    Denied(&'a Denial),
    /// No grant lets it pass; a person may add one.
    Missing,
}

impl Policy {
    /// Decides about one request.
    #[must_use]
    pub fn decide(&self, request: &Request) -> Decision<'_> {
        match (self.denials.hitting(request), self.grants.admitting(request)) {
            (Some(denial), _) => Decision::Denied(denial),
            (None, Some(grant)) => Decision::Granted(grant),
            (None, None) => Decision::Missing,
        }
    }

    /// Decides about one need of a tool.
    ///
    /// A need for a whole pattern, such as a search beneath a folder, is denied only if all of it
    /// is denied; the tool asks [`Self::decide`] about each file that it then meets.
    #[must_use]
    pub fn decide_need(&self, need: &Need) -> Decision<'_> {
        let grant = match need {
            Need::Request(request) => return self.decide(request),
            Need::Grant(grant) => grant,
        };
        match (self.denials.covering(grant), self.grants.containing(grant)) {
            (Some(denial), _) => Decision::Denied(denial),
            (None, Some(grant)) => Decision::Granted(grant),
            (None, None) => Decision::Missing,
        }
    }

    /// Whether a connection for `url` may go to `ip`; see [`GrantSet::reach`]. A denied address is
    /// denied under every name.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn reach(&self, url: &Url, ip: IpAddr) -> Result<(), Unreachable> {
        let named = Request::Fetch(url.clone());
        let addressed = Request::Fetch(url.at(Host::Address(ip)));
        if self.denials.hitting(&named).or(self.denials.hitting(&addressed)).is_some() {
            return Err(Unreachable::Denied);
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
