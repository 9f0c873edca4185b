//! A journal as a file, one record per line: appends, syncs, and stores snapshots next to it.
//!
//! After a failed sync every later one is refused, since the system may have dropped the data. A
//! snapshot is a cache and is not synced. Opening, locking and repairing files is in
//! `journal/folder.rs`; a log of events is something else (`events/lines.rs`).

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_kernel::journal::Snapshot;

use super::{Durability, Journal, JournalStorageError};
use crate::{BoxFuture, private_files::owner_only};

/// Appends to a file, one record per line.
///
/// The lines of one batch are written at once. A crash in the middle may leave the first of them.
/// Such a journal is valid, because none of them had effects yet.
///
/// After a failed sync every later one is refused: the system may have dropped the data.
#[derive(Debug)]
pub struct JsonLinesJournal {
    file: Arc<File>,
    failure: SyncFailure,
    snapshots: Option<SnapshotFile>,
}

/// The path of a file's snapshot, and the position of its record.
#[derive(Debug)]
struct SnapshotFile {
    path: PathBuf,
    /// Where the last line begins, and where it ends.
    last: Range<u64>,
}

impl SnapshotFile {
    /// Counts lines that were appended.
    fn grow(&mut self, lines: &str) {
        let before = lines.trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1);
        let begin = self.last.end;
        self.last = begin + before as u64..begin + lines.len() as u64;
    }

    /// Writes a snapshot of the last line, replacing the old one. A crash leaves the old one, the
    /// new one, or one with a wrong seal, which is ignored.
    fn keep(path: &Path, line: u64, snapshot: &[u8]) -> io::Result<()> {
        let part = path.with_extension("snapshot.part");
        let mut file = owner_only(&part, OpenOptions::new().write(true).create(true).truncate(true))?;
        file.write_all(format!("{line}\n").as_bytes())?;
        file.write_all(snapshot)?;
        drop(file);
        fs::rename(part, path)
    }
}

/// Reads the snapshot of a file, and the position of its record's line, if this kernel can use it.
pub(super) fn read_snapshot(path: &Path) -> Option<(u64, Snapshot)> {
    let kept = fs::read(path).ok()?;
    let end = kept.iter().position(|byte| *byte == b'\n')?;
    let (line, snapshot) = kept.split_at(end);
    let line = std::str::from_utf8(line).ok()?.parse().ok()?;
    Some((line, Snapshot::decode(snapshot.get(1..)?).ok()?))
}

/// The first failed sync, if any. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncFailure(Arc<Mutex<Option<String>>>);

impl SyncFailure {
    /// Syncs, unless a sync has failed before. Journals of one folder sync in parallel: the lock is
    /// not held meanwhile. The next holder of the same file still learns of a failure, because a
    /// file stays locked until its sync has ended.
    pub(super) fn sync(&self, sync: impl FnOnce() -> io::Result<()>) -> Result<(), JournalStorageError> {
        self.check()?;
        if let Err(error) = sync() {
            self.first().get_or_insert_with(|| error.to_string());
        }
        self.check()
    }

    fn check(&self) -> Result<(), JournalStorageError> {
        match &*self.first() {
            None => Ok(()),
            Some(reason) => Err(JournalStorageError::System {
                reason: format!("an earlier sync failed, so later ones are not trusted: {reason}"),
            }),
        }
    }

    fn first(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JsonLinesJournal {
    /// Creates a new file.
    ///
    /// # Errors
    /// If it cannot be created, or exists already: a journal is never overwritten.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, JournalStorageError> {
        let file = owner_only(path.as_ref(), OpenOptions::new().append(true).create_new(true))?;
        Ok(Self::on(file, SyncFailure::default()))
    }

    /// Opens a file to append to it. See [`Driver::resume`](crate::Driver::resume) for how
    /// to read it, and [`JsonLinesFolder`](super::JsonLinesFolder) for a store that
    /// prevents a second writer.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalStorageError> {
        Ok(Self::on(OpenOptions::new().append(true).open(path)?, SyncFailure::default()))
    }

    /// Appends to an open file.
    pub(super) fn on(file: File, failure: SyncFailure) -> Self {
        Self { file: Arc::new(file), failure, snapshots: None }
    }

    /// Appends to an open file of this length, and stores snapshots next to it.
    pub(super) fn with_snapshots(self, path: PathBuf, length: u64) -> Self {
        Self { snapshots: Some(SnapshotFile { path, last: length..length }), ..self }
    }
}

impl Journal for JsonLinesJournal {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async move {
            // One write to the page cache is faster than a switch to another thread.
            (&*self.file).write_all(lines.as_bytes())?;
            if let Some(snapshots) = &mut self.snapshots {
                snapshots.grow(lines);
            }
            if durability == Durability::Synced {
                let (file, failure) = (Arc::clone(&self.file), self.failure.clone());
                let synced = tokio::task::spawn_blocking(move || failure.sync(|| file.sync_data())).await;
                synced.map_err(|error| JournalStorageError::System { reason: error.to_string() })??;
            }
            Ok(())
        })
    }

    fn keeps_snapshots(&self) -> bool {
        self.snapshots.is_some()
    }

    fn keep_snapshot<'a>(&'a mut self, snapshot: &'a [u8]) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async move {
            // A snapshot always belongs to the line that was appended last.
            let Some(SnapshotFile { path, last }) =
                self.snapshots.as_ref().filter(|kept| !kept.last.is_empty())
            else {
                return Ok(());
            };
            let (path, line, snapshot) = (path.clone(), last.start, snapshot.to_owned());
            let file = Arc::clone(&self.file);
            let kept = tokio::task::spawn_blocking(move || {
                // The journal stays locked until this has ended.
                let kept = SnapshotFile::keep(&path, line, &snapshot);
                drop(file);
                kept
            });
            kept.await.map_err(|error| JournalStorageError::System { reason: error.to_string() })??;
            Ok(())
        })
    }
}
