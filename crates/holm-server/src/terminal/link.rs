//! The server's side of one terminal. It passes the terminal's events to watchers, and user input
//! to the terminal.
//!
//! The terminal's side is `host.rs`. It never drives the session and never writes its journal,
//! because the terminal holds the lease. Input counts as accepted only when the terminal has said
//! so.
//!
//! The messages are in `messages.rs` and the socket in `session_socket.rs`; watchers read the feed
//! (`live/feed.rs`).

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use holm_kernel::CallId;
use holm_runtime::{CancellationToken, DeltaSink as _, EventSink as _, ReplyDelta};
use http::StatusCode;
use tokio::{
    io::BufReader,
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Mutex as AsyncMutex, oneshot},
};

use super::{
    activity::ActivityFlag,
    messages::{
        LinkHandshake, MOST_SAID, MOST_TOLD, TerminalCommand, TerminalMessage, TerminalRequest, fits, next,
        put,
    },
};
use crate::{
    ApiError,
    live::{Posed, QuestionId, SessionFeed},
};

/// How long a terminal may take to reply: it only queues the input.
const PATIENCE: Duration = Duration::from_secs(10);

/// The link to a terminal that drives a session.
pub(crate) struct TerminalLink {
    feed: Arc<SessionFeed>,
    out: AsyncMutex<OwnedWriteHalf>,
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Option<String>>>>,
    open: Mutex<BTreeMap<QuestionId, Arc<Posed>>>,
    pulse: ActivityFlag,
    over: CancellationToken,
}

impl TerminalLink {
    /// Connects to a terminal and adds its messages to the feed; `None` if the terminal refuses.
    pub(super) async fn begin(stream: UnixStream, key: String, feed: Arc<SessionFeed>) -> Option<Arc<Self>> {
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        let hello = async {
            put(&mut write, &LinkHandshake { key }).await.ok()?;
            next::<TerminalMessage>(&mut read, MOST_TOLD).await.ok()?
        };
        let hello = tokio::time::timeout(PATIENCE, hello).await.ok()?;
        let Some(TerminalMessage::Hello { last, works }) = hello else { return None };
        let link = Arc::new(Self {
            feed,
            out: AsyncMutex::new(write),
            next: AtomicU64::new(0),
            waiting: Mutex::default(),
            open: Mutex::default(),
            pulse: ActivityFlag::default(),
            over: CancellationToken::new(),
        });
        link.pulse.set(works);
        // Earlier events were not shown here.
        link.feed.break_off(last);
        tokio::spawn(Arc::clone(&link).listen(read));
        Some(link)
    }

    /// Whether the terminal is still connected.
    pub(crate) fn is_there(&self) -> bool {
        !self.over.is_cancelled()
    }

    /// Whether the session works.
    pub(crate) fn works(&self) -> bool {
        self.pulse.works()
    }

    /// The name of the session's state in the API.
    pub(crate) fn state(&self) -> &'static str {
        if self.works() { "working" } else { "idle" }
    }

    /// The questions that wait for an answer, in the terminal or here.
    pub(crate) fn questions(&self) -> Vec<Arc<Posed>> {
        lock(&self.open).values().cloned().collect()
    }

    /// Shows the open questions again, for a new watcher.
    pub(crate) fn repeat_questions(&self) {
        self.questions().into_iter().for_each(|posed| self.feed.asked(posed));
    }

    /// Sends a command and waits until the terminal has accepted it.
    ///
    /// # Errors
    /// The reason why it was not accepted.
    pub(crate) async fn send(&self, command: TerminalCommand) -> Result<(), ApiError> {
        let gone = || ApiError::conflict("gone", "the terminal that drives the session no longer answers");
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let request = TerminalRequest { number, what: command };
        // The terminal reads no longer lines, and would disconnect all watchers.
        if !fits(&request, MOST_SAID) {
            let message = "this is too long for a session in a terminal; put it into a file";
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message));
        }
        let (reply_tx, reply_rx) = oneshot::channel();
        lock(&self.waiting).insert(number, reply_tx);
        let exchange = async {
            put(&mut *self.out.lock().await, &request).await.ok()?;
            reply_rx.await.ok()
        };
        let reply = tokio::select! {
            // An answer counts even if the terminal is gone by the time it is read.
            biased;
            reply = tokio::time::timeout(PATIENCE, exchange) => reply.ok().flatten(),
            () = self.over.cancelled() => None,
        };
        lock(&self.waiting).remove(&number);
        match reply.ok_or_else(gone)? {
            None => Ok(()),
            Some(reason) => Err(ApiError::conflict("not_heard", reason)),
        }
    }

    async fn listen(self: Arc<Self>, mut read: BufReader<OwnedReadHalf>) {
        while let Ok(Some(message)) = next(&mut read, MOST_TOLD).await {
            self.handle(message);
        }
        self.over.cancel();
        self.pulse.set(false);
        let open = std::mem::take(&mut *lock(&self.open));
        open.into_keys().for_each(|id| self.feed.settled(id));
        // The next driver continues with later events; the journal has those in between.
        self.feed.break_off(None);
    }

    fn handle(&self, message: TerminalMessage) {
        match message {
            TerminalMessage::Hello { .. } => {}
            TerminalMessage::Event(event) => {
                self.pulse.hear(&event.event);
                self.feed.event(&event);
            }
            TerminalMessage::Delta { call, kind, index, offset, text } => {
                if let Some(delta) = delta(&kind, index, offset, &text) {
                    self.feed.delta(CallId::new(call), delta);
                }
            }
            TerminalMessage::Progress { call, text, done, total } => {
                self.feed.delta(CallId::new(call), ReplyDelta::Progress { text: &text, done, total });
            }
            TerminalMessage::Asked(posed) => {
                let posed: Arc<Posed> = Arc::from(posed);
                lock(&self.open).insert(posed.id, Arc::clone(&posed));
                self.feed.asked(posed);
            }
            TerminalMessage::Settled(id) => {
                lock(&self.open).remove(&id);
                self.feed.settled(id);
            }
            TerminalMessage::Note(text) => self.feed.note(&text),
            TerminalMessage::Gap(last) => self.feed.break_off(last),
            TerminalMessage::Heard { number, refused } => {
                if let Some(waiting) = lock(&self.waiting).remove(&number) {
                    // The sender may be gone.
                    let _ = waiting.send(refused);
                }
            }
        }
    }
}

/// Rebuilds a piece of a reply; `None` if its kind is unknown.
fn delta<'a>(kind: &str, index: Option<u64>, offset: u64, text: &'a str) -> Option<ReplyDelta<'a>> {
    Some(match (kind, index) {
        ("text", _) => ReplyDelta::Text { offset, text },
        ("thinking", _) => ReplyDelta::Thinking { offset, text },
        ("tool_call", Some(index)) => ReplyDelta::ToolCallStarted { index, id: "", name: text },
        ("tool_arguments", Some(index)) => ReplyDelta::ToolArguments { index, offset, text },
        _ => return None,
    })
}

/// Every change is a single step, so a panic of another thread leaves nothing half done.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
