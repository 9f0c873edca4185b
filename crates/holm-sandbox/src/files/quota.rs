//! Counts how many bytes a call may still write to files.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cut::Cut;

/// Bytes that are left, shared by all files of one call.
#[derive(Debug, Clone)]
pub(crate) struct Quota(Arc<AtomicU64>);

/// What an entry of a directory costs: a block, as most file systems count.
const ENTRY: usize = 4096;

impl Quota {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(bytes)))
    }

    /// Takes what is about to be written.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), Cut> {
        let bytes = bytes as u64;
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .map(|_| ())
            .map_err(|_| Cut::Written)
    }

    /// Takes what a new file or directory costs even when it is empty, so that they are not without number.
    pub(crate) fn take_entry(&self) -> Result<(), Cut> {
        self.take(ENTRY)
    }

    /// Whether a file of one size may become one of another. The room is not used up: what is not written takes none.
    pub(crate) fn admits_growth(&self, from: u64, to: u64) -> bool {
        to.saturating_sub(from) <= self.0.load(Ordering::Relaxed)
    }
}
