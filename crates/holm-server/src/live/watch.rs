//! One watcher: first what the journal has, then what happens, in one line without a gap and without a repetition.

use std::{collections::VecDeque, sync::Arc};

use holm_kernel::{Effect, Numbered, journal};
use holm_runtime::Journals as _;
use holm_store::Store;
use tokio::sync::watch;

use super::{Cursor, Desk, Feed, Frame, Step, Told, feed::Position};
use crate::{Refusal, SessionId};

/// How often one connection may fetch from the journal what the feed no longer has. Whoever is that slow is told to ask
/// again, so that a watcher costs a bounded number of folds.
const MOST_CATCH_UPS: u32 = 3;

/// Watches one session.
pub(crate) struct Watch {
    feed: Arc<Feed>,
    /// Where questions wait, if the session was open when the watcher came.
    desk: Option<Arc<Desk>>,
    bell: watch::Receiver<u64>,
    store: Store,
    id: SessionId,
    position: Position,
    waiting: VecDeque<(Frame, Cursor)>,
    catch_ups: u32,
    state: State,
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
        Self { feed, desk, bell, store, id, position, waiting, catch_ups: 0, state: State::Watching }
    }

    /// Sends what the journal has before anything else. Needed when the session may have a past that the feed never saw.
    pub(crate) async fn with_past(mut self) -> Result<Self, Refusal> {
        self.catch_up().await?;
        self.catch_ups = 0;
        Ok(self)
    }

    /// The next frame and the place after it; none when there will be none.
    pub(crate) async fn next(&mut self) -> Option<(Frame, Cursor)> {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return Some(frame);
            }
            if self.state == State::Over {
                return None;
            }
            self.bell.borrow_and_update();
            match self.feed.step(&mut self.position) {
                Step::Frames(frames) => self.waiting.extend(frames),
                Step::Wait => {
                    // The feed is held here, so its bell cannot be gone.
                    let _ = self.bell.changed().await;
                }
                Step::Behind => {
                    if self.catch_ups >= MOST_CATCH_UPS || self.catch_up().await.is_err() {
                        self.state = State::Over;
                        return Some((Frame::Lagged, self.position.cursor));
                    }
                    // A question may be among what was missed, and the journal has none.
                    self.waiting.extend(open(self.desk.as_deref(), self.position.cursor));
                }
            }
        }
    }

    /// Fetches what follows the place from the journal.
    async fn catch_up(&mut self) -> Result<(), Refusal> {
        self.catch_ups += 1;
        let seen = self.position.cursor.event;
        let events = past(&self.store, &self.id).await?;
        let mut cursor = self.position.cursor;
        for event in events.into_iter().filter(|event| Some(event.id) > seen) {
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
    let text = store.read(id.as_str()).await.map_err(|error| match error {
        holm_runtime::JournalFailed::Missing { .. } => Refusal::missing("session"),
        _ => Refusal::failed("the journal cannot be read"),
    })?;
    let folded = tokio::task::spawn_blocking(move || {
        let records = journal::decode(&text).map_err(|_| Refusal::failed("the journal is damaged"))?.records;
        let mut events = Vec::new();
        // A journal of which something was erased cannot be told to its end; what can be told is.
        let _ = journal::replay_with(&records, |_, effect| {
            if let Effect::Emit(event) = effect {
                events.push(event.clone());
            }
        });
        Ok(events)
    });
    folded.await.map_err(|_| Refusal::failed("the journal could not be told"))?
}
