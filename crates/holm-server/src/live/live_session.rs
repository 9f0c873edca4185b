//! One open session, as other tasks use it: they send prompts and input, cancel its work, and watch
//! its state.
//!
//! It stores nothing and runs nothing itself. Input and the end of a turn lock the same gate, so
//! that no input is accepted after the run stopped reading.
//!
//! The task that drives the session is in `drive.rs`; it also stores prompts. All open sessions are
//! in `session_manager.rs`. Events are in `feed.rs`, and questions to users in
//! `question_broker.rs`.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use futures::FutureExt as _;
use holm_kernel::{Budget, Ending, Input, NanoUsd, Prompt};
use holm_runtime::{CancellationToken, EventSubscription, HandleError, RunHandle, RunReport};
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    ClientToolCalls, FeedCursor, QuestionBroker, SessionFeed, WorkLifetime,
    admission::QueueTicket,
    budget_reservations::BudgetCallback,
    drive::{DriveContext, drive},
};
use crate::{ApiError, OpenedSession, SessionId, auth::UserName};

/// The tag of running sessions, by which a starting server finds what was unfinished when
/// the last one ended.
pub(crate) const RUNNING: &str = holm_store::RUNNING_TAG;

/// How long it may take until an ended session is idle again: one write to the store.
const SETTLING: Duration = Duration::from_secs(10);

/// The current state of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionState {
    /// Idle, with its last ending.
    Idle(Option<Box<Ending>>),
    /// Waiting for a permit.
    Waiting,
    Working,
    /// The driving task has ended.
    Closed,
}

impl SessionState {
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
enum InputGate {
    /// It is idle, or its turn has just ended.
    Closed,
    /// It waits for a permit; the waiting can be cancelled.
    Waiting(CancellationToken),
    /// It works, and no input arrived since the last cancellation or the last check.
    Open,
    /// It works, and input arrived that may be too late for the current turn.
    Unread,
}

/// Whether unread input may be left when a turn has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissedInput {
    Nothing,
    /// Possibly; the session has to check.
    Something,
}

/// Whether the current work should continue or stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunIntent {
    GoOn,
    Stop,
}

/// One open session, which other tasks prompt, steer, cancel and watch.
pub(crate) struct LiveSession {
    pub(crate) id: SessionId,
    pub(crate) user: UserName,
    pub(crate) feed: Arc<SessionFeed>,
    pub(crate) desk: Arc<QuestionBroker>,
    handle: RunHandle,
    pub(super) state: watch::Sender<SessionState>,
    /// Passes prompts to the driving task.
    prompts: mpsc::Sender<QueuedPrompt>,
    /// Guards the input of the run.
    input_gate: Mutex<InputGate>,
    /// Ends the driving task once the session is idle.
    pub(super) leave: CancellationToken,
    /// Whether users want the current work to continue.
    pub(super) intent: watch::Sender<RunIntent>,
    /// What happens to its work when the server ends.
    pub(super) lasting: WorkLifetime,
    /// Calls that the session's client carries out.
    pub(crate) errands: OnceLock<Arc<ClientToolCalls>>,
}

/// A prompt for the driving task.
pub(super) struct QueuedPrompt {
    /// `None` resumes unfinished work, or starts a prompt that was accepted before.
    pub(super) prompt: Option<Prompt>,
    pub(super) ticket: QueueTicket,
    pub(super) give_up: CancellationToken,
    /// Is notified once the prompt is stored.
    pub(super) kept: oneshot::Sender<Result<(), ApiError>>,
    pub(super) done: oneshot::Sender<RunResult>,
}

/// A prompt that was handed to the driving task.
pub(crate) struct PromptReceipt {
    from: FeedCursor,
    kept: oneshot::Receiver<Result<(), ApiError>>,
    done: oneshot::Receiver<RunResult>,
}

impl PromptReceipt {
    /// Waits until the prompt is stored, so that it survives the end of the server. Returns the
    /// feed position after which its events come, and a receiver for its result.
    pub(super) async fn kept(self) -> Result<(FeedCursor, oneshot::Receiver<RunResult>), ApiError> {
        match self.kept.await {
            Ok(kept) => kept.map(|()| (self.from, self.done)),
            Err(_) => Err(closing()),
        }
    }
}

