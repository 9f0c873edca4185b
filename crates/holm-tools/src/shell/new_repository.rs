//! Takes from repositories that a command has made what version control would run at the user's next call: settings that
//! name programs, hooks, and pointers to places that were not looked at.
//!
//! What `git init` and `git clone` write by themselves stays, so such a repository works as it is. Whatever else is there is
//! kept beside it under a name that is not obeyed. Everything is done on handles: another command may move folders meanwhile.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, chmod, fstat, open, openat, renameat, renameat_with,
    statat,
};
use rustix::io::Errno;

use crate::root::git::{ConfigEntry, GitConfig, is_harmless, plain_path};

/// The largest file that is looked into. A larger one is disabled unseen.
const MAX_BYTES: u64 = 1024 * 1024;
/// The most hooks that are disabled one by one. Of more, the whole folder is.
const MAX_HOOKS: usize = 256;
/// What stands behind the name of something that is no longer obeyed.
const DISABLED: &str = "disabled";
/// The most names that are tried for something that is no longer obeyed.
const MAX_NAMES: usize = 100;

/// What a command has made.
#[derive(Debug, Default)]
pub(super) struct NewRepositories {
    /// Folders that git would take for a repository.
    pub(super) folders: BTreeSet<PathBuf>,
    /// Files and links called `.git`.
    pub(super) pointers: BTreeSet<PathBuf>,
    /// Repositories of other version control.
    pub(super) others: BTreeSet<PathBuf>,
}

/// A repository that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disarmed {
    pub(super) place: PathBuf,
    /// What would have been run or obeyed, by name.
    pub(super) removed: Vec<String>,
}

impl NewRepositories {
    /// Disables what would be run. `known` are the repositories that were there before the command.
    pub(super) fn disarm(&self, roots: &[PathBuf], known: &HashSet<PathBuf>) -> Vec<Disarmed> {
        let is_looked_at = |path: &Path| known.contains(path) || self.folders.contains(path);
        let mut all = Vec::new();
        for folder in &self.folders {
            let Some(handle) = beneath(roots, folder) else { continue };
            let look = Look { path: folder, handle, roots };
            let removed = look.disarm(&is_looked_at);
            // A repository that lies in one that is told of is told of only where something was found in it.
            let is_inner = folder.ancestors().skip(1).any(|outer| self.folders.contains(outer));
            if !removed.is_empty() || !is_inner {
                all.push(Disarmed { place: place(folder), removed });
            }
        }
        for pointer in &self.pointers {
            all.extend(disarm_pointer(roots, pointer, &is_looked_at));
        }
        for folder in &self.others {
            let Some(handle) = beneath(roots, folder) else { continue };
            let removed = Look { path: folder, handle, roots }.disarm_other();
            all.push(Disarmed { place: place(folder), removed });
        }
        all
    }
}

/// The folder that a user knows a repository by.
fn place(folder: &Path) -> PathBuf {
    let is_inner = [".git", ".hg", ".sl", ".jj"].iter().any(|name| folder.ends_with(name));
    folder.parent().filter(|_| is_inner).unwrap_or(folder).to_owned()
}

/// One folder, held open.
struct Look<'a> {
    path: &'a Path,
    handle: OwnedFd,
    roots: &'a [PathBuf],
}

