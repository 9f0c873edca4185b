//! The mailbox between a run and its users: messages that the run has not taken yet, and questions
//! that are open. Both sides use it, and neither waits for the other.
//!
//! The queue is bounded, because a sender may be faster than the run. A cancel is taken before all
//! other messages; only the prompts that it drops come before it. Messages are not journaled here:
//! a message counts only once the driver has taken it (`driver/mod.rs`). The interface for users is
//! in `handle/mod.rs`.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use holm_kernel::{CallId, Input, Proposal, QuestionId, Queue, Run};
use tokio::sync::{Notify, oneshot};

use super::HandleError;
use crate::{EventHub, Toolbox};

/// The most items in each queue: a sender that is faster than the run gets an error.
pub const MOST_WAITING: usize = 64;

/// The mailbox of a run.
#[derive(Default)]
pub(crate) struct RunMailbox {
    inner: Mutex<MailboxContents>,
    /// Wakes the run when a message has arrived.
    wakeup: Notify,
    /// Wakes users when a question was asked, or when no more will come.
    asked: Notify,
    /// The events for the users of a handle.
    pub(crate) hub: EventHub,
    /// Prompts that the run has taken and that are queued in it.
    steering: AtomicU64,
    follow_ups: AtomicU64,
}

#[derive(Default)]
struct MailboxContents {
    state: MailboxState,
    cancelled: Option<String>,
    /// Prompts from before a cancel. The run takes them first, so that it drops
    /// them and reports that.
    spoken: VecDeque<MailboxItem>,
    said: VecDeque<MailboxItem>,
    open: Vec<MailboxQuestion>,
    questions: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum MailboxState {
    #[default]
    Open,
    Closed,
}

/// One item of the mailbox.
pub(crate) enum MailboxItem {
    Fact(Input),
    /// A new set of tools.
    Tools(Toolbox),
    /// A child run has started; its starter continues once this fact is stored.
    Child(Input, oneshot::Sender<()>),
}

/// Whether it is a prompt for the model.
fn is_spoken(item: &MailboxItem) -> bool {
    matches!(item, MailboxItem::Fact(Input::Steered(_) | Input::FollowedUp(_) | Input::Prompted(_)))
}

/// A question without an answer.
struct MailboxQuestion {
    number: u64,
    proposal: Arc<Proposal>,
}

impl RunMailbox {
    /// Adds an item to the mailbox.
    pub(crate) fn say(&self, item: MailboxItem) -> Result<(), HandleError> {
        let mut inner = self.lock();
        if inner.state == MailboxState::Closed {
            return Err(HandleError::Gone);
        }
        let waiting = match &item {
            MailboxItem::Fact(Input::Steered(_)) => Some(self.steering.load(Ordering::Relaxed)),
            MailboxItem::Fact(Input::FollowedUp(_) | Input::Prompted(_)) => {
                Some(self.follow_ups.load(Ordering::Relaxed))
            }
            MailboxItem::Fact(_) | MailboxItem::Tools(_) => Some(0),
            // There are never more of them than calls, and people's messages must not keep a child
            // from starting.
            MailboxItem::Child(..) => None,
        };
        let waiting = waiting.map(|waiting| usize::try_from(waiting).unwrap_or(usize::MAX));
        let unheard = inner.said.len().saturating_add(inner.spoken.len());
        if waiting.is_some_and(|waiting| unheard.saturating_add(waiting) >= MOST_WAITING) {
            return Err(HandleError::Full);
        }
        inner.said.push_back(item);
        drop(inner);
        self.wakeup.notify_one();
        Ok(())
    }

    /// Cancels the run; this is taken before all other items.
    pub(super) fn cancel(&self, reason: String) -> Result<(), HandleError> {
        let mut inner = self.lock();
        if inner.state == MailboxState::Closed {
            return Err(HandleError::Gone);
        }
        inner.cancelled.get_or_insert(reason);
        let items = std::mem::take(&mut inner.said);
        let (spoken, rest): (Vec<MailboxItem>, Vec<MailboxItem>) = items.into_iter().partition(is_spoken);
        inner.spoken.extend(spoken);
        inner.said = rest.into();
        drop(inner);
        self.wakeup.notify_one();
        Ok(())
    }

