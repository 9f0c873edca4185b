//! What a session has that goes on, and the most that an administrator lets it have.

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{
        Budget, Input, NanoUsd,
        journal::{self, Record},
    },
    runtime::{Changes, Journals as _},
    store::Store,
};

/// What a session may do, as its journal says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Has {
    mode: Mode,
    grants: GrantSet,
    budget: Option<NanoUsd>,
}

impl Has {
    /// What a session has; none where it is not there, which whoever resumes it says in better words.
    pub(super) async fn read(store: &Store, session: &str) -> anyhow::Result<Option<Self>> {
        let Ok(text) = store.read(session).await else { return Ok(None) };
        Ok(Some(Self::of(&journal::decode(&text)?.records)))
    }

    fn of(records: &[Record]) -> Self {
        let mut has = Self::default();
        for input in records.iter().filter_map(|record| record.payload().input().ok()) {
            has.hear(&input);
        }
        has
    }

    fn hear(&mut self, input: &Input) {
        match input {
            Input::Started(started) => {
                let config = &started.config;
                (self.mode, self.grants, self.budget) =
                    (config.mode, config.grants.clone(), config.limits.budget.usd);
            }
            Input::ModeChanged(mode) => self.mode = *mode,
            Input::GrantsChanged(grants) => self.grants = grants.clone(),
            Input::BudgetChanged(budget) => self.budget = budget.usd,
            // What people and models said and did changes what a session has done, not what it may do.
            _ => {}
        }
    }
}

/// The most that a policy lets a session have; none of it is no bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Most {
    pub(super) mode: Option<Mode>,
    pub(super) grants: Option<GrantSet>,
    pub(super) budget: Option<NanoUsd>,
}

impl Most {
    /// What is changed of a session: what was given, which is within this already, and what the session has too much.
    pub(super) fn bind(&self, given: Changes, has: &Has) -> Changes {
        let lower = || self.mode.filter(|most| has.mode > *most);
        let met = || self.grants.as_ref().map(|most| narrowed(most, &has.grants));
        let cheaper = || self.budget.filter(|most| has.budget.is_none_or(|had| *most < had));
        Changes {
            mode: given.mode.or_else(lower),
            grants: given.grants.or_else(met),
            budget: given.budget.or_else(|| cheaper().map(|usd| Budget { usd: Some(usd) })),
            mark_rule: given.mark_rule,
        }
    }
}

/// What both give. That a helper may be called is no power: whatever it does is looked at when it does it.
fn narrowed(most: &GrantSet, has: &GrantSet) -> GrantSet {
    let callings = has.iter().filter(|grant| matches!(grant, Grant::Spawn(_))).cloned();
    let mut narrowed = most.meet(has);
    narrowed.extend(callings);
    narrowed
}

#[cfg(test)]
mod tests;