impl Look<'_> {
    /// Disables what git would run.
    fn disarm(&self, is_looked_at: &impl Fn(&Path) -> bool) -> Vec<String> {
        let mut removed = Vec::new();
        for name in ["config", "config.worktree"] {
            removed.extend(self.disarm_config(name));
        }
        removed.extend(self.disarm_hooks());
        // What this names has a configuration and hooks of its own.
        let common = self.read("commondir");
        let is_safe = match &common {
            Contents::Missing => true,
            Contents::Text(text) => target(self.path, &text).is_some_and(|path| is_looked_at(&path)),
            Contents::Unreadable => false,
        };
        if !is_safe && self.disable("commondir") {
            removed.push("commondir".into());
        }
        removed
    }

    /// Disables what Mercurial, Sapling or Jujutsu would run.
    fn disarm_other(&self) -> Vec<String> {
        let mut removed = Vec::new();
        for name in ["hgrc", "config"] {
            let is_armed = match self.read(name) {
                Contents::Missing => false,
                Contents::Text(text) => !only_paths(&text),
                Contents::Unreadable => true,
            };
            if is_armed && self.disable(name) {
                removed.push(name.into());
            }
        }
        for name in ["hgrc-not-shared", "sharedpath", "workspace-config.toml"] {
            if self.exists(name) && self.disable(name) {
                removed.push(name.into());
            }
        }
        if let Some(inner) = folder_in(&self.handle, OsStr::new("repo")) {
            let inner = Look { path: self.path, handle: inner, roots: self.roots };
            if inner.exists("config.toml") && inner.disable("config.toml") {
                removed.push("repo/config.toml".into());
            }
        }
        removed
    }

    fn disarm_config(&self, name: &str) -> Vec<String> {
        let text = match self.read(name) {
            Contents::Missing => return Vec::new(),
            Contents::Text(text) => text,
            Contents::Unreadable => {
                return if self.disable(name) { vec![name.into()] } else { Vec::new() };
            }
        };
        let config = GitConfig::parse(text.as_bytes());
        let (kept, armed): (Vec<ConfigEntry>, Vec<ConfigEntry>) =
            config.entries.iter().cloned().partition(|entry| self.is_kept(entry));
        if armed.is_empty() && config.is_whole && config.is_simple {
            return Vec::new();
        }
        let mut removed: Vec<String> = armed.iter().map(ConfigEntry::name).collect();
        removed.dedup();
        if removed.is_empty() && !config.is_whole {
            removed.push(name.into());
        }
        if self.disable(name) {
            self.create(name, &GitConfig::write(&kept));
        }
        removed
    }

    /// Whether a setting can stay. A work tree is where the files are, and must be among what the command may write.
    fn is_kept(&self, entry: &ConfigEntry) -> bool {
        if entry.name() != "core.worktree" {
            return is_harmless(entry);
        }
        let tree = plain_path(&self.path.join(entry.value.as_deref().unwrap_or_default()));
        self.roots.iter().any(|root| tree.starts_with(root))
    }

    fn disarm_hooks(&self) -> Vec<String> {
        if !self.exists("hooks") {
            return Vec::new();
        }
        let Some(hooks) = folder_in(&self.handle, OsStr::new("hooks")) else {
            return if self.disable("hooks") { vec!["hooks".into()] } else { Vec::new() };
        };
        let Some(names) = names_in(&hooks).filter(|names| names.len() <= MAX_HOOKS) else {
            return if self.disable("hooks") { vec!["hooks".into()] } else { Vec::new() };
        };
        let names: Vec<OsString> = names.into_iter().filter(|name| is_hook(name)).collect();
        let disabled = names.iter().filter(|name| disable_in(&hooks, name));
        disabled.map(|name| format!("hooks/{}", name.to_string_lossy())).collect()
    }

    fn exists(&self, name: &str) -> bool {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    fn disable(&self, name: &str) -> bool {
        disable_in(&self.handle, OsStr::new(name))
    }

    fn read(&self, name: &str) -> Contents {
        read_in(&self.handle, OsStr::new(name))
    }

    fn create(&self, name: &str, text: &str) {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(file) = openat(&self.handle, name, flags, Mode::from_raw_mode(0o644)) {
            // A repository whose settings cannot be written has none, and does nothing.
            let _ = File::from(file).write_all(text.as_bytes());
        }
    }
}

