//! A file whose bytes are what a person reviewed.
//!
//! Only `ledger.rs` compares its content with the record. Callers must use the bytes and not open
//! the path again, because the file may have changed since.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ContentHash, TrustError};

/// The largest file that can be trusted: the programs of a language runtime are a tenth of it.
pub const MAX_FILE: u64 = 512 << 20;

/// A file that was compared with what a person trusted; only
/// [`TrustLedger::read`](super::TrustLedger::read) makes one.
///
/// The path is where the bytes were found. The file there may have changed since, so use the bytes.
#[derive(Debug, Clone)]
pub struct TrustedFile {
    path: PathBuf,
    hash: ContentHash,
    bytes: Arc<[u8]>,
}

impl TrustedFile {
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Its content, as it was compared.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    pub(super) fn new(path: &Path, hash: ContentHash, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), hash, bytes: bytes.into() }
    }
}

/// Reads a plain file whole. A link in its last place, a pipe or a device is refused
/// and never waited for.
pub(super) fn read_plain(path: &Path) -> Result<Vec<u8>, TrustError> {
    let failed = |error: std::io::Error| TrustError::io(path, &error);
    let file = open_plain(path)?;
    let kind = file.metadata().map_err(failed)?;
    if !kind.is_file() {
        return Err(TrustError::NotPlain { path: path.to_owned(), what: "no file" });
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(TrustError::TooMuch { path: path.to_owned(), max: "512 MiB" });
    }
    Ok(bytes)
}

fn open_plain(path: &Path) -> Result<File, TrustError> {
    // Non-blocking, so that a pipe without a writer does not block the caller.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            TrustError::NotPlain { path: path.to_owned(), what: "a link" }
        } else {
            TrustError::io(path, &error)
        }
    })
}
