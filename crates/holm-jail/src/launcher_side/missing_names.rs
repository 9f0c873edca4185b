//! Protected names that do not exist when a job starts.
//!
//! A mount needs an existing target, and the jail creates nothing in the user's folders. So these
//! names are watched from outside, and a file that appears under one is renamed at once. The jail
//! cannot tell whether the job or another program of the user created it. So it is kept under its
//! new name, unless it holds nothing but empty folders.
//!
//! Names that exist are protected by mounts (`launcher_side/protect.rs`). Entries are touched only
//! through an open folder (`launcher_side/missing_names/folder_entry.rs`), since a job can put
//! links in the way. Only empty folders are removed. The number of watches and events is bounded,
//! because a job can create files without end.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::fs::{AtFlags, statat};
use rustix::io::Errno;

use super::protect::{open_plain, protected};
use crate::engine::JailEngine;
use crate::order::JailOrder;
use crate::outcome::{ProtectedName, ProtectedNameFate};
use folder_entry::FolderEntry;

mod folder_entry;

/// The most folders that are watched. The names in others are checked when the job is over.
const MAX_WATCHED: usize = 4_096;
/// The most names that are reported.
const MAX_TOLD: usize = 64;
/// How often one name may appear before the job is ended. Several names appear once each when a
/// branch is checked out.
const MAX_APPEARANCES: usize = 8;
/// The deepest folder that is checked.
const MAX_DEPTH: usize = 64;
/// The most events that are read before the supervisor checks the clock again.
const MAX_EVENTS: usize = 16_384;

/// The protected names of a job that do not exist, and what appeared under them.
pub(super) struct MissingProtectedNames {
    /// By the protected path, the innermost folder on the way to it that existed at the start.
    /// Entries further out were not made by the job and are never renamed.
    names: BTreeMap<PathBuf, PathBuf>,
    /// As above, the protected paths that existed at the start. A concurrent job may have made such
    /// a path, and its supervisor sets it aside: from then on the name is missing.
    standing: BTreeMap<PathBuf, PathBuf>,
    /// Entries that were moved away from such a path, by the number of the move, until their
    /// new place is known.
    leaving: BTreeMap<u32, Vec<PathBuf>>,
    notifier: Option<OwnedFd>,
    /// By the number of a watch and the next missing name in its folder, the protected paths
    /// that begin with it.
    awaited: BTreeMap<i32, BTreeMap<OsString, Vec<PathBuf>>>,
    /// The current place of each entry that appeared.
    aside: Vec<(PathBuf, Option<PathBuf>)>,
    /// How often an entry appeared, by its path.
    appearances: BTreeMap<PathBuf, usize>,
}

impl MissingProtectedNames {
    /// Watches for the names. What appears from now on is seen.
    pub(super) fn watch(order: &JailOrder) -> Self {
        let mut missing = Self {
            names: BTreeMap::new(),
            standing: BTreeMap::new(),
            leaving: BTreeMap::new(),
            notifier: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok(),
            awaited: BTreeMap::new(),
            aside: Vec::new(),
            appearances: BTreeMap::new(),
        };
        if order.engine != JailEngine::Unconfined {
            let mut opened = None;
            protected(order).for_each(|path| missing.add(path, &mut opened));
        }
        missing
    }

    /// Watches for one more name. With a link on the way to it no job is started. The folder that
    /// was opened for the last name is often the one of this name, too.
    fn add<'a>(&mut self, path: &'a Path, opened: &mut Option<(&'a Path, OwnedFd)>) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
        if opened.as_ref().is_none_or(|(last, _)| *last != folder) {
            *opened = open_plain(folder).ok().map(|open| (folder, open));
        }
        let Some((_, open)) = opened else { return self.add_deep(path) };
        // The watch comes before the look, so that no moment is between them.
        self.wait_in(folder, name, path);
        let known = match statat(open, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => &mut self.standing,
            Err(Errno::NOTDIR) => return self.add_deep(path),
            Err(_) => &mut self.names,
        };
        known.insert(path.to_owned(), folder.to_owned());
    }

    /// Watches for a name in a folder that is missing itself.
    fn add_deep(&mut self, path: &Path) {
        let (Some(beneath), Some(name)) = (innermost_folder(path), path.file_name()) else { return };
        // The watch comes before the second look, so that no moment is between them.
        if FolderEntry::find(path, beneath).is_none() && !self.wait_for(path, beneath) {
            self.names.insert(path.to_owned(), beneath.to_owned());
        } else if let Some(folder) = path.parent() {
            self.wait_in(folder, name, path);
            if FolderEntry::find(path, beneath).is_some() {
                self.standing.insert(path.to_owned(), beneath.to_owned());
            } else {
                self.names.insert(path.to_owned(), beneath.to_owned());
            }
        }
    }

