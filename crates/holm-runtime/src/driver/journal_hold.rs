//! Keeps the right to write a run's journal until the run's last call has ended.
//!
//! A dropped driver cannot stop a blocking call at once. If the journal were free, another host
//! could resume the run and run the same call in parallel. So the calls hold the journal, and the
//! last one releases it. Leases that are lost to another process are handled in `driver/lease.rs`;
//! locks are in `journal/folder.rs` and in the store.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use crate::{BoxFuture, Durability, Journal, JournalStorageError};

/// How long a host waits for the calls of a dropped run in this process before it reports
/// the run as busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// The runs of this process whose journals wait for calls to end, with the number of drivers
/// that left each one.
static PENDING: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Notifies when one of them was released.
static RELEASED: Notify = Notify::const_new();

/// Held by every call that acts. A dropped driver hands its journal over, and the last holder
/// releases it. Until then no other host can take the run over and run the same call in parallel.
#[derive(Clone, Default)]
pub(crate) struct JournalHold(Arc<HoldSlot>);

#[derive(Default)]
struct HoldSlot(Mutex<Option<OrphanJournal>>);

/// A journal without a driver.
struct OrphanJournal {
    run: String,
    journal: Box<dyn Journal>,
}

impl JournalHold {
    /// Hands the journal to the calls that hold this. Without any, it is released at once.
    pub(super) fn hand_over(&self, run: &str, journal: &mut Box<dyn Journal>) {
        let journal = std::mem::replace(journal, Box::new(ClosedJournal));
        *pending().entry(run.to_owned()).or_default() += 1;
        let handed_over = OrphanJournal { run: run.to_owned(), journal };
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(handed_over);
    }
}

impl fmt::Debug for JournalHold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("JournalHold").finish_non_exhaustive()
    }
}

impl Drop for HoldSlot {
    fn drop(&mut self) {
        let handed_over = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(OrphanJournal { run, journal }) = handed_over else { return };
        drop(journal);
        let mut pending = pending();
        if let Some(count) = pending.get_mut(&run) {
            *count -= 1;
            if *count == 0 {
                pending.remove(&run);
            }
        }
        drop(pending);
        RELEASED.notify_waiters();
    }
}

/// Waits for a while until the calls of a dropped run in this process have ended. Call it
/// before opening the journal.
pub(crate) async fn released(run: &str) {
    if !pending().contains_key(run) {
        return;
    }
    let wait = async {
        loop {
            let released = RELEASED.notified();
            tokio::pin!(released);
            // From here on no notification is missed.
            released.as_mut().enable();
            if !pending().contains_key(run) {
                return;
            }
            released.await;
        }
    };
    // If they have not ended, opening the journal reports it.
    let _ = tokio::time::timeout(PATIENCE, wait).await;
}

/// Every change here is a single step, so a poisoned lock is safe to use.
fn pending() -> MutexGuard<'static, BTreeMap<String, u64>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The placeholder for a journal that was handed over.
struct ClosedJournal;

impl Journal for ClosedJournal {
    fn append<'a>(&'a mut self, _: &'a str, _: Durability) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        let reason = "the run is being closed".to_owned();
        Box::pin(async move { Err(JournalStorageError::System { reason }) })
    }
}
