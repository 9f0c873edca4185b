//! The registry of running children, for user interfaces.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::Semaphore;

use crate::Handle;

/// A child that is at work.
#[derive(Debug, Clone)]
pub struct LiveChild {
    /// The name of its run.
    pub id: String,
    /// The run that asked for it.
    pub parent: String,
    pub helper: String,
    /// Steers it, stops it, answers what it asks, watches it. Nothing that is said to its parent reaches it, except
    /// that it is stopped.
    pub handle: Handle,
}

/// What the children of one set of helpers share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    live: Mutex<BTreeMap<String, LiveChild>>,
    places: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

impl Shared {
    /// The children at work, by id.
    pub(super) fn live(&self) -> Vec<LiveChild> {
        lock(&self.live).values().cloned().collect()
    }

    pub(super) fn find(&self, id: &str) -> Option<LiveChild> {
        lock(&self.live).get(id).cloned()
    }

    /// Shows a child until the guard goes.
    pub(super) fn show(self: &Arc<Self>, child: LiveChild) -> Shown {
        let id = child.id.clone();
        lock(&self.live).insert(id.clone(), child);
        Shown { shared: Arc::clone(self), id }
    }

    /// The places of one parent's children. They are counted for each parent: a child that waits for a place of its
    /// own parent's would wait forever.
    pub(super) fn places(&self, parent: &str, most: usize) -> Arc<Semaphore> {
        let mut places = lock(&self.places);
        if let Some(known) = places.get(parent).and_then(Weak::upgrade) {
            return known;
        }
        places.retain(|_, place| place.strong_count() > 0);
        let fresh = Arc::new(Semaphore::new(most));
        places.insert(parent.to_owned(), Arc::downgrade(&fresh));
        fresh
    }
}

/// Takes a child off the list when it has ended or was dropped.
pub(super) struct Shown {
    shared: Arc<Shared>,
    id: String,
}

impl Drop for Shown {
    fn drop(&mut self) {
        lock(&self.shared.live).remove(&self.id);
    }
}

/// Every change here is one step, so a panic elsewhere leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
