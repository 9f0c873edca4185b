//! Records what lies inside git folders before a command, and finds what the command changed there
//! that would mislead the user's next git command.
//!
//! Git writes `COMMIT_EDITMSG`, logs and refs by name, so a link in their place makes it write any
//! file of the user. It also obeys an index and the state of an operation under way: see
//! [`GitStateFile`].
//!
//! It changes nothing: `new_repository.rs` removes and disables what it finds. Folders and files
//! outside git folders are recorded in `changes.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use super::changes::is_called_git;
use super::entry_stamp::{EntryStamp, LinkState};
use super::git_state_file::GitStateFile;
use super::new_repository::beneath;
use crate::plain_files::read_plain_within;

/// The most folders that are read in one new repository.
const MAX_FOLDERS: usize = 100_000;
/// Names without capital letters that git uses in its folder.
const GIT_NAMES: &[&str] = &[
    "branches",
    "common",
    "commondir",
    "config",
    "config.worktree",
    "description",
    "gitdir",
    "hooks",
    "index",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "rebase-apply",
    "rebase-merge",
    "refs",
    "reftable",
    "remotes",
    "rr-cache",
    "sequencer",
    "shallow",
    "svn",
    "worktrees",
];

/// The inside of all git folders when a command began.
#[derive(Debug, Default)]
pub(super) struct GitFolderRecord {
    /// Folders inside git folders, and the innermost git folder of each.
    folders: HashMap<PathBuf, PathBuf>,
    links: HashMap<PathBuf, LinkState>,
    files: HashMap<PathBuf, StateFileRecord>,
}

#[derive(Debug)]
struct StateFileRecord {
    stamp: EntryStamp,
    /// Empty for an index, which is checked without it.
    bytes: Vec<u8>,
}

/// Links and files to check in one git folder, by their full paths.
pub(super) type GitFolderChanges = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

impl GitFolderRecord {
    /// Adds a git folder.
    pub(super) fn know(&mut self, git: &Path) {
        self.folders.insert(git.to_owned(), git.to_owned());
    }

    /// Adds a folder, if it lies in a git folder that is known.
    pub(super) fn enter(&mut self, folder: &Path) {
        if let Some(git) = self.in_parent(folder).map(Path::to_owned) {
            self.folders.insert(folder.to_owned(), git);
        }
    }

    /// Adds a file or a link, if git would obey it.
    pub(super) fn watch(&mut self, path: &Path) {
        let Some(git) = self.in_parent(path) else { return };
        let kind = path.strip_prefix(git).ok().and_then(GitStateFile::of);
        if let Some(state) = LinkState::of(path) {
            self.links.insert(path.to_owned(), state);
        } else if let Some(kind) = kind
            && let Ok(found) = path.symlink_metadata()
        {
            let bytes = match kind {
                GitStateFile::Index => Vec::new(),
                _ => read_plain_within(path, kind.max_bytes()).unwrap_or_default(),
            };
            self.files.insert(path.to_owned(), StateFileRecord { stamp: EntryStamp::of(&found), bytes });
        }
    }

    /// What a file held before the command.
    pub(super) fn before(&self, path: &Path) -> &[u8] {
        self.files.get(path).map_or(&[], |file| &file.bytes)
    }

    /// The git folder that a folder is or lies in, also if the folder is new.
    pub(super) fn around(&self, folder: &Path) -> Option<&Path> {
        let git = folder.ancestors().find_map(|place| self.folders.get(place))?;
        is_of_git(git, folder).then_some(git.as_path())
    }

    /// Whether an entry of a git folder must be checked, because it was not there before.
    pub(super) fn is_new(&self, git: &Path, path: &Path, kind: FileType) -> bool {
        if kind.is_symlink() {
            return !self.links.contains_key(path) && is_of_git(git, path);
        }
        let is_state = || path.strip_prefix(git).ok().and_then(GitStateFile::of).is_some();
        !kind.is_dir() && !self.files.contains_key(path) && is_state()
    }

