//! One watcher of a session. It receives the events of the journal first and then live ones,
//! without a gap and without repetition.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use holm_kernel::{
    Effect, EventId, Numbered,
    journal::{self, Record},
};
use holm_runtime::Journals as _;
use holm_store::Store;
use tokio::sync::{Semaphore, watch};

use super::{
    Cursor, Desk, Feed, Frame, Step, Told,
    feed::Position,
    memory::{Taken, weight},
};
use crate::{Refusal, SessionId};

/// How often one connection may read the journal because its feed has moved on. A slower watcher is
/// told to reconnect, so that it costs a bounded number of folds.
const MOST_CATCH_UPS: u32 = 3;
/// Bytes of events that a watcher is given from the journal at a time.
const PAGE: usize = 4 * 1024 * 1024;
/// The same where watchers and feeds together keep too much already.
const SMALL_PAGE: usize = 64 * 1024;
/// Journals that are told again at the same time: each takes as much memory as the journal is long.
const MOST_FOLDS: usize = 4;

/// Who may tell a journal again.
static FOLDS: Semaphore = Semaphore::const_new(MOST_FOLDS);

pub(crate) struct Watch {
    feed: Arc<Feed>,
    /// Where questions wait, if the session was open when the watcher came.
    desk: Option<Arc<Desk>>,
    bell: watch::Receiver<u64>,
    store: Store,
    id: SessionId,
    position: Position,
    waiting: VecDeque<(Frame, Cursor)>,
    /// What those that wait take of the memory that watchers share.
    taken: Taken,
    catch_ups: u32,
    /// How often the feed had been begun anew when the watcher looked last.
    begun: u64,
    /// How often the journal is checked while another process drives the session; `None` if no
    /// other process can.
    poll: Option<Duration>,
    /// Records that the journal had when it was told last.
    records: u64,
    rest: Rest,
    state: State,
}

/// Where what follows is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Feed,
    /// The journal has more than was given at a time.
    Journal,
    /// The feed had lost something: the journal has the events, and the desk the questions.
    Missed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Watching,
    Over,
}

impl Watch {
    /// Watches from a place on; questions that are open come first.
    pub(crate) fn new(
        feed: Arc<Feed>,
        desk: Option<Arc<Desk>>,
        store: Store,
        id: SessionId,
        cursor: Cursor,
    ) -> Self {
        let bell = feed.bell();
        let position = feed.position(cursor);
        // After the position was taken: a question that is asked meanwhile is seen twice, under one number, never missed.
        let waiting = open(desk.as_deref(), cursor).collect();
        let (taken, begun) = (Taken::of(&feed.memory()), feed.begun());
        let (rest, state) = (Rest::Feed, State::Watching);
        let (poll, records) = (None, 0);
        Self {
            feed,
            desk,
            bell,
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

    /// Looks at the journal now and then while the session is driven by another server.
    pub(crate) fn polling(mut self, every: Option<Duration>) -> Self {
        self.poll = every;
        self
    }

    /// Sends what the journal has before anything else. Needed when the session may have a past that the feed never saw.
    pub(crate) async fn with_past(mut self) -> Result<Self, Refusal> {
        self.catch_up().await?;
        Ok(self)
    }

    /// Goes on from another place. What was told before it is not told here.
    pub(crate) fn go_to(&mut self, cursor: Cursor) {
        (self.position, self.rest) = (self.feed.position(cursor), Rest::Feed);
        self.waiting.clear();
    }

    /// The next frame and the position after it; `None` at the end. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Option<(Frame, Cursor)> {
        loop {
            match self.told().await {
                Some(frame) => return Some(frame),
                None if self.state == State::Over => return None,
                None => self.wait().await,
            }
        }
    }

    /// The next frame that is available now, and the position after it; `None` otherwise.
    ///
    /// As with [`next`](Self::next), dropping the future loses nothing: a pending read of the
    /// journal is recorded before it is awaited.
    pub(crate) async fn told(&mut self) -> Option<(Frame, Cursor)> {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return Some(frame);
            }
            self.taken.set(0);
            if self.state == State::Over {
                return None;
            }
            if self.rest != Rest::Feed {
                let missed = self.rest == Rest::Missed;
                if self.catch_up().await.is_err() {
                    return Some(self.lagged());
                }
                if missed {
                    // A question may be among what was missed, and the journal has none.
                    self.waiting.extend(open(self.desk.as_deref(), self.position.cursor));
                }
                continue;
            }
            self.bell.borrow_and_update();
            match self.feed.step(&mut self.position) {
                Step::Frames(frames) => self.waiting.extend(frames),
                // What was told last may have been forgotten before it was seen here; the journal has it.
                Step::Wait if self.feed.begun() != self.begun => {
                    (self.begun, self.rest) = (self.feed.begun(), Rest::Journal);
                }
                Step::Wait => return None,
                Step::Behind => {
                    // A watcher that is behind because the feed was reset is not slow.
                    let begun = self.feed.begun();
                    self.catch_ups += u32::from(begun == self.begun);
                    self.begun = begun;
                    if self.catch_ups > MOST_CATCH_UPS {
                        return Some(self.lagged());
                    }
                    self.rest = Rest::Missed;
                }
            }
        }
    }

    /// The last frame for a watcher that is too slow, or whose journal cannot be read.
    fn lagged(&mut self) -> (Frame, Cursor) {
        self.state = State::Over;
        (Frame::Lagged, self.position.cursor)
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
            // The feed is held here, so its bell cannot be gone.
            _ = self.bell.changed() => {}
            () = poll => {
                if self.feed.is_driven() {
                    return;
                }
                // One that cannot be read now can be later.
                let grown = self.store.has_record(self.id.as_str(), self.records).await.unwrap_or(false);
                if grown {
                    self.rest = Rest::Journal;
                }
            }
        }
    }

    /// Fetches what follows the place from the journal, so much at a time.
    async fn catch_up(&mut self) -> Result<(), Refusal> {
        let page = if self.taken.memory().is_full() { SMALL_PAGE } else { PAGE };
        let told = told_again(&self.store, &self.id, self.position.cursor.event, page).await?;
        self.taken.set(told.bytes);
        (self.rest, self.records) = (told.rest, told.records);
        let mut cursor = self.position.cursor;
        for event in told.events {
            cursor = cursor.past(&event);
            self.waiting.push_back((Frame::Event(Arc::new(Told::new(event))), cursor));
        }
        self.position.cursor = cursor;
        Ok(())
    }
}

