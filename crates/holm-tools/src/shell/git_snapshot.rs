//! The commits that a repository names at one moment: its refs, the `HEAD` of each work tree, the
//! state of an operation under way, and the logs that everyday commands read.
//!
//! It reads files and starts no git, because it is taken before and after every command that may
//! write the repository. Refs in git's newer format (reftable) are not read here:
//! `git_history_check.rs` asks git for them. It judges nothing.
//!
//! Snapshots are compared in `git_history_check.rs`, and changes are undone in
//! `git_history_undo.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::entry_stamp::EntryStamp;
use crate::plain_files::{open_plain, read_plain_within};

/// The largest file of refs that is read: more than half a million refs.
const MAX_REFS_BYTES: u64 = 64 * 1024 * 1024;
/// The largest log or state file that is read.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// The largest file of one ref.
const MAX_REF_BYTES: u64 = 4 * 1024;
/// The most entries beneath `refs` that are read.
const MAX_ENTRIES: usize = 500_000;
/// The longest word that is looked up as the name of a commit.
const MAX_WORD: usize = 200;
/// The most steps of an operation that are read.
const MAX_STEPS: usize = 5_000;
/// The shortest name of an object that git accepts.
const MIN_NAME: usize = 4;
/// What a symbolic ref begins with.
pub(super) const SYMBOLIC: &str = "ref: ";
/// Where the commits are that Holm took out of other refs.
pub(super) const HELD: &str = "refs/holm/";
/// Refs by which git reads another object in the place of one.
pub(super) const REPLACE: &str = "refs/replace/";
/// The ref of the newest stash.
pub(super) const STASH: &str = "refs/stash";
/// Folders with the state of an operation under way.
const OPERATIONS: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];
/// Logs that everyday commands read: `git stash pop`, `git switch -`.
const LOGS: [&str; 2] = ["logs/HEAD", "logs/refs/stash"];

/// What names commits in one repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GitSnapshot {
    /// By their names, the objects or the refs that they name. `HEAD` is among them, and that of
    /// each work tree as `worktrees/NAME/HEAD`.
    pub(super) refs: BTreeMap<String, String>,
    /// By its file, the objects that the state of an operation names.
    pub(super) states: BTreeMap<PathBuf, BTreeSet<String>>,
    /// By its file, the objects that a log names.
    pub(super) logs: BTreeMap<PathBuf, BTreeSet<String>>,
    /// By its file, the stamp of the index of each work tree.
    pub(super) indexes: BTreeMap<PathBuf, EntryStamp>,
    /// Files and folders that are too large to be read.
    pub(super) unread: BTreeSet<PathBuf>,
}

impl GitSnapshot {
    /// Reads the repository with this shared folder.
    pub(super) fn read(common: &Path) -> Self {
        let mut found = Self::default();
        found.read_packed(common);
        found.read_loose(common, common);
        found.read_own(common, "");
        let trees = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        for own in trees.map(|entry| entry.path()) {
            let Some(name) = own.file_name().and_then(|name| name.to_str()) else { continue };
            found.read_own(&own, &format!("worktrees/{name}/"));
        }
        found
    }

    /// The object that a ref names, also by way of other refs.
    pub(super) fn object(&self, name: &str) -> Option<&str> {
        let mut value = self.refs.get(name)?;
        for _ in 0..5 {
            match value.strip_prefix(SYMBOLIC) {
                None => return Some(value),
                Some(next) => value = self.refs.get(next)?,
            }
        }
        None
    }

    /// The objects that were named before a command. Commits that Holm took out are not the user's.
    pub(super) fn tips(&self) -> BTreeSet<&str> {
        let is_own = |name: &str| !name.starts_with(HELD) && !name.starts_with(REPLACE);
        let refs = self.refs.iter().filter(|(name, _)| is_own(name)).map(|(_, value)| value.as_str());
        let stashes = self.logs.iter().filter(|(file, _)| file.ends_with("refs/stash"));
        let files = self.states.values().chain(stashes.map(|(_, objects)| objects));
        let all = refs.chain(files.flatten().map(String::as_str));
        all.filter(|object| is_whole_name(object) && object.bytes().any(|byte| byte != b'0')).collect()
    }

    fn read_packed(&mut self, common: &Path) {
        let file = common.join("packed-refs");
        let Ok(bytes) = read_plain_within(&file, MAX_REFS_BYTES) else {
            self.unread.extend(Some(file).filter(|file| file.symlink_metadata().is_ok()));
            return;
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Some((object, name)) = line.split_once(' ') else { continue };
            let object = object.to_ascii_lowercase();
            if is_whole_name(&object) {
                self.refs.insert(name.to_owned(), object);
            }
        }
    }

