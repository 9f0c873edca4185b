//! The mailbox between a run and its users: messages that the run has not taken yet, and questions
//! that are open. Both sides use it, and neither waits for the other.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use holm_kernel::{CallId, Input, Proposal, Queue, Run};
use tokio::sync::{Notify, oneshot};

use super::NotHeard;
use crate::{Hub, Toolbox};

/// How much may wait in each line: people who speak faster than a run listens are told so.
pub const MOST_WAITING: usize = 64;

/// Where a run and the people around it meet.
#[derive(Default)]
pub(crate) struct Desk {
    inner: Mutex<Inner>,
    /// Rings for the run when something was said.
    bell: Notify,
    /// Rings for people when something is asked, or nothing will be any more.
    asked: Notify,
    /// Who watches through a handle.
    pub(crate) hub: Hub,
    /// Prompts that the run has heard and that wait in it.
    steering: AtomicU64,
    follow_ups: AtomicU64,
}

#[derive(Default)]
struct Inner {
    state: State,
    cancelled: Option<String>,
    /// What was spoken before the wish to stop. It is heard first, so that the run drops it and says so.
    spoken: VecDeque<Said>,
    said: VecDeque<Said>,
    open: Vec<Open>,
    questions: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    Closed,
}

/// Something that the run is told.
pub(crate) enum Said {
    Fact(Input),
    /// Other tools from now on.
    Tools(Toolbox),
    /// A child run has started; its starter continues once this fact is stored.
    Child(Input, oneshot::Sender<()>),
}

/// Whether it is something that a person wants the model to hear.
fn is_spoken(said: &Said) -> bool {
    matches!(said, Said::Fact(Input::Steered(_) | Input::FollowedUp(_) | Input::Prompted(_)))
}

/// A question without an answer.
struct Open {
    number: u64,
    proposal: Arc<Proposal>,
}

impl Desk {
    /// Puts something on the desk.
    pub(crate) fn say(&self, said: Said) -> Result<(), NotHeard> {
        let mut inner = self.lock();
        if inner.state == State::Closed {
            return Err(NotHeard::Gone);
        }
        let waiting = match &said {
            Said::Fact(Input::Steered(_)) => Some(self.steering.load(Ordering::Relaxed)),
            Said::Fact(Input::FollowedUp(_) | Input::Prompted(_)) => {
                Some(self.follow_ups.load(Ordering::Relaxed))
            }
            Said::Fact(_) | Said::Tools(_) => Some(0),
            // There are never more than calls, and no child begins unheard because people talk.
            Said::Child(..) => None,
        };
        let waiting = waiting.map(|waiting| usize::try_from(waiting).unwrap_or(usize::MAX));
        let unheard = inner.said.len().saturating_add(inner.spoken.len());
        if waiting.is_some_and(|waiting| unheard.saturating_add(waiting) >= MOST_WAITING) {
            return Err(NotHeard::Full);
        }
        inner.said.push_back(said);
        drop(inner);
        self.bell.notify_one();
        Ok(())
    }

    /// Stops the run; heard before everything else, however much waits.
    pub(super) fn cancel(&self, reason: String) -> Result<(), NotHeard> {
        let mut inner = self.lock();
        if inner.state == State::Closed {
            return Err(NotHeard::Gone);
        }
        inner.cancelled.get_or_insert(reason);
        let said = std::mem::take(&mut inner.said);
        let (spoken, rest): (Vec<Said>, Vec<Said>) = said.into_iter().partition(is_spoken);
        inner.spoken.extend(spoken);
        inner.said = rest.into();
        drop(inner);
        self.bell.notify_one();
        Ok(())
    }

    /// Answers a question that is open.
    pub(super) fn judge(&self, call: CallId, fact: Input) -> Result<(), NotHeard> {
        let mut inner = self.lock();
        if inner.state == State::Closed {
            return Err(NotHeard::Gone);
        }
        let place = inner.open.iter().position(|open| open.proposal.call == call);
        let Some(place) = place else { return Err(NotHeard::NotAsked { call }) };
        inner.open.remove(place);
        // An answer has a place of its own: there are never more than questions.
        inner.said.push_back(Said::Fact(fact));
        drop(inner);
        self.bell.notify_one();
        Ok(())
    }

    /// What to listen to next.
    pub(crate) fn next(&self) -> Option<Said> {
        let mut inner = self.lock();
        if let Some(spoken) = inner.spoken.pop_front() {
            return Some(spoken);
        }
        if let Some(reason) = inner.cancelled.take() {
            return Some(Said::Fact(Input::Cancelled { reason }));
        }
        inner.said.pop_front()
    }

    /// The next message, ignoring a pending cancel: an idle run has nothing to cancel.
    pub(crate) fn next_said(&self) -> Option<Said> {
        let mut inner = self.lock();
        inner.spoken.pop_front().or_else(|| inner.said.pop_front())
    }

    /// Forgets a cancel that the run has not taken yet.
    pub(super) fn take_back_cancel(&self) {
        self.lock().cancelled = None;
    }

    /// Waits until something was said.
    pub(crate) async fn rung(&self) {
        self.bell.notified().await;
    }

    /// Publishes a question to the users of the handle.
    pub(crate) fn ask(&self, proposal: Arc<Proposal>) {
        let mut inner = self.lock();
        inner.questions += 1;
        let number = inner.questions;
        inner.open.push(Open { number, proposal });
        drop(inner);
        self.asked.notify_waiters();
    }

    /// Takes a question back: it was answered elsewhere, or the answer is no longer wanted.
    pub(crate) fn settle(&self, call: CallId) {
        self.lock().open.retain(|open| open.proposal.call != call);
    }

    /// Clears what was about the work that has just ended: its questions, and a wish to stop it.
    pub(crate) fn clear(&self) {
        let mut inner = self.lock();
        inner.open.clear();
        inner.cancelled = None;
    }

    /// Remembers how much waits in the run.
    pub(crate) fn note_waiting(&self, run: &Run) {
        self.steering.store(run.waiting(Queue::Steering), Ordering::Relaxed);
        self.follow_ups.store(run.waiting(Queue::FollowUp), Ordering::Relaxed);
    }

    /// The questions that are open.
    pub(super) fn open(&self) -> Vec<Arc<Proposal>> {
        self.lock().open.iter().map(|open| Arc::clone(&open.proposal)).collect()
    }

    /// The first open question after the given number, as soon as there is one; none when there will be none.
    pub(super) async fn asked_after(&self, number: u64) -> Option<(u64, Arc<Proposal>)> {
        loop {
            let asked = self.asked.notified();
            tokio::pin!(asked);
            // From here on no ring is missed.
            asked.as_mut().enable();
            {
                let inner = self.lock();
                if let Some(open) = inner.open.iter().find(|open| open.number > number) {
                    return Some((open.number, Arc::clone(&open.proposal)));
                }
                if inner.state == State::Closed {
                    return None;
                }
            }
            asked.await;
        }
    }

    /// The run no longer takes messages.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.state = State::Closed;
        inner.open.clear();
        inner.spoken.clear();
        inner.said.clear();
        drop(inner);
        self.hub.close();
        self.asked.notify_waiters();
    }

    /// Nothing here can be left half done, so a panic elsewhere does no harm.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
