//! One open session, as other tasks use it. The task that drives it is in `drive`.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use futures::FutureExt as _;
use holm_kernel::{Budget, Ending, Input, NanoUsd, Prompt};
use holm_runtime::{CancellationToken, Handle, NotHeard, Report, Subscription};
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    Cursor, Desk, Errands, Feed, Lasting,
    admission::Ticket,
    drive::{Driving, drive},
    purse::Tell,
};
use crate::{Opened, Refusal, SessionId, auth::UserName};

/// The tag of running sessions, by which a starting server finds what was unfinished when
/// the last one ended.
pub(crate) const RUNNING: &str = holm_store::RUNNING_TAG;

/// How long it may take until an ended session is idle again: one write to the store.
const SETTLING: Duration = Duration::from_secs(10);

/// The current state of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Idle, with its last ending.
    Idle(Option<Box<Ending>>),
    /// Waiting for a permit.
    Waiting,
    Working,
    /// The driving task has ended.
    Closed,
}

impl State {
    /// The name of the state in the API.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Idle(_) => "idle",
            Self::Waiting => "waiting",
            Self::Working => "working",
            Self::Closed => "closed",
        }
    }
}

/// Whether a session accepts input. A sender and the end of a turn both lock this, so that no input
/// is accepted after the run stopped reading it.
#[derive(Debug)]
enum Ears {
    /// It is idle, or its turn has just ended.
    Shut,
    /// It waits for a permit; the waiting can be cancelled.
    Waits(CancellationToken),
    /// It works, and no input arrived since it was last cancelled or last caught up.
    Open,
    /// It works, and input arrived that may be too late for the current turn.
    Spoken,
}

/// Whether unread input may be left when a turn has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missed {
    Nothing,
    /// Possibly; the session has to check.
    Something,
}

/// Whether the current work should continue or stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    GoOn,
    Stop,
}

pub(crate) struct Room {
    pub(crate) id: SessionId,
    pub(crate) user: UserName,
    pub(crate) feed: Arc<Feed>,
    pub(crate) desk: Arc<Desk>,
    handle: Handle,
    pub(super) state: watch::Sender<State>,
    asks: mpsc::Sender<Ask>,
    ears: Mutex<Ears>,
    /// Ends the driving task once the session is idle.
    pub(super) leave: CancellationToken,
    /// What users want of the current work.
    pub(super) wish: watch::Sender<Wish>,
    /// What happens to its work when the server ends.
    pub(super) lasting: Lasting,
    /// Calls that the session's client carries out.
    pub(crate) errands: OnceLock<Arc<Errands>>,
}

/// A prompt for the driving task.
pub(super) struct Ask {
    /// `None` resumes unfinished work, or starts a prompt that was accepted before.
    pub(super) prompt: Option<Prompt>,
    pub(super) ticket: Ticket,
    pub(super) give_up: CancellationToken,
    /// Is notified once the prompt is stored.
    pub(super) kept: oneshot::Sender<Result<(), Refusal>>,
    pub(super) done: oneshot::Sender<Outcome>,
}

/// A prompt that was handed to the driving task.
pub(crate) struct Asked {
    from: Cursor,
    kept: oneshot::Receiver<Result<(), Refusal>>,
    done: oneshot::Receiver<Outcome>,
}

impl Asked {
    /// Waits until the prompt is stored, so that it survives the end of the server. Returns the
    /// feed position after which its events come, and a receiver for its result.
    pub(super) async fn kept(self) -> Result<(Cursor, oneshot::Receiver<Outcome>), Refusal> {
        match self.kept.await {
            Ok(kept) => kept.map(|()| (self.from, self.done)),
            Err(_) => Err(closing()),
        }
    }
}

/// The result of a prompt.
pub(crate) type Outcome = Result<Option<Report>, Refusal>;

impl Room {
    /// Starts the driving task of a session. `gone` is called when that task has ended.
    pub(super) fn new(
        (user, id): (UserName, SessionId),
        opened: Opened,
        (feed, desk): (Arc<Feed>, Arc<Desk>),
        lasting: Lasting,
        driving: Driving,
        gone: impl FnOnce() + Send + 'static,
    ) -> Arc<Self> {
        let (asks, asked) = mpsc::channel(1);
        let handle = opened.session.handle();
        let (state, ears) = (watch::Sender::new(State::Idle(None)), Mutex::new(Ears::Shut));
        let (leave, wish) = (CancellationToken::new(), watch::Sender::new(Wish::GoOn));
        let room = Arc::new(Self {
            id,
            user,
            feed,
            desk,
            handle,
            state,
            asks,
            ears,
            leave,
            wish,
            lasting,
            errands: OnceLock::new(),
        });
        let held = Arc::clone(&room);
        tokio::spawn(async move {
            // Even after a panic the session is closed and its slot is freed.
            let _ = AssertUnwindSafe(drive(&held, opened, asked, driving)).catch_unwind().await;
            held.shut_ears();
            held.state.send_replace(State::Closed);
            gone();
        });
        room
    }

