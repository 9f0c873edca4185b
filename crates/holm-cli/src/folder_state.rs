//! Whether a folder can take new files: its free space, and the right to write there. It only looks
//! and changes nothing. `holm_paths.rs` decides by it how sessions are read, `commands/doctor.rs`
//! reports it, and `main.rs` adds it to a failure.

use std::{io, path::Path};

use rustix::{
    fs::{Access, StatVfsMountFlags, access, statvfs},
    io::Errno,
};

use crate::screen::DisplayablePath as _;

/// With less free space than this, a database cannot even open its log.
const FULL_BYTES: u64 = 1 << 20;

/// Whether files can be written into a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderState {
    /// With this many bytes left on its disk.
    Writable { free_bytes: u64 },
    /// The disk has no room for more.
    Full { free_bytes: u64 },
    /// The system refuses to write there.
    ReadOnly { reason: &'static str },
}

impl FolderState {
    /// The state of a folder. If it does not exist, that of the folder in which it would be made.
    pub(crate) fn of(folder: &Path) -> Self {
        let existing = folder.ancestors().find(|path| path.exists()).unwrap_or(folder);
        let disk = statvfs(existing).ok();
        if disk.as_ref().is_some_and(|disk| disk.f_flag.contains(StatVfsMountFlags::RDONLY)) {
            return Self::ReadOnly { reason: "read-only file system" };
        }
        match access(existing, Access::WRITE_OK | Access::EXEC_OK) {
            Err(Errno::ROFS) => return Self::ReadOnly { reason: "read-only file system" },
            Err(Errno::ACCESS | Errno::PERM) => return Self::ReadOnly { reason: "permission denied" },
            Ok(()) | Err(_) => {}
        }
        // A disk that says nothing about itself counts as empty.
        let Some(disk) = disk else { return Self::Writable { free_bytes: u64::MAX } };
        let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        // Some file systems count no files at all.
        let has_names = disk.f_files == 0 || disk.f_favail > 0;
        if free_bytes < FULL_BYTES || !has_names {
            return Self::Full { free_bytes };
        }
        Self::Writable { free_bytes }
    }

    /// Why nothing can be saved in this folder, and what to do; `None` if it can.
    pub(crate) fn problem(self, folder: &Path) -> Option<String> {
        let path = folder.shown();
        match self {
            Self::Writable { .. } => None,
            Self::Full { free_bytes } => Some(format!(
                "the disk of {path} is full ({} free); free some space, or name another folder with --data",
                size(free_bytes)
            )),
            Self::ReadOnly { reason } => Some(format!(
                "nothing can be saved in {path} ({reason}); make it writable, or name another folder with \
                 --data"
            )),
        }
    }
}

/// Whether an error says that a place cannot be written, rather than that it is the wrong place.
pub(crate) fn is_unwritable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
    )
}

/// A number of bytes in words.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = UNITS.iter().find(|(unit, _)| bytes >= *unit);
    unit.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_as_writable_as_the_one_above_it() {
        let above = tempfile::tempdir().unwrap();
        let state = FolderState::of(&above.path().join("data/holm"));
        assert!(matches!(state, FolderState::Writable { free_bytes } if free_bytes > 0), "{state:?}");
        assert!(!above.path().join("data").exists(), "looking makes nothing");
    }

    #[test]
    fn a_file_system_that_is_read_only_is_told_with_what_to_do() {
        let state = FolderState::ReadOnly { reason: "read-only file system" };
        let told = state.problem(Path::new("/home/me")).unwrap();
        assert_eq!(
            told,
            "nothing can be saved in /home/me (read-only file system); make it writable, or name another \
             folder with --data"
        );
        assert_eq!(FolderState::Writable { free_bytes: 5 << 20 }.problem(Path::new("/home/me")), None);
    }

    #[test]
    fn sizes_are_words() {
        for (bytes, words) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (4096, "4 KiB"), (3 << 20, "3 MiB"), (7 << 30, "7 GiB")]
        {
            assert_eq!(size(bytes), words);
        }
    }
}
