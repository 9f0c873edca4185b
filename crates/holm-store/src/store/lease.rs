//! Who drives a run. Between processes the database decides; within this one, this list does.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use super::Inner;
use crate::{
    StoreError,
    backend::{RunNo, RunRow},
};

/// The runs that this process drives.
#[derive(Default)]
pub(crate) struct Held(Mutex<BTreeSet<RunNo>>);

impl Held {
    fn take(&self, run: RunNo) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(run)
    }

    fn give_back(&self, run: RunNo) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
    }

    pub(crate) fn holds(&self, run: RunNo) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&run)
    }
}

/// The right to drive a run, given back when it is dropped. A process that dies gives back everything it held.
pub(super) struct Lease {
    inner: Arc<Inner>,
    run: RunNo,
}

impl Lease {
    /// Takes the lease of a run that is there.
    pub(super) async fn take(inner: &Arc<Inner>, run: &RunRow) -> Result<Self, StoreError> {
        if !inner.held.take(run.no) {
            return Err(StoreError::Busy { run: run.id.clone(), holder: "this process".into() });
        }
        if let Err(error) = inner.backend.hold(run).await {
            inner.held.give_back(run.no);
            return Err(error);
        }
        Ok(Self { inner: Arc::clone(inner), run: run.no })
    }

    /// The lease of a run that was made with it.
    pub(super) fn born(inner: &Arc<Inner>, run: RunNo) -> Self {
        inner.held.take(run);
        Self { inner: Arc::clone(inner), run }
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.inner.backend.release(self.run);
        self.inner.held.give_back(self.run);
    }
}
