//! Protected names that do not exist when a job starts.
//!
//! A mount needs something to stand on, and the jail makes nothing in the user's folders. So these names are watched from
//! outside, and what appears under one is renamed at once. Nothing tells whether the job made it or another program of the
//! user's. So it is kept under its new name, unless it holds nothing but empty folders.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::fs::{CWD, RenameFlags, renameat_with};
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

    /// Looks at all names once more and removes empty folders that were set aside. Call it when every process of the job is
    /// dead.
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
                Some(aside) if remove_empty(&aside, 0).is_ok() => Fate::Removed,
                Some(aside) => Fate::SetAside(aside),
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

/// Removes a folder that holds nothing but empty folders. A file is never removed.
fn remove_empty(folder: &Path, depth: usize) -> io::Result<()> {
    if !is_folder(folder) || depth > MAX_DEPTH {
        return Err(io::ErrorKind::DirectoryNotEmpty.into());
    }
    for entry in fs::read_dir(folder)? {
        remove_empty(&entry?.path(), depth + 1)?;
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests;