    /// The recorded links and files that are different now. Files that changed after `recently` are
    /// among them, because their stamps are too coarse.
    pub(super) fn changed(&self, recently: i64) -> GitFolderChanges {
        let links = self.links.iter().filter(|(path, state)| {
            let now = LinkState::of(path);
            now.is_some() && now.as_ref() != Some(*state)
        });
        let files = self.files.iter().filter(|(path, file)| {
            let now = path.symlink_metadata().ok().map(|now| EntryStamp::of(&now));
            now.is_some_and(|now| now != file.stamp || now.changed_second() >= recently)
        });
        let mut changes = GitFolderChanges::new();
        for path in links.map(|(path, _)| path).chain(files.map(|(path, _)| path)) {
            if let Some(git) = path.parent().and_then(|folder| self.around(folder)) {
                changes.entry(git.to_owned()).or_default().insert(path.clone());
            }
        }
        changes
    }

    fn in_parent(&self, path: &Path) -> Option<&Path> {
        let git = self.folders.get(path.parent()?)?;
        is_of_git(git, path).then_some(git.as_path())
    }
}

/// All links and files to check in a repository that a command has made. Returns `None` if a folder
/// of it cannot be read, or if there are too many.
pub(super) fn all_in(roots: &[PathBuf], git: &Path) -> Option<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let (mut open, mut read) = (vec![git.to_owned()], 0);
    while let Some(folder) = open.pop() {
        read += 1;
        if read > MAX_FOLDERS {
            return None;
        }
        // Git also opens files by name in a folder that cannot be listed.
        let entries = fs::read_dir(&folder).or_else(|_| {
            drop(beneath(roots, &folder));
            fs::read_dir(&folder)
        });
        for entry in entries.ok()?.flatten() {
            let (path, kind) = (entry.path(), entry.file_type().ok()?);
            if !is_of_git(git, &path) {
                continue;
            }
            let is_state = || path.strip_prefix(git).ok().and_then(GitStateFile::of).is_some();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_symlink() || is_state() {
                found.insert(path);
            }
        }
    }
    Some(found)
}

