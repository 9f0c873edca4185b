//! Turns the needs that a call was allowed into the grants that its tool enforces. This is the only
//! place that does so, so that no tool gives more than another.

use holm_grants::{Grant, GrantSet, Need};

/// The grant that a need amounts to; none where no pattern can spell it, and then nothing is given.
pub(crate) fn grant(need: &Need) -> Option<Grant> {
    match need {
        Need::Grant(grant) => Some(grant.clone()),
        Need::Request(request) => Grant::exactly(request).ok(),
    }
}

/// Everything that these needs amount to, and nothing beyond it.
pub(crate) fn grants(needs: &[Need]) -> GrantSet {
    needs.iter().filter_map(grant).collect()
}

#[cfg(test)]
mod tests;
