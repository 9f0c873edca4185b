//! Counts how many bytes a call may still write to files.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::guest_abort::GuestAbort;

/// Bytes that are left, shared by all files of one call.
#[derive(Debug, Clone)]
pub(crate) struct WriteQuota(Arc<AtomicU64>);

/// The cost of a directory entry: a block, as most file systems count.
const ENTRY: usize = 4096;

impl WriteQuota {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(bytes)))
    }

    /// Takes the bytes that are about to be written.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), GuestAbort> {
        let bytes = bytes as u64;
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .map(|_| ())
            .map_err(|_| GuestAbort::Written)
    }

    /// Takes the cost of a new file or directory, even an empty one, so that
    /// their number is limited.
    pub(crate) fn take_entry(&self) -> Result<(), GuestAbort> {
        self.take(ENTRY)
    }

    /// Whether a file may grow from one size to another. This uses up no quota: bytes that are
    /// not written take none.
    pub(crate) fn admits_growth(&self, from: u64, to: u64) -> bool {
        to.saturating_sub(from) <= self.0.load(Ordering::Relaxed)
    }
}
