//! One name in an open folder: whether there is an entry, of which kind, and how it is opened. It
//! checks no rules; `WorkspaceRoot::place` in `workspace_root.rs` has done so before. Writing is in
//! `replace.rs`, locking in `lock.rs`. The kind is checked before a file is opened, because opening
//! a device can already have an effect.

use std::os::fd::AsFd;

use cap_std::fs::Dir;
use holm_grants::FilePath;
use rustix::{
    fs::{self, AtFlags, FileType, OFlags},
    io::Errno,
};

use super::{FileStamp, OpenedFile, WorkspaceRoot, WorkspaceRootError};

/// The location of a file that exists or will exist: the handle of its folder, and its name there.
#[derive(Debug)]
pub(crate) struct FileLocation {
    pub(super) root: WorkspaceRoot,
    pub(super) dir: Dir,
    pub(super) name: String,
    path: FilePath,
}

impl FileLocation {
    pub(super) fn new(root: WorkspaceRoot, dir: Dir, name: &str, path: FilePath) -> Self {
        Self { root, dir, name: name.into(), path }
    }

    /// The path as it was asked for, in normal form.
    pub(crate) fn path(&self) -> &FilePath {
        &self.path
    }

    /// The kind of the entry, or `None` if there is no entry.
    pub(crate) fn kind(&self) -> Result<Option<DirEntryKind>, WorkspaceRootError> {
        match fs::statat(self.dir.as_fd(), &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(DirEntryKind::of(FileType::from_raw_mode(found.st_mode)))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.root.explain(&self.path, errno)),
        }
    }

    /// Opens the file. Its kind is checked first, because opening a device can
    /// already have an effect.
    pub(crate) fn read(&self) -> Result<OpenedFile, WorkspaceRootError> {
        match self.kind()? {
            Some(DirEntryKind::File) => {}
            Some(DirEntryKind::Link) => return Err(self.root.explain(&self.path, Errno::LOOP)),
            Some(kind) => {
                let (path, found) = (self.path.to_string(), kind.in_words());
                return Err(WorkspaceRootError::Kind { path, found, wanted: "a file" });
            }
            None => return Err(WorkspaceRootError::Missing { path: self.path.to_string() }),
        }
        let handle = self.root.open_beneath(self.dir.as_fd(), &self.name, OFlags::RDONLY);
        OpenedFile::new(handle.map_err(|errno| self.root.explain(&self.path, errno))?, self.path.as_str())
    }

    /// Opens the file if there is one.
    pub(crate) fn read_if_there(&self) -> Result<Option<OpenedFile>, WorkspaceRootError> {
        match self.read() {
            Ok(opened) => Ok(Some(opened)),
            Err(WorkspaceRootError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The stamp of the present file, or `None` if there is no file.
    pub(super) fn stamp(&self) -> Result<Option<FileStamp>, WorkspaceRootError> {
        match fs::statat(self.dir.as_fd(), &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(FileStamp::of(&found))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(WorkspaceRootError::of(self.path.as_str(), errno)),
        }
    }
}

/// The kinds of directory entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirEntryKind {
    File,
    Folder,
    Link,
    Pipe,
    Socket,
    /// A device, or what the system has no other word for.
    Device,
}

impl DirEntryKind {
    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Pipe,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Self::Device,
        }
    }

    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Pipe => "a pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        }
    }
}