/// Disables a `.git` that is no folder, unless it names a repository that was looked at.
fn disarm_pointer(
    roots: &[PathBuf],
    pointer: &Path,
    is_looked_at: &impl Fn(&Path) -> bool,
) -> Option<Disarmed> {
    let (folder, name) = (pointer.parent()?, pointer.file_name()?);
    let handle = beneath(roots, folder)?;
    let is_safe = match read_in(&handle, name) {
        Contents::Missing => return None,
        Contents::Text(text) => {
            let named = text.strip_prefix("gitdir: ").and_then(|text| target(folder, text));
            named.is_some_and(|path| is_looked_at(&path))
        }
        Contents::Unreadable => false,
    };
    let removed =
        if !is_safe && disable_in(&handle, name) { vec![name.to_string_lossy().into()] } else { Vec::new() };
    Some(Disarmed { place: folder.to_owned(), removed })
}

/// The folder that a file names, if there is one way to read it: no link on it that could lead elsewhere tomorrow, and no
/// step back behind a name.
fn target(folder: &Path, text: &str) -> Option<PathBuf> {
    let text = text.trim_end_matches(['\n', '\r']);
    let mut parts = Path::new(text).components().skip_while(|part| *part == Component::ParentDir);
    let is_direct = parts.all(|part| part != Component::ParentDir) && text.trim() == text;
    let path = plain_path(&folder.join(text));
    let is_real = path.canonicalize().is_ok_and(|real| real == path);
    (is_direct && is_real && !text.is_empty()).then_some(path)
}

/// Whether settings of Mercurial say where other repositories are, and no more.
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

/// What a file holds.
enum Contents {
    Missing,
    Text(String),
    /// It is no plain file, too large, or no text.
    Unreadable,
}

fn read_in(folder: &OwnedFd, name: &OsStr) -> Contents {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Contents::Missing,
        Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => {}
        Ok(_) | Err(_) => return Contents::Unreadable,
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let Ok(file) = openat(folder, name, flags, Mode::empty()) else { return Contents::Unreadable };
    let is_plain =
        fstat(&file).is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile);
    let mut bytes = Vec::new();
    let read = File::from(file).take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes);
    if !is_plain || read.is_err() || bytes.len() as u64 > MAX_BYTES {
        return Contents::Unreadable;
    }
    String::from_utf8(bytes).map_or(Contents::Unreadable, Contents::Text)
}

/// Whether git would run a file of this name in the folder of hooks.
fn is_hook(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.ends_with(".sample") && !name.contains(&format!(".{DISABLED}")) && name != "README"
}

/// Gives something a name that is not obeyed.
fn disable_in(folder: &OwnedFd, name: &OsStr) -> bool {
    for number in 0..MAX_NAMES {
        let mut new = name.to_owned();
        new.push(format!(".{DISABLED}"));
        if number > 0 {
            new.push(format!("-{number}"));
        }
        match renameat_with(folder, name, folder, &new, RenameFlags::NOREPLACE) {
            Ok(()) => return true,
            Err(Errno::EXIST) => {}
            // This file system cannot tell whether the name is taken; what Holm disabled before is replaced.
            Err(Errno::INVAL | Errno::NOSYS) => return renameat(folder, name, folder, &new).is_ok(),
            Err(_) => return false,
        }
    }
    false
}

/// The names in a folder; none where it cannot be read.
fn names_in(folder: &OwnedFd) -> Option<Vec<OsString>> {
    use std::os::unix::ffi::OsStrExt as _;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let entries = Dir::new(openat(folder, ".", flags, Mode::empty()).ok()?).ok()?;
    let names = entries.flatten().map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    Some(names.filter(|name| name != "." && name != "..").take(MAX_HOOKS + 1).collect())
}

/// How folders are opened: also those that may not be read.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn folder_in(folder: &impl AsFd, name: &OsStr) -> Option<OwnedFd> {
    let folder = openat(folder, name, FOLDER, Mode::empty()).ok()?;
    open_up(&folder);
    Some(folder)
}

/// Opens a folder beneath a root, passing no link, so that its owner can look into it and rename what is there.
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

/// Gives the owner all rights to a folder: git opens what it knows by name also where nothing can be listed or renamed.
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
