//! Grants that the user gives while tools are in use. The rules in `deny_rules.rs` heed them from
//! then on, as if they had been given at the start.

use std::sync::{Arc, PoisonError, RwLock};

use holm_grants::{FilePath, Grant, PathPattern};

/// Names files that everyday tools run, so that they may be written. Clones share the names.
#[derive(Debug, Clone, Default)]
pub struct LiveGrants(Arc<RwLock<Vec<PathPattern>>>);

impl LiveGrants {
    /// Adds what this grant names. See [`DenyRules::naming`](super::DenyRules::naming).
    pub fn add(&self, grant: &Grant) {
        if let Grant::Write(pattern) = grant {
            self.0.write().unwrap_or_else(PoisonError::into_inner).push(pattern.clone());
        }
    }

    /// Whether one of the patterns for which `is_name` holds admits this path.
    pub(super) fn admit(&self, path: &FilePath, is_name: impl Fn(&PathPattern) -> bool) -> bool {
        let patterns = self.0.read().unwrap_or_else(PoisonError::into_inner);
        patterns.iter().any(|pattern| is_name(pattern) && pattern.admits(path))
    }

    fn patterns(&self) -> Vec<PathPattern> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Equal if they name the same now.
impl PartialEq for LiveGrants {
    fn eq(&self, other: &Self) -> bool {
        self.patterns() == other.patterns()
    }
}

impl Eq for LiveGrants {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::WorkspaceRoot;

    #[test]
    fn a_later_grant_opens_a_file_only_if_it_names_it() {
        let (folder, live) = (tempfile::tempdir().expect("a folder"), LiveGrants::default());
        let root = WorkspaceRoot::open(folder.path()).expect("a root").heeding(live.clone());
        let need = "write:.vscode/tasks.json".parse().expect("a need");
        let refused = root.check(&need).expect_err("it is protected").to_string();
        assert!(refused.ends_with("in the chat: /grant write:.vscode/**"), "{refused}");
        live.add(&"write:**".parse().expect("a grant"));
        assert!(root.check(&need).is_err());
        live.add(&"write:.vscode/**".parse().expect("a grant"));
        assert_eq!(root.check(&need), Ok(()));
        assert!(root.check(&"write:.holm/x".parse().expect("a need")).is_err());
    }
}
