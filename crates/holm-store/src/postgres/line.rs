//! The two connections that append, and what waits for them. They come and go together: a lease is worth something as long as
//! the connection lives that took it.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Client;

use super::{
    committer::{self, Committer, Job, Last},
    lock_of,
    reach::Reach,
};
use crate::{
    StoreError,
    backend::{Counters, RunNo},
};

/// The connections that append.
pub(super) struct Line {
    /// Has `synchronous_commit` on, and the leases.
    pub(super) safe: Arc<Client>,
    pub(super) synced: mpsc::UnboundedSender<Job>,
    /// What is to be done after all that was appended goes this way, and then the other.
    pub(super) written: mpsc::UnboundedSender<Job>,
}

impl Line {
    pub(super) async fn open(
        reach: &Reach,
        locks: i32,
        counters: &Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let safe = Arc::new(reach.connect("on").await?);
        let fast = Arc::new(reach.connect("off").await?);
        let start = |client: Arc<Client>, syncs, next| {
            let (lease, counters) = (Arc::clone(&safe), Arc::clone(counters));
            committer::start(Committer { client, lease, locks, syncs, counters, next })
        };
        let synced = start(Arc::clone(&safe), 1, None);
        let written = start(fast, 0, Some(synced.clone()));
        Ok(Self { safe, synced, written })
    }

    /// Whether the leases are gone.
    pub(super) fn is_lost(&self) -> bool {
        self.safe.is_closed()
    }

    /// Gives the lease of a run back, after what was appended before.
    pub(super) fn release(&self, run: RunNo) {
        if let Ok(lock) = lock_of(run) {
            // Nobody there means that the connection is lost, and the lock with it.
            let _ = self.written.send(Job::Last(Last::Release { run, lock }));
        }
    }

    /// Waits until leases that were given back before are free: one that is taken again first would lose its holder's name to
    /// the one that is given back late.
    pub(super) async fn released(&self) {
        let (done, passed) = oneshot::channel();
        if self.written.send(Job::Last(Last::Passed(done))).is_ok() {
            // Where nobody answers there is no connection any more, which whoever asks next is told.
            let _ = passed.await;
        }
    }
}
