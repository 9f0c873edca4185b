//! The grants that sessions have by the level of their folder (`folder_trust.rs`), in particular
//! sessions of a server that are resumed or forked. They keep what they have, without what the user
//! no longer trusts the folder with. Nothing here gives a session a grant that it did not have.

use holm::{
    grants::{Grant, GrantSet},
    kernel::{Config, MarkRule, Run},
    runtime::ResumeChanges,
};

use super::{RunArgs, SessionAuthority};
use crate::{
    exit::CommandError, folder_trust::TrustLevel, holm_paths::HolmPaths, session_sidecar::SessionSidecar,
};

impl RunArgs {
    /// The grants that a new session has by the level of the folder.
    pub(crate) fn level_grants(&self, places: &HolmPaths) -> Vec<Grant> {
        match (self.trust, self.unconfined) {
            // The flag takes the place of the level.
            (Some(_), _) => Vec::new(),
            (None, true) => places.folder_access.unconfined().grants(),
            (None, false) => places.folder_access.grants(),
        }
    }

    /// For a session of a server that is resumed or forked: of the grants that it has by the level
    /// of the folder, it keeps those that the present level gives too.
    ///
    /// # Errors
    /// If what is stored beside the session cannot be read.
    pub(crate) fn keeping_level_of(
        mut self,
        session: &str,
        places: &HolmPaths,
    ) -> Result<Self, CommandError> {
        let now = self.level_grants(places);
        let known = SessionSidecar::of(places, session)?.map(|known| known.level_grants);
        let (kept, mut revoked): (Vec<Grant>, Vec<Grant>) =
            known.unwrap_or_default().into_iter().partition(|grant| now.contains(grant));
        if self.unconfined {
            revoked.extend(TrustLevel::command_tools());
        }
        revoked.retain(|grant| !self.grant.contains(grant));
        (self.settled.kept, self.settled.revoked) = (kept, revoked);
        Ok(self)
    }

    /// The grants that a session keeps by the level
    /// of the folder; see [`keeping_level_of`](Self::keeping_level_of).
    pub(crate) fn kept_level_grants(&self) -> &[Grant] {
        &self.settled.kept
    }

    /// The grants of the flags, and those that a resumed session of a server keeps beside them.
    pub(super) fn with_kept(&self, made: &Config, run: &Run) -> GrantSet {
        let most = self.settled.most.as_ref().and_then(|most| most.grants.as_ref());
        let is_kept = |grant: &&Grant| {
            run.grants().iter().any(|own| own == *grant) && most.is_none_or(|most| most.contains(grant))
        };
        let mut grants = made.grants.clone();
        grants.extend(self.settled.kept.iter().filter(is_kept).cloned());
        grants
    }

    /// The changes to a fork that a server makes: it has what its session had, without what the
    /// folder is no longer trusted with, and within the ceiling.
    pub(crate) fn fork_changes(&self, run: &Run) -> ResumeChanges {
        let (grants, mark_rule) = (self.without_revoked(run), Some(MarkRule::AskAfterAny));
        let given = ResumeChanges { grants, mark_rule, ..ResumeChanges::default() };
        match &self.settled.most {
            Some(most) => most.bind(given, &SessionAuthority::of(run)),
            None => given,
        }
    }
}
