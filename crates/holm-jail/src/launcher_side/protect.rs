//! Protects paths from changes and hides others, with mounts in a namespace of this process alone.
//!
//! A protected path is mounted read-only on itself, and a hidden one is covered by something empty.
//! A mount protects its own name alone: `.git` could be moved away together with the mount in
//! `.git/hooks`, and a folder together with the hidden file in it. So each folder between the
//! writable root and such a path becomes a mount too, which cannot be moved (a *pin*).
//!
//! Every mount is put on an open file, not on a name that could mean another file by then. Nothing
//! is created for it in the user's folders: a path that does not exist is not mounted, see
//! [`super::missing_names`].
//!
//! If the kernel gives no mounts, the engines leave out rights instead (`launcher_side/rules.rs`,
//! `launcher_side/bubblewrap.rs`). Which paths are protected or hidden was decided in `jail.rs`. A
//! hidden file that was moved or replaced meanwhile fails the start, because covering its name
//! would hide the wrong file.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};
use rustix::thread::UnshareFlags;

use super::child::ChildLaunchError;
use super::namespaces;
use super::sys::{self, MountWritability};
use crate::order::{FileId, JailOrder, RootAccess};
use crate::outcome::StartStage;
use crate::path_set::{PathSet, key};

/// How the paths are protected that an engine cannot protect by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtectionMethod {
    ByMounts,
    /// By mounts that another process makes after bubblewrap has built its view.
    FromOutside,
    /// By leaving out rights, if the kernel gives this process no mounts of its own.
    ByRules,
}

/// The action at one path.
#[derive(Debug, Clone, Copy)]
enum MountAction {
    Pin,
    ReadOnly,
    Cover(FileId),
}

pub(super) fn protected(order: &JailOrder) -> impl Iterator<Item = &Path> {
    of(order, RootAccess::Protected)
}

pub(super) fn hidden(order: &JailOrder) -> impl Iterator<Item = &Path> {
    of(order, RootAccess::Hidden)
}

fn of(order: &JailOrder, access: RootAccess) -> impl Iterator<Item = &Path> {
    order.roots.iter().filter(move |root| root.access == access).map(|root| root.path.as_path())
}

/// The roots to write, to find the outermost one around a path.
fn outermost_writable(order: &JailOrder) -> PathSet {
    order.roots.iter().filter(|root| root.access.writes()).map(|root| root.path.clone()).collect()
}

/// The folders that must not be moved: those between a writable root and a protected or
/// hidden path in it.
pub(super) fn pins(order: &JailOrder) -> PathSet {
    let writable = outermost_writable(order);
    let mut pins = PathSet::default();
    for path in protected(order).chain(hidden(order)) {
        let Some(root) = writable.outermost(path) else { continue };
        pins.extend(path.ancestors().skip(1).take_while(|folder| *folder != root));
    }
    pins
}

/// Makes everything but the writable roots read-only, in mount and IPC namespaces of this process.
///
/// Landlock does not see changes of modes, owners and attributes, and has no exceptions beneath a
/// folder; mounts have both.
pub(super) fn hold(order: &JailOrder) -> Result<ProtectionMethod, ChildLaunchError> {
    if !namespaces::mounts_are_given() {
        return Ok(ProtectionMethod::ByRules);
    }
    let failed = |error: io::Error, path: &Path| ChildLaunchError::at(StartStage::Protect, &error, path);
    let root = Path::new("/");
    namespaces::enter_mounts(UnshareFlags::NEWIPC).map_err(|error| failed(error, root))?;
    sys::set_read_only(root, MountWritability::Yes).map_err(|error| failed(error, root))?;
    for root in order.roots.iter().filter(|root| root.access.writes()) {
        let path = &root.path;
        // Opened first, so that no link leads a mount elsewhere.
        let place = open_plain(path).map_err(|error| ChildLaunchError::at(StartStage::Root, &error, path))?;
        bind(&place, &place, Some(MountWritability::No)).map_err(|error| failed(error, path))?;
    }
    hold_paths(order)?;
    Ok(ProtectionMethod::ByMounts)
}

