//! The policy of a call, together with the directories that it has already opened.
//!
//! It is made once and used for many calls. It opens directories and decides about paths as texts;
//! operations on files are in `files/guest_files.rs`. What a grant contains is decided in
//! `holm-grants`. An absolute grant is opened without following a link, because a model may have
//! chosen its text. An opened directory gives no right by itself.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holm_grants::{AccessRequest, DenialSet, FilePath, Grant, GrantPolicy, PolicyDecision};
use rustix::fs::{CWD, Mode, OFlags, openat};
use thiserror::Error;
use wasmtime_wasi::filesystem::Dir;
use wasmtime_wasi::{FsPerms, OpenMode};

use super::open_beneath;

/// A policy together with handles of the directories that it speaks of. Made once,
/// used for many calls.
///
/// Relative grants are about the workspace, which the guest sees as `/`. An absolute grant, such
/// as `read:/usr/share/**`, opens the directory that its literal part names, under that name. No
/// link may lie on the way: a grant is about the place that its text names, even if another
/// process has since put a link there. A handle opens nothing by itself: the policy decides about
/// each path beneath it.
///
/// ```
/// use holm_grants::{GrantSet, GrantPolicy};
/// use holm_sandbox::GuestAccess;
/// let policy = GrantPolicy { grants: GrantSet::parse(["read:src/**"])?, ..GrantPolicy::default() };
/// let access = GuestAccess::open(policy, Some(std::path::Path::new(env!("CARGO_MANIFEST_DIR"))))?;
/// assert_eq!(access.policy().grants.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct GuestAccess {
    policy: Arc<GrantPolicy>,
    /// Denials in addition to those of the policy.
    denied: Arc<DenialSet>,
    /// Not a slice: all empty slices share one reference count, and all threads would update
    /// it in one place.
    roots: Arc<Vec<RootDirectory>>,
}

pub(super) struct RootDirectory {
    /// The guest's name for it.
    pub(super) guest: String,
    /// The prefix of the policy's paths beneath it: empty for the workspace,
    /// else the absolute path.
    pub(super) base: String,
    pub(super) dir: Arc<File>,
    /// The same handle as a component is given it: made once, because it cannot be made
    /// without a second one.
    given: Dir,
}

impl RootDirectory {
    fn new(guest: String, base: String, dir: File) -> Self {
        let given = directory(dir);
        Self { guest, base, dir: Arc::clone(&given.dir), given }
    }
}

impl std::fmt::Debug for RootDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RootDirectory")
            .field("guest", &self.guest)
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

/// A directory in wasmtime's form. Its own permissions do not matter: the policy
/// decides about each path.
pub(crate) fn directory(dir: File) -> Dir {
    Dir::new(dir, FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE, true)
}

/// Why a directory could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot open the workspace {path}: {reason}")]
pub struct AccessError {
    pub path: PathBuf,
    pub reason: String,
}

impl GuestAccess {
    /// No power at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Opens the directories that the policy's grants name.
    ///
    /// A directory of an absolute grant that is not there, or is reached by a link, is left out:
    /// the grant then admits nothing.
    ///
    /// # Errors
    ///
    /// If there is a relative grant and the workspace cannot be opened.
    pub fn open(policy: GrantPolicy, workspace: Option<&Path>) -> Result<Self, AccessError> {
        let texts: Vec<String> = policy
            .grants
            .iter()
            .filter_map(|grant| match grant {
                Grant::Read(pattern) | Grant::Write(pattern) => Some(pattern.to_string()),
                _ => None,
            })
            .collect();
        let mut roots = Vec::new();
        for base in absolute_bases(&texts) {
            if let Ok(dir) = open_straight(&base) {
                roots.push(RootDirectory::new(base.clone(), base, dir));
            }
        }
        if let Some(path) = workspace.filter(|_| texts.iter().any(|text| !text.starts_with('/'))) {
            let dir = open_dir(path)
                .map_err(|error| AccessError { path: path.to_owned(), reason: error.to_string() })?;
            // Both names mean the start of everything to a guest's library; they must only not be
            // equal.
            let taken = roots.iter().any(|root| root.guest == "/");
            let guest = if taken { "." } else { "/" };
            roots.insert(0, RootDirectory::new(guest.to_owned(), String::new(), dir));
        }
        Ok(Self { policy: Arc::new(policy), denied: Arc::default(), roots: Arc::new(roots) })
    }

    /// The same access without these files, even if the policy grants them. Shared, because long
    /// lists are the same for many calls.
    #[must_use]
    pub fn without(mut self, denied: Arc<DenialSet>) -> Self {
        self.denied = denied;
        self
    }

