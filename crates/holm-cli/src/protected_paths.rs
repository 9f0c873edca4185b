//! Protects files in the workspace that no tool may write: files that Holm obeys, and code that it
//! starts because the user said so. A tool that changed them could disable the guards of a run, or
//! use permissions that were given to others.
//!
//! It only collects the paths. File tools enforce them in `holm-tools/src/root/`, commands in
//! `holm-tools/src/shell/`, and WASM tools through `tool_sources.rs`. Names that are always
//! protected are in `holm-tools/src/root/deny_rules.rs`. Scripts stay protected even if the file
//! that named them has changed since it was trusted.

use std::{collections::BTreeSet, path::PathBuf};

use holm::grants::{AccessRequest, Denial, DenialSet, Grant, GrantKind, GrantSet};
use holm_tools::{
    hooks::HookTrustSource,
    root::{DenyRules, LiveGrants, ProtectionLevel, SeenFiles, WorkspaceRoot, WorkspaceRootError},
    trust::{TrustLedger, TrustStatus, place},
};

use crate::{holm_paths::HolmPaths, hooks::HookOwner, mcp_entries::McpEntryFile};

/// Files that tools may read but not write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProtectedPaths {
    files: BTreeSet<PathBuf>,
    /// The user's grants: a grant that names a file which everyday tools run opens that file.
    granted: GrantSet,
    /// The grants that the user gives later. They open files to the file tools.
    live: LiveGrants,
    /// What the file tools have shown to the model; the questions about calls know it too.
    seen: SeenFiles,
}

impl ProtectedPaths {
    /// Protects the effective settings, the scripts of trusted hooks, and the files
    /// that servers start with.
    pub(crate) fn find(places: &HolmPaths) -> Self {
        let found = places.found();
        let policies = found.policies.into_iter().map(|(path, _)| path);
        let projects = found.project.into_iter().chain(found.above);
        let settings = found.user.into_iter().chain(projects).chain(policies);
        let files = settings.filter_map(|path| path.canonicalize().ok());
        let servers = McpEntryFile::admitted(places).flat_map(|entry| entry.files(&places.work, places));
        let files = files.chain(scripts(places)).chain(servers).collect();
        Self { files, ..Self::default() }
    }

    /// With what the user granted.
    pub(crate) fn granted<'a>(mut self, grants: impl IntoIterator<Item = &'a Grant>) -> Self {
        self.granted.extend(grants.into_iter().cloned());
        self
    }

    /// Opens what later grants name; clones share them.
    pub(crate) fn live(&self) -> LiveGrants {
        self.live.clone()
    }

    /// Adds files to the protected ones.
    pub(crate) fn and(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        self.files.extend(files.into_iter().filter_map(|path| path.canonicalize().ok()));
        self
    }

    /// The root, with these files kept from being written.
    pub(crate) fn over(&self, root: WorkspaceRoot) -> Result<WorkspaceRoot, WorkspaceRootError> {
        let root = root.naming(&self.granted).heeding(self.live.clone()).remembering(self.seen.clone());
        self.files.iter().try_fold(root, |root, path| root.protect(path, ProtectionLevel::Writes))
    }

    /// The rules for commands: the usual ones, and these files by the paths at which they really lie.
    pub(crate) fn of_commands(&self) -> DenialSet {
        let mut denials = DenyRules::usual().naming(&self.granted).for_commands();
        for path in &self.files {
            let Ok(request) = AccessRequest::new(GrantKind::Write, &path.to_string_lossy()) else { continue };
            let Ok(grant) = Grant::exactly(&request) else { continue };
            denials.insert(Denial::Grant(grant));
        }
        denials
    }
}

/// The trusted scripts that hooks or server entries name. This includes scripts that were trusted
/// with a file that has changed since.
fn scripts(places: &HolmPaths) -> Vec<PathBuf> {
    let Ok(ledger) = TrustLedger::open(places.trust()) else { return Vec::new() };
    let mut scripts = Vec::new();
    for owner in HookOwner::ALL {
        let Ok(Some(file)) = owner.read(places) else { continue };
        scripts.extend(ledger.along(file.path()).map(std::path::Path::to_owned));
        let is_own = owner.vouches(&file) == HookTrustSource::ByOwner;
        let is_trusted = is_own || file.standing(&ledger) == TrustStatus::Trusted;
        if is_trusted {
            scripts.extend(file.kept(&ledger));
        }
    }
    for entry in McpEntryFile::all(places) {
        let Ok(lead) = place(&places.work, &entry.path) else { continue };
        scripts.extend(ledger.along(&lead).map(std::path::Path::to_owned));
    }
    scripts
}

#[cfg(test)]
mod tests;
