//! The output of a child, kept up to a limit.
//!
//! It keeps the beginning and counts the rest; the limit on all output together is enforced in
//! `job.rs`, which then ends the job. A caller that needs every byte passes a spill function. The
//! latest bytes are held only for the guess in `suspected_denial.rs`.

use std::io;

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStream {
    Out,
    Err,
}

/// How the output is captured.
pub struct CaptureOptions {
    /// The most bytes of each stream that are kept in memory, from the beginning.
    pub keep: usize,
    /// Is given every byte as it comes, also those that are kept; an error ends the job.
    pub spill: Option<OutputSpill>,
}

/// Takes output that is too large to keep.
pub type OutputSpill = Box<dyn FnMut(JobStream, &[u8]) -> io::Result<()> + Send>;

impl Default for CaptureOptions {
    /// A megabyte of each stream, and no spilling.
    fn default() -> Self {
        Self { keep: 1 << 20, spill: None }
    }
}

impl std::fmt::Debug for CaptureOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CaptureOptions")
            .field("keep", &self.keep)
            .field("spills", &self.spill.is_some())
            .finish()
    }
}

/// The output of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapturedOutput {
    /// The beginning, as much as was to be kept.
    pub bytes: Vec<u8>,
    /// The number of bytes that were written.
    pub total: u64,
    /// The latest bytes of what was not kept, for the guess at what was refused.
    latest: Vec<u8>,
}

/// How many of the latest bytes are held: more than that guess looks at.
const LATEST: usize = 32 * 1024;

impl CapturedOutput {
    /// Whether all bytes were kept.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.bytes.len() as u64 == self.total
    }

    pub(crate) fn push(&mut self, piece: &[u8], keep: usize) {
        self.total = self.total.saturating_add(piece.len() as u64);
        let room = keep.saturating_sub(self.bytes.len()).min(piece.len());
        let (kept, rest) = piece.split_at(room);
        self.bytes.extend_from_slice(kept);
        self.latest.extend_from_slice(rest.get(rest.len().saturating_sub(LATEST)..).unwrap_or(rest));
        // Moved once in a while, and not at each piece.
        if self.latest.len() > 2 * LATEST {
            self.latest.drain(..self.latest.len() - LATEST);
        }
    }

    /// Where the stream ended, as far as that is held.
    pub(crate) fn end(&self) -> &[u8] {
        if self.latest.is_empty() { &self.bytes } else { &self.latest }
    }
}
