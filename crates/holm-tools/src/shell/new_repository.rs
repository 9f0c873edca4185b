//! Disarms repositories that a command has made. It disables what version control would
//! run at the user's next call: settings that name programs, hooks, and pointers to places
//! that were not checked.
//!
//! What `git init` and `git clone` write by themselves stays, so such a repository works as it is.
//! Everything else is kept beside it under a name that is not obeyed. All operations use handles,
//! because another command may move folders meanwhile.
//!
//! Which repositories are new is found in `changes.rs`, which settings are harmless in
//! `root/git/named_paths.rs`, and which state files are dangerous in `git_state_file.rs`. A file is
//! renamed, and deleted only if that fails; a link inside a git folder is removed.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, chmod, fstat, open, openat, renameat, renameat_with,
    statat, unlinkat,
};
use rustix::io::Errno;

use super::git_folder_record::{GitFolderChanges, GitFolderRecord, all_in};
use super::git_state_file::GitStateFile;
use crate::root::git::{GitConfig, GitConfigEntry, GitFolder, ObjectFormat, is_harmless, plain_path};

/// The largest file that is read. A larger one is disabled without reading it.
const MAX_BYTES: u64 = 1024 * 1024;
/// The most hooks that are disabled one by one. Of more, the whole folder is.
const MAX_HOOKS: usize = 256;
/// The suffix for the name of a disabled file.
const DISABLED: &str = "disabled";
/// The most numbered names that are tried for a disabled file.
const MAX_NUMBERED_NAMES: usize = 100;
/// The most names by chance that are tried after them: a command can take all numbered ones before.
const MAX_CHANCE_NAMES: usize = 4;

/// The repositories that a command has made.
#[derive(Debug, Default)]
pub(super) struct NewRepositories {
    /// Folders that git would take for a repository.
    pub(super) folders: BTreeSet<PathBuf>,
    /// Files and links called `.git`.
    pub(super) pointers: BTreeSet<PathBuf>,
    /// Repositories of other version control.
    pub(super) others: BTreeSet<PathBuf>,
    /// Links and files that are new or different in repositories that were there before.
    pub(super) changes: GitFolderChanges,
}

/// A repository that was checked and disarmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DisarmedRepository {
    /// The git folder, the pointer, or the folder of other version control.
    pub(super) path: PathBuf,
    /// The folder that a user knows it by.
    pub(super) place: PathBuf,
    pub(super) findings: RepositoryFindings,
}

/// The names of files and settings in one place that version control would have run or obeyed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RepositoryFindings {
    /// Names that are no longer obeyed.
    pub(super) disabled: Vec<String>,
    /// Names that are still obeyed because they could not be disabled.
    pub(super) armed: Vec<String>,
    /// Links inside the git folder that were removed.
    pub(super) links: Vec<String>,
}

impl RepositoryFindings {
    pub(super) fn is_empty(&self) -> bool {
        self.disabled.is_empty() && self.armed.is_empty() && self.links.is_empty()
    }

    /// Adds the findings of another look, each name once.
    pub(super) fn join(&mut self, more: Self) {
        let lists = [
            (&mut self.disabled, more.disabled),
            (&mut self.armed, more.armed),
            (&mut self.links, more.links),
        ];
        for (names, more) in lists {
            for name in more {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }

    fn add(&mut self, name: impl Into<String>, outcome: DisableOutcome) {
        let name = name.into();
        match outcome {
            DisableOutcome::Disabled => self.disabled.push(name),
            DisableOutcome::Deleted => {
                self.disabled.push(format!("{name} (deleted: it could not be renamed)"));
            }
            DisableOutcome::Failed => self.armed.push(name),
        }
    }
}

/// The outcome of disabling a file or a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DisableOutcome {
    /// It was renamed, so it is no longer obeyed.
    Disabled,
    /// It could get no other name, and is gone.
    Deleted,
    /// It is still obeyed.
    Failed,
}

impl NewRepositories {
    /// The folders in which git now finds another repository.
    pub(super) fn places(&self) -> BTreeSet<PathBuf> {
        let folders = self.folders.iter().filter(|folder| folder.ends_with(".git"));
        folders.chain(&self.pointers).filter_map(|git| git.parent().map(Path::to_owned)).collect()
    }

