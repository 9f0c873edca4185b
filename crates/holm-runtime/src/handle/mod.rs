//! Handles: they steer, cancel and watch a run while it works, and answer its questions.
//!
//! A handle puts messages into the mailbox (`handle/mailbox.rs`); the driver takes them when it is
//! ready. Nothing here waits or decides. A holder may only send facts that come from people:
//! results of tools or models would let it forge the journal. The whole run, with its journal, is
//! owned by a session (`agent/session.rs`).

mod mailbox;

use std::{fmt, sync::Arc};

use holm_kernel::{Input, Prompt, Proposal, QuestionId, Verdict};

use crate::{EventSubscription, Toolbox, ToolboxError};

pub use mailbox::MOST_WAITING;
pub(crate) use mailbox::{MailboxItem, RunMailbox};

/// How many events may wait for a slow watcher; it misses the rest and gets their number.
const WATCHER_ROOM: usize = 1_024;

/// Controls a run from outside; clones may go to other tasks and threads. Nothing here waits.
///
/// ```
/// # use holm_runtime::{RunHandle, HandleError};
/// fn hurry(handle: &RunHandle) -> Result<(), HandleError> {
///     handle.steer("We are short of time; finish what you have.")?;
///     handle.follow_up("Then write a summary.")
/// }
/// ```
#[derive(Clone)]
pub struct RunHandle {
    mailbox: Arc<RunMailbox>,
}

impl RunHandle {
    pub(crate) fn new(mailbox: Arc<RunMailbox>) -> Self {
        Self { mailbox }
    }

    /// Sends a prompt that enters before the next model call. If the run has ended, this is the
    /// next prompt: [`Driver::catch_up`](crate::Driver::catch_up) works on it, or it enters
    /// together with the following prompt.
    ///
    /// # Errors
    /// [`HandleError`].
    pub fn steer(&self, prompt: impl Into<Prompt>) -> Result<(), HandleError> {
        self.mailbox.say(MailboxItem::Fact(Input::Steered(prompt.into())))
    }

    /// Sends a prompt for the time when the run would stop by itself. If the run has ended, it is
    /// the next prompt, as with [`steer`](Self::steer).
    ///
    /// # Errors
    /// [`HandleError`].
    pub fn follow_up(&self, prompt: impl Into<Prompt>) -> Result<(), HandleError> {
        self.mailbox.say(MailboxItem::Fact(Input::FollowedUp(prompt.into())))
    }

    /// Cancels the run's current work. This is taken before all other messages.
    ///
    /// # Errors
    /// [`HandleError::Gone`].
    pub fn cancel(&self, reason: impl Into<String>) -> Result<(), HandleError> {
        self.mailbox.cancel(reason.into())
    }

    /// Withdraws a cancel that the run has not taken, because the work that it was meant for had
    /// already ended. Otherwise it would cancel the next prompt.
    pub fn take_back_cancel(&self) {
        self.mailbox.take_back_cancel();
    }

    /// Answers a question by its id ([`Proposal::call`]). The first answer counts.
    ///
    /// # Errors
    /// [`HandleError::NotAsked`] if that question is not open (any more).
    pub fn judge(&self, question: QuestionId, verdict: Verdict) -> Result<(), HandleError> {
        self.mailbox.judge(question, Input::Judged { call: question, verdict })
    }

    /// All questions that are open.
    pub fn open_questions(&self) -> Vec<Arc<Proposal>> {
        self.mailbox.open()
    }

    /// The questions one after the other, starting with the open ones.
    pub fn questions(&self) -> QuestionStream {
        QuestionStream { mailbox: Arc::clone(&self.mailbox), last: 0 }
    }

    /// The events from now on. A slow reader misses some and gets their
    /// number; the run never waits.
    pub fn events(&self) -> EventSubscription {
        self.mailbox.hub.subscribe(WATCHER_ROOM)
    }

    /// Replaces the run's tools. Running calls finish as they started.
    ///
    /// # Errors
    /// [`HandleError::Tools`] if one of them cannot be used; the run keeps its tools.
    pub fn change_tools(&self, tools: Toolbox) -> Result<(), HandleError> {
        tools.check()?;
        self.mailbox.say(MailboxItem::Tools(tools))
    }

    /// Sends any other fact that comes from people: a new mode, new grants, a new budget.
    ///
    /// # Errors
    /// [`HandleError::NotYours`] for facts that only the host can know.
    pub fn tell(&self, fact: Input) -> Result<(), HandleError> {
        match fact {
            Input::Cancelled { reason } => self.cancel(reason),
            Input::Judged { call, verdict } => self.judge(call, verdict),
            Input::Prompted(_)
            | Input::Steered(_)
            | Input::FollowedUp(_)
            | Input::ModeChanged(_)
            | Input::GrantsChanged(_)
            | Input::Narrowed(_)
            | Input::BudgetChanged(_) => self.mailbox.say(MailboxItem::Fact(fact)),
            Input::Started(_)
            | Input::Resumed { .. }
            | Input::ModelFinished { .. }
            | Input::Consulted { .. }
            | Input::Dispatched { .. }
            | Input::ToolFinished { .. }
            | Input::Checked { .. }
            | Input::ChildStarted { .. }
            | Input::ChildFinished { .. }
            | Input::Summarised { .. }
            | Input::ToolsChanged(_)
            | Input::TimePassed => Err(HandleError::NotYours),
        }
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunHandle").finish_non_exhaustive()
    }
}

/// The questions of a run as a stream; see [`RunHandle::questions`].
pub struct QuestionStream {
    mailbox: Arc<RunMailbox>,
    last: u64,
}

impl QuestionStream {
    /// The next open question; `None` when the run is gone. Answer it with [`RunHandle::judge`].
    pub async fn next(&mut self) -> Option<Arc<Proposal>> {
        let (number, proposal) = self.mailbox.asked_after(self.last).await?;
        self.last = number;
        Some(proposal)
    }
}

impl fmt::Debug for QuestionStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("QuestionStream").field("last", &self.last).finish_non_exhaustive()
    }
}

/// A message did not reach the run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// The run is no longer driven.
    #[error("the run is no longer driven; resume it first")]
    Gone,
    /// Too many messages are waiting.
    #[error("{MOST_WAITING} messages are already waiting; try again later, or cancel")]
    Full,
    /// The question is not open.
    #[error("question {call} is not open; it was answered, withdrawn, or never asked")]
    NotAsked {
        /// The question that was meant.
        call: QuestionId,
    },
    /// The tools cannot be used.
    #[error(transparent)]
    Tools(#[from] ToolboxError),
    /// Only the host can know this.
    #[error("only the driver of the run can send this")]
    NotYours,
}