    /// Answers a question that is open.
    pub(super) fn judge(&self, call: QuestionId, fact: Input) -> Result<(), HandleError> {
        let mut inner = self.lock();
        if inner.state == MailboxState::Closed {
            return Err(HandleError::Gone);
        }
        let index = inner.open.iter().position(|open| open.proposal.call == call);
        let Some(index) = index else { return Err(HandleError::NotAsked { call }) };
        inner.open.remove(index);
        // Answers need no limit: there are never more than questions.
        inner.said.push_back(MailboxItem::Fact(fact));
        drop(inner);
        self.wakeup.notify_one();
        Ok(())
    }

    /// The next item to take.
    pub(crate) fn next(&self) -> Option<MailboxItem> {
        let mut inner = self.lock();
        if let Some(spoken) = inner.spoken.pop_front() {
            return Some(spoken);
        }
        if let Some(reason) = inner.cancelled.take() {
            return Some(MailboxItem::Fact(Input::Cancelled { reason }));
        }
        inner.said.pop_front()
    }

    /// The next message, ignoring a pending cancel: an idle run has nothing to cancel.
    pub(crate) fn next_item(&self) -> Option<MailboxItem> {
        let mut inner = self.lock();
        inner.spoken.pop_front().or_else(|| inner.said.pop_front())
    }

    /// The newest set of tools that waits; older sets are dropped, because it replaces them.
    pub(crate) fn take_tools(&self) -> Option<Toolbox> {
        let mut inner = self.lock();
        let (mut newest, mut rest) = (None, VecDeque::with_capacity(inner.said.len()));
        for item in std::mem::take(&mut inner.said) {
            match item {
                MailboxItem::Tools(tools) => newest = Some(tools),
                other => rest.push_back(other),
            }
        }
        inner.said = rest;
        newest
    }

    /// Forgets a cancel that the run has not taken yet.
    pub(super) fn take_back_cancel(&self) {
        self.lock().cancelled = None;
    }

    /// Waits until an item has arrived.
    pub(crate) async fn wait_for_item(&self) {
        self.wakeup.notified().await;
    }

    /// Publishes a question to the users of the handle.
    pub(crate) fn ask(&self, proposal: Arc<Proposal>) {
        let mut inner = self.lock();
        inner.questions += 1;
        let number = inner.questions;
        inner.open.push(MailboxQuestion { number, proposal });
        drop(inner);
        self.asked.notify_waiters();
    }

    /// Withdraws a question: it was answered elsewhere, or the answer is no longer needed.
    pub(crate) fn settle(&self, call: CallId) {
        self.lock().open.retain(|open| call != open.proposal.call);
    }

    /// Clears what belongs to the work that has just ended: its questions, and a cancel.
    pub(crate) fn clear(&self) {
        let mut inner = self.lock();
        inner.open.clear();
        inner.cancelled = None;
    }

    /// Remembers how many prompts are queued in the run.
    pub(crate) fn note_waiting(&self, run: &Run) {
        self.steering.store(run.waiting(Queue::Steering), Ordering::Relaxed);
        self.follow_ups.store(run.waiting(Queue::FollowUp), Ordering::Relaxed);
    }

    /// The open questions of the run.
    pub(super) fn open(&self) -> Vec<Arc<Proposal>> {
        self.lock().open.iter().map(|open| Arc::clone(&open.proposal)).collect()
    }

    /// The first open question after the given number, as soon as there is one; `None` when
    /// no more will come.
    pub(super) async fn asked_after(&self, number: u64) -> Option<(u64, Arc<Proposal>)> {
        loop {
            let asked = self.asked.notified();
            tokio::pin!(asked);
            // From here on no notification is missed.
            asked.as_mut().enable();
            {
                let inner = self.lock();
                if let Some(open) = inner.open.iter().find(|open| open.number > number) {
                    return Some((open.number, Arc::clone(&open.proposal)));
                }
                if inner.state == MailboxState::Closed {
                    return None;
                }
            }
            asked.await;
        }
    }

    /// The run no longer takes messages.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.state = MailboxState::Closed;
        inner.open.clear();
        inner.spoken.clear();
        inner.said.clear();
        drop(inner);
        self.hub.close();
        self.asked.notify_waiters();
    }

    /// Every change here is a single step, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, MailboxContents> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