    /// Disables what would be run. `known` are the repositories that were there before the command,
    /// and `before` is what was in them.
    pub(super) fn disarm(
        &self,
        roots: &[PathBuf],
        known: &HashSet<PathBuf>,
        before: &GitFolderRecord,
    ) -> Vec<DisarmedRepository> {
        let is_looked_at = |path: &Path| known.contains(path) || self.folders.contains(path);
        let mut all = Vec::new();
        for folder in &self.folders {
            let Some(handle) = beneath(roots, folder) else { continue };
            let look = RepositoryFolder { path: folder, handle, roots };
            let mut findings = look.disarm(&is_looked_at);
            match all_in(roots, folder) {
                Some(paths) => look.disarm_changes(&paths, before, &mut findings),
                None => findings.armed.push("a folder that cannot be read".into()),
            }
            // A repository inside a reported one is reported only if something was found in it.
            let is_inner = folder.ancestors().skip(1).any(|outer| self.folders.contains(outer));
            if !findings.is_empty() || !is_inner {
                all.push(DisarmedRepository { path: folder.clone(), place: place(folder), findings });
            }
        }
        for (folder, paths) in self.changes.iter().filter(|(folder, _)| !self.folders.contains(*folder)) {
            let Some(handle) = beneath(roots, folder) else { continue };
            let mut findings = RepositoryFindings::default();
            RepositoryFolder { path: folder, handle, roots }.disarm_changes(paths, before, &mut findings);
            if !findings.is_empty() {
                all.push(DisarmedRepository { path: folder.clone(), place: place(folder), findings });
            }
        }
        for pointer in &self.pointers {
            all.extend(disarm_pointer(roots, pointer, &is_looked_at));
        }
        for folder in &self.others {
            let Some(handle) = beneath(roots, folder) else { continue };
            let findings = RepositoryFolder { path: folder, handle, roots }.disarm_other();
            all.push(DisarmedRepository { path: folder.clone(), place: place(folder), findings });
        }
        all
    }
}

/// Disarms the repository that an entry called `.git` is or names, while its command still runs.
pub(super) fn disarm_entry(
    roots: &[PathBuf],
    entry: &Path,
    git: &Path,
    is_looked_at: &impl Fn(&Path) -> bool,
) -> RepositoryFindings {
    let mut findings = RepositoryFindings::default();
    if entry.symlink_metadata().is_ok_and(|found| !found.is_dir())
        && let Some(found) = disarm_pointer(roots, entry, is_looked_at)
    {
        findings.join(found.findings);
    }
    if let Some(handle) = beneath(roots, git) {
        findings.join(RepositoryFolder { path: git, handle, roots }.disarm(is_looked_at));
    }
    findings
}

/// Disables a file with the state of an operation.
pub(super) fn disarm_state(roots: &[PathBuf], git: &Path, file: &Path) -> RepositoryFindings {
    let mut findings = RepositoryFindings::default();
    let folder = file.parent().and_then(|folder| beneath(roots, folder));
    if let Some((folder, name)) = folder.zip(file.file_name()) {
        let shown = file.strip_prefix(git).unwrap_or(file).to_string_lossy();
        findings.add(format!("{shown} (it runs commands)"), disable_in(&folder, name));
    }
    findings
}

/// The folder that a user knows a repository by.
fn place(folder: &Path) -> PathBuf {
    let is_inner = [".git", ".hg", ".sl", ".jj"].iter().any(|name| folder.ends_with(name));
    folder.parent().filter(|_| is_inner).unwrap_or(folder).to_owned()
}

/// One folder, held open.
struct RepositoryFolder<'a> {
    path: &'a Path,
    handle: OwnedFd,
    roots: &'a [PathBuf],
}

