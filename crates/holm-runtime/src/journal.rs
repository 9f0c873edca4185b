//! Where records are written before anything is done about them.

#[cfg(test)]
mod tests;

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crate::BoxFuture;

/// Appends the lines of one run's journal, in order.
pub trait Journal: Send {
    /// Appends one line, its end included. Nothing is done about the record before this has succeeded.
    ///
    /// # Errors
    /// [`JournalFailed`]; the line may or may not be there, so the run is dropped and its journal folded again.
    fn append<'a>(
        &'a mut self,
        line: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalFailed>>;
}

/// How safe a line must be before the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of this process.
    Written,
    /// It survives the end of the machine's power: what follows cannot be done twice.
    Synced,
}

/// A line could not be appended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal could not be written ({reason}); free some space or choose another place, then resume")]
pub struct JournalFailed {
    /// What the system said.
    pub reason: String,
}

impl From<io::Error> for JournalFailed {
    fn from(error: io::Error) -> Self {
        Self { reason: error.to_string() }
    }
}

/// Keeps the journal in memory. Clones share it, so that one can be read while the other is written.
#[derive(Debug, Clone, Default)]
pub struct MemoryJournal(Arc<Mutex<String>>);

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that was written.
    pub fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Journal for MemoryJournal {
    fn append<'a>(&'a mut self, line: &'a str, _: Durability) -> BoxFuture<'a, Result<(), JournalFailed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
        Box::pin(async { Ok(()) })
    }
}

/// Appends to a file, one record a line.
#[derive(Debug)]
pub struct JsonLines(Arc<File>);

impl JsonLines {
    /// Begins a new file.
    ///
    /// # Errors
    /// When it cannot be made, or is there already: a journal is never written over.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, JournalFailed> {
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        Ok(Self(Arc::new(file)))
    }

    /// Goes on with a file; see [`Driver::resume`](crate::Driver::resume) for how it is read.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalFailed> {
        Ok(Self(Arc::new(OpenOptions::new().append(true).open(path)?)))
    }
}

impl Journal for JsonLines {
    fn append<'a>(
        &'a mut self,
        line: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalFailed>> {
        Box::pin(async move {
            // One write to the page cache is shorter than a hand-over to another thread.
            (&*self.0).write_all(line.as_bytes())?;
            if durability == Durability::Synced {
                let file = Arc::clone(&self.0);
                let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
                synced.map_err(|error| JournalFailed { reason: error.to_string() })??;
            }
            Ok(())
        })
    }
}
