//! Files as streams. Reading and writing happen on the guest's own thread, which may wait for a
//! disk.
//!
//! The file was opened under the policy before (`p2/files.rs`); a stream keeps its lease, because
//! it can outlive the handle. Written bytes and the growth of a file are counted
//! (`files/quota.rs`). Pieces are bounded.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

use crate::files::WriteQuota;
use crate::lease::HandleLease;

/// The most bytes read or written at once, as in WASI's own streams.
const CHUNK: usize = 64 << 10;

/// Reads a file from an offset on.
pub(super) struct FileReader {
    pub(super) file: Arc<File>,
    /// Held with the file, because a stream outlives the handle that it was made from.
    pub(super) _lease: Arc<HandleLease>,
    pub(super) offset: u64,
}

#[wasmtime_wasi::async_trait]
impl Pollable for FileReader {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl InputStream for FileReader {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size == 0 {
            return Ok(Bytes::new());
        }
        let mut bytes = BytesMut::zeroed(size.min(CHUNK));
        let read = self
            .file
            .read_at(&mut bytes, self.offset)
            .map_err(|error| StreamError::LastOperationFailed(error.into()))?;
        if read == 0 {
            return Err(StreamError::Closed);
        }
        bytes.truncate(read);
        self.offset = self.offset.saturating_add(read as u64);
        Ok(bytes.freeze())
    }
}

/// Writes a file from an offset on, or at its end.
pub(super) struct FileWriter {
    pub(super) file: Arc<File>,
    pub(super) _lease: Arc<HandleLease>,
    pub(super) quota: WriteQuota,
    pub(super) position: WritePosition,
}

/// The place of the next bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum WritePosition {
    At(u64),
    End,
}

#[wasmtime_wasi::async_trait]
impl Pollable for FileWriter {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for FileWriter {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.quota.take(bytes.len()).map_err(|cut| StreamError::Trap(cut.into()))?;
        let written = match self.position {
            WritePosition::At(offset) => {
                let end = offset.saturating_add(bytes.len() as u64);
                self.position = WritePosition::At(end);
                may_reach(&self.quota, &self.file, end).and_then(|()| self.file.write_all_at(&bytes, offset))
            }
            WritePosition::End => append(&self.file, &bytes),
        };
        written.map_err(|error| StreamError::LastOperationFailed(error.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(CHUNK)
    }
}

/// Checks whether a file may be written up to an offset: beyond its end only as far
/// as the quota allows.
pub(super) fn may_reach(quota: &WriteQuota, file: &File, end: u64) -> std::io::Result<()> {
    let fits = quota.admits_growth(file.metadata()?.len(), end);
    if fits { Ok(()) } else { Err(std::io::ErrorKind::FileTooLarge.into()) }
}

/// Writes at the current end; other writers of the same file are the guest's own.
fn append(file: &File, bytes: &[u8]) -> std::io::Result<()> {
    let end = file.metadata()?.len();
    file.write_all_at(bytes, end)
}
