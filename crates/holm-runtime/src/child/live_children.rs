//! The registry of running children, for user interfaces, and the slots that limit how many run at
//! once.
//!
//! It only lists: children are started in `child/child_execution.rs`, and nothing here survives the
//! process. Each parent has its own slots, because a child that waits for a slot of its parent
//! would wait forever.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::Semaphore;

use crate::RunHandle;

/// A child that is running.
#[derive(Debug, Clone)]
pub struct LiveChild {
    /// The name of its run.
    pub id: String,
    /// The run that requested it.
    pub parent: String,
    pub helper: String,
    /// Steers, cancels and watches it, and answers its questions. Messages to its parent do not
    /// reach it, except a cancel.
    pub handle: RunHandle,
}

/// The state that the children of one set of helpers share.
#[derive(Debug, Default)]
pub(super) struct ChildRegistry {
    live: Mutex<BTreeMap<String, LiveChild>>,
    places: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

impl ChildRegistry {
    /// The running children, by id.
    pub(super) fn live(&self) -> Vec<LiveChild> {
        lock(&self.live).values().cloned().collect()
    }

    pub(super) fn find(&self, id: &str) -> Option<LiveChild> {
        lock(&self.live).get(id).cloned()
    }

    /// Lists a child until the guard is dropped.
    pub(super) fn show(self: &Arc<Self>, child: LiveChild) -> LiveChildGuard {
        let id = child.id.clone();
        lock(&self.live).insert(id.clone(), child);
        LiveChildGuard { shared: Arc::clone(self), id }
    }

    /// The slots for the children of one parent. Each parent has its own: a child that waits for a
    /// slot of its parent's would wait forever.
    pub(super) fn places(&self, parent: &str, most: usize) -> Arc<Semaphore> {
        let mut places = lock(&self.places);
        if let Some(known) = places.get(parent).and_then(Weak::upgrade) {
            return known;
        }
        places.retain(|_, semaphore| semaphore.strong_count() > 0);
        let fresh = Arc::new(Semaphore::new(most));
        places.insert(parent.to_owned(), Arc::downgrade(&fresh));
        fresh
    }
}

/// Removes a child from the list when it has ended or was dropped.
pub(super) struct LiveChildGuard {
    shared: Arc<ChildRegistry>,
    id: String,
}

impl Drop for LiveChildGuard {
    fn drop(&mut self) {
        lock(&self.shared.live).remove(&self.id);
    }
}

/// Every change here is a single step, so a panic elsewhere leaves no partial state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
