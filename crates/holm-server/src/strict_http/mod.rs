//! Refuses HTTP/1 requests that a proxy and this server could split in different places.
//!
//! The HTTP library accepts a line that ends with a bare line feed, and a request with both
//! `Content-Length` and `Transfer-Encoding`. A proxy in front may read either of them
//! differently, which allows request smuggling. [`StrictStream`] follows the framing of
//! each connection and makes such a request invalid before the library sees its end, so that it
//! answers 400 and closes. A request with an unreadable length is refused too, because the next
//! request could not be found.
//!
//! It does not parse HTTP/2, and it does not look into bodies or WebSocket messages.
//!
//! The framing itself is followed in `scanner.rs`.

mod scanner;

#[cfg(test)]
mod tests;

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use scanner::HeadScanner;

/// What the library reads instead of the rest of a refused request: a byte that is invalid in a
/// head, and the end of the head, because the library parses only complete heads.
const INVALID_HEAD_END: &[u8] = b"\0\r\n\r\n";

/// Whether a connection was upgraded from HTTP, for example to a WebSocket. Clones share the state.
/// `serve.rs` sets it.
#[derive(Debug, Clone, Default)]
pub(crate) struct UpgradeFlag(Arc<AtomicBool>);

impl UpgradeFlag {
    /// Marks the connection as upgraded: from now on its bytes are not HTTP.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A connection whose request heads are checked while they are read.
pub(crate) struct StrictStream<S> {
    stream: S,
    scanner: HeadScanner,
    upgraded: UpgradeFlag,
    /// The part of [`INVALID_HEAD_END`] that is not yet delivered, once a request was refused. From then on,
    /// nothing more is read from the client.
    refusal: Option<&'static [u8]>,
}

impl<S> StrictStream<S> {
    /// Checks what is read from `stream` until `upgraded` is set.
    pub(crate) fn new(stream: S, upgraded: UpgradeFlag) -> Self {
        Self { stream, scanner: HeadScanner::default(), upgraded, refusal: None }
    }

    /// Copies as much of the refusal as fits into `buffer`.
    fn refuse(&mut self, refusal: &'static [u8], buffer: &mut ReadBuf<'_>) {
        let (delivered, remaining) = refusal.split_at(refusal.len().min(buffer.remaining()));
        buffer.put_slice(delivered);
        self.refusal = Some(remaining);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StrictStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(refusal) = self.refusal {
            self.refuse(refusal, buffer);
            return Poll::Ready(Ok(()));
        }
        let filled_before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.upgraded.is_set() {
            return Poll::Ready(Ok(()));
        }
        let received = buffer.filled().get(filled_before..).unwrap_or_default();
        if let Err(offset) = self.scanner.scan(received) {
            buffer.set_filled(filled_before + offset);
            self.refuse(INVALID_HEAD_END, buffer);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StrictStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
