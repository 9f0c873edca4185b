//! The memory that all feeds and watchers use together. It is only a cache, since the journal has
//! everything. If it grows too large, each feed keeps less, and slow watchers read the journal.
//!
//! It only counts; `feed.rs` and `session_watcher.rs` drop or read less when it is full. The count
//! may be out of date for a moment.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A memory limit that many feeds share.
#[derive(Debug)]
pub(crate) struct FeedMemory {
    used: AtomicUsize,
    most: usize,
}

impl FeedMemory {
    /// Creates a limit of `most` bytes for all of them.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { used: AtomicUsize::new(0), most })
    }

    /// Whether more than the limit is in use.
    pub(super) fn is_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.most
    }

    /// The number of bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

/// The memory that one feed or watcher uses, released on drop.
#[derive(Debug)]
pub(super) struct MemoryReservation {
    memory: Arc<FeedMemory>,
    bytes: usize,
}

impl MemoryReservation {
    pub(super) fn of(memory: &Arc<FeedMemory>) -> Self {
        Self { memory: Arc::clone(memory), bytes: 0 }
    }

    pub(super) fn memory(&self) -> &Arc<FeedMemory> {
        &self.memory
    }

    /// Replaces the reserved size by a new one.
    pub(super) fn set(&mut self, bytes: usize) {
        // The sum may be slightly out of date, so relaxed ordering is enough.
        if bytes >= self.bytes {
            self.memory.used.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            self.memory.used.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// The length of a value as JSON, without building the text.
pub(super) fn json_len(value: &impl serde::Serialize) -> usize {
    let mut count = ByteCounter(0);
    // Counting accepts all bytes; a value that cannot be serialized counts as 0 bytes.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
