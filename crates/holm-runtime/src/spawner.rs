//! Spawners: they start the child runs of a run.
//!
//! Here are the trait and everything that a child is started with. The helpers of an agent
//! implement it in `child/helper_set.rs`. A spawner must report the child's name before the child
//! acts, and must not give it more than the request allows (`SpawnRequest::confine` in
//! `holm-kernel/src/effect.rs`). A failure is part of the result, together with the cost.

use std::sync::Arc;

use holm_kernel::{ChildResult, Input, SpawnRequest, ToolCallId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    Approver, BoxFuture, HandleError, HookSet, JournalStore,
    handle::{MailboxItem, RunMailbox},
    host::HookReviewers,
};

pub trait ChildSpawner: Send + Sync {
    /// Runs a child to its end. Failures are part of the result, together with the cost.
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult>;
}

/// A child run to start, or to resume if [`SpawnRequest::resume`] names it.
pub struct ChildLaunch {
    pub parent: String,
    /// The call that requested it.
    pub call: ToolCallId,
    /// Its permissions: see [`SpawnRequest::confine`].
    pub request: Box<SpawnRequest>,
    /// Cancelled when the answer is no longer needed. The child is then stopped, and
    /// its bill still counts.
    pub stop: CancellationToken,
    /// The parent's hooks that also apply to its children.
    pub hooks: HookSet,
    /// The journal store of the parent and its children.
    pub journals: Arc<dyn JournalStore>,
    /// The approver of the parent and its children.
    pub approver: Arc<dyn Approver>,
    pub(crate) hook_wants: HookReviewers,
    pub(crate) desk: Arc<RunMailbox>,
}

impl ChildLaunch {
    /// Reports the id of the child before it does anything. The parent records it, so that it can
    /// be found after a crash.
    ///
    /// # Errors
    /// [`HandleError`] if the parent is gone; then the child must not start.
    pub async fn started(&self, child: impl Into<String>) -> Result<(), HandleError> {
        let (kept, is_kept) = oneshot::channel();
        let fact = Input::ChildStarted { call: self.call, child: child.into() };
        self.desk.say(MailboxItem::Child(fact, kept))?;
        is_kept.await.map_err(|_| HandleError::Gone)
    }
}

/// Starts no children: every request fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullSpawner;

impl ChildSpawner for NullSpawner {
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult> {
        Box::pin(async move { child.not_run("this host starts no child runs").await })
    }
}
