//! One open session: what others need to speak with it. The task that drives it is in `drive`.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, OnceLock, PoisonError},
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

/// The tag of sessions that are at work, by which a server that starts finds what was under way when the last one ended.
pub(crate) const RUNNING: &str = "holm:running";

/// How long it may take until a session that has ended is put in order: one write to the store.
const SETTLING: Duration = Duration::from_secs(10);

/// What a session does now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing; how it ended last.
    Idle(Option<Box<Ending>>),
    /// It waits for its turn.
    Waiting,
    /// It works.
    Working,
    /// Nobody drives it any more.
    Closed,
}

impl State {
    /// The word for it.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Idle(_) => "idle",
            Self::Waiting => "waiting",
            Self::Working => "working",
            Self::Closed => "closed",
        }
    }
}

/// One open session.
pub(crate) struct Room {
    pub(crate) id: SessionId,
    pub(crate) user: UserName,
    pub(crate) feed: Arc<Feed>,
    pub(crate) desk: Arc<Desk>,
    handle: Handle,
    pub(super) state: watch::Sender<State>,
    asks: mpsc::Sender<Ask>,
    /// Stops a wait for a turn.
    pub(super) waiting: Mutex<Option<CancellationToken>>,
    /// Ends the task once it does nothing.
    pub(super) leave: CancellationToken,
    /// Counts how often it was told to stop what it does.
    pub(super) stops: watch::Sender<u64>,
    /// What becomes of its work when the server ends.
    pub(super) lasting: Lasting,
    /// Calls that the session's client carries out.
    pub(crate) errands: OnceLock<Arc<Errands>>,
}

/// Something to be done.
pub(super) struct Ask {
    /// None goes on with what was under way, or was accepted and has not begun.
    pub(super) prompt: Option<Prompt>,
    pub(super) ticket: Ticket,
    pub(super) give_up: CancellationToken,
    /// Is told once it is kept.
    pub(super) kept: oneshot::Sender<Result<(), Refusal>>,
    pub(super) done: oneshot::Sender<Outcome>,
}

/// Something that was asked for.
pub(crate) struct Asked {
    from: Cursor,
    kept: oneshot::Receiver<Result<(), Refusal>>,
    done: oneshot::Receiver<Outcome>,
}

impl Asked {
    /// Waits until it is kept, so that it is not lost when the server ends. What happens for it is told after the place, and what
    /// comes of it arrives at the receiver.
    pub(super) async fn kept(self) -> Result<(Cursor, oneshot::Receiver<Outcome>), Refusal> {
        match self.kept.await {
            Ok(kept) => kept.map(|()| (self.from, self.done)),
            Err(_) => Err(closing()),
        }
    }
}

/// What came of it.
pub(crate) type Outcome = Result<Option<Report>, Refusal>;

