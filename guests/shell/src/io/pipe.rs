//! A small pipe in memory. A full pipe makes its writer wait, and a pipe without readers ends its
//! writer.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// As much as Linux lets a pipe hold.
const CAPACITY: usize = 64 << 10;

#[derive(Default)]
struct PipeState {
    bytes: VecDeque<u8>,
    readers: usize,
    writers: usize,
    /// Whether a reader found the pipe empty at its last attempt.
    hungry: bool,
}

/// The end that is read. Clones are the same end, which is closed when the last of them is gone.
pub(crate) struct PipeReader(Rc<RefCell<PipeState>>);

/// The end that is written.
pub(crate) struct PipeWriter(Rc<RefCell<PipeState>>);

/// The pipe has no readers any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrokenPipeError;

pub(crate) fn pipe() -> (PipeReader, PipeWriter) {
    let state = Rc::new(RefCell::new(PipeState { readers: 1, writers: 1, ..PipeState::default() }));
    (PipeReader(Rc::clone(&state)), PipeWriter(state))
}

impl PipeReader {
    /// Reads at most `max` bytes; empty when the pipe has no writers any more.
    pub(crate) async fn read(&self, max: usize) -> Vec<u8> {
        poll_fn(|_| {
            let mut state = self.0.borrow_mut();
            state.hungry = state.bytes.is_empty() && state.writers > 0;
            if state.hungry {
                return Poll::Pending;
            }
            let count = max.min(state.bytes.len());
            Poll::Ready(state.bytes.drain(..count).collect())
        })
        .await
    }

    /// The available bytes up to and including a delimiter; waits for the first.
    pub(crate) async fn read_until(&self, delimiter: u8) -> Vec<u8> {
        let mut line = Vec::new();
        loop {
            let (piece, open) = poll_fn(|_| {
                let mut state = self.0.borrow_mut();
                state.hungry = state.bytes.is_empty() && state.writers > 0;
                if state.hungry {
                    return Poll::Pending;
                }
                let end = state.bytes.iter().position(|&byte| byte == delimiter);
                let count = end.map_or(state.bytes.len(), |end| end + 1);
                let piece: Vec<u8> = state.bytes.drain(..count).collect();
                Poll::Ready((piece, end.is_none() && count > 0))
            })
            .await;
            line.extend_from_slice(&piece);
            if !open {
                return line;
            }
        }
    }
}

impl PipeWriter {
    /// Writes everything, waiting for room.
    pub(crate) async fn write(&self, bytes: &[u8]) -> Result<(), BrokenPipeError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = poll_fn(|_| {
                let mut state = self.0.borrow_mut();
                if state.readers == 0 {
                    return Poll::Ready(Err(BrokenPipeError));
                }
                let count = CAPACITY.saturating_sub(state.bytes.len()).min(rest.len());
                if count == 0 {
                    return Poll::Pending;
                }
                state.bytes.extend(rest.iter().take(count));
                Poll::Ready(Ok(count))
            })
            .await?;
            rest = rest.get(taken..).unwrap_or_default();
        }
        self.offer().await;
        Ok(())
    }

    /// Lets a reader that waits have its turn. Otherwise a loop of small writes would fill the
    /// whole pipe before its reader could say that one line was enough.
    async fn offer(&self) {
        let mut offered = false;
        poll_fn(|_| {
            if offered || !self.0.borrow().hungry {
                return Poll::Ready(());
            }
            offered = true;
            Poll::Pending
        })
        .await;
    }
}

impl Clone for PipeReader {
    fn clone(&self) -> Self {
        self.0.borrow_mut().readers += 1;
        Self(Rc::clone(&self.0))
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.0.borrow_mut().readers -= 1;
    }
}

impl Clone for PipeWriter {
    fn clone(&self) -> Self {
        self.0.borrow_mut().writers += 1;
        Self(Rc::clone(&self.0))
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.0.borrow_mut().writers -= 1;
    }
}
