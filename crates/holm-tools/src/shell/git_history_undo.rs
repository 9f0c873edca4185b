//! Undoes what a command recorded in a repository at paths that it cannot write itself, and tells
//! it in one line for each place.
//!
//! No work is lost. A branch goes back to where it was, and the new commit is kept under
//! [`KEPT`]; the files on the disk stay as they are, and count as changes again. An entry of an
//! index goes back to what it was. A file with the state of an operation gets another name.
//!
//! What is undone is found in `git_history_check.rs`.
//!
//! The state before the command is in `git_history_record.rs`, and git is started in
//! `git_plumbing.rs`. Files that the command created outside of git's history are handled in
//! `new_repository.rs`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use holm_kernel::visible_line;

use super::git_history_check::{GitHistoryFindings, GuardedObject, MAX_TOLD};
use super::git_history_record::{GitFile, RepositoryRecord};
use super::git_plumbing::{GitPlumbing, GitPlumbingError};
use super::git_snapshot::{GitSnapshot, HELD, REPLACE, STASH, SYMBOLIC, left_place};
use super::guarded_paths::SUBMODULE;
use super::new_repository::{disable_file, replace_file};
use crate::plain_files::read_plain_within;

/// Where commits are kept that were taken out of other refs.
const KEPT: &str = "refs/holm/held/";
/// How many letters of an object's name are told.
const SHORT: usize = 12;
/// The most places of one kind that are told; the rest is counted.
const MAX_PLACES: usize = 8;
/// The largest log that is rewritten.
const MAX_LOG_BYTES: u64 = 16 * 1024 * 1024;

/// Puts a repository back where a command went too far.
pub(super) struct GitHistoryUndo<'a> {
    pub(super) git: &'a GitPlumbing,
    pub(super) record: &'a RepositoryRecord,
    pub(super) after: &'a GitSnapshot,
    pub(super) roots: &'a [PathBuf],
    /// The work tree, as it is shown.
    pub(super) place: String,
    /// How a path is shown.
    pub(super) shown: &'a dyn Fn(&Path) -> String,
}

/// Disables files in new work trees, and tells them.
pub(super) fn disable_files(
    files: &[PathBuf],
    roots: &[PathBuf],
    shown: &dyn Fn(&Path) -> String,
) -> Vec<String> {
    let line = |file: &PathBuf| {
        let fate = disable_file(roots, file);
        format!("{}: git or an editor would run it, and it is not the user's; {fate}", shown(file))
    };
    let mut lines: Vec<String> = files.iter().map(line).collect();
    let more = lines.len().saturating_sub(MAX_PLACES);
    lines.truncate(MAX_PLACES);
    if more > 0 {
        lines.push(format!("{more} more files of this kind"));
    }
    lines
}