impl Room {
    /// Gives a session a task of its own. `gone` is called when the task has let it go.
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
        let (state, waiting) = (watch::Sender::new(State::Idle(None)), Mutex::default());
        let (leave, stops) = (CancellationToken::new(), watch::Sender::new(0));
        let room = Arc::new(Self {
            id,
            user,
            feed,
            desk,
            handle,
            state,
            asks,
            waiting,
            leave,
            stops,
            lasting,
            errands: OnceLock::new(),
        });
        let held = Arc::clone(&room);
        tokio::spawn(async move {
            // Whatever became of it, nobody drives it any more, and its slot is free.
            let _ = AssertUnwindSafe(drive(&held, opened, asked, driving)).catch_unwind().await;
            held.state.send_replace(State::Closed);
            gone();
        });
        room
    }

    /// Asks for something, or to go on with what was under way.
    pub(crate) fn ask(&self, prompt: Option<Prompt>, ticket: Ticket) -> Result<Asked, Refusal> {
        let busy = || {
            Refusal::conflict("working", "the session is at work; steer it, follow up, or cancel it first")
        };
        let ((done, outcome), (keep, kept)) = (oneshot::channel(), oneshot::channel());
        let give_up = CancellationToken::new();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*self.state.borrow(), State::Idle(_)) {
            return Err(busy());
        }
        // It does nothing, so all that was done for others is told.
        let from = self.feed.latest();
        let ask = Ask { prompt, ticket, give_up: give_up.clone(), kept: keep, done };
        self.asks.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => busy(),
            mpsc::error::TrySendError::Closed(_) => closing(),
        })?;
        self.state.send_replace(State::Waiting);
        *waiting = Some(give_up);
        Ok(Asked { from, kept, done: outcome })
    }

    /// Waits until a session whose watchers have seen its end has been put in order, so that whoever prompts it at once is
    /// not refused.
    pub(crate) async fn settled(&self) {
        let (mut state, mut bell) = (self.state(), self.feed.bell());
        let settling = async {
            while *state.borrow_and_update() == State::Working && self.feed.is_at_rest() {
                // Both senders live as long as the room.
                tokio::select! {
                    _ = state.changed() => {}
                    _ = bell.changed() => {}
                }
            }
        };
        // Whether it came to rest or not, what follows says so.
        let _ = tokio::time::timeout(SETTLING, settling).await;
    }

    /// Says something that enters before the next model call.
    pub(crate) fn steer(&self, prompt: Prompt) -> Result<(), Refusal> {
        self.while_heard()?;
        self.handle.steer(prompt).map_err(|error| not_heard(&error))
    }

    /// Says what to do once the run would stop.
    pub(crate) fn follow_up(&self, prompt: Prompt) -> Result<(), Refusal> {
        self.while_heard()?;
        self.handle.follow_up(prompt).map_err(|error| not_heard(&error))
    }

    /// Stops what the session does.
    pub(crate) fn cancel(&self, reason: &str) -> Result<(), Refusal> {
        self.while_working()?;
        if let Some(give_up) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The run has heard nothing yet. Were it told to stop, it would stop at what it is asked next.
            give_up.cancel();
            return Ok(());
        }
        self.handle.cancel(reason).map_err(|error| not_heard(&error))?;
        // One that was not heard stops nothing: the run would go on without a turn.
        self.stops.send_modify(|stops| *stops = stops.wrapping_add(1));
        Ok(())
    }

    /// What the session does now, and whenever that changes.
    pub(crate) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Lets the session go once it does nothing.
    pub(crate) fn leave(&self) {
        self.leave.cancel();
    }

    /// What happens in the session from now on, for whoever is near.
    pub(crate) fn events(&self) -> Subscription {
        self.handle.events()
    }

    /// Tells the run what it may spend from now on.
    pub(super) fn budget(&self) -> Tell {
        let handle = self.handle.clone();
        Box::new(move |ceiling: NanoUsd| {
            handle.tell(Input::BudgetChanged(Budget { usd: Some(ceiling) })).is_ok()
        })
    }

    /// What is said to a run is written down by the run, so one that has not begun hears nothing: it would be lost with the
    /// server.
    fn while_heard(&self) -> Result<(), Refusal> {
        let waits = *self.state.borrow() == State::Waiting;
        if waits {
            let message = "the session waits for its turn and hears nothing yet; say it when it works";
            return Err(Refusal::conflict("waiting", message));
        }
        self.while_working()
    }

    fn while_working(&self) -> Result<(), Refusal> {
        match *self.state.borrow() {
            State::Waiting | State::Working => Ok(()),
            State::Idle(_) | State::Closed => {
                Err(Refusal::conflict("idle", "the session does nothing now; prompt it"))
            }
        }
    }
}

fn closing() -> Refusal {
    Refusal::busy("closing", "the session is being put away; ask again in a moment", 1)
}

fn not_heard(error: &NotHeard) -> Refusal {
    match error {
        NotHeard::Full => Refusal::busy("full", error.to_string(), 1),
        NotHeard::Gone | NotHeard::NotAsked { .. } | NotHeard::Tools(_) | NotHeard::NotYours => {
            Refusal::conflict("not_heard", error.to_string())
        }
    }
}
