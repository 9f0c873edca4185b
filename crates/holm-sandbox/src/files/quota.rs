//! How much may still be written to files.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cut::Cut;

/// Bytes that are left, shared by all files of one call.
#[derive(Debug, Clone)]
pub(crate) struct Quota(Arc<AtomicU64>);

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

    /// Whether a file may be made this large. The room is not used up: an empty file takes none.
    pub(crate) fn admits_size(&self, size: u64) -> bool {
        size <= self.0.load(Ordering::Relaxed)
    }
}
