//! Writes events as JSON Lines, in the kernel's own form, so that the file of a run and a replay of
//! its journal can be compared byte for byte.
//!
//! The form must not be changed here: it is the serde form of `holm-kernel/src/event.rs`. Writing
//! happens on its own thread. This is a log for people and programs, not a journal
//! (`journal/jsonl.rs`): lines may be missing, and nothing is restored from them.

use std::{
    fs::OpenOptions,
    io::{BufWriter, Write},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::{self, JoinHandle},
};

use holm_kernel::Numbered;

use super::EventSink;
use crate::private_files::owner_only;

/// Lines that may wait for a slow disk: a busy run writes some hundreds per second.
const ROOM: usize = 16 << 10;

/// Writes events, one per line, from its own thread.
///
/// ```
/// use holm_runtime::{EventLines, EventSink, OverflowPolicy};
/// # use holm_kernel::{Event, EventId, Numbered, Timestamp};
/// # let event = Numbered { id: EventId::default(), at: Timestamp::new(0), event: Event::GrantsChanged };
///
/// let lines = EventLines::to(std::io::sink(), 64, OverflowPolicy::Drop);
/// lines.event(&event);
/// assert_eq!(lines.finish()?, 0); // none was dropped
/// # Ok::<(), holm_runtime::EventLinesError>(())
/// ```
#[derive(Debug)]
pub struct EventLines {
    /// `None` once it is finished.
    sender: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    shared: Arc<EventLinesState>,
    when_full: OverflowPolicy,
}

/// What happens to an event if the queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverflowPolicy {
    /// It is dropped and counted: the run has priority.
    Drop,
    /// The run waits: the lines have priority, for example if they are a program's output.
    Wait,
}

/// Not all lines could be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write the events ({reason}); the journal still has them")]
pub struct EventLinesError {
    /// The operating system's error.
    pub reason: String,
}

#[derive(Debug, Default)]
struct EventLinesState {
    missed: AtomicU64,
    failure: Mutex<Option<EventLinesError>>,
}

impl EventLines {
    /// Creates a new file that only its owner can read: events contain messages.
    ///
    /// # Errors
    /// If it cannot be created, or exists already.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, EventLinesError> {
        Self::open(path.as_ref(), OpenOptions::new().append(true).create_new(true))
    }

    /// Appends to a file, or creates it; afterwards only its owner can read it.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn append(path: impl AsRef<Path>) -> Result<Self, EventLinesError> {
        Self::open(path.as_ref(), OpenOptions::new().append(true).create(true))
    }

    /// Writes to any writer, with room for this many waiting lines.
    pub fn to(out: impl Write + Send + 'static, room: usize, when_full: OverflowPolicy) -> Self {
        let (sender, lines) = sync_channel(room.max(1));
        let shared = Arc::new(EventLinesState::default());
        let held = Arc::clone(&shared);
        let writer = thread::spawn(move || held.write(&lines, BufWriter::new(out)));
        Self { sender: Some(sender), writer: Some(writer), shared, when_full }
    }

    /// How many events were not written.
    pub fn missed(&self) -> u64 {
        self.shared.missed.load(Ordering::Relaxed)
    }

    /// Waits until everything is written. Returns how many events were dropped because
    /// the queue was full.
    ///
    /// # Errors
    /// [`EventLinesError`] if writing failed at some point; later lines are missing.
    pub fn finish(mut self) -> Result<u64, EventLinesError> {
        self.close();
        let failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
        failure.map_or_else(|| Ok(self.missed()), Err)
    }

    fn open(path: &Path, options: &mut OpenOptions) -> Result<Self, EventLinesError> {
        let file = owner_only(path, options)
            .map_err(|error| EventLinesError { reason: format!("{}: {error}", path.display()) })?;
        Ok(Self::to(file, ROOM, OverflowPolicy::Drop))
    }

    fn close(&mut self) {
        self.sender = None;
        if let Some(writer) = self.writer.take() {
            // The thread does not panic; if it did, only its last lines are missing.
            let _ = writer.join();
        }
    }
}

impl EventSink for EventLines {
    fn event(&self, event: &Numbered) {
        let Some(sender) = &self.sender else { return };
        let Ok(mut line) = serde_json::to_vec(event) else { return self.shared.miss() };
        line.push(b'\n');
        let sent = match self.when_full {
            OverflowPolicy::Drop => sender.try_send(line),
            OverflowPolicy::Wait => sender.send(line).map_err(|error| TrySendError::Disconnected(error.0)),
        };
        if sent.is_err() {
            self.shared.miss();
        }
    }
}

impl Drop for EventLines {
    fn drop(&mut self) {
        self.close();
    }
}

impl EventLinesState {
    fn miss(&self) {
        self.missed.fetch_add(1, Ordering::Relaxed);
    }

    /// Writes until all senders are gone. After a failure the remaining lines are only counted, so
    /// that no sender waits for room.
    fn write(&self, lines: &Receiver<Vec<u8>>, mut out: impl Write) {
        while let Ok(line) = lines.recv() {
            let mut done = out.write_all(&line);
            while let Ok(line) = lines.try_recv() {
                done = done.and_then(|()| out.write_all(&line));
            }
            if let Err(error) = done.and_then(|()| out.flush()) {
                let failed = EventLinesError { reason: error.to_string() };
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
                self.miss();
                lines.iter().for_each(|_| self.miss());
            }
        }
    }
}