impl GitHistoryUndo<'_> {
    /// Undoes the findings, and tells them.
    pub(super) fn undo(
        &self,
        findings: &GitHistoryFindings,
        commits: &BTreeMap<String, PathBuf>,
    ) -> Vec<String> {
        let mut lines = self.undo_unread();
        lines.extend(self.undo_refs(findings));
        self.undo_logs(findings);
        lines.extend(self.undo_states(findings));
        for (file, paths) in findings.patches.iter().take(MAX_PLACES) {
            let fate = disable_file(self.roots, file);
            let inside = file.strip_prefix(&self.record.folder.common).unwrap_or(file);
            let shown = visible_line(&inside.to_string_lossy());
            let paths = listed(paths);
            lines.push(format!(
                "{}{shown}: it brings {paths}, which commands cannot write; {fate}",
                self.prefix()
            ));
        }
        for (index, files) in &findings.staged {
            lines.push(self.undo_staged(index, files));
        }
        lines.extend(disable_files(&findings.files, self.roots, self.shown));
        lines.extend(self.undo_unnamed(findings, commits));
        lines
    }

    /// Disables what is too large to be read: refs could hide in it.
    fn undo_unread(&self) -> Vec<String> {
        let new = self.after.unread.difference(&self.record.before.unread);
        let line = |file: &PathBuf| {
            let inside = file.strip_prefix(&self.record.folder.common).unwrap_or(file);
            let shown = visible_line(&inside.to_string_lossy());
            let fate = disable_file(self.roots, file);
            format!("{}{shown}: it is too large to be checked; {fate}", self.prefix())
        };
        new.map(line).collect()
    }

    fn undo_refs(&self, findings: &GitHistoryFindings) -> Vec<String> {
        let mut lines = Vec::new();
        let mut more = 0;
        for (name, value) in &self.after.refs {
            let is_same = self.record.before.refs.get(name) == Some(value);
            if is_same || name.starts_with(HELD) {
                continue;
            }
            let Some(object) = self.after.object(name) else { continue };
            let unknown = GuardedObject { object: object.to_owned(), paths: BTreeSet::new() };
            let found = if name.starts_with(REPLACE) { Some(&unknown) } else { findings.objects.get(object) };
            let Some(found) = found else { continue };
            // The ref that this one names is moved itself.
            let is_moved = |next: &str| !next.starts_with(HELD) && self.is_new(next);
            let is_head = name == "HEAD" || name.ends_with("/HEAD");
            if is_head && value.strip_prefix(SYMBOLIC).is_some_and(is_moved) {
                continue;
            }
            let line = self.undo_ref(name, found, findings);
            if lines.len() < MAX_PLACES { lines.push(line) } else { more += 1 }
        }
        if more > 0 {
            lines.push(format!("{more} more refs of this kind"));
        }
        lines
    }

    fn is_new(&self, name: &str) -> bool {
        self.record.before.refs.get(name) != self.after.refs.get(name)
    }

    /// Moves one ref back.
    fn undo_ref(&self, name: &str, found: &GuardedObject, findings: &GitHistoryFindings) -> String {
        let kept = format!("{KEPT}{}", short(&found.object));
        let is_kept = self.git.run(&["update-ref", &kept, &found.object], b"").is_ok();
        let (own, local) = self.own(name);
        let (args, told) = self.way_back(name, local);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = || self.git.run_in(&own, args.iter().map(OsStr::new), b"");
        let outcome = run().or_else(|_| {
            self.unlock(name);
            run()
        });
        let why = reason(name, found, findings);
        let place = format!("{}{}", self.prefix(), in_words(name));
        let kept = if is_kept { format!("; the commit is kept as {kept}") } else { String::new() };
        match outcome {
            Ok(_) => format!("{place}: {why}; {told}{kept}"),
            Err(_) => format!("{place}: {why}; it could NOT be moved back: inspect it before you use it"),
        }
    }

    /// The call of git that moves a ref to where it was, and what to say about it.
    fn way_back(&self, name: &str, local: &str) -> (Vec<String>, String) {
        let before = &self.record.before;
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let moved = |to: &str| format!("Holm moved it back to {to}");
        match before.refs.get(name) {
            Some(old) => match old.strip_prefix(SYMBOLIC) {
                Some(target) => (words(&["symbolic-ref", local, target]), moved(&in_words(target))),
                None => (words(&["update-ref", "--no-deref", local, old]), moved(&short(old))),
            },
            None => match before.object("HEAD").filter(|_| local == "HEAD" || self.is_checked_out(name)) {
                Some(old) => (words(&["update-ref", "--no-deref", local, old]), moved(&short(old))),
                None => (words(&["update-ref", "--no-deref", "-d", local]), "Holm removed it".into()),
            },
        }
    }

    /// Whether a work tree is on this branch.
    fn is_checked_out(&self, name: &str) -> bool {
        let heads = self.after.refs.iter().filter(|(head, _)| *head == "HEAD" || head.ends_with("/HEAD"));
        heads.into_iter().any(|(_, value)| value.strip_prefix(SYMBOLIC) == Some(name))
    }

    /// The git folder in which a ref has a name, and that name.
    fn own<'n>(&self, name: &'n str) -> (PathBuf, &'n str) {
        let common = &self.record.folder.common;
        let inner = name.strip_prefix("worktrees/").and_then(|rest| rest.split_once('/'));
        match inner {
            Some((tree, local)) => (common.join("worktrees").join(tree), local),
            None => (common.clone(), name),
        }
    }

    /// Removes locks that a command left so that nothing can be moved back.
    fn unlock(&self, name: &str) {
        let common = &self.record.folder.common;
        for lock in [format!("{name}.lock"), "packed-refs.lock".into(), "HEAD.lock".into()] {
            let _ = fs::remove_file(common.join(lock));
        }
    }

    /// Takes the lines about found objects out of the logs that everyday commands read.
    fn undo_logs(&self, findings: &GitHistoryFindings) {
        if findings.objects.is_empty() {
            return;
        }
        let ends = findings.objects.values().map(|found| found.object.as_str());
        let bad: HashSet<&str> = findings.objects.keys().map(String::as_str).chain(ends).collect();
        for log in self.after.logs.keys() {
            let Ok(bytes) = read_plain_within(log, MAX_LOG_BYTES) else { continue };
            let (kept, last) = without(&bytes, &bad);
            if kept.len() == bytes.len() {
                continue;
            }
            // What cannot be written here was told with its ref.
            let _ = replace_file(self.roots, log, &kept);
            if log.ends_with("logs/refs/stash") {
                let _ = match last {
                    Some(last) => self.git.run(&["update-ref", STASH, &last], b""),
                    None => self.git.run(&["update-ref", "-d", STASH], b""),
                };
                let _ = replace_file(self.roots, log, &kept);
            }
        }
    }

    /// Disables the state of an operation that leads to a found object.
    fn undo_states(&self, findings: &GitHistoryFindings) -> Vec<String> {
        let mut lines = Vec::new();
        for (file, names) in &self.after.states {
            let old = self.record.before.states.get(file);
            let is_new = |name: &&String| !old.is_some_and(|old| old.contains(*name));
            let Some(found) = names.iter().filter(is_new).find_map(|name| findings.objects.get(name)) else {
                continue;
            };
            let fate = disable_file(self.roots, file);
            let inside = file.strip_prefix(&self.record.folder.common).unwrap_or(file);
            let why = reason("", found, findings);
            lines.push(format!(
                "{}{}: {why}; {fate}",
                self.prefix(),
                visible_line(&inside.to_string_lossy())
            ));
        }
        lines.truncate(MAX_PLACES);
        lines
    }

    /// Disables found commits that no ref keeps: a submodule could name one, or a word that is typed.
    fn undo_unnamed(
        &self,
        findings: &GitHistoryFindings,
        commits: &BTreeMap<String, PathBuf>,
    ) -> Vec<String> {
        let found = commits.iter().filter(|(commit, _)| findings.objects.contains_key(*commit));
        let found: Vec<(&String, &PathBuf)> = found.collect();
        if found.is_empty() {
            return Vec::new();
        }
        let old = self.record.before.tips();
        let input: String = old.iter().map(|tip| format!("^{tip}\n")).collect();
        let args = ["rev-list", "--stdin", "--ignore-missing", &format!("--glob={KEPT}*")];
        let Ok(kept) = self.git.run(&args, input.as_bytes()) else { return Vec::new() };
        let kept = String::from_utf8_lossy(&kept);
        let kept: HashSet<&str> = kept.lines().collect();
        let files: BTreeMap<&PathBuf, &String> = found
            .into_iter()
            .filter(|(commit, _)| !kept.contains(commit.as_str()))
            .map(|(commit, file)| (file, commit))
            .collect();
        let line = |(file, commit): (&PathBuf, &String)| {
            let fate = disable_file(self.roots, file);
            let why = findings.objects.get(commit).map(|found| reason("", found, findings));
            format!("{}{}, and no ref names it; {fate}", self.prefix(), why.unwrap_or_default())
        };
        let mut lines: Vec<String> = files.into_iter().map(line).collect();
        lines.truncate(MAX_PLACES);
        lines
    }

    /// Puts entries of an index back.
    fn undo_staged(&self, index: &Path, files: &[GitFile]) -> String {
        let own = index.parent().unwrap_or(index);
        let inside = index.strip_prefix(&self.record.folder.common).unwrap_or(index);
        let place = format!("{}{}", self.prefix(), visible_line(&inside.to_string_lossy()));
        let restored = || -> Result<(), GitPlumbingError> {
            let input = self.old_entries(index, files);
            let args = ["update-index", "-z", "--index-info"].map(OsStr::new);
            self.git.run_in(own, args, &input).or_else(|_| {
                let _ = fs::remove_file(index.with_extension("lock"));
                self.git.run_in(own, args, &input)
            })?;
            Ok(())
        };
        let paths: BTreeSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        if files.is_empty() {
            let fate = disable_file(self.roots, index);
            return format!("{place}: Holm could not check it; {fate}; `git reset` makes a new one");
        }
        let why = format!("{} was staged, which commands cannot write", listed(&paths));
        match restored() {
            Ok(()) => format!("{place}: {why}; Holm put the entry back to what it was"),
            Err(_) => {
                let fate = disable_file(self.roots, index);
                format!("{place}: {why}; {fate}; `git reset` makes a new one")
            }
        }
    }

    /// The lines by which `git update-index` restores entries.
    fn old_entries(&self, index: &Path, files: &[GitFile]) -> Vec<u8> {
        let mut input = Vec::new();
        let paths: BTreeSet<&PathBuf> = files.iter().map(|file| &file.path).collect();
        for path in paths {
            let old = self.record.staged.get(index).into_iter().flatten().find(|file| file.path == *path);
            let zero = "0".repeat(files.first().map_or(40, |file| file.object.len()));
            let gone = format!("0 {zero} 0\t");
            // An entry that is a submodule has no blob, and the same form.
            let head = old.map_or(gone.clone(), |old| {
                debug_assert!(old.mode.len() == SUBMODULE.len(), "modes have six digits");
                format!("{} {} 0\t", old.mode, old.object)
            });
            // All sides of a conflict go first.
            for head in [gone, head] {
                input.extend_from_slice(head.as_bytes());
                input.extend_from_slice(path.as_os_str().as_bytes());
                input.push(0);
            }
        }
        input
    }

    /// What comes before a place that is not at the top of the workspace.
    fn prefix(&self) -> String {
        if self.place == "." { String::new() } else { format!("{}: ", self.place) }
    }
}

