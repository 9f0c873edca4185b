//! Large results in the store.
//!
//! A result is named by the SHA-256 of its text. Without encryption the same text is kept once for
//! all runs; with it, each run has its own copy under its own key, so that erasing one run erases
//! its text. A result lives as long as a run refers to it: the one that put it, and every other
//! whose journal names it.
//!
//! Where bytes lie is the database's matter (`sqlite/files.rs`, `postgres/backend.rs`). When a
//! result is large enough to be moved out of a journal is decided in `holm-runtime/src/spill.rs`.
//! Bytes are stored before a run refers to them. Nothing is returned unless it matched its digest
//! since the file last changed, or was opened with its key.

use std::{collections::BTreeSet, ops::Range, sync::PoisonError};

use holm_runtime::{BlobError, BlobStore, BoxFuture};
use sha2::{Digest as _, Sha256};

use super::{Store, StoreInner};
use crate::{
    StoreError,
    backend::{BlobRow, RunRow},
    vault::hex,
};

/// Bytes that are sealed at a time, so that a part can be read without decrypting the whole.
const PIECE: u64 = 64 * 1024;

/// The bytes that sealing adds to a piece: layout, nonce, tag.
const SEALING: u64 = 1 + 24 + 16;

/// The most results whose verification is remembered; a longer list is dropped.
const REMEMBERED: usize = 4_096;

impl BlobStore for Store {
    fn put<'a>(&'a self, run: &'a str, text: &'a [u8]) -> BoxFuture<'a, Result<String, BlobError>> {
        Box::pin(async move { Ok(self.put_blob(run, text).await?) })
    }

    fn get<'a>(&'a self, digest: &'a str, range: Range<u64>) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        Box::pin(async move { Ok(self.inner.get_blob(digest, range).await?) })
    }
}

impl Store {
    async fn put_blob(&self, run: &str, text: &[u8]) -> Result<String, StoreError> {
        let row = self.find(run).await?;
        let digest = hex(&Sha256::digest(text));
        let backend = &self.inner.backend;
        let (name, file, sealed) = match (&self.inner.vault, self.inner.key(&row)?) {
            (Some(vault), Some(key)) => {
                let (name, file) = (vault.name(&digest), vault.name(&format!("{run} {digest}")));
                let mut sealed = Vec::with_capacity(text.len() + 64);
                for (at, chunk) in (0..).zip(text.chunks(usize::try_from(PIECE).unwrap_or(usize::MAX))) {
                    sealed.extend_from_slice(&key.seal(&piece_of(&digest), at, chunk)?);
                }
                (name, file, Some(sealed))
            }
            _ => (digest.clone(), digest.clone(), None),
        };
        let bytes = sealed.as_deref().unwrap_or(text);
        backend.keep_blob(&file, bytes).await?;
        if !backend.refer(row.no, &name, &file, text.len() as u64).await? {
            // It was erased meanwhile, and so was what it would have referred to.
            return Err(StoreError::Missing { run: run.into() });
        }
        // Erasing another run may have removed the file between the two.
        if backend.stamp(&file).await?.is_none() {
            backend.keep_blob(&file, bytes).await?;
        }
        Ok(digest)
    }

