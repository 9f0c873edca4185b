//! Keeps protected paths in their place, also those that do not exist yet.
//!
//! Both engines fix a protected path with a read-only mount on itself. A mount needs something to stand on, so a path that
//! is missing gets an empty folder for the time of the job, or a file that says nothing where git wants a file. And a mount protects only its own name: `.git` could be moved
//! away together with the mount in `.git/hooks`. So each folder between the writable root and the protected path becomes a
//! mount too, which nobody can move.

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, ResolveFlags, flock, openat2};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind_recursive, mount_change};
use rustix::process::{DumpableBehavior, getgid, getuid, set_dumpable_behavior};
use rustix::thread::UnshareFlags;

use super::child::Failure;
use super::sys::{self, ReadOnly};
use crate::engine::Engine;
use crate::jail::is_git;
use crate::order::{Access, Order};
use crate::outcome::Stage;

/// How often a path is tried that others make and remove at the same moment.
const ATTEMPTS: usize = 200;

/// How long one of them has to be done with it.
const PAUSE: Duration = Duration::from_millis(5);

/// What stands where a protected path is missing; removed when dropped, innermost first.
///
/// Two jobs may protect the same path. Each holds a lock on the folder there, and who made it removes it only when nobody
/// else holds one: a removed folder would take the other job's mount along.
pub(super) struct Placeholders {
    made: Vec<PathBuf>,
    locks: Vec<(PathBuf, File)>,
}

impl Placeholders {
    /// Makes what is missing.
    pub(super) fn make(order: &Order) -> Result<Self, Failure> {
        let mut held = Self { made: Vec::new(), locks: Vec::new() };
        if order.engine == Engine::Unconfined {
            return Ok(held);
        }
        for path in protected(order) {
            held.stand(path).map_err(|error| Failure::at(Stage::Protect, &error, path))?;
        }
        Ok(held)
    }

    /// Others come to the same path and leave it, so it is tried again where one of them was there in between.
    fn stand(&mut self, path: &Path) -> io::Result<()> {
        for _ in 1..ATTEMPTS {
            match self.try_to_stand(path) {
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock) => {
                    thread::sleep(PAUSE);
                }
                done => return done,
            }
        }
        self.try_to_stand(path)
    }

    fn try_to_stand(&mut self, path: &Path) -> io::Result<()> {
        match open_plain(path) {
            Ok(there) => {
                let data = File::from(there).metadata()?;
                // A pipe, a device or a socket is no placeholder of anybody's: it is held as it is, and to open one could
                // wait for ever.
                if !data.is_file() && !data.is_dir() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let missing: Vec<_> = path.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
                for place in missing.into_iter().rev() {
                    let made = match harmless(place) {
                        Some(text) if place == path => {
                            File::create_new(place).and_then(|mut file| file.write_all(text.as_bytes()))
                        }
                        Some(_) | None => fs::create_dir(place),
                    };
                    match made {
                        Ok(()) => self.made.push(place.to_owned()),
                        // Somebody else's, who needs it for the same.
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            Err(error) => return Err(error),
        }
        let held = match open_at_once(path) {
            Ok(held) => held,
            // What cannot even be read was made by somebody else, who will not remove it as a placeholder.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            Err(error) => return Err(error),
        };
        flock(&held, FlockOperation::NonBlockingLockShared)?;
        // Whoever removed it in between would have left a lock on nothing.
        let (locked, there) = (held.metadata()?, File::from(open_plain(path)?).metadata()?);
        if (locked.dev(), locked.ino()) != (there.dev(), there.ino()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.locks.push((path.to_owned(), held));
        Ok(())
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            let lock = self.locks.iter().find(|(path, _)| path == folder);
            let alone =
                lock.is_none_or(|(_, lock)| flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok());
            // What somebody has put something into is no longer ours, and stays.
            match harmless(folder) {
                Some(text) if alone && says(folder, text) => {
                    let _ = fs::remove_file(folder);
                }
                _ if alone => drop(fs::remove_dir(folder)),
                _ => {}
            }
        }
    }
}

/// Whether a file says this and no more. Somebody outside may have put anything in its place meanwhile.
fn says(path: &Path, text: &str) -> bool {
    let Ok(file) = open_at_once(path) else { return false };
    let is_plain = file.metadata().is_ok_and(|data| data.is_file());
    let mut found = Vec::new();
    // One byte more than there should be tells that there is more.
    let most = (text.len() as u64).saturating_add(1);
    is_plain && file.take(most).read_to_end(&mut found).is_ok() && found == text.as_bytes()
}

/// Files in a home that a program of the person's may look for meanwhile, and that must not be folders then.
const STARTUP: [&str; 11] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".gitconfig",
    ".profile",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// What git and shells read as if nothing were there: files that must be files, in which nothing is said. `commondir` names
/// the folder itself.
fn harmless(path: &Path) -> Option<&'static str> {
    let in_git = is_git(path.parent()?);
    match path.file_name()?.to_str()? {
        name if STARTUP.contains(&name) => Some(""),
        "commondir" if in_git => Some(".\n"),
        "config" | "config.worktree" if in_git => Some(""),
        _ => None,
    }
}

/// The protected paths.
pub(super) fn protected(order: &Order) -> impl Iterator<Item = &Path> {
    order.roots.iter().filter(|root| root.access == Access::Protected).map(|root| root.path.as_path())
}

/// The hidden paths.
pub(super) fn hidden(order: &Order) -> impl Iterator<Item = &Path> {
    order.roots.iter().filter(|root| root.access == Access::Hidden).map(|root| root.path.as_path())
}

/// The folders that must not be moved, outer before inner: those between a writable root and what is protected in it.
pub(super) fn pins(order: &Order) -> Vec<PathBuf> {
    let mut pins = Vec::new();
    for path in protected(order) {
        let holding = order.roots.iter().filter(|root| root.access.writes() && path.starts_with(&root.path));
        let Some(root) = holding.min_by_key(|root| root.path.as_os_str().len()) else { continue };
        let between = path.ancestors().skip(1).take_while(|folder| *folder != root.path);
        pins.extend(between.map(Path::to_owned));
    }
    pins.sort();
    pins.dedup();
    pins
}

/// How what Landlock cannot hold by itself is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// By read-only mounts: everything but the writable roots, and again what is protected in them.
    ByMounts,
    /// By leaving rights out, where the kernel gives this process no mounts of its own.
    ByRules,
}

