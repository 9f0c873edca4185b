//! A journal as a file, one record a line.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Durability, Journal, JournalFailed};
use crate::{BoxFuture, private::owner_only};

/// Appends to a file, one record a line.
///
/// The lines of one batch are written in one go. A crash in the middle may leave the first of them: a journal that ends
/// there is sound, and nothing had been done about any of them.
///
/// After a sync that failed every later one is refused: the system may have dropped what it could not write.
#[derive(Debug)]
pub struct JsonLines {
    file: Arc<File>,
    failure: SyncFailure,
}

/// The first sync that failed, if one has. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncFailure(Arc<Mutex<Option<String>>>);

impl SyncFailure {
    /// Syncs a file, unless a sync has failed before.
    fn sync(&self, file: &File) -> Result<(), JournalFailed> {
        let mut failure = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.is_none() {
            *failure = file.sync_data().err().map(|error| error.to_string());
        }
        match &*failure {
            None => Ok(()),
            Some(reason) => Err(JournalFailed::System {
                reason: format!("a sync has failed, and none is trusted after it: {reason}"),
            }),
        }
    }
}

impl JsonLines {
    /// Begins a new file.
    ///
    /// # Errors
    /// When it cannot be made, or is there already: a journal is never written over.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, JournalFailed> {
        let file = owner_only(path.as_ref(), OpenOptions::new().append(true).create_new(true))?;
        Ok(Self::on(file, SyncFailure::default()))
    }

    /// Goes on with a file; see [`Driver::resume`](crate::Driver::resume) for how it is read, and
    /// [`JsonLinesFolder`](super::JsonLinesFolder) for who makes sure that nobody else writes it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalFailed> {
        Ok(Self::on(OpenOptions::new().append(true).open(path)?, SyncFailure::default()))
    }

    /// Appends to an open file.
    pub(super) fn on(file: File, failure: SyncFailure) -> Self {
        Self { file: Arc::new(file), failure }
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
            (&*self.file).write_all(lines.as_bytes())?;
            if durability == Durability::Synced {
                let (file, failure) = (Arc::clone(&self.file), self.failure.clone());
                let synced = tokio::task::spawn_blocking(move || failure.sync(&file)).await;
                synced.map_err(|error| JournalFailed::System { reason: error.to_string() })??;
            }
            Ok(())
        })
    }
}