/// The questions that are open, as frames.
fn open(desk: Option<&Desk>, cursor: Cursor) -> impl Iterator<Item = (Frame, Cursor)> {
    desk.map(Desk::open).unwrap_or_default().into_iter().map(move |posed| (Frame::Asked(posed), cursor))
}

/// Everything that watchers of a session were ever told, from its journal.
pub(crate) async fn past(store: &Store, id: &SessionId) -> Result<Vec<Numbered>, Refusal> {
    Ok(told_again(store, id, None, usize::MAX).await?.events)
}

/// What watchers of a session were told.
struct ToldAgain {
    events: Vec<Numbered>,
    bytes: usize,
    /// Records of the journal.
    records: u64,
    /// Where what follows them is.
    rest: Rest,
}

/// What watchers of a session were told after an event, one event at least and no more than so many bytes.
async fn told_again(
    store: &Store,
    id: &SessionId,
    seen: Option<EventId>,
    most: usize,
) -> Result<ToldAgain, Refusal> {
    folded(store, id, move |records| {
        let count = records.len() as u64;
        let mut told = ToldAgain { events: Vec::new(), bytes: 0, records: count, rest: Rest::Feed };
        // A journal of which something was erased cannot be told to its end; what can be told is.
        let _ = journal::replay_with(records, |_, effect| {
            if let Effect::Emit(event) = effect
                && Some(event.id) > seen
            {
                told.add(event, most);
            }
        });
        told
    })
    .await
}

/// Reads a session's journal and makes something of it, away from the threads that answer, and only so many at a time.
pub(super) async fn folded<T: Send + 'static>(
    store: &Store,
    id: &SessionId,
    fold: impl FnOnce(&[Record]) -> T + Send + 'static,
) -> Result<T, Refusal> {
    // Never closed.
    let _turn = FOLDS.acquire().await.map_err(|_| Refusal::failed("the journal could not be told"))?;
    let text = store.read(id.as_str()).await.map_err(|error| match error {
        holm_runtime::JournalFailed::Missing { .. } => Refusal::missing("session"),
        _ => Refusal::failed("the journal cannot be read"),
    })?;
    let folded = tokio::task::spawn_blocking(move || {
        let records = journal::decode(&text).map_err(|_| Refusal::failed("the journal is damaged"))?.records;
        Ok(fold(&records))
    });
    folded.await.map_err(|_| Refusal::failed("the journal could not be told"))?
}

impl ToldAgain {
    fn add(&mut self, event: &Numbered, most: usize) {
        if self.rest == Rest::Journal {
            return;
        }
        // A caller that wants everything does not need the size.
        let bytes = if most == usize::MAX { 0 } else { weight(event).saturating_mul(2) };
        if !self.events.is_empty() && self.bytes.saturating_add(bytes) > most {
            self.rest = Rest::Journal;
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.events.push(event.clone());
    }
}
