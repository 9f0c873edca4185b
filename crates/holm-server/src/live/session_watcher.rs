//! One watcher of a session. It receives the events of the journal first and then live ones,
//! without a gap and without repetition.
//!
//! What is recent comes from `feed.rs`. It never changes a session. Replays of journals are limited
//! in number and in memory, and a watcher that is too slow must reconnect.
//!
//! Frames are defined in `frame.rs` and sent in `routes/events.rs`; older events are replayed from
//! the journal by the kernel. Positions are `cursor.rs`.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use holm_kernel::{
    Effect, EventId, Numbered,
    journal::{self, JournalRecord},
};
use holm_runtime::JournalStore as _;
use holm_store::Store;
use tokio::sync::{Semaphore, watch};

use super::{
    FeedCursor, FeedEvent, FeedFrame, FeedStep, QuestionBroker, SessionFeed,
    feed::FeedPosition,
    feed_memory::{MemoryReservation, json_len},
};
use crate::{ApiError, SessionId};

/// How often one connection may read the journal because its feed has moved on. A slower watcher is
/// told to reconnect, so that it costs a bounded number of folds.
const MOST_CATCH_UPS: u32 = 3;
/// Bytes of events that a watcher reads from the journal at a time.
const PAGE: usize = 4 * 1024 * 1024;
/// The same if watchers and feeds together already use too much memory.
const SMALL_PAGE: usize = 64 * 1024;
/// Journals that are replayed in parallel: each uses as much memory as the journal is long.
const MOST_FOLDS: usize = 4;

/// The permits to replay a journal.
static FOLDS: Semaphore = Semaphore::const_new(MOST_FOLDS);

pub(crate) struct SessionWatcher {
    feed: Arc<SessionFeed>,
    /// The question broker, if the session was open when the watcher started.
    broker: Option<Arc<QuestionBroker>>,
    changes: watch::Receiver<u64>,
    store: Store,
    id: SessionId,
    position: FeedPosition,
    waiting: VecDeque<(FeedFrame, FeedCursor)>,
    /// The share of the waiting frames in the memory of all watchers.
    taken: MemoryReservation,
    catch_ups: u32,
    /// The reset count of the feed at the last look.
    begun: u64,
    /// How often the journal is checked while another process drives the session; `None` if
    /// no other process can.
    poll: Option<Duration>,
    /// The number of journal records at the last replay.
    records: u64,
    rest: WatchSource,
    state: WatcherState,
}

/// Where the next frames come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchSource {
    Feed,
    /// The journal has more than fitted into one page.
    Journal,
    /// The feed has lost something: the journal has the events, and the broker the questions.
    Missed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatcherState {
    Watching,
    Over,
}

impl SessionWatcher {
    /// Watches from a position on; open questions come first.
    pub(crate) fn new(
        feed: Arc<SessionFeed>,
        broker: Option<Arc<QuestionBroker>>,
        store: Store,
        id: SessionId,
        cursor: FeedCursor,
    ) -> Self {
        let changes = feed.bell();
        let position = feed.position(cursor);
        // Read after the position: a question that is asked meanwhile is seen twice with the same
        // id, but never missed.
        let waiting = open(broker.as_deref(), cursor).collect();
        let (taken, begun) = (MemoryReservation::of(&feed.memory()), feed.begun());
        let (rest, state) = (WatchSource::Feed, WatcherState::Watching);
        let (poll, records) = (None, 0);
        Self {
            feed,
            broker,
            changes,
            store,
            id,
            position,
            waiting,
            taken,
            catch_ups: 0,
            begun,
            poll,
            records,
            rest,
            state,
        }
    }

    /// Checks the journal regularly while another server drives the session.
    pub(crate) fn polling(mut self, every: Option<Duration>) -> Self {
        self.poll = every;
        self
    }

    /// Starts with the events of the journal. Needed if the session may have a past that
    /// the feed never saw.
    pub(crate) async fn with_past(mut self) -> Result<Self, ApiError> {
        self.catch_up().await?;
        Ok(self)
    }

    /// Continues from another position; earlier frames are skipped.
    pub(crate) fn go_to(&mut self, cursor: FeedCursor) {
        (self.position, self.rest) = (self.feed.position(cursor), WatchSource::Feed);
        self.waiting.clear();
    }

