//! Opens paths beneath a handle without following links and, by default, without entering mounts.
//! It knows no deny rules and no grants (`deny_rules.rs`, `permit.rs`), and takes paths in normal
//! form only. The one system call and the walk in steps must refuse the same paths, because the
//! machine decides which of them runs.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::{
    fs::{self, AtFlags, Mode, OFlags},
    io::Errno,
};

use super::workspace_root::MountPolicy;

/// How often a walk is retried after a rename disturbed it. More renames than that
/// are probably an attack.
const ATTEMPTS: usize = 64;

/// The method with which a path is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenMethod {
    /// One call of the system, where it has one.
    System,
    Steps,
}

/// Flags of a folder's handle.
pub(super) const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// Opens `path` beneath `start`. The path is in normal form: names with single slashes
/// between them, or `.`.
pub(super) fn open(
    start: BorrowedFd<'_>,
    path: &str,
    flags: OFlags,
    mounts: MountPolicy,
    way: OpenMethod,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    if way == OpenMethod::System {
        match at_once(start, path, flags, mounts) {
            // No such call, or a filter that forbids it: the steps are slower and lead
            // to the same place.
            Err(Errno::NOSYS | Errno::PERM) => {}
            done => return done,
        }
    }
    in_steps(start, path, flags, mounts)
}

#[cfg(target_os = "linux")]
fn at_once(start: BorrowedFd<'_>, path: &str, flags: OFlags, mounts: MountPolicy) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;

    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    if mounts == MountPolicy::Refused {
        resolve |= ResolveFlags::NO_XDEV;
    }
    for _ in 0..ATTEMPTS {
        match fs::openat2(start, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

fn in_steps(start: BorrowedFd<'_>, path: &str, flags: OFlags, mounts: MountPolicy) -> Result<OwnedFd, Errno> {
    let device = fs::fstat(start)?.st_dev;
    let through = FOLDER | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut held: Option<OwnedFd> = None;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        // The normal form has none of these; other paths are refused.
        if name.is_empty() || name == ".." || (name == "." && path != ".") {
            return Err(Errno::INVAL);
        }
        let here = held.as_ref().map_or(start, AsFd::as_fd);
        let wanted = if names.peek().is_some() { through } else { flags };
        let next = open_one(here, name, wanted)?;
        if mounts == MountPolicy::Refused && fs::fstat(&next)?.st_dev != device {
            return Err(Errno::XDEV);
        }
        held = Some(next);
    }
    held.ok_or(Errno::INVAL)
}

fn open_one(here: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    for _ in 0..ATTEMPTS {
        match fs::openat(here, name, flags, Mode::empty()) {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
    Err(Errno::INTR)
}

/// The first link on the way to `path`: its path, its target, and the rest of the path behind it.
/// Returns `None` if the path has no link.
pub(super) fn first_link(start: BorrowedFd<'_>, path: &str) -> Option<(String, String, String)> {
    let mut held: Option<OwnedFd> = None;
    let mut before = String::new();
    let names: Vec<&str> = path.split('/').collect();
    for (at, name) in names.iter().enumerate() {
        let here = held.as_ref().map_or(start, AsFd::as_fd);
        let found = fs::statat(here, *name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if fs::FileType::from_raw_mode(found.st_mode) == fs::FileType::Symlink {
            let says = fs::readlinkat(here, *name, Vec::new()).ok()?.into_string().ok()?;
            let behind = names.get(at + 1..).unwrap_or_default().join("/");
            return Some((before, says, behind));
        }
        let through = FOLDER | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        held = Some(open_one(here, name, through).ok()?);
        before.push_str(name);
        before.push('/');
    }
    None
}
