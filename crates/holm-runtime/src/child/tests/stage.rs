//! Processes that die at a given append, over journals that stay.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    BoxFuture, Durability, Journal, JournalStorageError, JournalStore, MemoryJournalStore, OpenedJournal,
    RunHandle,
};

/// How a crash leaves what was being appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crash {
    /// Nothing of it is there.
    Before,
    /// Only its first line is there.
    Within,
    /// All of it is there, and none of it was performed.
    After,
}

/// What happens to a process, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Lives,
    /// It dies at this append, counted over all runs.
    Dies(u64, Crash),
    /// Its root is cancelled at this append.
    Cancelled(u64),
    /// Its root is cancelled at this append, and it dies so many appends later.
    CancelledAndDies(u64, u64),
}

/// The journals as one process sees them.
#[derive(Clone)]
pub(super) struct Process {
    kept: MemoryJournalStore,
    fate: Fate,
    appends: Arc<AtomicU64>,
    root: Arc<Mutex<Option<RunHandle>>>,
}

impl Process {
    pub(super) fn over(kept: &MemoryJournalStore, fate: Fate) -> Self {
        Self { kept: kept.clone(), fate, appends: Arc::default(), root: Arc::default() }
    }

    /// How many appends there were.
    pub(super) fn appends(&self) -> u64 {
        self.appends.load(Ordering::SeqCst)
    }

    /// Says whom a cancel reaches.
    pub(super) fn watch(&self, root: RunHandle) {
        *self.root.lock().unwrap() = Some(root);
    }

    fn wrap(&self, journal: Box<dyn Journal>) -> Box<dyn Journal> {
        Box::new(Mortal { process: self.clone(), journal })
    }
}

impl JournalStore for Process {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        Box::pin(async move { Ok(self.wrap(self.kept.create(run).await?)) })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        Box::pin(async move {
            let opened = self.kept.open(run).await?;
            Ok(OpenedJournal { journal: self.wrap(opened.journal), ..opened })
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        self.kept.read(run)
    }
}

struct Mortal {
    process: Process,
    journal: Box<dyn Journal>,
}

impl Journal for Mortal {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        let number = self.process.appends.fetch_add(1, Ordering::SeqCst) + 1;
        let (kept, dies) = match self.process.fate {
            Fate::Dies(at, how) if number == at => match how {
                Crash::Before => ("", true),
                Crash::Within => (lines.split_inclusive('\n').next().unwrap_or_default(), true),
                Crash::After => (lines, true),
            },
            Fate::Dies(at, _) if number > at => ("", true),
            Fate::CancelledAndDies(at, after) if number >= at + after => ("", true),
            Fate::Cancelled(at) | Fate::CancelledAndDies(at, _) if number == at => {
                if let Some(root) = &*self.process.root.lock().unwrap() {
                    let _ = root.cancel("enough");
                }
                (lines, false)
            }
            Fate::Dies(..) | Fate::Cancelled(_) | Fate::CancelledAndDies(..) | Fate::Lives => (lines, false),
        };
        Box::pin(async move {
            if !kept.is_empty() {
                self.journal.append(kept, durability).await?;
            }
            if dies { Err(JournalStorageError::System { reason: "the process died".into() }) } else { Ok(()) }
        })
    }
}
