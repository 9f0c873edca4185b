//! Spawners: they start the child runs of a run.

use std::sync::Arc;

use holm_kernel::{CallId, ChildResult, Input, SpawnRequest};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    Approver, BoxFuture, Hooks, Journals, NotHeard,
    handle::{Desk, Said},
    host::HookWants,
};

pub trait Spawner: Send + Sync {
    /// Runs a child to its end. What goes wrong is said in the result, with what was spent all the same.
    fn spawn(&self, child: Child) -> BoxFuture<'static, ChildResult>;
}

/// A child run that is to be started, or gone on with if [`SpawnRequest::resume`] names it.
pub struct Child {
    pub parent: String,
    /// The call that asked for it.
    pub call: CallId,
    /// What it may do: see [`SpawnRequest::confine`].
    pub request: Box<SpawnRequest>,
    /// Cancelled when the answer is no longer wanted; the child is stopped then, and its bill still counts.
    pub stop: CancellationToken,
    /// The parent's hooks that are for its children too.
    pub hooks: Hooks,
    /// Where the parent's runs are kept, and so its children's.
    pub journals: Arc<dyn Journals>,
    /// Who is asked about the parent's calls, and so about its children's.
    pub approver: Arc<dyn Approver>,
    pub(crate) hook_wants: HookWants,
    pub(crate) desk: Arc<Desk>,
}

impl Child {
    /// Says under which id the child runs, before it does anything: the parent writes it down, so that a crash finds it
    /// again.
    ///
    /// # Errors
    /// [`NotHeard`] when the parent is gone; the child must not begin then.
    pub async fn started(&self, child: impl Into<String>) -> Result<(), NotHeard> {
        let (kept, is_kept) = oneshot::channel();
        let fact = Input::ChildStarted { call: self.call, child: child.into() };
        self.desk.say(Said::Child(fact, kept))?;
        is_kept.await.map_err(|_| NotHeard::Gone)
    }
}

/// Starts none: every request for a child fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoChildren;

impl Spawner for NoChildren {
    fn spawn(&self, child: Child) -> BoxFuture<'static, ChildResult> {
        Box::pin(async move { child.not_run("this host starts no child runs").await })
    }
}
