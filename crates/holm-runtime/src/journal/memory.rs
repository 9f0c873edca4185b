//! A journal that ends with the process.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Durability, Journal, JournalFailed};
use crate::BoxFuture;

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
    fn append<'a>(&'a mut self, lines: &'a str, _: Durability) -> BoxFuture<'a, Result<(), JournalFailed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(lines);
        Box::pin(async { Ok(()) })
    }
}