    /// Decides a request about a file.
    pub(super) fn decide(&self, request: &AccessRequest) -> PolicyDecision<'_> {
        match self.denied.hitting(request) {
            Some(denial) => PolicyDecision::Denied(denial),
            None => self.policy.decide(request),
        }
    }

    /// Whether a grant names, without wildcards, a writable file beneath this directory, and the
    /// directory is not denied. Then the directory may be created if it is missing: the file could
    /// not exist without it.
    pub(super) fn leads_to_written(&self, dir: &FilePath) -> bool {
        self.leads_to(dir, |grant| matches!(grant, Grant::Write(_)))
    }

    /// The same for a file that may be read or written. That there is such a directory
    /// is then no secret.
    pub(super) fn leads_to_granted(&self, dir: &FilePath) -> bool {
        self.leads_to(dir, |grant| matches!(grant, Grant::Read(_) | Grant::Write(_)))
    }

    fn leads_to(&self, dir: &FilePath, counts: impl Fn(&Grant) -> bool) -> bool {
        let dir_text = dir.to_string();
        let is_name = |text: &str| !text.contains(['*', '[']) && !text.ends_with('/');
        let beneath = |file: &str| file.strip_prefix(&dir_text).is_some_and(|rest| rest.starts_with('/'));
        let leads = self.policy.grants.iter().filter(|grant| counts(grant)).any(|grant| match grant {
            Grant::Read(pattern) | Grant::Write(pattern) => {
                let text = pattern.to_string();
                is_name(&text) && beneath(&text)
            }
            _ => false,
        });
        leads && !matches!(self.decide(&AccessRequest::Write(dir.clone())), PolicyDecision::Denied(_))
    }

    /// The policy that decides.
    #[must_use]
    pub fn policy(&self) -> &GrantPolicy {
        &self.policy
    }

    pub(crate) fn shared_policy(&self) -> Arc<GrantPolicy> {
        Arc::clone(&self.policy)
    }

    pub(super) fn root(&self, index: usize) -> Option<&RootDirectory> {
        self.roots.get(index)
    }

    /// The guest's name for each directory, in order.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.roots.iter().map(|root| root.guest.as_str())
    }

    pub(crate) fn dir(&self, index: usize) -> Option<&Arc<File>> {
        self.roots.get(index).map(|root| &root.dir)
    }

    /// Each directory as a component gets it, with the guest's name for it.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&Dir, &str)> {
        self.roots.iter().map(|root| (&root.given, root.guest.as_str()))
    }
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a path that the caller named; links in it are the caller's own.
fn open_dir(path: &Path) -> std::io::Result<File> {
    Ok(File::from(openat(CWD, path, DIRECTORY, Mode::empty())?))
}

/// Opens the path of a grant, which must not lead through a link: a model may have chosen it.
fn open_straight(path: &str) -> std::io::Result<File> {
    let top = open_dir(Path::new("/"))?;
    let below = path.trim_start_matches('/');
    Ok(File::from(open_beneath::open(
        &top,
        if below.is_empty() { "." } else { below },
        DIRECTORY,
        Mode::empty(),
    )?))
}

/// The literal directories of the absolute patterns, without those inside another one.
fn absolute_bases(texts: &[String]) -> Vec<String> {
    let mut bases: Vec<String> =
        texts.iter().filter(|text| text.starts_with('/')).map(|text| literal_part(text)).collect();
    bases.sort();
    bases.dedup();
    let all = bases.clone();
    let beneath = |base: &str, other: &str| {
        other != base && (other == "/" || base.strip_prefix(other).is_some_and(|rest| rest.starts_with('/')))
    };
    bases.retain(|base| !all.iter().any(|other| beneath(base, other)));
    bases
}

/// The directory that a pattern certainly lies in: the part before the first wildcard, or
/// before the last name.
fn literal_part(pattern: &str) -> String {
    let literal = |name: &&str| !name.contains(['*', '[']);
    let names: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
    let mut fixed = names.iter().copied().take_while(literal).count();
    if fixed == names.len() && !pattern.ends_with('/') {
        fixed = fixed.saturating_sub(1);
    }
    let path = names.get(..fixed).unwrap_or_default().join("/");
    format!("/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(patterns: &[&str], bases: &[&str]) {
        let texts: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
        assert_eq!(absolute_bases(&texts), bases, "{patterns:?}");
    }

    #[test]
    fn an_absolute_grant_opens_its_literal_directory() {
        check(&["src/**", "**"], &[]);
        check(&["/usr/share/"], &["/usr/share"]);
        check(&["/usr/share/**"], &["/usr/share"]);
        check(&["/etc/hosts"], &["/etc"]);
        check(&["/data/*.csv"], &["/data"]);
        check(&["/data/a[*]b/c"], &["/data"]);
        check(&["/data/x/**", "/data/**", "/database/"], &["/data", "/database"]);
        check(&["/**", "/data/"], &["/"]);
        check(&["/x"], &["/"]);
    }
}