impl RepositoryFolder<'_> {
    /// Disables what git would run.
    fn disarm(&self, is_looked_at: &impl Fn(&Path) -> bool) -> RepositoryFindings {
        let mut findings = RepositoryFindings::default();
        for name in ["config", "config.worktree"] {
            self.disarm_config(name, &mut findings);
        }
        self.disarm_hooks(&mut findings);
        // Remotes in the form of git before 2006, which it still reads.
        for name in ["remotes", "branches"] {
            let folder = folder_in(&self.handle, OsStr::new(name));
            let is_empty = folder.as_ref().and_then(names_in).is_some_and(|names| names.is_empty());
            if self.exists(name) && !is_empty {
                findings.add(name, self.disable(name));
            }
        }
        // The folder that this names has its own configuration and hooks.
        let common = self.read("commondir");
        let is_safe = match &common {
            ConfigContents::Missing => true,
            ConfigContents::Text(text) => target(self.path, text).is_some_and(|path| is_looked_at(&path)),
            ConfigContents::Unreadable => false,
        };
        if !is_safe {
            findings.add("commondir", self.disable("commondir"));
        }
        findings
    }

    /// Removes links inside the git folder, and disables an index or a state of an operation that
    /// would harm the user.
    fn disarm_changes(
        &self,
        paths: &BTreeSet<PathBuf>,
        before: &GitFolderRecord,
        findings: &mut RepositoryFindings,
    ) {
        for path in paths {
            let Ok(inside) = path.strip_prefix(self.path) else { continue };
            let folder = path.parent().and_then(|folder| beneath(self.roots, folder));
            let (Some(folder), Some(name)) = (folder, path.file_name()) else { continue };
            let shown = inside.to_string_lossy();
            // It was disabled a moment ago.
            if inside.components().count() == 1 && shown.contains(&format!(".{DISABLED}")) {
                continue;
            }
            let kind = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                .map(|found| FileType::from_raw_mode(found.st_mode));
            match (kind, GitStateFile::of(inside)) {
                (Ok(FileType::Symlink), _) if delete_in(&folder, name) => findings.links.push(shown.into()),
                (Ok(FileType::Symlink), _) => findings.armed.push(shown.into()),
                (Ok(_), Some(kind)) => {
                    if let Some(danger) = self.danger(&folder, name, kind, before.before(path)) {
                        findings.add(format!("{shown} ({danger})"), disable_in(&folder, name));
                    }
                }
                (Ok(_), None) | (Err(_), _) => {}
            }
        }
    }

    /// Why git must not obey a file in its folder.
    fn danger(&self, folder: &OwnedFd, name: &OsStr, kind: GitStateFile, before: &[u8]) -> Option<String> {
        match bytes_in(folder, name, kind.max_bytes()) {
            FileContents::Missing => None,
            FileContents::Unreadable => Some("it cannot be read".into()),
            FileContents::Bytes(bytes) => kind.danger(&bytes, before, self.object_format()),
        }
    }

    fn object_format(&self) -> ObjectFormat {
        let common = GitFolder::at(self.path, self.path.to_owned()).common;
        let config = GitConfig::read(&common.join("config")).unwrap_or_default();
        let format = config.entries.iter().rfind(|entry| entry.name() == "extensions.objectformat");
        match format.and_then(|entry| entry.value.as_deref()) {
            Some(name) if name.eq_ignore_ascii_case("sha256") => ObjectFormat::Sha256,
            Some(_) | None => ObjectFormat::Sha1,
        }
    }

    /// Disables what Mercurial, Sapling or Jujutsu would run.
    fn disarm_other(&self) -> RepositoryFindings {
        let mut findings = RepositoryFindings::default();
        for name in ["hgrc", "config"] {
            let is_armed = match self.read(name) {
                ConfigContents::Missing => false,
                ConfigContents::Text(text) => !only_paths(&text),
                ConfigContents::Unreadable => true,
            };
            if is_armed {
                findings.add(name, self.disable(name));
            }
        }
        for name in ["hgrc-not-shared", "sharedpath", "workspace-config.toml"] {
            if self.exists(name) {
                findings.add(name, self.disable(name));
            }
        }
        if let Some(inner) = folder_in(&self.handle, OsStr::new("repo")) {
            let inner = RepositoryFolder { path: self.path, handle: inner, roots: self.roots };
            if inner.exists("config.toml") {
                findings.add("repo/config.toml", inner.disable("config.toml"));
            }
        }
        findings
    }

    fn disarm_config(&self, name: &str, findings: &mut RepositoryFindings) {
        let text = match self.read(name) {
            ConfigContents::Missing => return,
            ConfigContents::Text(text) => text,
            ConfigContents::Unreadable => return findings.add(name, self.disable(name)),
        };
        let config = GitConfig::parse(text.as_bytes());
        let (kept, armed): (Vec<GitConfigEntry>, Vec<GitConfigEntry>) =
            config.entries.iter().cloned().partition(|entry| self.is_kept(entry));
        if armed.is_empty() && config.is_whole && config.is_simple {
            return;
        }
        let mut names: Vec<String> = armed.iter().map(GitConfigEntry::name).collect();
        names.dedup();
        if names.is_empty() && !config.is_whole {
            names.push(name.into());
        }
        let outcome = self.disable(name);
        if outcome == DisableOutcome::Failed {
            // A file that could not be disabled is reported as a whole, not setting by setting.
            return findings.add(name, outcome);
        }
        self.create(name, &GitConfig::write(&kept));
        names.into_iter().for_each(|name| findings.add(name, outcome));
    }

    /// Whether a setting can stay. A work tree is where the files are, and must be among what
    /// the command may write.
    fn is_kept(&self, entry: &GitConfigEntry) -> bool {
        if entry.name() != "core.worktree" {
            return is_harmless(entry);
        }
        let tree = plain_path(&self.path.join(entry.value.as_deref().unwrap_or_default()));
        self.roots.iter().any(|root| tree.starts_with(root))
    }

    fn disarm_hooks(&self, findings: &mut RepositoryFindings) {
        if !self.exists("hooks") {
            return;
        }
        let hooks = folder_in(&self.handle, OsStr::new("hooks"));
        let names = hooks.as_ref().and_then(names_in).filter(|names| names.len() <= MAX_HOOKS);
        let Some((hooks, names)) = hooks.as_ref().zip(names) else {
            return findings.add("hooks", self.disable("hooks"));
        };
        for name in names.iter().filter(|name| is_hook(name)) {
            findings.add(format!("hooks/{}", name.to_string_lossy()), disable_in(hooks, name));
        }
    }

    fn exists(&self, name: &str) -> bool {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    fn disable(&self, name: &str) -> DisableOutcome {
        disable_in(&self.handle, OsStr::new(name))
    }

    fn read(&self, name: &str) -> ConfigContents {
        read_in(&self.handle, OsStr::new(name))
    }

    fn create(&self, name: &str, text: &str) {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(file) = openat(&self.handle, name, flags, Mode::from_raw_mode(0o644)) {
            // A repository whose settings cannot be written has no settings, and runs nothing.
            let _ = File::from(file).write_all(text.as_bytes());
        }
    }
}

