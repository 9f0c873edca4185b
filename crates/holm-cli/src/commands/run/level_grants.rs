//! What a resumed or forked session keeps of its terms (`session_terms.rs`), at a terminal and in a
//! server. It keeps what it has, without what the user no longer trusts its folder with, and never
//! runs what it was forbidden. Without known terms it has at most what a new session here has.
//!
//! The flags of a command are new words of the user, so they replace what the session has. The
//! flags of a server stand for every session: they raise no budget that a session has of its own,
//! and give nothing to a session whose terms are lost.
//!
//! A policy's ceiling is applied in `session_authority.rs`, and the levels of folders are stored in
//! `folder_trust.rs`.

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::{Budget, Config, MarkRule, NanoUsd, Run},
    runtime::ResumeChanges,
};

use super::{FlagScope, PolicyCeiling, RunArgs, SessionAuthority};
use crate::{
    folder_trust::TrustLevel,
    session_terms::{LevelTerms, PastTerms, SessionTerms},
};

impl RunArgs {
    /// For a session with this past. The settings must already be applied.
    pub(crate) fn with_past(mut self, past: PastTerms) -> Self {
        self.settled.past = past;
        let denied = self.terms().denied;
        self.deny_command = denied;
        self
    }

    /// The terms of the session, to be stored beside it.
    pub(crate) fn terms(&self) -> SessionTerms {
        let usual = &self.settled.usual;
        let mut terms = match &self.settled.past {
            PastTerms::None | PastTerms::Lost => usual.clone(),
            PastTerms::Known(known) => self.continued(known, usual),
        };
        terms.server_budget = usual.server_budget;
        terms.deny(self.deny_command.iter().cloned());
        terms
    }

    fn continued(&self, known: &SessionTerms, usual: &SessionTerms) -> SessionTerms {
        let mut level = LevelTerms { grants: known.kept_level(usual), mode: known.level.mode };
        if level.mode.is_some_and(|mode| self.settled.usual_mode < mode) {
            level.mode = Some(self.settled.usual_mode);
        }
        if self.mode.is_some() {
            level.mode = None;
        }
        let is_replaced = self.has_grant_flags() && !self.is_served();
        let granted = if is_replaced { Vec::new() } else { known.granted.clone() };
        let mut terms = SessionTerms { granted, level, ..known.clone() };
        if is_replaced {
            terms.level.grants.clear();
        }
        let new: Vec<Grant> =
            self.grant.iter().filter(|grant| !terms.granted.contains(grant)).cloned().collect();
        terms.granted.extend(new);
        terms
    }

    /// Whether flags say what is granted.
    pub(super) fn has_grant_flags(&self) -> bool {
        self.trust.is_some() || !self.grant.is_empty()
    }

    /// Whether the session of a server goes on: the flags are those of every session.
    fn is_served(&self) -> bool {
        self.settled.flags == FlagScope::EverySession
    }

    /// The grants of a resumed session, if they change.
    pub(super) fn resumed_grants(&self, made: &Config, run: &Run) -> Option<GrantSet> {
        let is_strict = self.is_served() && self.settled.past == PastTerms::Lost;
        if self.has_grant_flags() && !is_strict {
            return Some(self.with_kept(made, run));
        }
        self.narrowed_grants(run)
    }

    /// The grants of a session without those that it loses, within the ceiling. `None` means that the
    /// session loses no grant.
    pub(super) fn narrowed_grants(&self, run: &Run) -> Option<GrantSet> {
        let (has, usual) = (run.grants(), &self.settled.usual);
        let narrowed = match &self.settled.past {
            PastTerms::None => has.clone(),
            PastTerms::Known(known) => known.narrowed(has, usual),
            PastTerms::Lost => {
                let callings = has.iter().filter(|grant| matches!(grant, Grant::Spawn(_))).cloned();
                has.meet(&usual.grants()).iter().cloned().chain(callings).collect()
            }
        };
        let jailed = if self.unconfined { TrustLevel::command_tools() } else { Vec::new() };
        let is_kept = |grant: &&Grant| !jailed.contains(grant) || self.grant.contains(grant);
        let kept: GrantSet = narrowed.iter().filter(is_kept).cloned().collect();
        let kept = self.settled.most.iter().fold(kept, |kept, most| most.narrow(kept));
        (kept != *has).then_some(kept)
    }

