//! One open session: a task that drives it, and what others need to speak with it.

use std::{
    any::Any,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use holm_kernel::{Ending, Prompt};
use holm_runtime::{CancellationToken, Handle, NotHeard, Report, Session};
use holm_store::Store;
use tokio::sync::{mpsc, oneshot, watch};

use super::{Desk, Errands, Feed, admission::Ticket};
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
    state: watch::Sender<State>,
    asks: mpsc::Sender<Ask>,
    /// Stops a wait for a turn.
    waiting: Mutex<Option<CancellationToken>>,
    /// Ends the task once it does nothing.
    leave: CancellationToken,
    /// Calls that the session's client carries out.
    pub(crate) errands: OnceLock<Arc<Errands>>,
}

/// Something to be done.
struct Ask {
    /// None goes on with what was under way.
    prompt: Option<Prompt>,
    ticket: Ticket,
    give_up: CancellationToken,
    done: oneshot::Sender<Outcome>,
}

/// What came of it.
pub(crate) type Outcome = Result<Option<Report>, Refusal>;

/// What the driving task needs.
pub(super) struct Driving {
    pub(super) store: Store,
    pub(super) idle: Duration,
    /// Rings when the server stops: what is under way is parked.
    pub(super) park: CancellationToken,
}

impl Room {
    /// Gives a session a task of its own. `gone` is called when the task has let it go.
    pub(super) fn new(
        user: UserName,
        id: SessionId,
        opened: Opened,
        feed: Arc<Feed>,
        desk: Arc<Desk>,
        driving: Driving,
        gone: impl FnOnce() + Send + 'static,
    ) -> Arc<Self> {
        let (asks, asked) = mpsc::channel(1);
        let handle = opened.session.handle();
        let (state, waiting) = (watch::Sender::new(State::Idle(None)), Mutex::default());
        let (leave, errands) = (CancellationToken::new(), OnceLock::new());
        let room = Arc::new(Self { id, user, feed, desk, handle, state, asks, waiting, leave, errands });
        let held = Arc::clone(&room);
        tokio::spawn(async move {
            let (session, keep) = (opened.session, opened.keep);
            held.drive(session, keep, asked, driving).await;
            held.state.send_replace(State::Closed);
            gone();
        });
        room
    }

    /// Asks for something, or to go on with what was under way. What comes of it arrives at the receiver.
    pub(crate) fn ask(
        &self,
        prompt: Option<Prompt>,
        ticket: Ticket,
    ) -> Result<oneshot::Receiver<Outcome>, Refusal> {
        let busy = || {
            Refusal::conflict("working", "the session is at work; steer it, follow up, or cancel it first")
        };
        let (done, outcome) = oneshot::channel();
        let give_up = CancellationToken::new();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*self.state.borrow(), State::Idle(_)) {
            return Err(busy());
        }
        let ask = Ask { prompt, ticket, give_up: give_up.clone(), done };
        self.asks.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => busy(),
            mpsc::error::TrySendError::Closed(_) => {
                Refusal::busy("closing", "the session is being put away; ask again in a moment", 1)
            }
        })?;
        self.state.send_replace(State::Waiting);
        *waiting = Some(give_up);
        Ok(outcome)
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
        self.while_working()?;
        self.handle.steer(prompt).map_err(|error| not_heard(&error))
    }

    /// Says what to do once the run would stop.
    pub(crate) fn follow_up(&self, prompt: Prompt) -> Result<(), Refusal> {
        self.while_working()?;
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
        self.handle.cancel(reason).map_err(|error| not_heard(&error))
    }

    /// What the session does now, and whenever that changes.
    pub(crate) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Lets the session go once it does nothing.
    pub(crate) fn leave(&self) {
        self.leave.cancel();
    }

    fn while_working(&self) -> Result<(), Refusal> {
        match *self.state.borrow() {
            State::Waiting | State::Working => Ok(()),
            State::Idle(_) | State::Closed => {
                Err(Refusal::conflict("idle", "the session does nothing now; prompt it"))
            }
        }
    }

    async fn drive(
        &self,
        mut session: Session,
        keep: Box<dyn Any + Send>,
        mut asked: mpsc::Receiver<Ask>,
        driving: Driving,
    ) {
        loop {
            let next = tokio::select! {
                next = tokio::time::timeout(driving.idle, asked.recv()) => next.ok().flatten(),
                () = driving.park.cancelled() => None,
                () = self.leave.cancelled() => None,
            };
            // Nobody is heard any more; whoever was heard in this very moment is still served.
            let Some(ask) = next.or_else(|| last(&mut asked)) else { break };
            let Ask { prompt, ticket, give_up, done } = ask;
            let turn = tokio::select! {
                turn = ticket.turn() => turn,
                () = give_up.cancelled() => None,
                () = driving.park.cancelled() => None,
            };
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Whoever cancels from now on finds nothing that waits, and tells the run itself.
            let Some(_turn) = turn.filter(|_| !give_up.is_cancelled()) else {
                self.state.send_replace(State::Idle(None));
                let _ =
                    done.send(Err(Refusal::conflict("cancelled", "the run was cancelled before its turn")));
                continue;
            };
            self.state.send_replace(State::Working);
            let worked = tokio::select! {
                worked = self.work(&mut session, prompt, &driving.store) => worked,
                () = driving.park.cancelled() => break,
            };
            let ending = match &worked {
                Ok(report) => report.as_ref().map(|report| Box::new(report.ending.clone())),
                Err(_) => None,
            };
            let failed = worked.is_err();
            if failed {
                // Before it seems idle: what is put away takes nothing in.
                asked.close();
            }
            self.state.send_replace(State::Idle(ending));
            // Whoever asked may have gone; the journal has it all.
            let _ = done.send(worked);
            if failed {
                break;
            }
        }
        drop(keep);
        session.close().await;
    }

    async fn work(&self, session: &mut Session, prompt: Option<Prompt>, store: &Store) -> Outcome {
        // What was asked over one connection is for that connection: at the next start nobody is there to hear it, or to
        // carry its calls out.
        let goes_on = self.errands.get().is_none();
        if goes_on {
            store.tag(self.id.as_str(), RUNNING).await?;
        }
        let outcome = match prompt {
            Some(prompt) => session.prompt(prompt).await.map(Some),
            None => session.go_on().await,
        };
        if goes_on {
            store.untag(self.id.as_str(), RUNNING).await?;
        }
        // A journal that cannot be written says why to the operator, not to the client.
        outcome.map_err(|_| Refusal::failed("the run could not be written down, so it was stopped"))
    }
}

/// Takes no more in, and gives what came just before.
fn last(asked: &mut mpsc::Receiver<Ask>) -> Option<Ask> {
    asked.close();
    asked.try_recv().ok()
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
