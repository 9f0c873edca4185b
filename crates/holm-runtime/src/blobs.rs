//! Storage for results that are too large for the journal, as a trait.
//!
//! A result is named by the SHA-256 of its text, so a reader can see whether it is unchanged.
//! Secrets were removed before (`tool/containment.rs`). What is too large is decided there and
//! moved by `spill.rs`. Implementations: `blobs/memory.rs`, and `holm-store/src/store/blobs.rs` on
//! disk. A result must be synced before its name is returned, because the journal refers to it.

mod memory;

#[cfg(test)]
mod tests;

pub use memory::MemoryBlobStore;
pub(crate) use memory::hex;

use std::ops::Range;

use crate::BoxFuture;

/// Stores large results by content: the same bytes are stored once, under their SHA-256.
///
/// Secrets were removed from the text before. The reference is the digest in hex. So a
/// [`Spill`](holm_kernel::Spill) in a journal says where its text is and whether it is unchanged.
pub trait BlobStore: Send + Sync {
    /// Stores a text for a run and syncs it, because the journal will refer to it. Returns
    /// its digest in hex.
    ///
    /// # Errors
    /// [`BlobError`].
    fn put<'a>(&'a self, run: &'a str, text: &'a [u8]) -> BoxFuture<'a, Result<String, BlobError>>;

    /// Reads a part of a stored text; a range that reaches past its end is cut there.
    ///
    /// # Errors
    /// [`BlobError::Missing`] if there is no such text, [`BlobError::Changed`] if it differs
    /// from what was stored.
    fn get<'a>(&'a self, digest: &'a str, range: Range<u64>) -> BoxFuture<'a, Result<Vec<u8>, BlobError>>;
}

/// A large result cannot be stored or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// There is no blob with this digest.
    #[error("no result `{digest}` in this store; it was removed or never existed")]
    Missing { digest: String },
    /// The bytes differ from those that were stored.
    #[error("the result `{digest}` was changed after it was stored; do not trust it")]
    Changed { digest: String },
    /// The operating system reported an error.
    #[error("cannot store a large result ({reason}); free some space")]
    System { reason: String },
}
