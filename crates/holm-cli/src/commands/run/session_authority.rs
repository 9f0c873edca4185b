//! The current authority of a resumed session, and the ceiling that an administrator's policy sets
//! for it. It only compares and narrows: the ceiling is read from the settings in
//! `resolved_settings.rs`, and what a resumed session keeps is decided in `level_grants.rs`. The
//! kernel decides about calls.

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{Budget, NanoUsd, Run},
    runtime::ResumeChanges,
};

/// The current authority of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SessionAuthority {
    mode: Mode,
    grants: GrantSet,
    budget: Option<NanoUsd>,
}

impl SessionAuthority {
    /// What a session has that is resumed. Its run knows, so nothing is read for it.
    pub(super) fn of(run: &Run) -> Self {
        // The model leaves the plan mode that it entered, and has then what people chose.
        Self { mode: run.chosen_mode(), grants: run.grants().clone(), budget: run.budget().usd }
    }
}

/// The most that a policy allows a session; `None` means no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PolicyCeiling {
    pub(super) mode: Option<Mode>,
    pub(super) grants: Option<GrantSet>,
    pub(super) budget: Option<NanoUsd>,
}

impl PolicyCeiling {
    /// These grants, as far as the ceiling goes.
    pub(super) fn narrow(&self, grants: GrantSet) -> GrantSet {
        match &self.grants {
            Some(most) => narrowed(most, &grants),
            None => grants,
        }
    }

    /// The changes that apply the ceiling: the given ones, which are within it already, and
    /// reductions of what the session has too much.
    pub(super) fn bind(&self, given: ResumeChanges, has: &SessionAuthority) -> ResumeChanges {
        let lower = || self.mode.filter(|most| has.mode > *most);
        let met = || self.grants.as_ref().map(|most| narrowed(most, &has.grants));
        let cheaper = || self.budget.filter(|most| has.budget.is_none_or(|had| *most < had));
        ResumeChanges {
            mode: given.mode.or_else(lower),
            grants: given.grants.or_else(met),
            budget: given.budget.or_else(|| cheaper().map(|usd| Budget { usd: Some(usd) })),
            mark_rule: given.mark_rule,
        }
    }
}

/// The intersection of both. Permission to call a helper is always kept: the calls of the
/// helper are checked themselves.
fn narrowed(most: &GrantSet, has: &GrantSet) -> GrantSet {
    let callings = has.iter().filter(|grant| matches!(grant, Grant::Spawn(_))).cloned();
    let mut narrowed = most.meet(has);
    narrowed.extend(callings);
    narrowed
}

#[cfg(test)]
mod tests;
