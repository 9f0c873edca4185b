//! Which files have changed and may be read now. Pure: it is told the time.
//!
//! A file that is being copied sends many events. It is ready when its writer has closed it, or, where the system tells
//! nothing of closing, when it has rested for a while.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after the last event of a finished change it is taken up: editors and copiers do several things in a row.
pub(super) const QUIET: Duration = Duration::from_millis(10);

/// How long a file that somebody writes to must rest before it counts as finished without having been closed. Linux tells of
/// closing; elsewhere this is all there is.
pub(super) const REST: Duration =
    if cfg!(target_os = "linux") { Duration::from_secs(2) } else { Duration::from_millis(200) };

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// Somebody writes to it.
    Written,
    /// It is complete, as far as its writer goes; or it is gone.
    Finished,
    /// Its times or its mode were set, which says nothing about whether somebody still writes.
    Noticed,
}

/// The files that wait to be looked at.
#[derive(Debug, Default)]
pub(super) struct Pending(BTreeMap<PathBuf, Instant>);

impl Pending {
    /// Something happened to a file.
    pub(super) fn touch(&mut self, path: &Path, touch: Touch, now: Instant) {
        let wait = match touch {
            Touch::Written => REST,
            Touch::Finished => QUIET,
            Touch::Noticed if self.0.contains_key(path) => return,
            Touch::Noticed => QUIET,
        };
        self.0.insert(path.to_owned(), now + wait);
    }

    /// A file was not at rest: it is looked at again when it rests, or when the next event says so.
    pub(super) fn again(&mut self, path: &Path, now: Instant) {
        self.0.entry(path.to_owned()).or_insert(now + REST);
    }

    /// When the next one is ready.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.values().min().copied()
    }

    /// Those that are ready, which wait no longer.
    pub(super) fn take(&mut self, now: Instant) -> Vec<PathBuf> {
        let ready: Vec<PathBuf> =
            self.0.iter().filter(|(_, due)| **due <= now).map(|(path, _)| path.clone()).collect();
        for path in &ready {
            self.0.remove(path);
        }
        ready
    }
}