/// The result of a prompt.
pub(crate) type RunResult = Result<Option<RunReport>, ApiError>;

impl LiveSession {
    /// Starts the driving task of a session. `gone` is called when that task has ended.
    pub(super) fn new(
        (user, id): (UserName, SessionId),
        opened: OpenedSession,
        (feed, desk): (Arc<SessionFeed>, Arc<QuestionBroker>),
        lasting: WorkLifetime,
        driving: DriveContext,
        gone: impl FnOnce() + Send + 'static,
    ) -> Arc<Self> {
        let (prompts, asked) = mpsc::channel(1);
        let handle = opened.session.handle();
        let (state, input_gate) =
            (watch::Sender::new(SessionState::Idle(None)), Mutex::new(InputGate::Closed));
        let (leave, intent) = (CancellationToken::new(), watch::Sender::new(RunIntent::GoOn));
        let live_session = Arc::new(Self {
            id,
            user,
            feed,
            desk,
            handle,
            state,
            prompts,
            input_gate,
            leave,
            intent,
            lasting,
            errands: OnceLock::new(),
        });
        let driven = Arc::clone(&live_session);
        tokio::spawn(async move {
            // Even after a panic the session is closed and its slot is freed.
            let _ = AssertUnwindSafe(drive(&driven, opened, asked, driving)).catch_unwind().await;
            driven.close_input_gate();
            driven.state.send_replace(SessionState::Closed);
            gone();
        });
        live_session
    }

