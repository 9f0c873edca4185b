//! Protected names that do not exist when a job starts.
//!
//! A mount needs something to stand on, and the jail makes nothing in the user's folders. So these names are watched from
//! outside: what appears under one is renamed at once, and removed after the job if all of it is younger than the job.
//! Nothing tells whether the job made it or somebody else; that is why what is older is only set aside.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::fs::{AtFlags, CWD, MemfdFlags, RenameFlags, StatxFlags, memfd_create, renameat_with, statx};
use rustix::process::getpid;

use super::protect::{is_there, protected};
use crate::engine::Engine;
use crate::order::Order;
use crate::outcome::{Fate, ProtectedName};

/// The most folders that are watched. The names in others are looked at when the job is over.
const MAX_WATCHED: usize = 4_096;
/// The most names that are told of.
const MAX_TOLD: usize = 64;
/// How often names may appear before the job is ended.
const MAX_APPEARANCES: usize = 3;
/// The most entries that are looked at before something counts as older than the job.
const MAX_LOOKED_AT: usize = 10_000;
/// The deepest folder that is looked at.
const MAX_DEPTH: usize = 64;

/// The protected names of a job that do not exist, and what appeared under them.
pub(super) struct MissingNames {
    names: Vec<PathBuf>,
    notifier: Option<OwnedFd>,
    /// By the number of a watch and the next missing name in its folder, the protected paths that begin with it.
    awaited: BTreeMap<i32, BTreeMap<OsString, Vec<PathBuf>>>,
    /// Where each thing that appeared is now.
    aside: Vec<(PathBuf, Option<PathBuf>)>,
    appearances: usize,
    /// In nanoseconds, on the clock that files are stamped with.
    began: i128,
}

impl MissingNames {
    /// Watches for the names. What appears from now on is seen.
    pub(super) fn watch(order: &Order) -> Self {
        let mut missing = Self {
            names: Vec::new(),
            notifier: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok(),
            awaited: BTreeMap::new(),
            aside: Vec::new(),
            appearances: 0,
            began: now(),
        };
        if order.engine != Engine::Unconfined {
            protected(order).for_each(|path| missing.add(path));
        }
        missing
    }

    /// Watches for one more name, if it is missing.
    fn add(&mut self, path: &Path) {
        // The watch comes before the second look, so that no moment is between them.
        if !is_there(path) && self.wait_for(path).is_none() {
            self.names.push(path.to_owned());
        }
    }

