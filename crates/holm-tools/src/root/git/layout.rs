//! Decides whether a folder is the inside of a git repository, under any name, and finds the
//! repository of a work tree.
//!
//! Git runs programs that its configuration names. A repository need not be called `.git`: a bare
//! one can lie anywhere, and git finds it when it is started there. So no tool writes into a folder
//! that git would take for a repository.
//!
//! It reads no configuration: `config.rs` and `named_paths.rs` do. Paths are compared by name here,
//! so links are not resolved.

use std::os::fd::AsFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, statat};

use crate::plain_files::read_plain_within;

/// The longest file that says where a git folder is.
const MAX_POINTER_BYTES: u64 = 8 * 1024;

/// Names that git looks for in a repository.
const PARTS: [&str; 11] = [
    "branches",
    "commondir",
    "config",
    "config.worktree",
    "hooks",
    "info",
    "modules",
    "objects",
    "refs",
    "remotes",
    "worktrees",
];

/// Whether an entry of this name would be a part of a repository, because the folder has a `HEAD`. A
/// command may have made that file: its check found nothing to run there, and does not look again after
/// a write of a tool. Guests have the same rule (`holm-sandbox/src/files/repository_parts.rs`).
pub(crate) fn is_part(folder: impl AsFd, name: &str) -> bool {
    PARTS.iter().any(|part| name.eq_ignore_ascii_case(part))
        && statat(folder, "HEAD", AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) != FileType::Directory)
}

/// Whether git would take the folder for a repository, or for a work tree's part of one.
pub(crate) fn is_inside(folder: impl AsFd) -> bool {
    let has = |name: &str| statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// Whether this is the name by which git looks for a repository, also on a file
/// system that ignores case.
pub(crate) fn is_named_git(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// The git folder of one work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitFolder {
    /// Where paths in its configuration start.
    pub(crate) work_tree: PathBuf,
    /// The files of this work tree alone: `HEAD`, the index.
    pub(crate) own: PathBuf,
    /// The files that all work trees of the repository share: configuration and hooks.
    pub(crate) common: PathBuf,
}

impl GitFolder {
    /// The git folder that `.git` in this folder is or names.
    pub(crate) fn of(work_tree: &Path) -> Option<Self> {
        let dot_git = work_tree.join(".git");
        let own = if dot_git.is_dir() { dot_git } else { pointed(&dot_git, "gitdir:")? };
        Some(Self::at(work_tree, own))
    }

    /// A git folder whose place is known.
    pub(crate) fn at(work_tree: &Path, own: PathBuf) -> Self {
        let common = pointed(&own.join("commondir"), "").unwrap_or_else(|| own.clone());
        Self { work_tree: work_tree.to_owned(), own, common }
    }

    /// The git folder that git would use in this folder: its own, or that of a parent folder.
    pub(crate) fn around(folder: &Path) -> Option<Self> {
        folder.ancestors().take_while(|folder| !is_end(folder)).find_map(Self::of)
    }
}

/// Whether the search for a repository ends at this folder. Tests must not depend on the folders
/// around the temporary folder.
fn is_end(folder: &Path) -> bool {
    cfg!(test) && std::env::temp_dir().canonicalize().is_ok_and(|end| end == folder)
}

/// The path in a file that holds little else, from the folder of the file.
fn pointed(file: &Path, prefix: &str) -> Option<PathBuf> {
    let bytes = read_plain_within(file, MAX_POINTER_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let path = text.strip_prefix(prefix)?.trim();
    (!path.is_empty()).then(|| plain_path(&file.parent().unwrap_or(Path::new("/")).join(path)))
}

/// A path without `.` and `..`. Links are not resolved, because the path is compared with others
/// that were found by name.
pub(crate) fn plain_path(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(whole.pop()),
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => whole.push(part),
        }
    }
    whole
}