    /// The mode to which a resumed session is lowered.
    pub(super) fn lowered_mode(&self, run: &Run) -> Option<Mode> {
        let (has, usual) = (run.chosen_mode(), self.settled.usual_mode);
        match &self.settled.past {
            PastTerms::None => None,
            PastTerms::Known(known) => known.lowered_mode(has, usual),
            PastTerms::Lost => (usual < has).then_some(usual),
        }
    }

    /// The budget of a session that goes on, if flags say one.
    pub(super) fn resumed_budget(&self, run: &Run) -> Option<Budget> {
        let flag = self.budget?;
        if !self.is_served() {
            return Some(Budget { usd: Some(flag) });
        }
        let own = self.settled.own_budget.map_or(run.budget().usd, |own| own.usd);
        let began = self.settled.past.known().and_then(|known| known.server_budget);
        Some(Budget { usd: Some(served_budget(flag, own, began)) })
    }

    /// The grants of the flags, with those by the level that a resumed session of a server
    /// keeps beside the first.
    fn with_kept(&self, made: &Config, run: &Run) -> GrantSet {
        let most = self.settled.most.as_ref().and_then(|most| most.grants.as_ref());
        let is_kept = |grant: &Grant| {
            run.grants().iter().any(|own| own == grant) && most.is_none_or(|most| most.contains(grant))
        };
        let known = self.settled.past.known().filter(|_| self.is_served());
        let kept = known.map(|known| known.kept_level(&self.settled.usual)).unwrap_or_default();
        let mut grants = made.grants.clone();
        grants.extend(kept.into_iter().filter(is_kept));
        grants
    }

    /// The changes to a fork that a server makes: it has what its session had there, without what
    /// the session lost since, and without what the folder is no longer trusted with.
    pub(crate) fn fork_changes(&self, run: &Run, now: &PresentAuthority) -> ResumeChanges {
        let (has, mark_rule) = (SessionAuthority::of(run), Some(MarkRule::AskAfterAny));
        let grants = now.0.narrow(self.narrowed_grants(run).unwrap_or_else(|| run.grants().clone()));
        let within = |budget: Budget| Budget { usd: budget.usd.into_iter().chain(now.0.budget).min() };
        let given = ResumeChanges {
            mode: self.lowered_mode(run).map(|mode| now.0.mode.map_or(mode, |most| most.min(mode))),
            grants: (grants != *run.grants()).then_some(grants),
            budget: self.resumed_budget(run).map(within),
            mark_rule,
        };
        let given = now.0.bind(given, &has);
        match &self.settled.most {
            Some(most) => most.bind(given, &has),
            None => given,
        }
    }
}

/// What a session has at its end: no fork of an earlier record has more.
pub(crate) struct PresentAuthority(PolicyCeiling);

impl PresentAuthority {
    pub(crate) fn of(run: &Run) -> Self {
        let grants = Some(run.grants().clone());
        Self(PolicyCeiling { mode: Some(run.chosen_mode()), grants, budget: run.budget().usd })
    }
}

/// The budget of a session that a server resumes, if `flag` is that of the server. A session that
/// has its own keeps it; one that began with the server's follows that.
fn served_budget(flag: NanoUsd, own: Option<NanoUsd>, began: Option<NanoUsd>) -> NanoUsd {
    match own {
        Some(own) if Some(own) == began => flag,
        Some(own) => own.min(flag),
        None => flag,
    }
}

#[cfg(test)]
mod tests;
