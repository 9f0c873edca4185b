//! The approvals that wait until the editor asks for them. Those of one reply come at almost the
//! same time and become one request (`editor_user.rs`). What an answer to several means is in
//! `approve/question_group.rs`.
//!
//! Each approval keeps its own answer, and can be withdrawn by itself.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holm::kernel::Proposal;
use holm_tools::shell::{ApprovalAnswer, ApprovalOffer};
use tokio::sync::oneshot;

/// The waiting approvals. Clones share them.
#[derive(Clone, Default)]
pub(super) struct PermissionPool(Arc<Mutex<Vec<WaitingPermission>>>);

/// An approval that waits for its answer.
pub(super) struct WaitingPermission {
    pub(super) proposal: Proposal,
    pub(super) offer: ApprovalOffer,
    answer: oneshot::Sender<ApprovalAnswer>,
}

/// Whether another task already gathers the approvals of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolTurn {
    /// This is the first one, so its caller must ask.
    First,
    /// It is asked together with an earlier one.
    Later,
}

impl PermissionPool {
    /// Adds an approval. Its answer arrives at the receiver.
    pub(super) fn add(
        &self,
        proposal: Proposal,
        offer: ApprovalOffer,
    ) -> (oneshot::Receiver<ApprovalAnswer>, PoolTurn) {
        let (answer, receiver) = oneshot::channel();
        let mut waiting = self.waiting();
        let turn = if waiting.is_empty() { PoolTurn::First } else { PoolTurn::Later };
        waiting.push(WaitingPermission { proposal, offer, answer });
        (receiver, turn)
    }

    /// Takes all that wait now, in the order of their calls.
    pub(super) fn take(&self) -> Vec<WaitingPermission> {
        let mut taken = std::mem::take(&mut *self.waiting());
        taken.sort_by_key(|waiting| waiting.proposal.tool_call);
        taken
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<WaitingPermission>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingPermission {
    /// Whether the call no longer waits: it was stopped, or answered elsewhere.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.answer.is_closed()
    }

    /// Returns when the call no longer waits.
    pub(super) async fn withdrawn(&mut self) {
        self.answer.closed().await;
    }

    pub(super) fn reply(self, answer: ApprovalAnswer) {
        // Fails if it was withdrawn.
        let _ = self.answer.send(answer);
    }
}
