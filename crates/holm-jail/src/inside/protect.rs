//! Holds protected paths in their place and keeps hidden ones out of sight, by mounts that this process alone has.
//!
//! A protected path is mounted read-only on itself, a hidden one is covered by something empty. A mount holds its own name
//! alone: `.git` could be moved away together with the mount in `.git/hooks`, and a folder together with the hidden file in
//! it. So each folder between the writable root and such a path becomes a mount too, which nobody can move (a *pin*).
//!
//! Every mount is put on an open file, not on a name that could mean another file by then. Nothing is made for it in the
//! user's folders: what does not exist is not mounted, see [`super::appearing`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};
use rustix::thread::UnshareFlags;

use super::child::Failure;
use super::namespaces;
use super::sys::{self, ReadOnly};
use crate::order::{Access, FileId, Order};
use crate::outcome::Stage;
use crate::path_set::PathSet;

/// How what an engine cannot hold by itself is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// By mounts.
    ByMounts,
    /// By leaving rights out, where the kernel gives this process no mounts of its own.
    ByRules,
}

/// What is done at one path.
#[derive(Debug, Clone, Copy)]
enum Hold {
    Pin,
    ReadOnly,
    Cover(FileId),
}

/// The protected paths.
pub(super) fn protected(order: &Order) -> impl Iterator<Item = &Path> {
    of(order, Access::Protected)
}

/// The hidden paths.
pub(super) fn hidden(order: &Order) -> impl Iterator<Item = &Path> {
    of(order, Access::Hidden)
}

fn of(order: &Order, access: Access) -> impl Iterator<Item = &Path> {
    order.roots.iter().filter(move |root| root.access == access).map(|root| root.path.as_path())
}

/// The folders that must not be moved: those between a writable root and what is protected or hidden in it.
pub(super) fn pins(order: &Order) -> PathSet {
    let writable: PathSet =
        order.roots.iter().filter(|root| root.access.writes()).map(|root| root.path.clone()).collect();
    let mut pins = PathSet::default();
    for path in protected(order).chain(hidden(order)) {
        let Some(root) = writable.outermost(path) else { continue };
        pins.extend(path.ancestors().skip(1).take_while(|folder| *folder != root));
    }
    pins
}

/// Makes everything but the writable roots read-only, in mount and IPC namespaces of this process.
///
/// Landlock does not see changes of modes, owners and attributes, and has no exceptions beneath a folder; mounts have both.
pub(super) fn hold(order: &Order) -> Result<Held, Failure> {
    if !namespaces::mounts_are_given() {
        return Ok(Held::ByRules);
    }
    let failed = |error: io::Error, path: &Path| Failure::at(Stage::Protect, &error, path);
    let root = Path::new("/");
    namespaces::enter_mounts(UnshareFlags::NEWIPC).map_err(|error| failed(error, root))?;
    sys::set_read_only(root, ReadOnly::Yes).map_err(|error| failed(error, root))?;
    for root in order.roots.iter().filter(|root| root.access.writes()) {
        let path = &root.path;
        // Looked at first, so that no link leads a mount elsewhere.
        let place = open_plain(path).map_err(|error| Failure::at(Stage::Root, &error, path))?;
        bind(&place, Some(ReadOnly::No)).map_err(|error| failed(error, path))?;
    }
    hold_paths(order)?;
    Ok(Held::ByMounts)
}

/// Holds what is protected and hidden, in a mount namespace of this process; bubblewrap takes these mounts over.
pub(super) fn hold_for_bubblewrap(order: &Order) -> Result<Held, Failure> {
    if !namespaces::mounts_are_given() {
        return Ok(Held::ByRules);
    }
    let root = Path::new("/");
    namespaces::enter_mounts(UnshareFlags::empty())
        .map_err(|error| Failure::at(Stage::Protect, &error, root))?;
    hold_paths(order)?;
    Ok(Held::ByMounts)
}

fn hold_paths(order: &Order) -> Result<(), Failure> {
    let pinned = pins(order);
    let mut holds: BTreeMap<&Path, Hold> = pinned.iter().map(|path| (path, Hold::Pin)).collect();
    for root in &order.roots {
        match (root.access, root.file) {
            (Access::Protected, _) => drop(holds.insert(&root.path, Hold::ReadOnly)),
            (Access::Hidden, Some(file)) => drop(holds.insert(&root.path, Hold::Cover(file))),
            (Access::Hidden, None) | (Access::Read | Access::Exec | Access::Write | Access::Full, _) => {}
        }
    }
    let mut covers = Covers { empty_folder: None };
    // Sorted, so outer before inner: an inner path must be looked up through the mounts around it.
    for (path, hold) in &holds {
        hold_one(path, *hold, &mut covers)?;
    }
    for (path, hold) in &holds {
        if let Hold::Cover(file) = hold {
            let there = open_plain(path).and_then(|place| File::from(place).metadata());
            if there.map_or(true, |data| FileId::of(&data) == *file) {
                return Err(changed(path));
            }
        }
    }
    Ok(())
}

fn hold_one(path: &Path, hold: Hold, covers: &mut Covers) -> Result<(), Failure> {
    let failed = |error: io::Error| match error.kind() {
        // It was removed after it was opened.
        io::ErrorKind::NotFound => changed(path),
        _ => Failure::at(Stage::Protect, &error, path),
    };
    let place = match (open_plain(path), hold) {
        (Ok(place), _) => place,
        (Err(error), Hold::Pin | Hold::ReadOnly) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        (Err(_), Hold::Cover(_)) => return Err(changed(path)),
        (Err(error), Hold::Pin | Hold::ReadOnly) => return Err(failed(error)),
    };
    match hold {
        Hold::Pin => bind(&place, None).map_err(failed),
        Hold::ReadOnly => bind(&place, Some(ReadOnly::Yes)).map_err(failed),
        Hold::Cover(file) => {
            let data = place.try_clone().and_then(|place| File::from(place).metadata()).map_err(failed)?;
            if FileId::of(&data) != file {
                return Err(changed(path));
            }
            let covered = if data.is_dir() { covers.cover_folder(&place, path) } else { cover_file(&place) };
            covered.map_err(failed)
        }
    }
}

fn changed(path: &Path) -> Failure {
    Failure::at(Stage::Changed, &io::Error::from_raw_os_error(libc::ESTALE), path)
}

/// Mounts an open file or folder on itself, with the mounts in it.
fn bind(place: &OwnedFd, read_only: Option<ReadOnly>) -> io::Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(place, "", flags)?;
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

/// What covers hidden folders.
struct Covers {
    /// The first one, once it is mounted; the others are copies.
    empty_folder: Option<OwnedFd>,
}

impl Covers {
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

/// Whether there is something at a path, be it a link.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
