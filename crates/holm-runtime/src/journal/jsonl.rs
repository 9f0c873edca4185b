//! A journal as a file, one record a line.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
    sync::Arc,
};

use super::{Durability, Journal, JournalFailed};
use crate::{BoxFuture, private::owner_only};

/// Appends to a file, one record a line.
///
/// The lines of one batch are written in one go. A crash in the middle may leave the first of them: a journal that ends
/// there is sound, and nothing had been done about any of them.
#[derive(Debug)]
pub struct JsonLines(Arc<File>);

impl JsonLines {
    /// Begins a new file.
    ///
    /// # Errors
    /// When it cannot be made, or is there already: a journal is never written over.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, JournalFailed> {
        let file = owner_only(path.as_ref(), OpenOptions::new().append(true).create_new(true))?;
        Ok(Self::on(file))
    }

    /// Goes on with a file; see [`Driver::resume`](crate::Driver::resume) for how it is read, and
    /// [`JsonLinesFolder`](super::JsonLinesFolder) for who makes sure that nobody else writes it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalFailed> {
        Ok(Self::on(OpenOptions::new().append(true).open(path)?))
    }

    /// Appends to an open file.
    pub(super) fn on(file: File) -> Self {
        Self(Arc::new(file))
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
