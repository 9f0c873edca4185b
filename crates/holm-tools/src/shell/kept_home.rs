//! The notes about folders that are kept for sessions: one file for each session, with the name of
//! its folder. The notes lie beside the folders, which `home.rs` makes and removes.
//!
//! A note is named after a hash of the data folder and the session, so that it tells nothing about
//! the session, and two data folders may have sessions of the same name.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::trust::ContentHash;

/// How long folders are kept after their last use.
pub(super) const MAX_KEPT_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Bytes of the folders of all sessions. The system's temporary folder may be memory.
pub(super) const MAX_KEPT_BYTES: u64 = 256 << 20;
/// Sessions whose folders are kept.
pub(super) const MAX_KEPT_HOMES: usize = 200;

/// How the name of a note ends.
const NOTE: &str = ".kept";
/// The word in a note for folders without their temporary files.
const NO_TEMPORARY: &str = "no-tmp";

/// Names the folders of one session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionFolderKey(String);

impl SessionFolderKey {
    /// The key of a session whose journal is in this data folder.
    #[must_use]
    pub fn of(data: &Path, session: &str) -> Self {
        let named = [data.as_os_str().as_encoded_bytes(), b"\0", session.as_bytes()].concat();
        Self(ContentHash::of(&named).to_string().replace(':', "-"))
    }

    fn note(&self, all: &Path) -> PathBuf {
        all.join(format!("{}{NOTE}", self.0))
    }
}

/// What a note says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptHome {
    /// The name of the folder.
    pub(super) name: String,
    pub(super) bytes: u64,
    /// Whether its temporary files are there.
    pub(super) has_temporary: bool,
}

impl KeptHome {
    pub(super) fn of(folder: &Path, has_temporary: bool, bytes: u64) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, bytes, has_temporary }
    }

    /// The note about a session.
    pub(super) fn find(all: &Path, key: &SessionFolderKey) -> Option<Self> {
        Self::read(&key.note(all))
    }

    /// All notes, with their files.
    pub(super) fn all(all: &Path) -> Vec<(PathBuf, Self)> {
        let entries = fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path());
        let notes = entries.filter(|path| path.to_string_lossy().ends_with(NOTE));
        notes.filter_map(|path| Self::read(&path).map(|kept| (path, kept))).collect()
    }

    fn read(note: &Path) -> Option<Self> {
        let text = fs::read_to_string(note).ok()?;
        let mut words = text.split_whitespace();
        let name = words.next().filter(|name| name.starts_with("shell-") && !name.contains('/'))?.to_owned();
        let bytes = words.next()?.parse().ok()?;
        Some(Self { name, bytes, has_temporary: words.next() != Some(NO_TEMPORARY) })
    }

    /// Writes the note about a session. Without it nothing is found later, which is told then.
    pub(super) fn write(&self, all: &Path, key: &SessionFolderKey) {
        let rest = if self.has_temporary { "" } else { NO_TEMPORARY };
        let _ = fs::write(key.note(all), format!("{} {} {rest}", self.name, self.bytes));
    }

    /// Removes the note about a session if it names this folder.
    pub(super) fn forget_key(&self, all: &Path, key: &SessionFolderKey) {
        if Self::find(all, key).is_some_and(|kept| kept.name == self.name) {
            let _ = fs::remove_file(key.note(all));
        }
    }

    /// Removes every note that names this folder.
    pub(super) fn forget(&self, all: &Path) {
        for (note, kept) in Self::all(all) {
            if kept.name == self.name {
                let _ = fs::remove_file(note);
            }
        }
    }
}