/// Why a place is undone.
fn reason(name: &str, found: &GuardedObject, findings: &GitHistoryFindings) -> String {
    let commit = short(&found.object);
    match &findings.unchecked {
        _ if name.starts_with(REPLACE) => "commands cannot replace objects of git".into(),
        Some(error) if found.paths.is_empty() => {
            format!("Holm could not check commit {commit}: {}", visible_line(&error.to_string()))
        }
        _ => format!("commit {commit} records {}, which commands cannot write", listed(&found.paths)),
    }
}

/// The lines of a log without those about these objects, and the object that the last one names.
/// Each line then begins where the one before it ended, as git expects.
fn without(bytes: &[u8], bad: &HashSet<&str>) -> (Vec<u8>, Option<String>) {
    let mut kept = Vec::new();
    let mut last: Option<String> = None;
    let mut has_gap = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        // A message can name a commit, too: `git switch -` reads it.
        let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let is_left = || left_place(&text).is_some_and(|place| bad.contains(place));
        if words.any(|word| bad.contains(word)) || is_left() {
            has_gap = true;
            continue;
        }
        let mut names = text.split(' ');
        let (old, new) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        match last.as_deref().filter(|last| has_gap && last.len() == old.len()) {
            Some(last) => {
                kept.extend_from_slice(last.as_bytes());
                kept.extend_from_slice(line.get(old.len()..).unwrap_or_default());
            }
            None => kept.extend_from_slice(line),
        }
        has_gap = false;
        last = Some(new.to_owned());
    }
    (kept, last)
}

