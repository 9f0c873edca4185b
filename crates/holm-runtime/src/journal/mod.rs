//! Journals: records are stored here before the driver acts on them, and read again when a run is
//! resumed.

mod folder;
mod jsonl;
mod memory;
mod name;
mod none;

#[cfg(test)]
mod tests;

use std::{io, sync::Arc};

use holm_kernel::journal::Snapshot;

pub use folder::JsonLinesFolder;
pub use jsonl::JsonLines;
pub use memory::{MemoryJournal, MemoryJournals};
pub use name::{MOST_NAME_BYTES, check_run_name};
pub use none::NoJournals;

use crate::BoxFuture;

/// Appends the lines of one run's journal, in order. The holder of this value is the only writer of
/// that journal.
pub trait Journal: Send {
    /// Appends one or more whole lines, each with its end: all of them are kept, or none. Nothing is done about the
    /// records before this has succeeded.
    ///
    /// # Errors
    /// [`JournalFailed`]; the lines may or may not be there, so the run is dropped and its journal folded again.
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalFailed>>;

    /// Completes when the right to write this journal is lost without having been given up: another
    /// process may resume the run soon. The driver then stops all work and waits until it has
    /// ended. The future stays pending if a lease ends only with the process.
    ///
    /// After a loss each append must fail with [`JournalFailed::LeaseLost`], and dropping the
    /// journal says that the run has stopped.
    fn lost(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    /// Whether snapshots are kept here at all. Making one costs as much as the run is long, so none is made in vain.
    fn keeps_snapshots(&self) -> bool {
        false
    }

    /// Keeps a [`Snapshot`](holm_kernel::journal::Snapshot) beside the journal, in place of the one before: it may save
    /// the next [`open`](Journals::open) from folding every line. It is a cache, so a journal may as well keep none.
    ///
    /// # Errors
    /// [`JournalFailed`]; the journal itself is as it was.
    fn keep_snapshot<'a>(&'a mut self, snapshot: &'a [u8]) -> BoxFuture<'a, Result<(), JournalFailed>> {
        let _ = snapshot;
        Box::pin(async { Ok(()) })
    }
}

/// How safe a line must be before the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// It survives the end of this process.
    Written,
    /// It survives the end of the machine's power: what follows cannot be done twice, or a person is shown that it was heard.
    Synced,
}

/// The journals of many runs, by the run's id.
pub trait Journals: Send + Sync {
    /// Begins the journal of a new run. A journal without a record, whose maker is gone, counts as none.
    ///
    /// # Errors
    /// [`JournalFailed::Exists`]: a journal is never written over.
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalFailed>>;

    /// Opens a journal for appending and returns everything needed to fold it. A last line that a
    /// crash left unfinished has been cut off.
    ///
    /// # Errors
    /// [`JournalFailed::Busy`] while another process holds it: a run is driven in one place at a
    /// time.
    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Opened, JournalFailed>>;

    /// Reads a journal as it is now, also while another process writes it.
    ///
    /// # Errors
    /// [`JournalFailed`].
    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalFailed>>;

    /// As [`read`](Self::read), some lines at a time: a journal can be longer than a process should hold in memory.
    ///
    /// # Errors
    /// [`JournalFailed`].
    fn read_lines<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn JournalLines>, JournalFailed>> {
        Box::pin(async move {
            let whole: Box<dyn JournalLines> = Box::new(WholeText(Some(self.read(run).await?)));
            Ok(whole)
        })
    }
}

/// The lines of one journal, some at a time.
pub trait JournalLines: Send {
    /// The next whole lines; none after the last one.
    ///
    /// # Errors
    /// [`JournalFailed`].
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, JournalFailed>>;
}

/// A journal that was read at once.
struct WholeText(Option<Vec<u8>>);

impl JournalLines for WholeText {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, JournalFailed>> {
        let text = self.0.take();
        Box::pin(async move { Ok(text) })
    }
}

impl<J: Journals + ?Sized> Journals for Arc<J> {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalFailed>> {
        (**self).create(run)
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Opened, JournalFailed>> {
        (**self).open(run)
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalFailed>> {
        (**self).read(run)
    }

    fn read_lines<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn JournalLines>, JournalFailed>> {
        (**self).read_lines(run)
    }
}

/// A journal that was found again.
pub struct Opened {
    /// The state at one of its records, if there is one that this kernel can read. It saves reading
    /// the lines before that record. If it is unusable, fold the result of [`Journals::read`]
    /// instead.
    pub snapshot: Option<Snapshot>,
    /// Its whole lines: from the snapshot's record on, or from the first one where there is no snapshot.
    pub text: Vec<u8>,
    /// The lines after `text`, where a long journal has more.
    pub rest: Option<Box<dyn JournalLines>>,
    /// Goes on behind the last line.
    pub journal: Box<dyn Journal>,
}

/// A journal cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalFailed {
    /// There is no such journal.
    #[error("there is no run `{run}` here; list the runs to see which there are")]
    Missing {
        run: String,
    },
    /// There is one already.
    #[error("there is a run `{run}` already; choose another id, or resume it")]
    Exists {
        run: String,
    },
    /// Another process drives the run.
    #[error("the run `{run}` is being driven by {holder}; stop it there first")]
    Busy {
        run: String,
        /// Who, as far as it is known.
        holder: String,
    },
    /// The lease was lost while the run was driven.
    #[error(
        "the lease on the run was lost with the connection to the database, so its work was stopped; another server resumes it, or you resume it here"
    )]
    LeaseLost,
    /// The name cannot be a run's.
    #[error("`{run}` cannot name a run ({reason})")]
    BadName {
        /// The name that was given.
        run: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What is kept there is not sound.
    #[error("the journal of `{run}` is damaged ({reason}); nothing was cut, restore it or ask a person")]
    Damaged {
        run: String,
        reason: String,
    },
    /// The journal could not be read.
    #[error(
        "the journal could not be read ({reason}); try again, and if it stays so see to the disk or the database before you restore a copy"
    )]
    Unreadable {
        reason: String,
    },
    /// The system said no.
    #[error(
        "the journal could not be written ({reason}); free some space or choose another place, then resume"
    )]
    System {
        reason: String,
    },
}

impl From<io::Error> for JournalFailed {
    fn from(error: io::Error) -> Self {
        Self::System { reason: error.to_string() }
    }
}
