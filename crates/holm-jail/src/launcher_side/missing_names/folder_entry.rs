//! Inspects, renames and removes the entry at a path, without following a link on the way.
//!
//! The supervisor has the user's rights, and a job can create links. A path that is looked up by
//! name could lead it to files that the job itself cannot reach. So everything here is done in an
//! open folder.
//!
//! Which entries are renamed is decided in `launcher_side/missing_names.rs`. Only empty folders are
//! removed; a tree that is too deep or too large is left alone.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, fstat, openat, renameat, renameat_with, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::process::getpid;

use crate::launcher_side::protect::open_plain;

/// The suffix of an entry that was set aside; a number follows.
const ASIDE: &str = ".set-aside-";
/// The deepest folder that is checked before a tree is removed.
const MAX_DEPTH: usize = 64;
/// The most folders that are removed together.
const MAX_FOLDERS: usize = 4_096;

/// An entry of an open folder.
pub(super) struct FolderEntry {
    folder: OwnedFd,
    name: OsString,
    path: PathBuf,
    is_link: bool,
}

impl FolderEntry {
    /// The entry at a path. Fails if a link is on the way.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let folder = open_plain(parent)?;
        let data = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_link = FileType::from_raw_mode(data.st_mode) == FileType::Symlink;
        Ok(Self { folder, name: name.to_owned(), path: path.to_owned(), is_link })
    }

    /// The entry at a path, or else the first link on the way to it, if that is beneath a folder.
    ///
    /// Such a link counts as the entry. Links further out were not made by a job.
    pub(super) fn find(path: &Path, beneath: &Path) -> Option<Self> {
        match Self::at(path) {
            Ok(place) => Some(place),
            Err(error) if error.raw_os_error() == Some(libc::ELOOP) => path
                .ancestors()
                .skip(1)
                .take_while(|place| *place != beneath)
                .filter_map(|place| Self::at(place).ok())
                .find(|place| place.is_link),
            Err(_) => None,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames it within its folder.
    pub(super) fn rename_aside(&self) -> io::Result<PathBuf> {
        let mut number = getpid().as_raw_nonzero().get();
        loop {
            let mut name = self.name.clone();
            name.push(format!("{ASIDE}{number}"));
            match self.rename(&name) {
                Ok(()) => return Ok(self.path.with_file_name(name)),
                Err(Errno::EXIST) => number = number.saturating_add(1),
                // The job may have closed the folder to its owner.
                Err(Errno::ACCESS) if self.open_to_owner() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn rename(&self, name: &OsStr) -> rustix::io::Result<()> {
        match renameat_with(&self.folder, &self.name, &self.folder, name, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) => self.rename_if_free(name),
            done => done,
        }
    }

    /// Looks first and renames then, for file systems that cannot do both at once. What takes the
    /// name in between is replaced.
    fn rename_if_free(&self, name: &OsStr) -> rustix::io::Result<()> {
        match statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => renameat(&self.folder, &self.name, &self.folder, name),
            Err(error) => Err(error),
        }
    }

    /// Gives the owner the rights to the folder again. Returns false if the owner had them already.
    fn open_to_owner(&self) -> bool {
        let Ok(data) = fstat(&self.folder) else { return false };
        let mode = data.st_mode & 0o7777;
        // By its number, because the mode of a folder that is open only as a path cannot be changed
        // in another way.
        let folder = format!("/proc/self/fd/{}", self.folder.as_raw_fd());
        mode & 0o700 != 0o700 && fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700)).is_ok()
    }

    /// Removes a folder that holds nothing but empty folders. If it holds anything
    /// else, nothing is removed.
    pub(super) fn remove_empty(&self) -> io::Result<()> {
        for pass in [TreePass::Look, TreePass::Remove] {
            let mut room = MAX_FOLDERS;
            go_through(self.folder.as_fd(), self.name.as_os_str(), pass, 0, &mut room)?;
        }
        Ok(())
    }
}

/// Whether `left` set aside could have this name.
pub(super) fn is_aside(name: &OsStr, left: &OsStr) -> bool {
    let rest =
        name.as_bytes().strip_prefix(left.as_bytes()).and_then(|rest| rest.strip_prefix(ASIDE.as_bytes()));
    rest.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// What is done with each folder of a tree.
#[derive(Debug, Clone, Copy)]
enum TreePass {
    Look,
    Remove,
}

/// Walks a tree, inner folders first. Fails for anything but folders, and for a tree that is too
/// deep or too big.
fn go_through<N: Arg + Copy>(
    around: BorrowedFd<'_>,
    name: N,
    pass: TreePass,
    depth: usize,
    room: &mut usize,
) -> rustix::io::Result<()> {
    if depth > MAX_DEPTH || *room == 0 {
        return Err(Errno::NOTEMPTY);
    }
    *room -= 1;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = Dir::new(openat(around, name, flags, Mode::empty())?)?;
    while let Some(entry) = folder.read() {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            go_through(folder.fd()?, entry.file_name(), pass, depth + 1, room)?;
        }
    }
    match pass {
        TreePass::Look => Ok(()),
        TreePass::Remove => unlinkat(around, name, AtFlags::REMOVEDIR),
    }
}

#[cfg(test)]
mod tests;