    /// The next frame and the position after it; `None` at the end. Dropping
    /// the future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<(FeedFrame, FeedCursor)> {
        loop {
            match self.next_available().await {
                Some(frame) => return Some(frame),
                None if self.state == WatcherState::Over => return None,
                None => self.wait().await,
            }
        }
    }

    /// The next frame that is available now, and the position after it; `None` otherwise.
    ///
    /// As with [`next`](Self::next), dropping the future loses nothing: a pending read of the
    /// journal is recorded before it is awaited.
    pub(crate) async fn next_available(&mut self) -> Option<(FeedFrame, FeedCursor)> {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return Some(frame);
            }
            self.taken.set(0);
            if self.state == WatcherState::Over {
                return None;
            }
            if self.rest != WatchSource::Feed {
                let missed = self.rest == WatchSource::Missed;
                if self.catch_up().await.is_err() {
                    return Some(self.lagged());
                }
                if missed {
                    // A question may be among the lost frames, and the journal has none.
                    self.waiting.extend(open(self.broker.as_deref(), self.position.cursor));
                }
                continue;
            }
            self.changes.borrow_and_update();
            match self.feed.step(&mut self.position) {
                FeedStep::Frames(frames) => self.waiting.extend(frames),
                // The last event may have been dropped before it was seen here; the journal has it.
                FeedStep::Wait if self.feed.begun() != self.begun => {
                    (self.begun, self.rest) = (self.feed.begun(), WatchSource::Journal);
                }
                FeedStep::Wait => return None,
                FeedStep::Behind => {
                    // A watcher that lags because the feed was reset is not slow.
                    let begun = self.feed.begun();
                    self.catch_ups += u32::from(begun == self.begun);
                    self.begun = begun;
                    if self.catch_ups > MOST_CATCH_UPS {
                        return Some(self.lagged());
                    }
                    self.rest = WatchSource::Missed;
                }
            }
        }
    }

    /// The last frame for a watcher that is too slow, or whose journal cannot be read.
    fn lagged(&mut self) -> (FeedFrame, FeedCursor) {
        self.state = WatcherState::Over;
        (FeedFrame::Lagged, self.position.cursor)
    }

    /// Waits until there may be something new.
    async fn wait(&mut self) {
        let every = self.poll;
        let poll = async move {
            match every {
                Some(every) => tokio::time::sleep(every).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // The feed is held here, so its sender exists.
            _ = self.changes.changed() => {}
            () = poll => {
                if self.feed.is_driven() {
                    return;
                }
                // If it cannot be read now, it may be later.
                let grown = self.store.has_record(self.id.as_str(), self.records).await.unwrap_or(false);
                if grown {
                    self.rest = WatchSource::Journal;
                }
            }
        }
    }

    /// Reads the next page of events from the journal.
    async fn catch_up(&mut self) -> Result<(), ApiError> {
        let page = if self.taken.memory().is_full() { SMALL_PAGE } else { PAGE };
        let replay = replay_events(&self.store, &self.id, self.position.cursor.event, page).await?;
        self.taken.set(replay.bytes);
        (self.rest, self.records) = (replay.rest, replay.records);
        let mut cursor = self.position.cursor;
        for event in replay.events {
            cursor = cursor.past(&event);
            self.waiting.push_back((FeedFrame::Event(Arc::new(FeedEvent::new(event))), cursor));
        }
        self.position.cursor = cursor;
        Ok(())
    }
}

/// The open questions, as frames.
fn open(
    broker: Option<&QuestionBroker>,
    cursor: FeedCursor,
) -> impl Iterator<Item = (FeedFrame, FeedCursor)> {
    broker
        .map(QuestionBroker::open)
        .unwrap_or_default()
        .into_iter()
        .map(move |posed| (FeedFrame::Asked(posed), cursor))
}

/// All events that watchers of a session were ever sent, from its journal.
pub(crate) async fn past(store: &Store, id: &SessionId) -> Result<Vec<Numbered>, ApiError> {
    Ok(replay_events(store, id, None, usize::MAX).await?.events)
}

/// Events of a session, replayed from its journal.
struct EventReplay {
    events: Vec<Numbered>,
    bytes: usize,
    /// The number of records in the journal.
    records: u64,
    /// Where the following events are.
    rest: WatchSource,
}

/// Replays the events after `seen`: at least one, and at most `most` bytes.
async fn replay_events(
    store: &Store,
    id: &SessionId,
    seen: Option<EventId>,
    most: usize,
) -> Result<EventReplay, ApiError> {
    folded(store, id, move |records| {
        let count = records.len() as u64;
        let mut replay =
            EventReplay { events: Vec::new(), bytes: 0, records: count, rest: WatchSource::Feed };
        // A journal with erased parts cannot be replayed to its end; this returns what can be.
        let _ = journal::replay_with(records, |_, effect| {
            if let Effect::Emit(event) = effect
                && Some(event.id) > seen
            {
                replay.add(event, most);
            }
        });
        replay
    })
    .await
}

/// Reads a session's journal and folds it, on a blocking thread and with limited parallelism.
pub(super) async fn folded<T: Send + 'static>(
    store: &Store,
    id: &SessionId,
    fold: impl FnOnce(&[JournalRecord]) -> T + Send + 'static,
) -> Result<T, ApiError> {
    // Never closed.
    let _turn = FOLDS.acquire().await.map_err(|_| ApiError::failed("the journal could not be replayed"))?;
    let text = store.read(id.as_str()).await.map_err(|error| match error {
        holm_runtime::JournalStorageError::Missing { .. } => ApiError::missing("session"),
        _ => ApiError::failed("the journal cannot be read"),
    })?;
    let folded = tokio::task::spawn_blocking(move || {
        let records = journal::decode(&text).map_err(|_| ApiError::failed("the journal is damaged"))?.records;
        Ok(fold(&records))
    });
    folded.await.map_err(|_| ApiError::failed("the journal could not be replayed"))?
}

impl EventReplay {
    fn add(&mut self, event: &Numbered, most: usize) {
        if self.rest == WatchSource::Journal {
            return;
        }
        // A caller that wants everything does not need the size.
        let bytes = if most == usize::MAX { 0 } else { json_len(event).saturating_mul(2) };
        if !self.events.is_empty() && self.bytes.saturating_add(bytes) > most {
            self.rest = WatchSource::Journal;
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.events.push(event.clone());
    }
}
