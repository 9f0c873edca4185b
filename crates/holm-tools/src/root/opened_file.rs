//! An open file, and the stamp that identifies its state. It only reads; `replace.rs` writes, and
//! compares stamps to notice changes by others. Only a regular file can be one, and a read never
//! returns more bytes than the caller allows, even if the file grows meanwhile.
//!
//! A file is opened by `handle.rs` and checked before by `workspace_root.rs`.

use std::{
    fs::File,
    io::Read,
    os::fd::{AsFd, OwnedFd},
};

use rustix::fs::{self, Stat};

use super::WorkspaceRootError;

/// A regular file of a root, open for reading.
#[derive(Debug)]
pub struct OpenedFile {
    file: File,
    path: String,
    stamp: FileStamp,
}

impl OpenedFile {
    /// Takes a handle that was opened beneath a root. Anything but a regular file is refused.
    pub(super) fn new(handle: OwnedFd, path: &str) -> Result<Self, WorkspaceRootError> {
        let found = fs::fstat(&handle).map_err(|errno| WorkspaceRootError::of(path, errno))?;
        let kind = fs::FileType::from_raw_mode(found.st_mode);
        if kind != fs::FileType::RegularFile {
            let found = super::file_location::DirEntryKind::of(kind).in_words();
            return Err(WorkspaceRootError::Kind { path: path.into(), found, wanted: "a file" });
        }
        Ok(Self { file: File::from(handle), path: path.into(), stamp: FileStamp::of(&found) })
    }

    /// Reads all bytes of the file.
    ///
    /// # Errors
    /// [`WorkspaceRootError::TooLarge`] if there are more than `max`, also where the file grows
    /// while it is read.
    pub fn bytes(&self, max: u64) -> Result<Vec<u8>, WorkspaceRootError> {
        let too_large = |bytes| WorkspaceRootError::TooLarge { path: self.path.clone(), bytes, max };
        if self.stamp.len > max {
            return Err(too_large(self.stamp.len));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.stamp.len).unwrap_or(0));
        let read = (&self.file).take(max.saturating_add(1)).read_to_end(&mut bytes);
        let read = read.map_err(|error| WorkspaceRootError::io(&self.path, &error))? as u64;
        if read > max {
            return Err(too_large(read));
        }
        Ok(bytes)
    }

    /// How many bytes it had when it was opened.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a file's size, not a collection")]
    pub fn len(&self) -> u64 {
        self.stamp.len
    }

    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn stamp(&self) -> FileStamp {
        self.stamp
    }

    /// The present stamp of the same file.
    pub(crate) fn now(&self) -> Result<FileStamp, WorkspaceRootError> {
        let found =
            fs::fstat(self.file.as_fd()).map_err(|errno| WorkspaceRootError::of(&self.path, errno))?;
        Ok(FileStamp::of(&found))
    }
}

/// Tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    device: u64,
    inode: u64,
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    mode: u32,
}

impl FileStamp {
    #[expect(clippy::unnecessary_cast, reason = "these types differ between systems")]
    #[expect(
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "compared for being equal, no more"
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            len: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            mode: stat.st_mode as u32,
        }
    }

    /// How many bytes there are.
    pub(super) fn size(self) -> u64 {
        self.len
    }

    /// When it was last written, in milliseconds since 1970.
    pub(super) fn modified_millis(self) -> u64 {
        let (seconds, nanos) = self.modified;
        let millis = u64::try_from(nanos).unwrap_or(0) / 1_000_000;
        u64::try_from(seconds).unwrap_or(0).saturating_mul(1_000).saturating_add(millis)
    }

    /// Which file it is.
    pub(super) fn id(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// The permission bits, without those that give a program its owner's rights.
    pub(crate) fn mode(self) -> u32 {
        self.mode & 0o777
    }

    /// Whether its mode allows any user to write it.
    pub(crate) fn is_writable(self) -> bool {
        self.mode & 0o222 != 0
    }
}
