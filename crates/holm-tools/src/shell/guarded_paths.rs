//! Says which paths of a work tree a command cannot write directly. Git can put files there all the
//! same: from the index, or from a commit. `git_history_check.rs` looks for those.
//!
//! It only compares names. What is protected on the disk is found in `denied_paths.rs`, and the
//! names that tools run are in `root/autorun.rs`.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::root::autorun;
use crate::root::git::{GitFolder, GitNamedPaths};

/// The mode of a link in git.
pub(super) const LINK: &str = "120000";
/// The mode of a submodule in git.
pub(super) const SUBMODULE: &str = "160000";

/// Patterns of the table that hold for a command, and paths that it finds read-only.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandGuards {
    /// Patterns of protected files that no grant opens.
    pub(super) patterns: HashSet<&'static str>,
    /// Protected paths, also missing ones. Hidden files are not among them: git reads those as empty.
    pub(super) paths: HashSet<PathBuf>,
}

/// The guarded paths of one work tree, relative to it.
#[derive(Debug)]
pub(super) struct GuardedPaths<'a> {
    guards: &'a CommandGuards,
    work_tree: &'a Path,
    /// Paths that the configuration of git names.
    named: Vec<PathBuf>,
    /// Protected paths in the work tree.
    inside: HashSet<PathBuf>,
    /// What was found out about the folder of the last path: an index
    /// lists a folder's files together.
    last: RefCell<FolderFacts>,
}

/// What holds for every file of one folder.
#[derive(Debug, Clone, Default)]
struct FolderFacts {
    folder: PathBuf,
    /// A part of its path may be in the table.
    is_listed: bool,
    /// It is, or lies in, a guarded path.
    is_guarded: bool,
}

impl<'a> GuardedPaths<'a> {
    pub(super) fn of(guards: &'a CommandGuards, repository: &'a GitFolder) -> Self {
        let named = GitNamedPaths::find(&repository.work_tree, [repository]);
        let inside = |path: &Path| path.strip_prefix(&repository.work_tree).ok().map(Path::to_owned);
        let named = named.iter().chain(named.links()).filter_map(inside).collect();
        Self::new(guards, &repository.work_tree, named)
    }

    fn new(guards: &'a CommandGuards, work_tree: &'a Path, named: Vec<PathBuf>) -> Self {
        let inside = guards.paths.iter().filter_map(|path| path.strip_prefix(work_tree).ok());
        let inside = inside.filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned).collect();
        Self { guards, work_tree, named, inside, last: RefCell::default() }
    }

    /// Whether a command cannot write a file at this path. A link or a submodule that stands in the
    /// way of a guarded path counts too.
    pub(super) fn covers(&self, path: &Path, mode: &str) -> bool {
        let facts = self.facts(path.parent().unwrap_or(Path::new("")));
        let may_fit = || facts.is_listed || path.file_name().is_some_and(may_list);
        facts.is_guarded
            || (may_fit() && self.fits_pattern(path))
            || self.named.iter().any(|named| path == named)
            || self.inside.contains(path)
            || (matches!(mode, LINK | SUBMODULE) && self.is_on_the_way(path, mode))
    }

    /// What holds for the files of a folder.
    fn facts(&self, folder: &Path) -> FolderFacts {
        let mut last = self.last.borrow_mut();
        if last.folder != folder {
            let parts = folder.ancestors().filter(|part| !part.as_os_str().is_empty());
            let is_guarded = parts.into_iter().any(|part| self.inside.contains(part))
                || self.named.iter().any(|named| folder.starts_with(named));
            let is_listed = folder.iter().any(may_list);
            *last = FolderFacts { folder: folder.to_owned(), is_listed, is_guarded };
        }
        FolderFacts { folder: PathBuf::new(), ..*last }
    }

    /// The paths of the work tree that git names or that fit a pattern, for a new work tree.
    pub(super) fn named(&self) -> impl Iterator<Item = &Path> {
        self.named.iter().map(PathBuf::as_path)
    }

    /// Whether a path fits a pattern of the table, at any depth.
    pub(super) fn fits_pattern(&self, path: &Path) -> bool {
        path.iter().any(may_list)
            && path.to_str().is_some_and(|text| {
                autorun::find_all(text).iter().any(|row| self.guards.patterns.contains(row.pattern))
            })
    }

    fn is_on_the_way(&self, path: &Path, mode: &str) -> bool {
        let begins = |pattern: &&str| {
            let parent = Path::new(pattern.trim_end_matches('/')).parent();
            parent.is_some_and(|parent| !parent.as_os_str().is_empty() && path.ends_with(parent))
        };
        let whole = self.work_tree.join(path);
        let is_guarded = |guarded: &PathBuf| guarded.starts_with(&whole) && !guarded.ends_with(".git");
        self.named.iter().any(|named| named.starts_with(path))
            || self.guards.patterns.iter().any(begins)
            || (mode == LINK && self.guards.paths.iter().any(is_guarded))
    }
}

/// Whether the table may list a part of a path.
fn may_list(part: &OsStr) -> bool {
    part.to_str().is_some_and(autorun::may_list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_table_and_of_git_are_guarded_and_what_stands_in_their_way() {
        let work = PathBuf::from("/guarded-test");
        let guards = CommandGuards {
            patterns: HashSet::from([".vscode/", "*.code-workspace", ".config/mise.toml"]),
            paths: HashSet::from([work.join("tools/run.sh"), work.join("sub/.git")]),
        };
        let named = vec![PathBuf::from("ci/hooks")];
        let guarded = GuardedPaths::new(&guards, &work, named);
        let check = |path: &str, mode: &str| guarded.covers(Path::new(path), mode);
        for path in [".vscode/tasks.json", "app/.VSCode/x", "x.code-workspace", "ci/hooks/a", "tools/run.sh"]
        {
            assert!(check(path, "100644"), "{path}");
        }
        for path in ["src/main.rs", "ci/other", "tools/other.sh", ".idea/x", "ci", "tools", ".config", "sub"]
        {
            assert!(!check(path, "100644"), "{path}");
        }
        for path in ["ci", "tools", ".config", ".vscode"] {
            assert!(check(path, LINK), "{path}");
        }
        assert!(check("ci", SUBMODULE));
        assert!(!check("sub", SUBMODULE), "a submodule may be updated");
    }
}
