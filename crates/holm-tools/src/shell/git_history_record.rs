//! Records what the repositories of a workspace name before a command, and undoes what the command
//! recorded there at paths that it cannot write itself.
//!
//! A command may use git: it commits, stages and stashes. Git then holds files that the user's next
//! `git switch` or `git stash pop` puts on the disk, also hooks and files that editors run. Ordinary
//! files are left alone, and so is content that was the user's before: on the disk, in the index, or
//! in any commit that a ref named.
//!
//! What is new is found in `git_history_check.rs`, and undone in `git_history_undo.rs`. Before that,
//! `git_object_check.rs` finds objects that are not what their names say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::git_history_check::{GitHistoryCheck, GitHistoryFindings, guarded_files};
use super::git_history_undo::{GitHistoryUndo, disable_files};
use super::git_object_check::{GitObjectCheck, ObjectFiles};
use super::git_plumbing::{GitPlumbing, GitPlumbingError};
use super::git_snapshot::{GitSnapshot, SYMBOLIC};
use super::guarded_paths::{CommandGuards, GuardedPaths};
use crate::root::git::{GitConfig, GitFolder, plain_path, visit_index};

/// A file as git records it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GitFile {
    /// Relative to the work tree.
    pub(super) path: PathBuf,
    pub(super) mode: String,
    pub(super) object: String,
}

/// All repositories that a command may write, before it.
#[derive(Debug, Default)]
pub(super) struct GitHistoryRecord {
    repositories: Vec<RepositoryRecord>,
}

/// One repository before a command.
#[derive(Debug)]
pub(super) struct RepositoryRecord {
    pub(super) folder: GitFolder,
    pub(super) before: GitSnapshot,
    /// By the file of an index, its guarded entries.
    pub(super) staged: BTreeMap<PathBuf, BTreeSet<GitFile>>,
    /// The indexes of its packs, and the caches of its history.
    files: ObjectFiles,
}

impl GitHistoryRecord {
    /// Records these git folders. Blocks.
    pub(super) fn begin(folders: &BTreeSet<PathBuf>, guards: &CommandGuards, roots: &[PathBuf]) -> Self {
        // Without guarded names, a command may write everything itself.
        if guards.patterns.is_empty() && guards.paths.is_empty() {
            return Self::default();
        }
        let is_shared = |git: &&PathBuf| !git.join("commondir").exists() && git.join("HEAD").exists();
        let all = folders.iter().filter(is_shared);
        Self { repositories: all.map(|git| RepositoryRecord::begin(git, guards, roots)).collect() }
    }

    /// A record of these repositories.
    pub(super) fn of(repositories: Vec<RepositoryRecord>) -> Self {
        Self { repositories }
    }

    pub(super) fn repositories(&self) -> &[RepositoryRecord] {
        &self.repositories
    }

    /// Undoes what the command recorded at guarded paths, and disables such files in new work trees.
    /// Tells it in lines. `places` are the folders with a new `.git`. Blocks.
    pub(super) fn settle(&self, after: &CommandEnd<'_>, places: &BTreeSet<PathBuf>) -> Vec<String> {
        let trees: Vec<GitFolder> = places.iter().filter_map(|place| GitFolder::of(place)).collect();
        let mut lines = Vec::new();
        let is_of = |record: &RepositoryRecord, tree: &GitFolder| tree.common == record.folder.common;
        for record in &self.repositories {
            let own: Vec<GitFolder> = trees.iter().filter(|tree| is_of(record, tree)).cloned().collect();
            lines.extend(record.settle(after, &own));
        }
        let is_known = |tree: &&GitFolder| self.repositories.iter().any(|record| is_of(record, tree));
        for tree in trees.iter().filter(|tree| !is_known(tree)) {
            lines.extend(settle_tree(tree, after));
        }
        lines
    }
}

/// What is known when a command has ended.
pub(super) struct CommandEnd<'a> {
    pub(super) guards: &'a CommandGuards,
    /// The folders that it could write.
    pub(super) roots: &'a [PathBuf],
    /// A second before the command, by a coarse clock.
    pub(super) recently: i64,
    /// How a path is shown.
    pub(super) shown: &'a dyn Fn(&Path) -> String,
}

/// Checks a new work tree of a repository that the command could not write, or a new repository.
fn settle_tree(tree: &GitFolder, after: &CommandEnd<'_>) -> Vec<String> {
    if tree.common == tree.own {
        // All of it is the command's. What it configures is disabled, so the user's own
        // configuration names these files.
        let none = CommandGuards::default();
        let files = guarded_files(&GuardedPaths::of(&none, tree), &tree.work_tree);
        return disable_files(&files, after.roots, after.shown);
    }
    let record = RepositoryRecord::begin(&tree.common, after.guards, after.roots);
    let Ok(git) = GitPlumbing::new(&tree.common, &record.folder.work_tree, after.roots) else {
        return Vec::new();
    };
    let findings =
        record.find(&git, &record.before, after, (&[], std::slice::from_ref(tree), &BTreeMap::new()));
    disable_files(&findings.files, after.roots, after.shown)
}

impl RepositoryRecord {
    /// A record that was kept while the process of the command was killed. Files that are older than
    /// this second are as they were.
    pub(super) fn stored(
        git: &Path,
        mut before: GitSnapshot,
        staged: BTreeMap<PathBuf, BTreeSet<GitFile>>,
        began: i64,
    ) -> Self {
        let folder = GitFolder { work_tree: work_tree(git), own: git.to_owned(), common: git.to_owned() };
        before.indexes = GitSnapshot::read(git).indexes;
        before.indexes.retain(|index, stamp| staged.contains_key(index) && stamp.changed_second() < began);
        Self { folder, before, staged, files: ObjectFiles::before(git, began) }
    }