/// Makes everything but the writable roots read-only, in a mount namespace of this process.
///
/// Landlock does not see changes of modes, owners and attributes, and has no exceptions beneath a folder; mounts have both.
pub(super) fn hold(order: &Order) -> Result<Held, Failure> {
    if !own_mounts() {
        return Ok(Held::ByRules);
    }
    let root = Path::new("/");
    mount_change(root, MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(failed(root))?;
    sys::set_read_only(root, ReadOnly::Yes).map_err(|error| Failure::at(Stage::Protect, &error, root))?;
    let writable = order.roots.iter().filter(|root| root.access.writes()).map(|root| root.path.clone());
    for path in writable.chain(pins(order)) {
        // Looked at first, so that no link leads a mount elsewhere.
        open_plain(&path).map_err(|error| Failure::at(Stage::Root, &error, &path))?;
        mount_bind_recursive(&path, &path).map_err(failed(&path))?;
        sys::set_read_only(&path, ReadOnly::No)
            .map_err(|error| Failure::at(Stage::Protect, &error, &path))?;
    }
    for path in protected(order) {
        open_plain(path).map_err(|error| Failure::at(Stage::Protect, &error, path))?;
        mount_bind_recursive(path, path).map_err(failed(path))?;
        sys::set_read_only(path, ReadOnly::Yes).map_err(|error| Failure::at(Stage::Protect, &error, path))?;
    }
    for path in hidden(order) {
        open_plain(path).map_err(|error| Failure::at(Stage::Protect, &error, path))?;
        if path.is_dir() {
            mount("none", path, "tmpfs", MountFlags::RDONLY, None::<&CStr>).map_err(failed(path))?;
        } else {
            mount_bind_recursive("/dev/null", path).map_err(failed(path))?;
        }
    }
    Ok(Held::ByMounts)
}

fn failed(path: &Path) -> impl Fn(rustix::io::Errno) -> Failure {
    move |error| Failure::at(Stage::Protect, &error.into(), path)
}

/// Moves into a user and a mount namespace, with the same user and group inside as outside.
fn own_mounts() -> bool {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // The files below belong to root while the process is closed to others; it opens again with the program anyway.
    let _ = set_dumpable_behavior(DumpableBehavior::Dumpable);
    if sys::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS).is_err() {
        return false;
    }
    let write = |file: &str, text: String| fs::write(format!("/proc/self/{file}"), text).is_ok();
    write("setgroups", "deny".into())
        && write("uid_map", format!("{user} {user} 1"))
        && write("gid_map", format!("{group} {group} 1"))
}

/// Opens a path without following a link anywhere in it.
pub(super) fn open_plain(path: &Path) -> io::Result<OwnedFd> {
    let how = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), how)?)
}

/// Opens a path to read, without following a link anywhere in it and without waiting for anybody: also a pipe that takes the
/// place of a file at this moment is opened at once.
fn open_at_once(path: &Path) -> io::Result<File> {
    let how = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(openat2(CWD, path, flags, Mode::empty(), how)?))
}

#[cfg(test)]
mod tests;
