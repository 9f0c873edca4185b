//! Turns the needs that a call was allowed into the grants that its tool enforces. This is the only
//! place that does so, so that no tool gives more than another.

use holm_grants::{CallNeed, Grant, GrantSet};

/// The grant for a need. Returns `None` if no pattern can spell it, and then nothing is granted.
pub(crate) fn grant(need: &CallNeed) -> Option<Grant> {
    match need {
        CallNeed::Grant(grant) => Some(grant.clone()),
        CallNeed::Request(request) => Grant::exactly(request).ok(),
    }
}

/// The grants for these needs, and nothing beyond them.
pub(crate) fn grants(needs: &[CallNeed]) -> GrantSet {
    needs.iter().filter_map(grant).collect()
}

#[cfg(test)]
mod tests;