    /// What is ready to be read when a name has appeared.
    pub(super) fn notifier(&self) -> Option<BorrowedFd<'_>> {
        self.notifier.as_ref().map(|notifier| notifier.as_fd())
    }

    /// Waits for the next missing name on the way to a path. Gives the path if it is there by now.
    fn wait_for(&mut self, path: &Path) -> Option<PathBuf> {
        for _ in 0..MAX_DEPTH {
            let folder = path.ancestors().skip(1).find(|folder| is_folder(folder))?;
            let next = path.strip_prefix(folder).ok()?.components().next()?.as_os_str().to_owned();
            if self.awaited.len() < MAX_WATCHED
                && let Some(notifier) = &self.notifier
            {
                let what = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
                if let Ok(watch) = inotify::add_watch(notifier, folder, what | WatchFlags::DONT_FOLLOW) {
                    let paths = self.awaited.entry(watch).or_default().entry(next.clone()).or_default();
                    if !paths.iter().any(|known| known == path) {
                        paths.push(path.to_owned());
                    }
                }
            }
            if is_there(path) {
                return Some(path.to_owned());
            }
            // A folder on the way may have come before the watch stood; then the one in it is waited for.
            if !is_folder(&folder.join(&next)) {
                break;
            }
        }
        None
    }

    /// Takes away what has appeared; whether the job must end.
    pub(super) fn handle(&mut self) -> bool {
        for path in self.appeared() {
            self.appearances += 1;
            self.set_aside(&path);
        }
        self.appearances >= MAX_APPEARANCES
    }

    /// Reads what the watches saw.
    fn appeared(&mut self) -> Vec<PathBuf> {
        let mut seen: Vec<(i32, OsString)> = Vec::new();
        let mut all = false;
        if let Some(notifier) = &self.notifier {
            let mut space = [MaybeUninit::uninit(); 4096];
            let mut reader = inotify::Reader::new(notifier, &mut space);
            // Ends when there is nothing to read.
            while let Ok(event) = reader.next() {
                all |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                if let Some(name) = event.file_name() {
                    seen.push((event.wd(), OsStr::from_bytes(name.to_bytes()).to_owned()));
                }
            }
        }
        let mut paths = if all { self.names.clone() } else { Vec::new() };
        for (watch, name) in seen {
            paths.extend(
                self.awaited.get(&watch).and_then(|names| names.get(&name)).into_iter().flatten().cloned(),
            );
        }
        paths.sort();
        paths.dedup();
        // Something beside the name, or a folder on the way to it: then the watch moves on.
        paths.retain(|path| is_there(path) || self.wait_for(path).is_some());
        paths
    }

    /// Renames what is at a protected path, so that no program takes it for what the name says.
    fn set_aside(&mut self, path: &Path) {
        let moved = rename_aside(path);
        if !matches!(&moved, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            self.aside.push((path.to_owned(), moved.ok()));
        }
    }

    /// Looks at all names once more and removes what was set aside and is younger than the job. Call it when every
    /// process of the job is dead.
    pub(super) fn settle(mut self) -> Vec<ProtectedName> {
        for path in std::mem::take(&mut self.names) {
            if is_there(&path) {
                self.set_aside(&path);
            }
        }
        let mut told: Vec<ProtectedName> = Vec::new();
        for (path, aside) in self.aside {
            let fate = match aside {
                None => Fate::Stays,
                Some(aside) => match is_younger(&aside, self.began) && remove(&aside).is_ok() {
                    true => Fate::Removed,
                    false => Fate::SetAside(aside),
                },
            };
            told.push(ProtectedName { path, fate });
        }
        told.dedup();
        told.truncate(MAX_TOLD);
        told
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_dir())
}

/// Renames a path to a new name beside it.
fn rename_aside(path: &Path) -> io::Result<PathBuf> {
    let mut number = getpid().as_raw_nonzero().get();
    loop {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".set-aside-{number}"));
        let aside = path.with_file_name(name);
        match renameat_with(CWD, path, CWD, &aside, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(aside),
            Err(rustix::io::Errno::EXIST) => number = number.saturating_add(1),
            // The job may have closed the folder to its owner.
            Err(rustix::io::Errno::ACCESS) if open_folder(path.parent()) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Gives the owner the rights to a folder again; false where they were there already.
fn open_folder(folder: Option<&Path>) -> bool {
    let Some((folder, data)) = folder.and_then(|folder| Some((folder, folder.symlink_metadata().ok()?)))
    else {
        return false;
    };
    let mode = data.permissions().mode();
    mode & 0o700 != 0o700 && fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700)).is_ok()
}

/// Whether something and all that is in it came to be after this moment.
fn is_younger(path: &Path, began: i128) -> bool {
    let mut open = vec![(path.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((path, depth)) = open.pop() {
        looked_at += 1;
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let Ok(data) = statx(CWD, &path, flags, StatxFlags::BTIME | StatxFlags::TYPE) else { return false };
        let born = nanoseconds(data.stx_btime.tv_sec, i64::from(data.stx_btime.tv_nsec));
        let is_known = data.stx_mask & StatxFlags::BTIME.bits() != 0;
        if !is_known || born < began || looked_at > MAX_LOOKED_AT || depth > MAX_DEPTH {
            return false;
        }
        if is_folder(&path) {
            let Ok(entries) = fs::read_dir(&path) else { return false };
            open.extend(entries.flatten().map(|entry| (entry.path(), depth + 1)));
        }
    }
    true
}

fn remove(path: &Path) -> io::Result<()> {
    if is_folder(path) { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// The moment that a file made now would bear: that clock goes in steps. After every moment where nothing tells it.
fn now() -> i128 {
    let data = memfd_create("now", MemfdFlags::CLOEXEC).map(fs::File::from).map(|file| file.metadata());
    data.ok().and_then(Result::ok).map_or(i128::MAX, |data| nanoseconds(data.mtime(), data.mtime_nsec()))
}

fn nanoseconds(seconds: i64, rest: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}

#[cfg(test)]
mod tests;
