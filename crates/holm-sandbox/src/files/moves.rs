//! Renames and hard links: the two operations that bring a file under a new path, and so under
//! other grants.
//!
//! A file that may be read at its new place must have been readable at its old one. The files in a
//! moved directory are checked one by one. Otherwise a guest could move a file that it may only
//! write to a place where it may read, or a denied file away from its denial. A link that leads
//! elsewhere from its new place counts as a new link, and must lead to a file that may be written.
//!
//! Other operations are in `files/guest_files.rs`. The number of entries that are checked is
//! bounded; a larger directory is not moved.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::companion::{self, CompanionFile};
use super::guest_files::{GuestFiles, LinkFollowing, PathAccess};
use super::guest_path::GuestPath;
use super::open_beneath;

/// The most entries of a moved directory that are checked; a larger one is not moved,
/// but can be copied.
const MAX_MOVED: usize = 10_000;

impl GuestFiles {
    /// Renames a file or directory.
    pub(crate) fn rename(
        &self,
        from: &GuestPath,
        path: &str,
        to: &GuestPath,
        new_path: &str,
    ) -> Result<(), Errno> {
        let (old, new) = (self.resolve(from, path)?, self.resolve(to, new_path)?);
        self.on(&old, LinkFollowing::No, &[PathAccess::Write], |old| {
            self.on(&new, LinkFollowing::No, &[PathAccess::Write], |new| {
                self.may_move(old, new)?;
                let (old_dir, old_name) = self.parent(old)?;
                let (new_dir, new_name) = self.parent(new)?;
                if companion::owner(old) == Some((new.clone(), CompanionFile::Draft)) {
                    self.dress(old, &new_dir, new_name)?;
                }
                rustix::fs::renameat(old_dir, old_name, new_dir, new_name)?;
                self.drafts.gone(old);
                Ok(())
            })
        })
    }

    /// Gives a draft the permissions of the file that it replaces: a script stays executable.
    fn dress(&self, draft: &GuestPath, dir: impl AsFd, name: &str) -> Result<(), Errno> {
        let old = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => stat,
            Ok(_) | Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error),
        };
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let file = open_beneath::open(&self.root(draft)?.dir, draft.os_path(), flags, Mode::empty())?;
        let kept = Mode::from_raw_mode(old.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO);
        rustix::fs::fchmod(file, kept)
    }

    /// Creates a hard link to a file.
    pub(crate) fn link(
        &self,
        from: &GuestPath,
        path: &str,
        to: &GuestPath,
        new_path: &str,
    ) -> Result<(), Errno> {
        let (old, new) = (self.resolve(from, path)?, self.resolve(to, new_path)?);
        self.on(&old, LinkFollowing::No, &[PathAccess::Write], |old| {
            self.on(&new, LinkFollowing::No, &[PathAccess::Write], |new| {
                self.keeps_secrets(old, new)?;
                self.keeps_leading_inside(old, new)?;
                let (old_dir, old_name) = self.parent(old)?;
                let (new_dir, new_name) = self.parent(new)?;
                self.quota.take_entry().map_err(|_| Errno::NOSPC)?;
                rustix::fs::linkat(old_dir, old_name, new_dir, new_name, AtFlags::empty())
            })
        })
    }

    /// Whether moving `old` to `new` gives no new power, for it and for everything in it.
    fn may_move(&self, old: &GuestPath, new: &GuestPath) -> Result<(), Errno> {
        let mut looked_at = 0;
        let mut open = vec![(old.clone(), new.clone())];
        while let Some((old, new)) = open.pop() {
            self.allow(PathAccess::Write, &old)?;
            self.allow(PathAccess::Write, &new)?;
            self.keeps_secrets(&old, &new)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            let root = self.root(&old)?;
            let dir = match open_beneath::open(&root.dir, old.os_path(), flags, Mode::empty()) {
                Ok(dir) => dir,
                // A file or a link: nothing in it.
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    self.keeps_leading_inside(&old, &new)?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            for entry in Dir::new(dir)? {
                let entry = entry?;
                let name = entry.file_name().to_str().map_err(|_| Errno::ILSEQ)?;
                if matches!(name, "." | "..") {
                    continue;
                }
                looked_at += 1;
                if looked_at > MAX_MOVED {
                    return Err(Errno::XDEV);
                }
                // The guest is cut off as soon as this returns.
                self.term.check().map_err(|_| Errno::INTR)?;
                let (old, new) = (self.resolve(&old, name)?, self.resolve(&new, name)?);
                if entry.file_type() == FileType::Directory {
                    open.push((old, new));
                } else {
                    self.allow(PathAccess::Write, &old)?;
                    self.allow(PathAccess::Write, &new)?;
                    self.keeps_secrets(&old, &new)?;
                    self.keeps_leading_inside(&old, &new)?;
                }
            }
        }
        Ok(())
    }

    /// A moved link must not lead out of the directory from its new place, nor to a file that the
    /// guest may not write: the next program that writes to it may run outside the sandbox.
    fn keeps_leading_inside(&self, old: &GuestPath, new: &GuestPath) -> Result<(), Errno> {
        let Some(target) = self.target(old)? else { return Ok(()) };
        let (parent, _) = new.split();
        self.allow(PathAccess::Write, &self.resolve(&parent, &target)?)
    }

    /// A file that can be read at the new path must be readable at the old one.
    fn keeps_secrets(&self, old: &GuestPath, new: &GuestPath) -> Result<(), Errno> {
        if self.decide(PathAccess::Read, new)?.is_none() { self.allow(PathAccess::Read, old) } else { Ok(()) }
    }
}
