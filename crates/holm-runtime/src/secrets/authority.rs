//! Removes secrets from grants and denials. A grant holds URL paths, and the path of a webhook is a
//! secret.
//!
//! Removing must never allow more: a grant that cannot be written with a reference is left out, a
//! denial stays unchanged. Finding secrets is in `secrets/finder.rs`, the other texts of a fact are
//! in `secrets/facts.rs`.

use std::{borrow::Cow, str::FromStr};

use holm_grants::{Denial, DenialSet, Grant, GrantSet};

use super::{CLOSE, DetectionScope, SecretRedactor};

impl SecretRedactor {
    /// Removes secrets from grants. Arguments of calls contain the same references, so a grant
    /// still matches what it was given for. A grant that cannot be written with a reference is left
    /// out: this allows less, never more.
    pub(super) fn grants(&self, grants: &mut GrantSet) {
        let cleaned = grants.iter().map(|grant| self.respelled(grant, sight_for(grant, self.sight)));
        let cleaned: Vec<RedactionResult<Grant>> = cleaned.collect();
        if cleaned.iter().all(|grant| matches!(grant, RedactionResult::Same)) {
            return;
        }
        let kept = grants.iter().zip(cleaned).filter_map(|(grant, cleaned)| match cleaned {
            RedactionResult::Same => Some(grant.clone()),
            RedactionResult::Respelled(grant) => Some(grant),
            RedactionResult::Unwritable => None,
        });
        *grants = kept.collect();
    }

    /// Removes secrets from denials. A denial that cannot be written with a reference stays, so
    /// nothing more is allowed.
    pub(super) fn denials(&self, denials: &mut DenialSet) {
        let cleaned = denials.iter().map(|denial| {
            let sight = match denial {
                Denial::Path(_) => DetectionScope::Known,
                Denial::Grant(grant) => sight_for(grant, self.sight),
            };
            match self.respelled(denial, sight) {
                RedactionResult::Respelled(denial) => denial,
                RedactionResult::Same | RedactionResult::Unwritable => denial.clone(),
            }
        });
        *denials = cleaned.collect();
    }

    fn respelled<T: ToString + FromStr>(&self, text: &T, sight: DetectionScope) -> RedactionResult<T> {
        let text = text.to_string();
        let Cow::Owned(clean) = self.replaced(&text, sight) else { return RedactionResult::Same };
        // A URL path encodes characters outside ASCII differently.
        let encoded = || clean.replace('‹', "%E2%80%B9").replace(CLOSE, "%E2%80%BA").parse();
        clean.parse().or_else(|_| encoded()).map_or(RedactionResult::Unwritable, RedactionResult::Respelled)
    }
}

/// The result of cleaning a grant or a denial.
enum RedactionResult<T> {
    /// There was no secret in it.
    Same,
    Respelled(T),
    Unwritable,
}

/// What to search for in a grant. A path or a name may only look like a key, and a grant for
/// it must still work.
fn sight_for(grant: &Grant, own: DetectionScope) -> DetectionScope {
    match grant {
        Grant::Fetch(_) => own,
        Grant::Read(_)
        | Grant::Write(_)
        | Grant::Env(_)
        | Grant::Exec(_)
        | Grant::Secret(_)
        | Grant::Spawn(_)
        | Grant::Tool(_) => DetectionScope::Known,
    }
}