/// Whether a path inside a git folder is git's. A repository without the name `.git` may be a
/// folder with other files of the user.
fn is_of_git(git: &Path, path: &Path) -> bool {
    if is_called_git(git) || git == path {
        return true;
    }
    let first = path.strip_prefix(git).ok().and_then(|inside| inside.iter().next()?.to_str());
    first.is_some_and(|name| {
        let name = name.trim_end_matches(".lock");
        // As `HEAD`, `ORIG_HEAD` and `COMMIT_EDITMSG`, and not as `LICENSE`.
        let is_capital = !name.contains(|letter: char| letter.is_ascii_lowercase());
        GIT_NAMES.contains(&name) || (is_capital && (name.contains('_') || name == "HEAD"))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use holm_grants::GrantSet;
    use holm_jail::Jail;

    use super::super::changes::WorkspaceRecord;
    use super::super::denied_paths::hold;
    use crate::root::DenyRules;

    use super::*;

    /// A workspace with a nested repository, as `git init` makes it.
    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        for name in ["sub/.git/objects", "sub/.git/refs/heads", "sub/.git/logs", "bare/objects", "bare/refs"]
        {
            fs::create_dir_all(work.join(name)).unwrap();
        }
        for name in ["sub/.git/HEAD", "bare/HEAD"] {
            fs::write(work.join(name), "ref: refs/heads/main\n").unwrap();
        }
        fs::write(work.join("sub/.git/logs/HEAD"), "").unwrap();
        (folder, work)
    }

    fn record_of(work: &Path) -> WorkspaceRecord {
        let grants = GrantSet::parse(["read:**", "write:**"]).unwrap();
        hold(Jail::new(), work, &grants, &DenyRules::of_commands()).1
    }

    #[test]
    fn links_that_a_command_makes_inside_git_folders_are_removed_and_told() {
        let (_folder, work) = workspace();
        symlink("nowhere", work.join("sub/.git/ORIG_HEAD")).unwrap();
        let record = record_of(&work);
        fs::remove_file(work.join("sub/.git/logs/HEAD")).unwrap();
        fs::create_dir(work.join("sub/.git/deep")).unwrap();
        let links = [
            "sub/.git/logs/HEAD",
            "sub/.git/COMMIT_EDITMSG",
            "sub/.git/refs/heads/main",
            "sub/.git/deep/x",
            "bare/packed-refs",
            "bare/FETCH_HEAD",
        ];
        for link in links {
            symlink("/etc/target", work.join(link)).unwrap();
        }
        symlink("/etc/target", work.join("sub/link")).unwrap();
        for link in ["bare/lib.so", "bare/LICENSE"] {
            symlink("/etc/target", work.join(link)).unwrap();
        }
        let lines = record.settle();
        for link in links {
            assert!(!work.join(link).is_symlink(), "{link}: {lines:?}");
        }
        for kept in ["sub/link", "bare/lib.so", "bare/LICENSE", "sub/.git/ORIG_HEAD"] {
            assert!(work.join(kept).is_symlink(), "{kept}: {lines:?}");
        }
        let said = |word: &str| lines.iter().any(|line| line.starts_with("sub: ") && line.contains(word));
        assert!(said("logs/HEAD") && said("COMMIT_EDITMSG") && said("deep/x"), "{lines:?}");
    }

    #[test]
    fn a_link_of_the_users_in_a_git_folder_stays_until_it_leads_elsewhere() {
        let (_folder, work) = workspace();
        let link = work.join("sub/.git/packed-refs");
        symlink("../../mine", &link).unwrap();
        assert_eq!(record_of(&work).settle(), [""; 0]);
        assert!(link.is_symlink());
        let record = record_of(&work);
        fs::remove_file(&link).unwrap();
        symlink("/etc/passwd", &link).unwrap();
        let lines = record.settle();
        assert!(!link.is_symlink() && lines.iter().any(|line| line.contains("packed-refs")), "{lines:?}");
    }

    #[test]
    fn a_repository_that_a_command_makes_has_no_links_and_no_commands_in_it() {
        let (_folder, work) = workspace();
        let record = record_of(&work);
        let git = work.join("new/.git");
        fs::create_dir_all(git.join("rebase-merge")).unwrap();
        fs::create_dir_all(git.join("remotes")).unwrap();
        fs::create_dir_all(git.join("logs")).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("remotes/origin"), "URL: ext::touch f\n").unwrap();
        fs::write(git.join("rebase-merge/git-rebase-todo"), "exec touch f\n").unwrap();
        fs::write(git.join("index"), "DIRC").unwrap();
        symlink("/etc/target", git.join("logs/HEAD")).unwrap();
        let lines = record.settle();
        for gone in ["remotes", "rebase-merge/git-rebase-todo", "index"] {
            assert!(!git.join(gone).exists(), "{gone}: {lines:?}");
            assert!(lines.iter().any(|line| line.contains(gone)), "{gone}: {lines:?}");
        }
        assert!(!git.join("logs/HEAD").is_symlink(), "{lines:?}");
    }

    #[test]
    fn steps_that_the_user_began_stay_and_those_of_a_command_are_disabled() {
        let (_folder, work) = workspace();
        let todo = work.join("sub/.git/rebase-merge/git-rebase-todo");
        fs::create_dir(todo.parent().unwrap()).unwrap();
        fs::write(&todo, "pick 1 a\nexec make test\n").unwrap();
        let record = record_of(&work);
        fs::write(&todo, "exec make test\n").unwrap();
        assert!(record.settle().iter().all(|line| !line.contains("disabled")));
        assert!(todo.exists());
        let record = record_of(&work);
        fs::write(&todo, "exec make evil\n").unwrap();
        let lines = record.settle();
        assert!(!todo.exists() && todo.with_file_name("git-rebase-todo.disabled").exists(), "{lines:?}");
    }

    #[test]
    fn an_index_that_a_command_crafts_is_disabled_and_one_of_gits_stays() {
        let (_folder, work) = workspace();
        let index = work.join("sub/.git/index");
        let of = |name: &[u8]| {
            let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
            bytes.extend([0; 24]);
            bytes.extend(0o100_644_u32.to_be_bytes());
            bytes.extend([0; 12 + 20]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            [&bytes[..], name, &[0; 16]].concat()
        };
        fs::write(&index, of(b"ok.txt")).unwrap();
        let record = record_of(&work);
        fs::write(&index, of(b"another.txt")).unwrap();
        assert_eq!(record.settle(), [""; 0]);
        let record = record_of(&work);
        fs::write(&index, of(b".git/hooks/pre-commit")).unwrap();
        let lines = record.settle();
        assert!(!index.exists() && index.with_file_name("index.disabled").exists(), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("it names .git/hooks/pre-commit")), "{lines:?}");
    }
}