    /// The descriptor that becomes readable when a name has appeared.
    pub(super) fn notifier(&self) -> Option<BorrowedFd<'_>> {
        self.notifier.as_ref().map(|notifier| notifier.as_fd())
    }

    /// Waits for the next missing name on the way to a path. Returns whether the
    /// path exists by now.
    fn wait_for(&mut self, path: &Path, beneath: &Path) -> bool {
        for _ in 0..MAX_DEPTH {
            let Some(folder) = innermost_folder(path) else { return false };
            let rest = path.strip_prefix(folder).ok();
            let Some(next) = rest.and_then(|rest| rest.iter().next()) else { return false };
            self.wait_in(folder, next, path);
            if FolderEntry::find(path, beneath).is_some() {
                return true;
            }
            // A folder on the way may have come before the watch stood; then the one in it is
            // waited for.
            if !is_folder(&folder.join(next)) {
                break;
            }
        }
        false
    }

    /// Waits for a name in a folder that is on the way to a path.
    fn wait_in(&mut self, folder: &Path, next: &OsStr, path: &Path) {
        if self.awaited.len() < MAX_WATCHED
            && let Some(notifier) = &self.notifier
        {
            // A watch that a link led elsewhere does no harm: the path itself is checked after
            // every event.
            let what =
                WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MOVED_FROM | WatchFlags::ONLYDIR;
            if let Ok(watch) = inotify::add_watch(notifier, folder, what | WatchFlags::DONT_FOLLOW) {
                let paths = self.awaited.entry(watch).or_default().entry(next.to_owned()).or_default();
                if !paths.iter().any(|known| known == path) {
                    paths.push(path.to_owned());
                }
            }
        }
    }

    /// Sets aside the entries that have appeared. Returns whether the job must end.
    pub(super) fn handle(&mut self) -> bool {
        for path in self.seen(MAX_EVENTS) {
            if self.stands(&path) {
                self.set_aside(&path);
            }
        }
        self.appearances.values().any(|times| *times >= MAX_APPEARANCES)
    }

    /// The protected paths at which, or on the way to which, the watches saw something.
    ///
    /// A job can make events as fast as they are read, so only so many are read at once, and only
    /// the awaited ones are kept.
    fn seen(&mut self, most: usize) -> BTreeSet<PathBuf> {
        let Self { notifier: Some(notifier), awaited, leaving, .. } = self else { return BTreeSet::new() };
        let mut vacated: Vec<PathBuf> = Vec::new();
        let mut found: BTreeMap<(i32, &OsStr), &[PathBuf]> = BTreeMap::new();
        let (mut read, mut all) = (0, false);
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(notifier, &mut space);
        // Events in the buffer are read to its end, because they would be lost with it.
        while read < most || !reader.is_buffer_empty() {
            // Fails when there is nothing to read.
            let Ok(event) = reader.next() else { break };
            read += 1;
            all |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            let Some(name) = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes())) else {
                continue;
            };
            let is_arrival = event.events().contains(ReadFlags::MOVED_TO);
            if let Some(paths) = leaving.remove(&event.cookie()).filter(|_| is_arrival) {
                let is_aside =
                    |path: &PathBuf| path.file_name().is_some_and(|left| folder_entry::is_aside(name, left));
                vacated.extend(paths.into_iter().filter(is_aside));
            }
            let Some(names) = awaited.get(&event.wd()) else { continue };
            let Some((name, paths)) = names.get_key_value(name) else { continue };
            if event.events().contains(ReadFlags::MOVED_FROM) {
                // The arrival comes next, or never: then it has left the folder.
                leaving.clear();
                leaving.insert(event.cookie(), paths.clone());
            } else {
                found.insert((event.wd(), name.as_os_str()), paths.as_slice());
            }
        }
        let mut seen: BTreeSet<PathBuf> = found.into_values().flatten().cloned().collect();
        if all {
            // Some events were lost, so every path is checked.
            let gone =
                self.standing.iter().filter(|(path, beneath)| FolderEntry::find(path, beneath).is_none());
            vacated.extend(gone.map(|(path, _)| path.clone()));
            seen.extend(self.names.keys().cloned());
        }
        for path in vacated {
            if let Some(beneath) = self.standing.remove(&path) {
                seen.insert(path.clone());
                self.names.insert(path, beneath);
            }
        }
        seen
    }

    /// Whether a protected path exists. If only a folder on the way exists, the watch moves on.
    fn stands(&mut self, path: &Path) -> bool {
        let Some(beneath) = self.names.get(path).cloned() else { return false };
        FolderEntry::find(path, &beneath).is_some() || self.wait_for(path, &beneath)
    }

    /// Renames the entry at a protected path, so that no program takes it for the protected file.
    fn set_aside(&mut self, path: &Path) {
        let place = self.names.get(path).and_then(|beneath| FolderEntry::find(path, beneath));
        let Some(place) = place else { return };
        let moved = place.rename_aside();
        if !matches!(&moved, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            *self.appearances.entry(place.path().to_owned()).or_default() += 1;
            self.aside.push((place.path().to_owned(), moved.ok()));
        }
    }

    /// Checks all names once more and removes empty folders that were set aside. Call it when every
    /// process of the job is dead.
    pub(super) fn settle(mut self) -> Vec<ProtectedName> {
        // An entry that another job's supervisor has set aside meanwhile is a missing name here,
        // too.
        drop(self.seen(usize::MAX));
        let paths: Vec<PathBuf> = self.names.keys().cloned().collect();
        paths.iter().for_each(|path| self.set_aside(path));
        let mut told: Vec<ProtectedName> = Vec::new();
        for (path, aside) in self.aside {
            let fate = match aside {
                None => ProtectedNameFate::Stays,
                Some(aside) if FolderEntry::at(&aside).and_then(|place| place.remove_empty()).is_ok() => {
                    ProtectedNameFate::Removed
                }
                Some(aside) => ProtectedNameFate::SetAside(aside),
            };
            let name = ProtectedName { path, fate };
            if told.len() < MAX_TOLD && !told.contains(&name) {
                told.push(name);
            }
        }
        told
    }
}

/// The innermost folder on the way to a path, without a link in its own.
fn innermost_folder(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| is_folder(folder))
}

/// Whether there is a folder at a path, and no link on the way to it.
fn is_folder(path: &Path) -> bool {
    open_plain(path).and_then(|open| File::from(open).metadata()).is_ok_and(|data| data.is_dir())
}

#[cfg(test)]
mod tests;