    /// The refs that are files, which count before packed ones.
    fn read_loose(&mut self, folder: &Path, base: &Path) {
        let (mut open, mut read) = (vec![folder.join("refs")], 0);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                read += 1;
                let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
                if read > MAX_ENTRIES {
                    self.unread.insert(base.join("refs"));
                    return;
                }
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_file()
                    && let Ok(name) = path.strip_prefix(base)
                    && let Some(value) = ref_value(&path)
                {
                    self.refs.insert(name.to_string_lossy().into_owned(), value);
                }
            }
        }
    }

    /// The files of one work tree.
    fn read_own(&mut self, own: &Path, prefix: &str) {
        if let Some(head) = ref_value(&own.join("HEAD")) {
            self.refs.insert(format!("{prefix}HEAD"), head);
        }
        if !prefix.is_empty() {
            let base = own.parent().and_then(Path::parent).unwrap_or(own);
            self.read_loose(own, base);
        }
        if let Ok(found) = own.join("index").symlink_metadata() {
            self.indexes.insert(own.join("index"), EntryStamp::of(&found));
        }
        for log in LOGS.map(|name| own.join(name)).into_iter().filter(|log| log.exists()) {
            let objects = names_in_log(&log);
            self.logs.insert(log, objects);
        }
        let operations = OPERATIONS.iter().flat_map(|name| files_in(&own.join(name)));
        let heads = files_in(own).into_iter().filter(|file| is_state(file));
        for file in operations.chain(heads) {
            let objects = names_in(&file);
            self.states.insert(file, objects);
        }
    }
}

/// Whether a text has the length and the letters of the whole name of an object.
pub(super) fn is_whole_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a file of a git folder names commits, as `ORIG_HEAD` and `MERGE_AUTOSTASH` do.
/// Texts of messages do not.
fn is_state(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_capital = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_capital && name != "HEAD" && !name.ends_with("MSG")
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.path()).take(MAX_ENTRIES).collect()
}

/// The value of a ref that is a file. Git ignores what comes after it, and accepts capital letters.
fn ref_value(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    open_plain(file).ok()?.take(MAX_REF_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    match text.strip_prefix("ref:") {
        Some(name) => Some(format!("{SYMBOLIC}{}", name.trim())),
        None => {
            let object = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            Some(object).filter(|object| is_whole_name(object))
        }
    }
}

/// The words of a log that name commits: whole names, and what `git checkout -` goes back to.
fn names_in_log(file: &Path) -> BTreeSet<String> {
    let bytes = read_plain_within(file, MAX_FILE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let whole = words.map(str::to_ascii_lowercase).filter(|word| is_whole_name(word));
    whole.chain(text.lines().filter_map(left_place).map(str::to_owned)).collect()
}

/// The place that a line of a log says was left.
pub(super) fn left_place(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("moving from ")?;
    rest.split(' ').next().filter(|place| !place.is_empty() && place.len() <= MAX_WORD)
}

/// The words of a file that could be names of commits. These are short names of objects too, and in
/// files of one line and in steps any word that git would look up.
fn names_in(file: &Path) -> BTreeSet<String> {
    let bytes = read_plain_within(file, MAX_FILE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_name = |word: &&str| {
        (MIN_NAME..=64).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let objects = words.filter(is_name).map(str::to_ascii_lowercase);
    let is_steps = file.to_string_lossy().ends_with("todo");
    let is_single = text.trim_end().lines().count() == 1;
    let most = if is_steps { MAX_STEPS } else { usize::from(is_single) };
    let looked_up = text.lines().take(most).flat_map(|line| line.split_whitespace().take(4));
    let looked_up = looked_up.filter(|word| word.len() <= MAX_WORD && !word.starts_with('#'));
    objects.chain(looked_up.map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_commits_is_read_and_what_holm_took_out_is_no_tip() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path();
        let object = |digit: &str| digit.repeat(40);
        for name in ["refs/heads", "refs/holm/held", "worktrees/w", "logs/refs", "rebase-merge"] {
            fs::create_dir_all(git.join(name)).unwrap();
        }
        let files = [
            ("HEAD", "ref: refs/heads/main\n".to_owned()),
            (
                "packed-refs",
                format!("# pack\n{} refs/heads/main\n{} refs/tags/t\n", object("1"), object("2")),
            ),
            ("refs/heads/main", format!("{}\n{}", object("3"), "junk".repeat(9_000))),
            ("refs/heads/big", object("A")),
            ("refs/holm/held/x", object("4")),
            ("worktrees/w/HEAD", object("5")),
            ("ORIG_HEAD", object("6")),
            ("COMMIT_EDITMSG", object("7")),
            ("logs/HEAD", format!("{} {} a <a@b> 1 +0000\tx\n", object("0"), object("8"))),
            ("logs/refs/stash", format!("{} {} a <a@b> 1 +0000\tx\n", object("0"), object("9"))),
            ("rebase-merge/onto", "abcd\n".to_owned()),
        ];
        for (name, text) in files {
            fs::write(git.join(name), text).unwrap();
        }
        let found = GitSnapshot::read(git);
        assert_eq!(found.object("HEAD"), Some(object("3").as_str()));
        let tips: Vec<String> = ["2", "3", "5", "6", "9", "a"].map(object).into();
        assert_eq!(found.tips().into_iter().collect::<Vec<_>>(), tips);
        let line = "x y z\tcheckout: moving from refs/holm/held/1 to main";
        assert_eq!(left_place(line), Some("refs/holm/held/1"));
        assert_eq!(found.states[&git.join("rebase-merge/onto")], BTreeSet::from(["abcd".to_owned()]));
    }
}