/// Disables a `.git` that is not a folder, unless it names a repository that was checked.
fn disarm_pointer(
    roots: &[PathBuf],
    pointer: &Path,
    is_looked_at: &impl Fn(&Path) -> bool,
) -> Option<DisarmedRepository> {
    let (folder, name) = (pointer.parent()?, pointer.file_name()?);
    let handle = beneath(roots, folder)?;
    let is_safe = match read_in(&handle, name) {
        ConfigContents::Missing => return None,
        ConfigContents::Text(text) => {
            let named = text.strip_prefix("gitdir: ").and_then(|text| target(folder, text));
            named.is_some_and(|path| is_looked_at(&path))
        }
        ConfigContents::Unreadable => false,
    };
    let mut findings = RepositoryFindings::default();
    if !is_safe {
        findings.add(name.to_string_lossy(), disable_in(&handle, name));
    }
    Some(DisarmedRepository { path: pointer.to_owned(), place: folder.to_owned(), findings })
}

/// The folder that a file names, if it is unambiguous: no link that could be redirected later, and
/// no `..` after a name.
fn target(folder: &Path, text: &str) -> Option<PathBuf> {
    let text = text.trim_end_matches(['\n', '\r']);
    let mut parts = Path::new(text).components().skip_while(|part| *part == Component::ParentDir);
    let is_direct = parts.all(|part| part != Component::ParentDir) && text.trim() == text;
    let path = plain_path(&folder.join(text));
    let is_real = path.canonicalize().is_ok_and(|real| real == path);
    (is_direct && is_real && !text.is_empty()).then_some(path)
}

