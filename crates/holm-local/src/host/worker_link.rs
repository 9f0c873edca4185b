//! The connection to one worker. It sends orders, and passes pieces of replies to the calls that
//! wait for them.
//!
//! The messages are defined in `holm-local/src/wire.rs`; the worker is started in `mod.rs`. It is
//! never trusted: an invalid message ends it. When it is gone, every waiting call is notified.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use holm_jail::{CaptureOptions, JailEnding, JailJob, JobKiller};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::JoinHandle,
};

use crate::{
    LocalError,
    wire::{
        GenerationError, GenerationStats, LoadRequest, ReplyEnd, VERSION, WorkerMessage, WorkerRequest,
        frame, length, parse,
    },
};

/// How long a model may take to load: enough for the largest from a slow disk.
const LOADING: Duration = Duration::from_secs(600);
/// How much of llama.cpp's error output is kept for the error message.
const LAST_WORDS: usize = 4096;

/// What a call receives from the worker.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LocalCallEvent {
    Text(String),
    Ended(ReplyEnd, GenerationStats),
    Weighed(Vec<f64>),
    Failed(GenerationError),
    /// The worker has ended.
    Lost(String),
}

/// A worker that has loaded its model.
#[derive(Debug)]
pub(crate) struct WorkerLink {
    orders: UnboundedSender<WorkerRequest>,
    calls: PendingCalls,
}

/// The waiting calls, shared with the task that reads.
#[derive(Debug, Clone, Default)]
struct PendingCalls(Arc<Mutex<PendingCallTable>>);

#[derive(Debug, Default)]
struct PendingCallTable {
    by_id: BTreeMap<u64, UnboundedSender<LocalCallEvent>>,
    /// Why no more messages will come.
    lost: Option<String>,
}

impl WorkerLink {
    /// Lets the worker load its model.
    pub(crate) async fn open(mut job: JailJob, load: LoadRequest) -> Result<Self, LocalError> {
        let (Some(mut input), Some(mut output)) = (job.take_stdin(), job.take_stdout()) else {
            return Err(LocalError::Refused("the worker has no streams".into()));
        };
        let killer = job.killer();
        let end = tokio::spawn(last_words(job));
        let first = frame(&WorkerRequest::Load(load)).unwrap_or_default();
        // If the worker has already ended, its exit says more than this error.
        let _ = input.write_all(&first).await;
        match tokio::time::timeout(LOADING, read_message(&mut output)).await {
            Ok(Some(WorkerMessage::Loaded { version: VERSION, .. })) => {}
            Ok(Some(WorkerMessage::Refused { why: reason })) => return Err(LocalError::Refused(reason)),
            Ok(Some(_)) => return Err(LocalError::Refused("the worker uses another protocol".into())),
            Ok(None) => return Err(LocalError::Crashed(end.await.unwrap_or_default())),
            Err(_) => return Err(LocalError::Refused("loading takes too long".into())),
        }
        let (orders, mut to_write) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(order) = to_write.recv().await {
                // A message that is too long for a frame is not sent; the sender has already
                // checked the length.
                if let Some(bytes) = frame(&order)
                    && input.write_all(&bytes).await.is_err()
                {
                    break;
                }
            }
        });
        let calls = PendingCalls::default();
        tokio::spawn(calls.clone().read(output, end, killer));
        Ok(Self { orders, calls })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.calls.lock().lost.is_none()
    }

    /// Starts receiving the messages of a call.
    pub(crate) fn listen(&self, id: u64) -> UnboundedReceiver<LocalCallEvent> {
        let (to, from) = mpsc::unbounded_channel();
        let mut waiting = self.calls.lock();
        match &waiting.lost {
            // The receiver is gone only if the call has ended.
            Some(reason) => drop(to.send(LocalCallEvent::Lost(reason.clone()))),
            None => drop(waiting.by_id.insert(id, to)),
        }
        from
    }

    /// Stops receiving the messages of a call.
    pub(crate) fn ignore(&self, id: u64) {
        self.calls.lock().by_id.remove(&id);
    }

    /// Sends an order. If the worker has ended, the receiver of the messages notices it.
    pub(crate) fn order(&self, order: WorkerRequest) {
        let _ = self.orders.send(order);
    }
}

impl PendingCalls {
    fn lock(&self) -> MutexGuard<'_, PendingCallTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Distributes messages until no more come.
    async fn read(self, mut output: impl AsyncRead + Unpin, end: JoinHandle<String>, killer: JobKiller) {
        while let Some(message) = read_message(&mut output).await {
            let (id, event) = match message {
                WorkerMessage::Text { id, text } => (id, LocalCallEvent::Text(text)),
                WorkerMessage::Ended { id, end, tally } => (id, LocalCallEvent::Ended(end, tally)),
                WorkerMessage::Weighed { id, likely } => (id, LocalCallEvent::Weighed(likely)),
                WorkerMessage::Failed { id, fault } => (id, LocalCallEvent::Failed(fault)),
                // This comes only once, before this loop begins.
                WorkerMessage::Loaded { .. } | WorkerMessage::Refused { .. } => break,
            };
            if let Some(to) = self.lock().by_id.get(&id) {
                let _ = to.send(event);
            }
        }
        // A worker that sends invalid messages is killed.
        killer.kill();
        let reason = end.await.unwrap_or_default();
        let mut waiting = self.lock();
        for to in std::mem::take(&mut waiting.by_id).into_values() {
            let _ = to.send(LocalCallEvent::Lost(reason.clone()));
        }
        waiting.lost = Some(reason);
    }
}

/// The next message, or `None` at the end of the stream and for an invalid message.
async fn read_message(output: &mut (impl AsyncRead + Unpin)) -> Option<WorkerMessage> {
    let mut head = [0; 4];
    output.read_exact(&mut head).await.ok()?;
    let mut body = vec![0; length(head)?];
    output.read_exact(&mut body).await.ok()?;
    parse(&body)
}

/// Waits until a worker ends, and describes how it ended.
async fn last_words(job: JailJob) -> String {
    let outcome = job.finish(CaptureOptions { keep: LAST_WORDS, spill: None }).await;
    let how = match outcome.ending {
        JailEnding::Exited(code) => format!("it exited with status {code}"),
        JailEnding::Signalled(signal) => format!("signal {signal} ended it"),
        JailEnding::TimedOut => "it timed out".into(),
        JailEnding::Cancelled => "it was stopped".into(),
        JailEnding::OutOfOutput => "it wrote too much output".into(),
        JailEnding::OutOfMemory => "it ran out of memory".into(),
        JailEnding::MadeProtected => "it created protected files".into(),
        JailEnding::Lost => "for an unknown reason".into(),
    };
    let stderr = String::from_utf8_lossy(&outcome.stderr.bytes);
    match stderr.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!("{how} ({})", holm_kernel::visible(line)),
        None => how,
    }
}