/// The first letters of an object's name.
fn short(object: &str) -> String {
    object.get(..SHORT).unwrap_or(object).to_owned()
}

/// A ref as a user knows it.
fn in_words(name: &str) -> String {
    let words = match name {
        STASH => "the stash".to_owned(),
        _ => match (name.strip_prefix("refs/heads/"), name.strip_prefix("refs/tags/")) {
            (Some(branch), _) => format!("branch {branch}"),
            (None, Some(tag)) => format!("tag {tag}"),
            (None, None) => name.to_owned(),
        },
    };
    visible_line(&words)
}

/// Some paths, as they are shown.
fn listed(paths: &BTreeSet<PathBuf>) -> String {
    let mut shown: Vec<String> =
        paths.iter().take(MAX_TOLD).map(|path| visible_line(&path.to_string_lossy())).collect();
    if paths.len() > MAX_TOLD {
        shown.push("and more".into());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_loses_the_lines_about_an_object_and_keeps_its_order() {
        let name = |digit: &str| digit.repeat(40);
        let line = |old: &str, new: &str, text: &str| {
            format!("{} {} a <a@b> 1 +0000\t{text}\n", name(old), name(new))
        };
        let log = [
            line("0", "1", "x"),
            line("1", "2", "evil"),
            line("2", "3", "y"),
            line("3", "3", "moving from 2222"),
        ];
        let two = name("2");
        let (kept, last) = without(log.concat().as_bytes(), &HashSet::from([two.as_str()]));
        // The third line names the object as the one before it.
        let expect = [line("0", "1", "x"), line("1", "3", "moving from 2222")].concat();
        assert_eq!(String::from_utf8(kept).unwrap(), expect);
        assert_eq!(last, Some(name("3")));
        assert_eq!(without(b"", &HashSet::from(["x"])), (Vec::new(), None));
    }
}