/// Whether settings of Mercurial only name other repositories.
fn only_paths(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut section = "";
    lines.all(|line| {
        if line.starts_with('[') {
            section = line.trim_end();
            return section == "[paths]";
        }
        let is_entry = line.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        is_entry && section == "[paths]" && line.contains('=') && !line.contains("::")
    })
}

/// The content of a file.
enum ConfigContents {
    Missing,
    Text(String),
    /// It is not a plain file, is too large, or is not text.
    Unreadable,
}

fn read_in(folder: &OwnedFd, name: &OsStr) -> ConfigContents {
    match bytes_in(folder, name, MAX_BYTES) {
        FileContents::Missing => ConfigContents::Missing,
        FileContents::Unreadable => ConfigContents::Unreadable,
        FileContents::Bytes(bytes) => {
            String::from_utf8(bytes).map_or(ConfigContents::Unreadable, ConfigContents::Text)
        }
    }
}

/// The bytes of a file.
enum FileContents {
    Missing,
    Bytes(Vec<u8>),
    /// It is not a plain file, or is too large.
    Unreadable,
}

fn bytes_in(folder: &OwnedFd, name: &OsStr, most: u64) -> FileContents {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return FileContents::Missing,
        Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => {}
        Ok(_) | Err(_) => return FileContents::Unreadable,
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let Ok(file) = openat(folder, name, flags, Mode::empty()) else { return FileContents::Unreadable };
    let is_plain =
        fstat(&file).is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile);
    let mut bytes = Vec::new();
    let read = File::from(file).take(most.saturating_add(1)).read_to_end(&mut bytes);
    if !is_plain || read.is_err() || bytes.len() as u64 > most {
        return FileContents::Unreadable;
    }
    FileContents::Bytes(bytes)
}

/// Whether git would run a file of this name in the folder of hooks.
fn is_hook(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.ends_with(".sample") && !name.contains(&format!(".{DISABLED}")) && name != "README"
}

/// Disables a file that a tool of the user would run. Returns what has become of it.
pub(super) fn disable_file(roots: &[PathBuf], path: &Path) -> &'static str {
    let folder = path.parent().and_then(|folder| beneath(roots, folder));
    let outcome = folder.zip(path.file_name()).map(|(folder, name)| disable_in(&folder, name));
    match outcome {
        Some(DisableOutcome::Disabled) => "it was renamed, with .disabled in its name",
        Some(DisableOutcome::Deleted) => "it was deleted, because it could not be renamed",
        Some(DisableOutcome::Failed) | None => "it could NOT be removed: inspect it before you use it",
    }
}

