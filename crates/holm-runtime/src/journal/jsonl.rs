//! A journal as a file, one record a line.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
    sync::Arc,
};

use super::{Durability, Journal, JournalFailed};
use crate::BoxFuture;

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
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalFailed>> {
        Box::pin(async move {
            // One write to the page cache is shorter than a hand-over to another thread.
            (&*self.0).write_all(lines.as_bytes())?;
            if durability == Durability::Synced {
                let file = Arc::clone(&self.0);
                let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
                synced.map_err(|error| JournalFailed::System { reason: error.to_string() })??;
            }
            Ok(())
        })
    }
}
