//! Keeps large results in memory, for runs without storage.
//!
//! They end with the process, so a journal on disk needs `holm-store/src/store/blobs.rs` instead.
//! The total size is bounded: a run must not fill the machine's memory. The trait is in `blobs.rs`.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use sha2::{Digest, Sha256};

use super::{BlobError, BlobStore};
use crate::BoxFuture;

/// The default limit on bytes kept: enough for many results, too little to fill a machine's memory.
const MOST: usize = 256 * 1024 * 1024;

/// Keeps large results in memory. Clones share the results.
///
/// ```
/// use holm_runtime::{BlobStore, MemoryBlobStore};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let blobs = MemoryBlobStore::new();
/// let digest = blobs.put("run-1", b"a long text").await?;
/// assert_eq!(blobs.get(&digest, 2..6).await?, b"long");
/// # Ok::<(), holm_runtime::BlobError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct MemoryBlobStore {
    kept: Arc<Mutex<BlobMap>>,
    most: usize,
}

#[derive(Default)]
struct BlobMap {
    by_digest: BTreeMap<String, Arc<[u8]>>,
    bytes: usize,
}

impl MemoryBlobStore {
    /// Keeps up to 256 MiB.
    pub fn new() -> Self {
        Self::at_most(MOST)
    }

    /// Keeps up to this many bytes.
    pub fn at_most(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    fn keep(&self, text: &[u8]) -> Result<String, BlobError> {
        let digest = hex(&Sha256::digest(text).0);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.by_digest.contains_key(&digest) {
            return Ok(digest);
        }
        let bytes = kept.bytes.saturating_add(text.len());
        if bytes > self.most {
            let reason = format!("memory holds at most {} bytes", self.most);
            return Err(BlobError::System { reason });
        }
        kept.bytes = bytes;
        kept.by_digest.insert(digest.clone(), text.into());
        Ok(digest)
    }

    fn find(&self, digest: &str, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = || BlobError::Missing { digest: digest.into() };
        let text = kept.by_digest.get(digest).ok_or_else(missing)?;
        let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(text.len());
        let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
        Ok(text.get(start..end).unwrap_or_default().to_vec())
    }
}

impl Default for MemoryBlobStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryBlobStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        out.debug_struct("MemoryBlobStore")
            .field("count", &kept.by_digest.len())
            .field("bytes", &kept.bytes)
            .finish()
    }
}

impl BlobStore for MemoryBlobStore {
    fn put<'a>(&'a self, _: &'a str, text: &'a [u8]) -> BoxFuture<'a, Result<String, BlobError>> {
        Box::pin(async move { self.keep(text) })
    }

    fn get<'a>(&'a self, digest: &'a str, range: Range<u64>) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        Box::pin(async move { self.find(digest, range) })
    }
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
