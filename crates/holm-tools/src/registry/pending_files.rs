//! Tracks which files have changed and can be read now. This is pure logic: the caller passes the
//! time. Events come from `folder_watcher.rs`, and `watch.rs` loads the files.
//!
//! A file that is being copied sends many events. It is ready when its writer has closed it. Where
//! the system does not report closing, it is ready when it has not changed for a while.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after the last event of a finished change it is taken up: editors and copiers do
/// several things in a row.
pub(super) const QUIET: Duration = Duration::from_millis(10);

/// How long a file must stay unchanged before it counts as finished without having been closed.
/// Linux reports closing; on other systems this is the only sign.
pub(super) const REST: Duration =
    if cfg!(target_os = "linux") { Duration::from_secs(2) } else { Duration::from_millis(200) };

/// The kind of event that a file had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEventKind {
    /// The file was written to.
    Written,
    /// It is complete, as far as its writer goes; or it is gone.
    Finished,
    /// Its times or its mode were set, which does not show whether a writer still has it open.
    Noticed,
}

/// The files that wait to be loaded.
#[derive(Debug, Default)]
pub(super) struct PendingFiles(BTreeMap<PathBuf, Instant>);

impl PendingFiles {
    /// Something happened to a file.
    pub(super) fn touch(&mut self, path: &Path, touch: FileEventKind, now: Instant) {
        let wait = match touch {
            FileEventKind::Written => REST,
            FileEventKind::Finished => QUIET,
            FileEventKind::Noticed if self.0.contains_key(path) => return,
            FileEventKind::Noticed => QUIET,
        };
        self.0.insert(path.to_owned(), now + wait);
    }

    /// A file was still changing: it is read again when it stays unchanged, or at the next event.
    pub(super) fn again(&mut self, path: &Path, now: Instant) {
        self.0.entry(path.to_owned()).or_insert(now + REST);
    }

    /// When the next one is ready.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.values().min().copied()
    }

    /// Removes and returns the files that are ready.
    pub(super) fn take(&mut self, now: Instant) -> Vec<PathBuf> {
        let ready: Vec<PathBuf> =
            self.0.iter().filter(|(_, due)| **due <= now).map(|(path, _)| path.clone()).collect();
        for path in &ready {
            self.0.remove(path);
        }
        ready
    }
}
