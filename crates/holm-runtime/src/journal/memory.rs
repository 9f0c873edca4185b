//! Journals in memory, which end with the process.
//!
//! They follow the same rules as those on disk: one writer at a time, appended lines never change,
//! an opened journal is complete. Journals that outlive the process are in `journal/folder.rs` and
//! `holm-store`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_kernel::journal::Snapshot;

use super::{Durability, Journal, JournalStorageError, JournalStore, OpenedJournal, check_run_name};
use crate::BoxFuture;

/// Keeps the journal in memory. Clones share it, so one can be read while the other is written.
#[derive(Debug, Clone, Default)]
pub struct MemoryJournal(Arc<Mutex<String>>);

impl MemoryJournal {
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that was written.
    pub fn text(&self) -> String {
        lock(&self.0).clone()
    }
}

impl Journal for MemoryJournal {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        _: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        lock(&self.0).push_str(lines);
        Box::pin(async { Ok(()) })
    }
}

/// The journals of many runs in memory, each driven in one place at a time. Clones share them.
///
/// ```
/// use holm_runtime::{Durability, JournalStore, MemoryJournalStore};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let journals = MemoryJournalStore::new();
/// let mut journal = journals.create("run-1").await?;
/// journal.append("…\n", Durability::Written).await?;
/// assert!(journals.open("run-1").await.is_err(), "somebody holds it");
/// drop(journal);
/// assert_eq!(journals.open("run-1").await?.text, "…\n".as_bytes());
/// # Ok::<(), holm_runtime::JournalStorageError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryJournalStore(Arc<Mutex<BTreeMap<String, Arc<Mutex<MemoryJournalEntry>>>>>);

/// The stored journal of one run.
#[derive(Debug, Default)]
struct MemoryJournalEntry {
    text: String,
    snapshot: Option<Vec<u8>>,
    holding: HolderState,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum HolderState {
    #[default]
    Free,
    Held,
}

impl MemoryJournalStore {
    pub fn new() -> Self {
        Self::default()
    }

    /// The names of the runs, in order.
    pub fn runs(&self) -> Vec<String> {
        lock(&self.0).keys().cloned().collect()
    }

    /// Forgets a run. If it is still driven, its later records are lost.
    pub fn forget(&self, run: &str) {
        lock(&self.0).remove(run);
    }

    fn begin(&self, run: &str) -> Result<Box<dyn Journal>, JournalStorageError> {
        check_run_name(run)?;
        let mut runs = lock(&self.0);
        if runs.contains_key(run) {
            return Err(JournalStorageError::Exists { run: run.into() });
        }
        let kept = Arc::new(Mutex::new(MemoryJournalEntry {
            holding: HolderState::Held,
            ..MemoryJournalEntry::default()
        }));
        runs.insert(run.into(), Arc::clone(&kept));
        Ok(Box::new(MemoryJournalWriter(kept)))
    }

    fn find(&self, run: &str) -> Result<Arc<Mutex<MemoryJournalEntry>>, JournalStorageError> {
        let found = lock(&self.0).get(run).cloned();
        found.ok_or_else(|| JournalStorageError::Missing { run: run.into() })
    }

    fn take(&self, run: &str) -> Result<OpenedJournal, JournalStorageError> {
        let found = self.find(run)?;
        let mut kept = lock(&found);
        if kept.holding == HolderState::Held {
            return Err(JournalStorageError::Busy { run: run.into(), holder: "another session here".into() });
        }
        kept.holding = HolderState::Held;
        // An unreadable snapshot is ignored; the journal is complete without it.
        let snapshot = kept.snapshot.as_deref().and_then(|text| Snapshot::decode(text).ok());
        let text =
            lines_from(&kept.text, snapshot.as_ref().map_or(0, |snapshot| snapshot.head().seq.value()));
        drop(kept);
        Ok(OpenedJournal { snapshot, text, rest: None, journal: Box::new(MemoryJournalWriter(found)) })
    }
}

impl JournalStore for MemoryJournalStore {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        Box::pin(async move { self.begin(run) })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        Box::pin(async move { self.take(run) })
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        Box::pin(async move { Ok(lock(&*self.find(run)?).text.clone().into_bytes()) })
    }
}

/// The only writer of a run's journal, until it is dropped.
struct MemoryJournalWriter(Arc<Mutex<MemoryJournalEntry>>);

impl Journal for MemoryJournalWriter {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        _: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        lock(&self.0).text.push_str(lines);
        Box::pin(async { Ok(()) })
    }

    fn keeps_snapshots(&self) -> bool {
        true
    }

    fn keep_snapshot<'a>(&'a mut self, snapshot: &'a [u8]) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        lock(&self.0).snapshot = Some(snapshot.into());
        Box::pin(async { Ok(()) })
    }
}

impl Drop for MemoryJournalWriter {
    fn drop(&mut self) {
        lock(&self.0).holding = HolderState::Free;
    }
}

/// The lines from a record on.
fn lines_from(text: &str, record: u64) -> Vec<u8> {
    let before = usize::try_from(record).unwrap_or(usize::MAX);
    text.split_inclusive('\n').skip(before).collect::<String>().into_bytes()
}

/// A poisoned lock is safe to use: a line is pushed completely or not at all.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
