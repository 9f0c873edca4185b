//! Tells one state of a file, a folder or a link from another without reading it. It only compares:
//! `changes.rs` and the files about git (`git_watch.rs`, `git_snapshot.rs`) decide what a
//! difference means.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryStamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl EntryStamp {
    pub(super) fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// The second of the last change, by the clock of the file system.
    pub(super) fn changed_second(&self) -> i64 {
        self.changed.0
    }
}

/// A link and its resolved target. The link can stay the same while a folder on
/// its way is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LinkState {
    stamp: EntryStamp,
    target: Option<PathBuf>,
}

impl LinkState {
    /// Returns `None` if the path is not a link.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok().filter(Metadata::is_symlink)?;
        Some(Self { stamp: EntryStamp::of(&found), target: path.canonicalize().ok() })
    }
}