/// Protects and hides paths in a mount namespace of this process; bubblewrap
/// takes these mounts over.
pub(super) fn hold_for_bubblewrap(order: &JailOrder) -> Result<ProtectionMethod, ChildLaunchError> {
    if !namespaces::mounts_are_given() {
        return Ok(ProtectionMethod::ByRules);
    }
    let root = Path::new("/");
    namespaces::enter_mounts(UnshareFlags::empty())
        .map_err(|error| ChildLaunchError::at(StartStage::Protect, &error, root))?;
    hold_paths(order)?;
    Ok(ProtectionMethod::ByMounts)
}

/// Protects and hides paths in the current mount namespace of this process.
pub(super) fn hold_paths(order: &JailOrder) -> Result<(), ChildLaunchError> {
    let writable = outermost_writable(order);
    let pinned = pins(order);
    let mut holds: BTreeMap<Vec<u8>, (&Path, MountAction)> =
        pinned.iter().map(|path| (key(path), (path, MountAction::Pin))).collect();
    for root in &order.roots {
        let hold = match (root.access, root.file) {
            (RootAccess::Protected, _) => MountAction::ReadOnly,
            (RootAccess::Hidden, Some(file)) => MountAction::Cover(file),
            (RootAccess::Hidden, None)
            | (RootAccess::Read | RootAccess::Exec | RootAccess::Write | RootAccess::Full, _) => {
                continue;
            }
        };
        holds.insert(key(&root.path), (&root.path, hold));
    }
    let mut holder = MountBuilder { empty_folder: None, originals: BTreeMap::new() };
    // Sorted, so outer before inner: an inner path must be looked up through the mounts around it.
    for (path, hold) in holds.values() {
        let root = match hold {
            MountAction::Pin | MountAction::ReadOnly => writable.outermost(path),
            MountAction::Cover(_) => None,
        };
        holder.hold(path, *hold, root)?;
    }
    for (path, hold) in holds.values() {
        if let MountAction::Cover(file) = hold {
            let there = open_hidden(path).and_then(|open| file_id(&open));
            if there.map_or(true, |there| there == *file) {
                return Err(changed(path));
            }
        }
    }
    Ok(())
}

/// Makes mounts in one namespace.
struct MountBuilder {
    /// The cover of hidden folders: the first one, once it is mounted. The others are copies.
    empty_folder: Option<OwnedFd>,
    /// The writable roots as they were before any mount of ours in them, open. Mounts are copied
    /// from here: the kernel checks all mounts in the tree that it copies from, and this tree
    /// has none of ours.
    originals: BTreeMap<PathBuf, OwnedFd>,
}

impl MountBuilder {
    fn hold(&mut self, path: &Path, hold: MountAction, root: Option<&Path>) -> Result<(), ChildLaunchError> {
        let failed = |error: io::Error| match error.kind() {
            // It was removed after it was opened.
            io::ErrorKind::NotFound => changed(path),
            _ => ChildLaunchError::at(StartStage::Protect, &error, path),
        };
        let opened = match hold {
            MountAction::Cover(_) => open_hidden(path),
            MountAction::Pin | MountAction::ReadOnly => open_plain(path),
        };
        let place = match (opened, hold) {
            (Ok(place), _) => place,
            (Err(error), MountAction::Pin | MountAction::ReadOnly)
                if error.kind() == io::ErrorKind::NotFound =>
            {
                return Ok(());
            }
            (Err(_), MountAction::Cover(_)) => return Err(changed(path)),
            (Err(error), MountAction::Pin | MountAction::ReadOnly) => return Err(failed(error)),
        };
        match hold {
            MountAction::Pin => self.bind(place, path, root, None),
            MountAction::ReadOnly => self.bind(place, path, root, Some(MountWritability::Yes)),
            MountAction::Cover(file) => {
                let found = rustix::fs::fstat(&place).map_err(|error| failed(error.into()))?;
                if FileId::of_stat(&found) != file {
                    return Err(changed(path));
                }
                let is_folder = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
                let covered = if is_folder { self.cover_folder(&place, path) } else { cover_file(&place) };
                covered.map_err(failed)
            }
        }
    }