    /// Sends a prompt, or resumes unfinished work.
    pub(crate) fn ask(&self, prompt: Option<Prompt>, ticket: QueueTicket) -> Result<PromptReceipt, ApiError> {
        let busy = || {
            ApiError::conflict("working", "the session is running; steer it, follow up, or cancel it first")
        };
        let ((done, outcome), (keep, kept)) = (oneshot::channel(), oneshot::channel());
        let give_up = CancellationToken::new();
        let mut input_gate = self.input_gate();
        if !matches!(*self.state.borrow(), SessionState::Idle(_)) {
            return Err(busy());
        }
        // The session is idle, so the feed already has all events of earlier prompts.
        let from = self.feed.latest();
        let ask = QueuedPrompt { prompt, ticket, give_up: give_up.clone(), kept: keep, done };
        self.prompts.try_send(ask).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => busy(),
            mpsc::error::TrySendError::Closed(_) => closing(),
        })?;
        self.state.send_replace(SessionState::Waiting);
        *input_gate = InputGate::Waiting(give_up);
        Ok(PromptReceipt { from, kept, done: outcome })
    }

    /// Waits until a session that has ended for its watchers is also idle here. A client that sends
    /// a prompt at once is then not refused.
    pub(crate) async fn settled(&self) {
        let (mut state, mut changes) = (self.state(), self.feed.bell());
        let settling = async {
            while *state.borrow_and_update() == SessionState::Working && self.feed.is_at_rest() {
                // Both senders live as long as the session.
                tokio::select! {
                    _ = state.changed() => {}
                    _ = changes.changed() => {}
                }
            }
        };
        // If it is not idle by then, the next call reports it.
        let _ = tokio::time::timeout(SETTLING, settling).await;
    }

    /// Adds a message before the next model call.
    pub(crate) fn steer(&self, prompt: Prompt) -> Result<(), ApiError> {
        self.send_input(|handle| handle.steer(prompt))
    }

    /// Adds a message for the time when the run would stop.
    pub(crate) fn follow_up(&self, prompt: Prompt) -> Result<(), ApiError> {
        self.send_input(|handle| handle.follow_up(prompt))
    }

    /// Passes input to the run, if it accepts any.
    fn send_input(&self, send: impl FnOnce(&RunHandle) -> Result<(), HandleError>) -> Result<(), ApiError> {
        let mut input_gate = self.input_gate();
        match *input_gate {
            InputGate::Open | InputGate::Unread => {}
            // The run itself records its input, so a run that has not started accepts none: it
            // would be lost with the server.
            InputGate::Waiting(_) => {
                let message = "the session has not started yet; send this when it runs";
                return Err(ApiError::conflict("waiting", message));
            }
            InputGate::Closed => return Err(idle()),
        }
        send(&self.handle).map_err(|error| input_error(&error))?;
        *input_gate = InputGate::Unread;
        Ok(())
    }

    /// Stops the current work. Unread input is dropped, and an event lists it.
    pub(crate) fn cancel(&self, reason: &str) -> Result<(), ApiError> {
        let mut input_gate = self.input_gate();
        match &*input_gate {
            InputGate::Waiting(give_up) => {
                // The run has not started yet. If it were asked to stop, it would stop at the next
                // prompt instead.
                give_up.cancel();
                *input_gate = InputGate::Closed;
                return Ok(());
            }
            InputGate::Closed => return Err(idle()),
            InputGate::Open | InputGate::Unread => {}
        }
        self.handle.cancel(reason).map_err(|error| input_error(&error))?;
        *input_gate = InputGate::Open;
        // Only after the run accepted the cancellation. Otherwise it would continue without a
        // permit.
        self.intent.send_replace(RunIntent::Stop);
        Ok(())
    }

    /// From now on the run accepts input, unless the caller gave up before it got a permit.
    pub(super) fn open_input_gate(&self) {
        let mut input_gate = self.input_gate();
        if matches!(*input_gate, InputGate::Waiting(_)) {
            *input_gate = InputGate::Open;
            self.intent.send_replace(RunIntent::GoOn);
        }
    }

    /// From now on the run accepts no input, and an earlier cancellation does not stop the next
    /// prompt. Called before the session becomes idle.
    pub(super) fn close_input_gate(&self) {
        let mut input_gate = self.input_gate();
        self.handle.take_back_cancel();
        *input_gate = InputGate::Closed;
    }

    /// Whether input arrived that the turn that just ended may not have read: its sender could not
    /// know that it was too late. If none did, no further input is accepted.
    pub(super) fn missed(&self) -> MissedInput {
        let mut input_gate = self.input_gate();
        // Input that arrived after a cancellation must not be cancelled. Without input there is
        // nothing to cancel.
        self.handle.take_back_cancel();
        if !matches!(*input_gate, InputGate::Unread) {
            *input_gate = InputGate::Closed;
            return MissedInput::Nothing;
        }
        *input_gate = InputGate::Open;
        self.intent.send_replace(RunIntent::GoOn);
        MissedInput::Something
    }

    /// No change here can be left incomplete, so a poisoned lock is safe to use.
    fn input_gate(&self) -> MutexGuard<'_, InputGate> {
        self.input_gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A receiver for the state of the session.
    pub(crate) fn state(&self) -> watch::Receiver<SessionState> {
        self.state.subscribe()
    }

    /// Closes the session once it is idle.
    pub(crate) fn leave(&self) {
        self.leave.cancel();
    }

    /// The events of the session from now on, for code in this process.
    pub(crate) fn events(&self) -> EventSubscription {
        self.handle.events()
    }

    /// A function that reports a new budget to the run.
    pub(super) fn budget(&self) -> BudgetCallback {
        let handle = self.handle.clone();
        Box::new(move |ceiling: NanoUsd| {
            handle.tell(Input::BudgetChanged(Budget { usd: Some(ceiling) })).is_ok()
        })
    }
}

fn idle() -> ApiError {
    ApiError::conflict("idle", "the session is idle; send a prompt")
}

fn closing() -> ApiError {
    ApiError::busy("closing", "the session is closing; try again in a moment", 1)
}

fn input_error(error: &HandleError) -> ApiError {
    match error {
        HandleError::Full => ApiError::busy("full", error.to_string(), 1),
        HandleError::Gone | HandleError::NotAsked { .. } | HandleError::Tools(_) | HandleError::NotYours => {
            ApiError::conflict("not_heard", error.to_string())
        }
    }
}

#[cfg(test)]
mod tests;
