//! Collects a guest's output in memory, and cuts it off at a limit.
//!
//! All outputs of a call share one budget, and so does the answer of a text guest (`run.rs`). A
//! guest that writes more is ended; what fits is kept. Bytes written to files are counted in
//! `files/quota.rs`.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use crate::guest_abort::GuestAbort;

/// One output. Clones write to the same one.
#[derive(Debug, Clone)]
pub(crate) struct OutputSink {
    bytes: Arc<Mutex<Vec<u8>>>,
    budget: OutputBudget,
}

/// The bytes that all outputs of a call may still take.
#[derive(Debug, Clone)]
pub(crate) struct OutputBudget(Arc<AtomicU64>);

/// The most bytes that a guest may write at once, as in WASI's own streams.
const CHUNK: usize = 64 << 10;

impl OutputBudget {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(bytes)))
    }

    /// Takes as much as is left, up to `wanted`.
    pub(crate) fn take(&self, wanted: usize) -> usize {
        let mut taken = 0;
        // The closure always returns a value, so this cannot fail.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            taken = usize::try_from(left).unwrap_or(usize::MAX).min(wanted);
            Some(left - taken as u64)
        });
        taken
    }
}

impl OutputSink {
    pub(crate) fn new(budget: &OutputBudget) -> Self {
        Self { bytes: Arc::default(), budget: budget.clone() }
    }

    /// Keeps the bytes that fit; the call ends if not all do.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), GuestAbort> {
        let fits = self.budget.take(bytes.len());
        let mut kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes.get(..fits).unwrap_or_default());
        if fits < bytes.len() { Err(GuestAbort::Output) } else { Ok(()) }
    }

    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for OutputSink {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for OutputSink {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        OutputSink::write(self, &bytes).map_err(|cut| StreamError::Trap(cut.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(CHUNK)
    }
}

impl IsTerminal for OutputSink {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for OutputSink {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for OutputSink {
    fn poll_write(self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Poll::Ready(OutputSink::write(&self, bytes).map(|()| bytes.len()).map_err(std::io::Error::other))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_share_their_room_and_keep_what_fits() {
        let budget = OutputBudget::new(6);
        let (out, err) = (OutputSink::new(&budget), OutputSink::new(&budget));
        assert_eq!(out.write(b"abcd"), Ok(()));
        assert_eq!(err.write(b"efgh"), Err(GuestAbort::Output));
        assert_eq!(out.write(b""), Ok(()));
        assert_eq!((out.take(), err.take()), (b"abcd".to_vec(), b"ef".to_vec()));
    }
}