/// Replaces the content of a file in a folder beneath a root. Returns whether it was replaced.
pub(super) fn replace_file(roots: &[PathBuf], path: &Path, bytes: &[u8]) -> bool {
    let folder = path.parent().and_then(|folder| beneath(roots, folder));
    let (Some(folder), Some(name), Some(ending)) = (folder, path.file_name(), chance_ending()) else {
        return false;
    };
    let mut new = name.to_owned();
    new.push(ending);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(file) = openat(&folder, &new, flags, Mode::from_raw_mode(0o644)) else { return false };
    let is_written = File::from(file).write_all(bytes).is_ok();
    is_written && renameat(&folder, &new, &folder, name).is_ok()
}

/// Gives something a name that is not obeyed. What can get none is deleted: it must not be obeyed.
fn disable_in(folder: &OwnedFd, name: &OsStr) -> DisableOutcome {
    for ending in endings() {
        let mut new = name.to_owned();
        new.push(ending);
        match rename_to_free(folder, name, &new) {
            Ok(()) => return DisableOutcome::Disabled,
            Err(Errno::EXIST) => {}
            Err(_) => break,
        }
    }
    if delete_in(folder, name) { DisableOutcome::Deleted } else { DisableOutcome::Failed }
}

/// Suffixes for a name, best first: readable ones, then ones that no command can have used before.
fn endings() -> impl Iterator<Item = String> {
    let numbered = (1..MAX_NUMBERED_NAMES).map(|number| format!(".{DISABLED}-{number}"));
    let by_chance = std::iter::repeat_with(chance_ending).take(MAX_CHANCE_NAMES).flatten();
    std::iter::once(format!(".{DISABLED}")).chain(numbered).chain(by_chance)
}

fn chance_ending() -> Option<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).ok()?;
    Some(format!(".{DISABLED}-{:016x}", u64::from_le_bytes(random)))
}

/// Renames, and replaces nothing.
fn rename_to_free(folder: &OwnedFd, name: &OsStr, new: &OsStr) -> Result<(), Errno> {
    match renameat_with(folder, name, folder, new, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => rename_after_look(folder, name, new),
        settled => settled,
    }
}

/// Renames on a file system that cannot refuse an existing target: checks first
/// whether the target exists.
fn rename_after_look(folder: &OwnedFd, name: &OsStr, new: &OsStr) -> Result<(), Errno> {
    match statat(folder, new, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => renameat(folder, name, folder, new),
        Err(error) => Err(error),
    }
}

/// Deletes a file or a link.
fn delete_in(folder: &OwnedFd, name: &OsStr) -> bool {
    let is_single = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| {
        matches!(FileType::from_raw_mode(found.st_mode), FileType::RegularFile | FileType::Symlink)
    });
    is_single && unlinkat(folder, name, AtFlags::empty()).is_ok()
}

/// The names in a folder. Returns `None` if it cannot be read.
fn names_in(folder: &OwnedFd) -> Option<Vec<OsString>> {
    use std::os::unix::ffi::OsStrExt as _;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let entries = Dir::new(openat(folder, ".", flags, Mode::empty()).ok()?).ok()?;
    let names = entries.flatten().map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    Some(names.filter(|name| name != "." && name != "..").take(MAX_HOOKS + 1).collect())
}

/// How folders are opened, including unreadable ones.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn folder_in(folder: &impl AsFd, name: &OsStr) -> Option<OwnedFd> {
    let folder = openat(folder, name, FOLDER, Mode::empty()).ok()?;
    open_up(&folder);
    Some(folder)
}

/// Opens a folder beneath a root without following links, so that its owner can read it
/// and rename its entries.
pub(super) fn beneath(roots: &[PathBuf], folder: &Path) -> Option<OwnedFd> {
    let root = roots.iter().find(|root| folder.starts_with(root))?;
    let mut here = open(root, FOLDER, Mode::empty()).ok()?;
    for part in folder.strip_prefix(root).ok()?.components() {
        let Component::Normal(name) = part else { return None };
        here = openat(&here, name, FOLDER, Mode::empty()).ok()?;
    }
    open_up(&here);
    Some(here)
}

