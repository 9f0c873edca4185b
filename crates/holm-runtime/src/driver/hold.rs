//! Keeps the right to write a run's journal until the run's last call has ended.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use crate::{BoxFuture, Durability, Journal, JournalFailed};

/// How long a host waits for calls of a run that was dropped in this process before it is told that the run is busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// The runs of this process whose journals wait for calls to end, and how many drivers left each behind.
static PENDING: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Rings whenever one of them was let go.
static RELEASED: Notify = Notify::const_new();

/// Held by every call that acts. A driver that is dropped hands its journal over, and the last holder lets it go: until
/// then no other host can take the run over and run the same call beside it.
#[derive(Clone, Default)]
pub(crate) struct JournalHold(Arc<Slot>);

#[derive(Default)]
struct Slot(Mutex<Option<HandedOver>>);

/// A journal without a driver.
struct HandedOver {
    run: String,
    journal: Box<dyn Journal>,
}

impl JournalHold {
    /// Leaves the journal to the calls that hold this. Without any it is let go at once, with the driver's own hold.
    pub(super) fn hand_over(&self, run: &str, journal: &mut Box<dyn Journal>) {
        let journal = std::mem::replace(journal, Box::new(NoJournal));
        *pending().entry(run.to_owned()).or_default() += 1;
        let handed_over = HandedOver { run: run.to_owned(), journal };
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(handed_over);
    }
}

impl fmt::Debug for JournalHold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("JournalHold").finish_non_exhaustive()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let handed_over = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(HandedOver { run, journal }) = handed_over else { return };
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

/// Waits, for a while, until calls of a run that was dropped in this process have ended: to be done before its journal
/// is opened.
pub(crate) async fn released(run: &str) {
    if !pending().contains_key(run) {
        return;
    }
    let wait = async {
        loop {
            let released = RELEASED.notified();
            tokio::pin!(released);
            // From here on no ring is missed.
            released.as_mut().enable();
            if !pending().contains_key(run) {
                return;
            }
            released.await;
        }
    };
    // Whether they have ended or not, opening the journal says so.
    let _ = tokio::time::timeout(PATIENCE, wait).await;
}

/// Nothing here can be left half done, so a panic elsewhere does no harm.
fn pending() -> MutexGuard<'static, BTreeMap<String, u64>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stands where the journal was.
struct NoJournal;

impl Journal for NoJournal {
    fn append<'a>(&'a mut self, _: &'a str, _: Durability) -> BoxFuture<'a, Result<(), JournalFailed>> {
        let reason = "the run is being let go".to_owned();
        Box::pin(async move { Err(JournalFailed::System { reason }) })
    }
}
