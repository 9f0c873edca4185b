//! Turns the needs that a call was allowed into the policy of its sandbox.

use holm_grants::{AccessRequest, CallNeed, DenialSet, GrantKind, GrantPolicy};
use holm_runtime::SecretRedactor;

use crate::authority;

/// The policy of one call: exactly its allowed needs, and the denials that apply to all calls.
pub(super) fn of(needs: &[CallNeed], denials: &DenialSet) -> GrantPolicy {
    GrantPolicy { grants: authority::grants(needs), denials: denials.clone() }
}

/// The environment variables that a policy lets pass. A value that is a known secret stays out:
/// secrets have a way of their own.
pub(super) fn environment<'a>(
    policy: &GrantPolicy,
    all: &'a [(String, String)],
    secrets: &SecretRedactor,
) -> Vec<(&'a str, &'a str)> {
    if !policy.grants.iter().any(|grant| grant.kind() == GrantKind::Env) {
        return Vec::new();
    }
    let passes = |name: &str| {
        let request = AccessRequest::new(GrantKind::Env, name);
        request
            .is_ok_and(|request| matches!(policy.decide(&request), holm_grants::PolicyDecision::Granted(_)))
    };
    let passing = all.iter().filter(|(name, value)| passes(name) && !secrets.finds(value));
    passing.map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