    fn begin(git: &Path, guards: &CommandGuards, roots: &[PathBuf]) -> Self {
        let folder = GitFolder { work_tree: work_tree(git), own: git.to_owned(), common: git.to_owned() };
        let before = snapshot(&folder, roots);
        let guarded = GuardedPaths::of(guards, &folder);
        let staged = before.indexes.keys().map(|index| (index.clone(), staged(index, &guarded))).collect();
        Self { folder, before, staged, files: ObjectFiles::read(git) }
    }

    /// Undoes what the command recorded here, and disables files in these new work trees.
    fn settle(&self, end: &CommandEnd<'_>, trees: &[GitFolder]) -> Vec<String> {
        let (roots, recently) = (end.roots, end.recently);
        let place = (end.shown)(&self.folder.work_tree);
        let common = &self.folder.common;
        let git = || GitPlumbing::new(common, &self.folder.work_tree, roots);
        let objects = GitObjectCheck { common, roots, before: &self.files, recently }.settle(&git);
        let (mut lines, commits) = (objects.lines, objects.commits);
        if place != "." {
            lines.iter_mut().for_each(|line| line.insert_str(0, &format!("{place}: ")));
        }
        let after = snapshot(&self.folder, roots);
        let is_changed = |index: &PathBuf| {
            let (old, new) = (self.before.indexes.get(index), after.indexes.get(index));
            old != new || new.is_some_and(|new| new.changed_second() >= recently)
        };
        let indexes: Vec<PathBuf> = after.indexes.keys().filter(|index| is_changed(index)).cloned().collect();
        let is_same = self.before == after && commits.is_empty();
        if is_same && indexes.is_empty() && trees.is_empty() {
            return lines;
        }
        let git = match git() {
            Ok(git) => git,
            Err(error) => {
                lines.push(format!("{place}: Holm could not check what was recorded: {error}"));
                return lines;
            }
        };
        let findings = self.find(&git, &after, end, (&indexes, trees, &commits));
        let undo = GitHistoryUndo { git: &git, record: self, after: &after, roots, place, shown: end.shown };
        lines.extend(undo.undo(&findings, &commits));
        lines
    }

    fn find(
        &self,
        git: &GitPlumbing,
        after: &GitSnapshot,
        end: &CommandEnd<'_>,
        (indexes, trees, commits): (&[PathBuf], &[GitFolder], &BTreeMap<String, PathBuf>),
    ) -> GitHistoryFindings {
        let guarded = GuardedPaths::of(end.guards, &self.folder);
        let (guards, recently) = (end.guards, end.recently);
        let check =
            GitHistoryCheck { git, guarded: &guarded, guards, recently, record: self, after, commits };
        check.find(indexes, trees)
    }
}

/// Where the files of a git folder are.
fn work_tree(git: &Path) -> PathBuf {
    if git.ends_with(".git") {
        return git.parent().unwrap_or(git).to_owned();
    }
    let config = GitConfig::read(&git.join("config")).unwrap_or_default();
    let named = config.entries.iter().rfind(|entry| entry.name() == "core.worktree");
    let named = named.and_then(|entry| entry.value.as_deref());
    named.map_or_else(|| git.to_owned(), |value| plain_path(&git.join(value)))
}

/// What the repository names now. Git is asked only where its refs are not files.
fn snapshot(folder: &GitFolder, roots: &[PathBuf]) -> GitSnapshot {
    let mut found = GitSnapshot::read(&folder.common);
    if folder.common.join("reftable").is_dir() {
        // What cannot be read here is new afterwards, and is checked then.
        let _ = read_tables(folder, roots, &mut found);
    }
    found
}

/// Reads refs in git's newer format.
fn read_tables(
    folder: &GitFolder,
    roots: &[PathBuf],
    found: &mut GitSnapshot,
) -> Result<(), GitPlumbingError> {
    let git = GitPlumbing::new(&folder.common, &folder.work_tree, roots)?;
    let listed = git.run(&["for-each-ref", "--format=%(objectname) %(refname)"], b"")?;
    for line in String::from_utf8_lossy(&listed).lines() {
        if let Some((object, name)) = line.split_once(' ') {
            found.refs.insert(name.to_owned(), object.to_owned());
        }
    }
    let head = match git.run(&["symbolic-ref", "-q", "HEAD"], b"") {
        Ok(name) => format!("{SYMBOLIC}{}", String::from_utf8_lossy(&name).trim()),
        Err(_) => String::from_utf8_lossy(&git.run(&["rev-parse", "HEAD"], b"")?).trim().to_owned(),
    };
    found.refs.insert("HEAD".into(), head);
    Ok(())
}

/// The guarded entries of an index, also those of a split one.
fn staged(index: &Path, guarded: &GuardedPaths<'_>) -> BTreeSet<GitFile> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut found = BTreeSet::new();
    let folder = index.parent().unwrap_or(index);
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_shared = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sharedindex."))
    };
    for file in std::iter::once(index.to_owned()).chain(names.filter(is_shared)) {
        // One that cannot be read is disabled after the command.
        let _ = visit_index(&file, &mut |entry| {
            let path = Path::new(std::ffi::OsStr::from_bytes(entry.name));
            let mode = format!("{:06o}", entry.mode);
            if !entry.name.is_empty() && guarded.covers(path, &mode) {
                let object = entry.object.iter().map(|byte| format!("{byte:02x}")).collect();
                found.insert(GitFile { path: path.to_owned(), mode, object });
            }
        });
    }
    found
}