    /// Sends a prompt, or resumes unfinished work.
    pub(crate) fn ask(&self, prompt: Option<Prompt>, ticket: Ticket) -> Result<Asked, Refusal> {
        let busy = || {
            Refusal::conflict("working", "the session is running; steer it, follow up, or cancel it first")
        };
        let ((done, outcome), (keep, kept)) = (oneshot::channel(), oneshot::channel());
        let give_up = CancellationToken::new();
        let mut ears = self.ears();
        if !matches!(*self.state.borrow(), State::Idle(_)) {
            return Err(busy());
        }
        // The session is idle, so the feed already has all events of earlier prompts.
        let from = self.feed.latest();
        let ask = Ask { prompt, ticket, give_up: give_up.clone(), kept: keep, done };
        self.asks.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => busy(),
            mpsc::error::TrySendError::Closed(_) => closing(),
        })?;
        self.state.send_replace(State::Waiting);
        *ears = Ears::Waits(give_up);
        Ok(Asked { from, kept, done: outcome })
    }

    /// Waits until a session that has ended for its watchers is also idle here. A client that sends
    /// a prompt at once is then not refused.
    pub(crate) async fn settled(&self) {
        let (mut state, mut bell) = (self.state(), self.feed.bell());
        let settling = async {
            while *state.borrow_and_update() == State::Working && self.feed.is_at_rest() {
                // Both senders live as long as the session.
                tokio::select! {
                    _ = state.changed() => {}
                    _ = bell.changed() => {}
                }
            }
        };
        // If it is not idle by then, the next call reports it.
        let _ = tokio::time::timeout(SETTLING, settling).await;
    }

    /// Adds a message before the next model call.
    pub(crate) fn steer(&self, prompt: Prompt) -> Result<(), Refusal> {
        self.say(|handle| handle.steer(prompt))
    }

    /// Adds a message for the time when the run would stop.
    pub(crate) fn follow_up(&self, prompt: Prompt) -> Result<(), Refusal> {
        self.say(|handle| handle.follow_up(prompt))
    }

    fn say(&self, say: impl FnOnce(&Handle) -> Result<(), NotHeard>) -> Result<(), Refusal> {
        let mut ears = self.ears();
        match *ears {
            Ears::Open | Ears::Spoken => {}
            // The run itself records its input, so a run that has not started accepts none: it
            // would be lost with the server.
            Ears::Waits(_) => {
                let message = "the session has not started yet; send this when it runs";
                return Err(Refusal::conflict("waiting", message));
            }
            Ears::Shut => return Err(idle()),
        }
        say(&self.handle).map_err(|error| not_heard(&error))?;
        *ears = Ears::Spoken;
        Ok(())
    }

    /// Stops the current work. Unread input is dropped, and an event lists it.
    pub(crate) fn cancel(&self, reason: &str) -> Result<(), Refusal> {
        let mut ears = self.ears();
        match &*ears {
            Ears::Waits(give_up) => {
                // The run has not started yet. If it were told to stop, it would stop at the next
                // prompt instead.
                give_up.cancel();
                *ears = Ears::Shut;
                return Ok(());
            }
            Ears::Shut => return Err(idle()),
            Ears::Open | Ears::Spoken => {}
        }
        self.handle.cancel(reason).map_err(|error| not_heard(&error))?;
        *ears = Ears::Open;
        // Only after the run accepted the cancellation. Otherwise it would continue without a
        // permit.
        self.wish.send_replace(Wish::Stop);
        Ok(())
    }

    /// From now on the run accepts input, unless the caller gave up before it got a permit.
    pub(super) fn open_ears(&self) {
        let mut ears = self.ears();
        if matches!(*ears, Ears::Waits(_)) {
            *ears = Ears::Open;
            self.wish.send_replace(Wish::GoOn);
        }
    }

    /// From now on the run accepts no input, and an earlier cancellation does not stop the next
    /// prompt. Called before the session becomes idle.
    pub(super) fn shut_ears(&self) {
        let mut ears = self.ears();
        self.handle.take_back_cancel();
        *ears = Ears::Shut;
    }

    /// Whether input arrived that the turn that just ended may not have read: its sender could not
    /// know that it was too late. If none did, no further input is accepted.
    pub(super) fn missed(&self) -> Missed {
        let mut ears = self.ears();
        // Input that arrived after a cancellation must not be cancelled. Without input there is
        // nothing to cancel.
        self.handle.take_back_cancel();
        if !matches!(*ears, Ears::Spoken) {
            *ears = Ears::Shut;
            return Missed::Nothing;
        }
        *ears = Ears::Open;
        self.wish.send_replace(Wish::GoOn);
        Missed::Something
    }

    /// No change here can be left half done, so a panic of another thread does no harm.
    fn ears(&self) -> MutexGuard<'_, Ears> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A receiver for the state of the session.
    pub(crate) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Closes the session once it is idle.
    pub(crate) fn leave(&self) {
        self.leave.cancel();
    }

    /// The events of the session from now on, for code in this process.
    pub(crate) fn events(&self) -> Subscription {
        self.handle.events()
    }

    /// A function that tells the run its new budget.
    pub(super) fn budget(&self) -> Tell {
        let handle = self.handle.clone();
        Box::new(move |ceiling: NanoUsd| {
            handle.tell(Input::BudgetChanged(Budget { usd: Some(ceiling) })).is_ok()
        })
    }
}

fn idle() -> Refusal {
    Refusal::conflict("idle", "the session is idle; send a prompt")
}

fn closing() -> Refusal {
    Refusal::busy("closing", "the session is closing; try again in a moment", 1)
}

fn not_heard(error: &NotHeard) -> Refusal {
    match error {
        NotHeard::Full => Refusal::busy("full", error.to_string(), 1),
        NotHeard::Gone | NotHeard::NotAsked { .. } | NotHeard::Tools(_) | NotHeard::NotYours => {
            Refusal::conflict("not_heard", error.to_string())
        }
    }
}

#[cfg(test)]
mod tests;