    /// Makes a run refer to results that its journal names and that another run has stored: a fork
    /// and a copy have a past that they did not write. Erased results stay erased.
    pub(super) async fn adopt(&self, run: &RunRow, digests: &[String]) -> Result<(), StoreError> {
        if digests.is_empty() {
            return Ok(());
        }
        let own: BTreeSet<String> =
            self.inner.backend.blobs_of(run.no).await?.into_iter().map(|blob| blob.name).collect();
        for digest in digests.iter().filter(|digest| !own.contains(&self.inner.blob_name(digest))) {
            match self.inner.get_blob(digest, 0..u64::MAX).await {
                Ok(text) => {
                    self.put_blob(&run.id, &text).await?;
                }
                Err(StoreError::NoBlob { .. } | StoreError::BlobChanged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The digests of the large results that a run refers to are in its journal; this is how
    /// many bytes they take.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn blob_bytes(&self, run: &str) -> Result<u64, StoreError> {
        let row = self.find(run).await?;
        Ok(self.inner.backend.blobs_of(row.no).await?.iter().map(|blob| blob.bytes).sum())
    }
}

impl StoreInner {
    /// The name under which a result is kept.
    fn blob_name(&self, digest: &str) -> String {
        self.vault.as_ref().map_or_else(|| digest.to_owned(), |vault| vault.name(digest))
    }

    async fn get_blob(&self, digest: &str, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let missing = || StoreError::NoBlob { digest: digest.chars().take(64).collect() };
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(missing());
        }
        let name = self.blob_name(digest);
        let row = self.backend.blob(&name).await?.ok_or_else(missing)?;
        let range = range.start.min(row.bytes)..range.end.min(row.bytes).max(range.start.min(row.bytes));
        match self.key(&row.run)? {
            Some(key) => {
                let changed = || StoreError::BlobChanged { digest: digest.into() };
                self.open_pieces(&row, digest, range, |at, sealed| {
                    key.open(&piece_of(digest), at, sealed).ok_or_else(changed)
                })
                .await
            }
            None => self.read_verified(&row, digest, range).await,
        }
    }

    /// Reads the whole and compares its digest, unless that was done since the file last changed.
    async fn read_verified(
        &self,
        row: &BlobRow,
        digest: &str,
        range: Range<u64>,
    ) -> Result<Vec<u8>, StoreError> {
        let missing = || StoreError::NoBlob { digest: digest.into() };
        let stamp = self.backend.stamp(&row.file).await?.ok_or_else(missing)?;
        if stamp.length != row.bytes {
            return Err(StoreError::BlobChanged { digest: digest.into() });
        }
        let known = self.verified.lock().unwrap_or_else(PoisonError::into_inner).get(digest).copied();
        if known.is_some() && known == stamp.changed {
            return self.backend.read_blob(&row.file, range).await;
        }
        let content = self.backend.read_blob(&row.file, 0..row.bytes).await?;
        if hex(&Sha256::digest(&content)) != digest {
            return Err(StoreError::BlobChanged { digest: digest.into() });
        }
        if let Some(changed) = stamp.changed {
            let mut verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
            if verified.len() >= REMEMBERED {
                verified.clear();
            }
            verified.insert(digest.into(), changed);
        }
        Ok(part(&content, range).to_vec())
    }

    /// Reads and opens the pieces that a range touches; each piece vouches for
    /// itself and its place.
    async fn open_pieces(
        &self,
        row: &BlobRow,
        digest: &str,
        range: Range<u64>,
        open: impl Fn(u64, &[u8]) -> Result<Vec<u8>, StoreError> + Send,
    ) -> Result<Vec<u8>, StoreError> {
        let changed = || StoreError::BlobChanged { digest: digest.into() };
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let (first, last) = (range.start / PIECE, (range.end - 1) / PIECE);
        let sealed = PIECE + SEALING;
        let end = (last + 1).saturating_mul(sealed).min(row.bytes + SEALING * row.bytes.div_ceil(PIECE));
        let bytes = self.backend.read_blob(&row.file, first * sealed..end).await?;
        if bytes.len() as u64 != end - first * sealed {
            return Err(changed());
        }
        let mut plain = Vec::with_capacity(bytes.len());
        for (at, chunk) in (first..).zip(bytes.chunks(usize::try_from(sealed).unwrap_or(usize::MAX))) {
            plain.extend_from_slice(&open(at, chunk)?);
        }
        let skipped = first * PIECE;
        Ok(part(&plain, range.start - skipped..range.end - skipped).to_vec())
    }
}

/// Binds a piece to its text as well as to its place.
fn piece_of(digest: &str) -> String {
    format!("blob {digest}")
}

fn part(bytes: &[u8], range: Range<u64>) -> &[u8] {
    let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(bytes.len());
    let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
    bytes.get(start..end).unwrap_or_default()
}