/// Gives the owner all rights to a folder: git opens files by known names even where they cannot
/// be listed or renamed.
fn open_up(folder: &OwnedFd) {
    let Ok(found) = fstat(folder) else { return };
    let mode = Mode::from_raw_mode(found.st_mode);
    if !mode.contains(Mode::RWXU) {
        // By the handle, so that no link leads this elsewhere.
        let _ = chmod(
            format!("/proc/self/fd/{}", folder.as_raw_fd()),
            (mode & Mode::from_raw_mode(0o777)) | Mode::RWXU,
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn opened(folder: &Path) -> OwnedFd {
        open(folder, FOLDER, Mode::empty()).unwrap()
    }

    /// Takes all names that are tried in order.
    fn take_names(folder: &Path, name: &str) {
        for ending in endings().take(MAX_NUMBERED_NAMES) {
            fs::write(folder.join(format!("{name}{ending}")), "taken").unwrap();
        }
    }

    #[test]
    fn what_is_run_is_disabled_also_where_a_command_took_all_names_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let git = root.join("n/.git");
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::write(git.join("config"), "[core]\n\tfsmonitor = ./evil\n").unwrap();
        fs::write(git.join("hooks/pre-commit"), "#!/bin/sh\n").unwrap();
        take_names(&git, "config");
        take_names(&git.join("hooks"), "pre-commit");
        let new = NewRepositories { folders: BTreeSet::from([git.clone()]), ..NewRepositories::default() };
        let found = new.disarm(&[root], &HashSet::new(), &GitFolderRecord::default());
        let findings = &found.first().unwrap().findings;
        assert_eq!(findings.disabled, ["core.fsmonitor", "hooks/pre-commit"]);
        assert!(findings.armed.is_empty(), "{findings:?}");
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "");
        assert!(!git.join("hooks/pre-commit").exists());
        let is_kept =
            |entry: fs::DirEntry| fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("evil"));
        assert!(fs::read_dir(&git).unwrap().flatten().any(is_kept), "the original is still there");
        assert_eq!(fs::read_to_string(git.join("config.disabled")).unwrap(), "taken");
    }

    #[test]
    fn what_can_get_no_other_name_is_deleted_and_a_folder_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (long, longer) = ("a".repeat(250), "b".repeat(250));
        fs::write(folder.path().join(&long), "").unwrap();
        fs::create_dir(folder.path().join(&longer)).unwrap();
        let handle = opened(folder.path());
        assert_eq!(disable_in(&handle, OsStr::new(&long)), DisableOutcome::Deleted);
        assert!(!folder.path().join(&long).exists());
        assert_eq!(disable_in(&handle, OsStr::new(&longer)), DisableOutcome::Failed);
        let mut findings = RepositoryFindings::default();
        findings.add("hooks", DisableOutcome::Failed);
        assert!(!findings.is_empty() && findings.armed == ["hooks"]);
    }

    #[test]
    fn nothing_is_replaced_on_a_file_system_that_cannot_refuse_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("config"), "new").unwrap();
        fs::write(path("config.disabled"), "old").unwrap();
        symlink("nowhere", path("config.disabled-1")).unwrap();
        let handle = opened(folder.path());
        let rename = |new: &str| rename_after_look(&handle, OsStr::new("config"), OsStr::new(new));
        assert_eq!(rename("config.disabled"), Err(Errno::EXIST));
        assert_eq!(rename("config.disabled-1"), Err(Errno::EXIST));
        assert_eq!(rename("config.disabled-2"), Ok(()));
        assert_eq!(fs::read_to_string(path("config.disabled")).unwrap(), "old");
        assert_eq!(fs::read_to_string(path("config.disabled-2")).unwrap(), "new");
    }
}
