//! Journals: records are stored here before the driver acts on them, and read again when a run is
//! resumed.
//!
//! This file has the traits and their errors. The format of lines and the chain are the kernel's
//! (`holm-kernel/src/journal/mod.rs`): a journal stores text unchanged and never parses or
//! changes it. Each journal has one writer at a time. Lines of one append are stored together or
//! not at all, and `Synced` means that they survive a power loss.
//!
//! Where things are:
//!
//! - `journal/jsonl.rs`: one journal as a file.
//! - `journal/folder.rs`: a folder of them, with locks and snapshots.
//! - `journal/memory.rs`: in memory.
//! - `journal/null_store.rs`: stores nothing.
//! - `journal/costs.rs`: what records cost.
//! - `journal/name.rs`: names of runs.
//!
//! Journals in a database are in `holm-store/src/store/journal.rs`.

mod costs;
mod folder;
mod jsonl;
mod memory;
mod name;
mod null_store;

#[cfg(test)]
mod tests;

use std::{io, sync::Arc};

use holm_kernel::journal::Snapshot;

pub use costs::{CostMeter, RecordCosts};
pub use folder::JsonLinesFolder;
pub use jsonl::JsonLinesJournal;
pub use memory::{MemoryJournal, MemoryJournalStore};
pub use name::{MOST_NAME_BYTES, check_run_name};
pub use null_store::NullJournalStore;

use crate::BoxFuture;

/// Appends the lines of one run's journal, in order. The holder of this value is the only
/// writer of that journal.
pub trait Journal: Send {
    /// Appends one or more whole lines, each with its line end: all of them are stored, or none.
    /// The driver performs no effects before this has succeeded.
    ///
    /// # Errors
    /// [`JournalStorageError`]; the lines may or may not be stored, so the run is dropped and
    /// its journal folded again.
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>>;

    /// Completes when the right to write this journal is lost without having been given up: another
    /// process may resume the run soon. The driver then stops all work and waits until it has
    /// ended. The future stays pending if a lease ends only with the process.
    ///
    /// After a loss each append must fail with [`JournalStorageError::LeaseLost`], and dropping the
    /// journal says that the run has stopped.
    fn lost(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    /// Whether this journal stores snapshots. Making one takes time proportional to the run, so
    /// none is made unless it is stored.
    fn keeps_snapshots(&self) -> bool {
        false
    }

    /// Stores a [`Snapshot`](holm_kernel::journal::Snapshot) next to the journal, replacing the old
    /// one. It may save the next [`open`](JournalStore::open) from folding every line. It is a cache,
    /// so a journal need not store it.
    ///
    /// # Errors
    /// [`JournalStorageError`]; the journal itself is unchanged.
    fn keep_snapshot<'a>(&'a mut self, snapshot: &'a [u8]) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        let _ = snapshot;
        Box::pin(async { Ok(()) })
    }

    /// Stores what the run itself has cost up to its last record, for queries that must not fold the
    /// journal. Like a snapshot it is a cache, so a journal need not store it.
    ///
    /// # Errors
    /// [`JournalStorageError`]; the journal itself is unchanged.
    fn keep_costs<'a>(
        &'a mut self,
        costs: &'a RecordCosts,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        let _ = costs;
        Box::pin(async { Ok(()) })
    }
}

/// How durable a line must be before the run continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// It survives the end of this process.
    Written,
    /// It survives a power loss: the next effect cannot be done twice, or a user was told that
    /// the fact is stored.
    Synced,
}

/// The journals of many runs, by the run's id.
pub trait JournalStore: Send + Sync {
    /// Creates the journal of a new run. A journal without a record, whose creator is
    /// gone, counts as missing.
    ///
    /// # Errors
    /// [`JournalStorageError::Exists`]: a journal is never overwritten.
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>>;

    /// Opens a journal for appending and returns everything needed to fold it. A last line that a
    /// crash left unfinished has been cut off.
    ///
    /// # Errors
    /// [`JournalStorageError::Busy`] while another process holds it: a run is driven in one
    /// place at a time.
    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>>;

    /// Reads a journal as it is now, also while another process writes it.
    ///
    /// # Errors
    /// [`JournalStorageError`].
    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>>;

    /// As [`read`](Self::read), some lines at a time: a journal can be larger than memory allows.
    ///
    /// # Errors
    /// [`JournalStorageError`].
    fn read_lines<'a>(
        &'a self,
        run: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn JournalLines>, JournalStorageError>> {
        Box::pin(async move {
            let lines: Box<dyn JournalLines> = Box::new(WholeJournalText(Some(self.read(run).await?)));
            Ok(lines)
        })
    }
}

/// The lines of one journal, some at a time.
pub trait JournalLines: Send {
    /// The next whole lines; `None` after the last one.
    ///
    /// # Errors
    /// [`JournalStorageError`].
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, JournalStorageError>>;
}

/// A journal that was read as a whole.
struct WholeJournalText(Option<Vec<u8>>);

impl JournalLines for WholeJournalText {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, JournalStorageError>> {
        let text = self.0.take();
        Box::pin(async move { Ok(text) })
    }
}

impl<J: JournalStore + ?Sized> JournalStore for Arc<J> {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        (**self).create(run)
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        (**self).open(run)
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        (**self).read(run)
    }

    fn read_lines<'a>(
        &'a self,
        run: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn JournalLines>, JournalStorageError>> {
        (**self).read_lines(run)
    }
}

/// A journal that was opened to resume its run.
pub struct OpenedJournal {
    /// The state at one of its records, if there is one that this kernel can read.
    /// It saves reading the lines before that record. If it is unusable, fold the
    /// result of [`JournalStore::read`] instead.
    pub snapshot: Option<Snapshot>,
    /// Its whole lines: from the snapshot's record on, or from the first one without a snapshot.
    pub text: Vec<u8>,
    /// The lines after `text`, if the journal is long.
    pub rest: Option<Box<dyn JournalLines>>,
    /// Appends after the last line.
    pub journal: Box<dyn Journal>,
}

/// A journal cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalStorageError {
    /// There is no such journal.
    #[error("no run `{run}` in this store; list the runs to see their ids")]
    Missing { run: String },
    /// The journal exists already.
    #[error("run `{run}` already exists; choose another id, or resume it")]
    Exists { run: String },
    /// Another process drives the run.
    #[error("the run `{run}` is being driven by {holder}; stop it there first")]
    Busy {
        run: String,
        /// The holder, if known.
        holder: String,
    },
    /// The lease was lost while the run was driven.
    #[error(
        "the lease on the run was lost with the connection to the database, so its work was stopped; another server resumes it, or you resume it here"
    )]
    LeaseLost,
    /// The name is not allowed for a run.
    #[error("`{run}` is not a valid session name: {reason}")]
    BadName {
        /// The name that was given.
        run: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The stored journal is damaged.
    #[error("the journal of `{run}` is damaged ({reason}); nothing was deleted; restore a backup")]
    Damaged { run: String, reason: String },
    /// The journal could not be read.
    #[error(
        "cannot read the journal ({reason}); try again, and check the disk or the database before you \
        restore a backup"
    )]
    Unreadable { reason: String },
    /// The operating system reported an error.
    #[error("cannot write the journal ({reason}); free some space or choose another folder, then resume")]
    System { reason: String },
}

impl From<io::Error> for JournalStorageError {
    fn from(error: io::Error) -> Self {
        Self::System { reason: error.to_string() }
    }
}
