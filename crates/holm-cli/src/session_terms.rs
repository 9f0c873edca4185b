//! The terms of a session: what the person gave it, what it has because the person trusts its
//! folder, and what it may never do. They are stored beside the session (`session_sidecar.rs`) and
//! bind it when it is resumed or forked, in a terminal, a chat, an editor or a server.
//!
//! The two origins are kept apart because only one of them lasts: what came from the level of the
//! folder ends with the level, also where a policy or a project had narrowed it.

use holm::{
    grants::{Grant, GrantSet, Mode},
    kernel::NanoUsd,
};
use holm_config::ConfigSettings;
use holm_tools::shell::CommandRule;

use crate::folder_trust::TrustLevel;

/// The terms of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SessionTerms {
    /// The grants that the person gave, by flags, settings or in a chat.
    pub(crate) granted: Vec<Grant>,
    pub(crate) level: LevelTerms,
    /// The commands that it never runs.
    pub(crate) denied: Vec<CommandRule>,
    /// The budget that a server gives each of its sessions.
    pub(crate) server_budget: Option<NanoUsd>,
}

/// What a session has by the trust level of its folder alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LevelTerms {
    pub(crate) grants: Vec<Grant>,
    /// Its mode, if the level decided it.
    pub(crate) mode: Option<Mode>,
}

/// What is known of the past of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum PastTerms {
    /// The session is new and has none.
    #[default]
    None,
    Known(Box<SessionTerms>),
    /// It has a past, and nothing is stored beside it. Then it has at most what a new session has.
    Lost,
}

impl SessionTerms {
    /// The terms of a new session: `settled` are its settings, and `bare` the same without the level
    /// of the folder.
    pub(crate) fn of_settings(settled: &ConfigSettings, bare: &ConfigSettings) -> Self {
        let grants = |settings: &ConfigSettings| -> Vec<Grant> {
            settings.grants.iter().flatten().map(|grant| grant.value.clone()).collect()
        };
        let mode = |settings: &ConfigSettings| settings.mode.as_ref().map(|mode| mode.value);
        let granted = grants(bare);
        let given = set(&granted);
        let by_level = grants(settled).into_iter().filter(|grant| !given.contains(grant)).collect();
        let level = LevelTerms {
            grants: by_level,
            mode: mode(settled).filter(|mode_now| mode(bare) != Some(*mode_now)),
        };
        Self { granted, level, ..Self::default() }
    }

    /// Everything that these terms give.
    pub(crate) fn grants(&self) -> GrantSet {
        self.granted.iter().chain(&self.level.grants).cloned().collect()
    }

    /// The grants of a session with these terms that it still has, if a new session had `now`. What
    /// neither the person nor the level is known to have given was given later, and stays.
    pub(crate) fn narrowed(&self, has: &GrantSet, now: &Self) -> GrantSet {
        let (given, by_level, now) = (set(&self.granted), set(&self.level.grants), now.grants());
        let mut kept = GrantSet::default();
        for grant in has.iter() {
            if given.contains(grant) || !by_level.contains(grant) || now.contains(grant) {
                kept.extend([grant.clone()]);
            } else {
                // The present level may give a part of it.
                kept.extend(now.iter().filter(|part| grant.contains(part)).cloned());
            }
        }
        kept
    }

    /// Of the grants by the level, those that a new session with the terms `now` has too.
    pub(crate) fn kept_level(&self, now: &Self) -> Vec<Grant> {
        let now = now.grants();
        self.level.grants.iter().filter(|grant| now.contains(grant)).cloned().collect()
    }

    /// The mode to which a session is lowered: it has its mode by a level, and a new session would
    /// have a lower one.
    pub(crate) fn lowered_mode(&self, has: Mode, usual: Mode) -> Option<Mode> {
        (self.level.mode == Some(has) && usual < has).then_some(usual)
    }

    /// Denies these commands too.
    pub(crate) fn deny(&mut self, denied: impl IntoIterator<Item = CommandRule>) {
        self.denied.extend(denied);
        self.denied.sort();
        self.denied.dedup();
    }

    /// The person chose this level in a chat: it takes the place of every level before it.
    pub(crate) fn trust(&mut self, level: TrustLevel, mode: Mode) {
        let levels = set(&TrustLevel::Jail.grants());
        self.granted.retain(|grant| !levels.iter().any(|known| known == grant));
        self.level = LevelTerms { grants: level.grants(), mode: Some(mode) };
    }
}

impl PastTerms {
    /// The terms, if they are known.
    pub(crate) fn known(&self) -> Option<&SessionTerms> {
        match self {
            Self::Known(terms) => Some(terms),
            Self::None | Self::Lost => None,
        }
    }
}

fn set(grants: &[Grant]) -> GrantSet {
    grants.iter().cloned().collect()
}

#[cfg(test)]
mod tests;
