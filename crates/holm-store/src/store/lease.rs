//! Leases of a store: who may drive a run. Within one store and its clones, a list decides; between
//! stores and processes, the database does.
//!
//! The database's part is in `sqlite/leases.rs` and `postgres/lease.rs`. A lease that is being
//! taken is taken to the end even if the caller has gone, because a half-taken one would be held
//! forever. It is released when its owner is dropped.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use super::StoreInner;
use crate::{
    StoreError,
    backend::{RunNumber, RunOrigin, RunRow},
};

/// The runs that are driven through this store.
#[derive(Default)]
pub(crate) struct DrivenRuns(Mutex<BTreeSet<RunNumber>>);

impl DrivenRuns {
    fn take(&self, run: RunNumber) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(run)
    }

    fn give_back(&self, run: RunNumber) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
    }
}

/// The right to drive a run, released when it is dropped. A process that dies
/// releases all its leases.
pub(crate) struct DriveLease {
    inner: Arc<StoreInner>,
    run: RunNumber,
}

impl DriveLease {
    /// Takes the lease of an existing run.
    pub(crate) async fn take(inner: &Arc<StoreInner>, run: &RunRow) -> Result<Self, StoreError> {
        if !inner.held.take(run.no) {
            return Err(StoreError::Busy { run: run.id.clone(), holder: "this process".into() });
        }
        let (inner, run) = (Arc::clone(inner), run.clone());
        to_the_end(async move {
            match inner.backend.hold(&run).await {
                Ok(()) => Ok(Self { run: run.no, inner }),
                Err(error) => {
                    inner.held.give_back(run.no);
                    Err(error)
                }
            }
        })
        .await
    }

    /// Makes a run together with its lease.
    pub(super) async fn create(
        inner: &Arc<StoreInner>,
        run: &str,
        key: Option<Vec<u8>>,
        now: u64,
    ) -> Result<Self, StoreError> {
        let (inner, run) = (Arc::clone(inner), run.to_owned());
        to_the_end(async move {
            let no = inner.backend.create(&run, key.as_deref(), now, RunOrigin::Driven).await?;
            inner.held.take(no);
            Ok(Self { inner, run: no })
        })
        .await
    }

    pub(super) fn run(&self) -> RunNumber {
        self.run
    }

    pub(super) fn inner(&self) -> &Arc<StoreInner> {
        &self.inner
    }
}

impl Drop for DriveLease {
    fn drop(&mut self) {
        self.inner.backend.release(self.run);
        self.inner.held.give_back(self.run);
    }
}

/// Finishes the work even if the caller has stopped waiting. A half-taken lease would be held for
/// ever without an owner; a fully taken one is given back when its owner is dropped.
pub(super) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(error) => Err(StoreError::System { reason: error.to_string() }),
    }
}