    /// Mounts an open file or folder on itself, with the mounts in it.
    fn bind(
        &mut self,
        mut place: OwnedFd,
        path: &Path,
        root: Option<&Path>,
        read_only: Option<MountWritability>,
    ) -> Result<(), ChildLaunchError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => changed(path),
            _ => ChildLaunchError::at(StartStage::Protect, &error, path),
        };
        let inner =
            root.and_then(|root| path.strip_prefix(root).ok()).filter(|inner| *inner != Path::new(""));
        let (Some(root), Some(inner)) = (root, inner) else {
            return bind(&place, &place, read_only).map_err(failed);
        };
        if !self.originals.contains_key(root) {
            let original = open_plain(root).map_err(failed)?;
            bind(&original, &original, None).map_err(failed)?;
            self.originals.insert(root.to_owned(), original);
            // Opens the name again, now that it leads through the new mount.
            place = open_plain(path).map_err(failed)?;
        }
        let original = self.originals.get(root).ok_or_else(|| changed(path))?;
        let how = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
        let source = openat2(original, inner, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), how);
        let source = source.map_err(|error| failed(error.into()))?;
        let is_same = |one: &OwnedFd, other: &OwnedFd| {
            let both = rustix::fs::fstat(one).and_then(|one| Ok((one, rustix::fs::fstat(other)?)));
            both.is_ok_and(|(one, other)| FileId::of_stat(&one) == FileId::of_stat(&other))
        };
        if !is_same(&source, &place) {
            return Err(changed(path));
        }
        bind(&source, &place, read_only).map_err(failed)
    }

    fn cover_folder(&mut self, place: &OwnedFd, path: &Path) -> io::Result<()> {
        if let Some(empty) = &self.empty_folder {
            let flags = OpenTreeFlags::OPEN_TREE_CLONE
                | OpenTreeFlags::OPEN_TREE_CLOEXEC
                | OpenTreeFlags::AT_EMPTY_PATH;
            return attach(&open_tree(empty, "", flags)?, place);
        }
        attach(&empty_folder()?, place)?;
        self.empty_folder = Some(open_plain(path)?);
        Ok(())
    }
}

fn file_id(open: &OwnedFd) -> io::Result<FileId> {
    Ok(FileId::of_stat(&rustix::fs::fstat(open)?))
}

fn changed(path: &Path) -> ChildLaunchError {
    ChildLaunchError::at(StartStage::Changed, &io::Error::from_raw_os_error(libc::ESTALE), path)
}

/// Mounts a copy of an open file or folder, with the mounts in it, on an open one.
fn bind(source: &OwnedFd, place: &OwnedFd, read_only: Option<MountWritability>) -> io::Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(source, "", flags)?;
    if let Some(read_only) = read_only {
        sys::set_tree_read_only(tree.as_fd(), read_only)?;
    }
    attach(&tree, place)
}

/// Mounts something that cannot be read over an open file.
fn cover_file(place: &OwnedFd) -> io::Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let tree = open_tree(CWD, "/dev/null", flags)?;
    attach(&tree, place)
}

fn attach(tree: &OwnedFd, place: &OwnedFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(tree, "", place, "", flags)?)
}

/// A folder in memory that holds nothing and takes nothing.
fn empty_folder() -> io::Result<OwnedFd> {
    let system = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(system.as_fd(), "size", "4096")?;
    fsconfig_set_string(system.as_fd(), "mode", "0755")?;
    fsconfig_create(system.as_fd())?;
    let flags = MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOSUID;
    Ok(fsmount(system.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, flags)?)
}

/// Opens a path without following a link anywhere in it.
pub(super) fn open_plain(path: &Path) -> io::Result<OwnedFd> {
    let how = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), how)?)
}

/// Opens a path without following a link, which may be the last part of it.
fn open_hidden(path: &Path) -> io::Result<OwnedFd> {
    let how = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat2(CWD, path, flags, Mode::empty(), how)?)
}

/// Whether something exists at a path, even a link.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
