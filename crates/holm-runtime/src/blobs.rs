//! Storage for results that are too large for the journal.

mod memory;

#[cfg(test)]
mod tests;

pub use memory::MemoryBlobs;
pub(crate) use memory::hex;

use std::ops::Range;

use crate::BoxFuture;

/// Keeps large results by their content: the same bytes are kept once, under the SHA-256 that names them.
///
/// What is put here has passed the run's secrets already. The reference is the digest in hex, so that a
/// [`Spill`](holm_kernel::Spill) in a journal says where its text is and whether it is still the same.
pub trait Blobs: Send + Sync {
    /// Keeps a text for a run and syncs it: the journal will refer to it. Gives its digest in hex.
    ///
    /// # Errors
    /// [`BlobFailed`].
    fn put<'a>(&'a self, run: &'a str, text: &'a [u8]) -> BoxFuture<'a, Result<String, BlobFailed>>;

    /// Reads a part of a kept text; a range that reaches past its end is cut there.
    ///
    /// # Errors
    /// [`BlobFailed::Missing`] if nothing of that digest is kept, [`BlobFailed::Changed`] if it is not what was put.
    fn get<'a>(&'a self, digest: &'a str, range: Range<u64>) -> BoxFuture<'a, Result<Vec<u8>, BlobFailed>>;
}

/// A large result cannot be kept or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobFailed {
    /// Nothing of that name is kept.
    #[error("no result `{digest}` is kept here; it was removed, or never was")]
    Missing {
        digest: String,
    },
    /// The bytes are not those that were put.
    #[error("the result `{digest}` was changed after it was kept; it is not to be believed")]
    Changed {
        digest: String,
    },
    /// The system said no.
    #[error("a large result could not be kept ({reason}); free some space")]
    System {
        reason: String,
    },
}
