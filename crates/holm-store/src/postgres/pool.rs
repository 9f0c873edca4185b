//! The connections of one process to one database: a few for queries, two that append, and one that
//! holds the leases. Stores of all schemas share them, so their number does not grow with the users
//! of a server.
//!
//! It opens none itself (`postgres/connector.rs` does) and holds no SQL except a time limit. It
//! also remembers which runs this process holds and when a lease was first seen to have ended;
//! leases are taken in `postgres/lease.rs`. A connection whose caller has gone in the middle of a
//! query is never used again. A connection must carry nothing over from one schema to the next
//! (`postgres/schema_connection.rs`).

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex as BlockingMutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_postgres::Client;

use super::{
    committer::{self, PostgresCommitJob, PostgresFollowUp},
    connector::{CommitDurability, PostgresConnector},
    failed,
    lease::{ProcessLease, RunLease},
    schema,
    schema_connection::{QueryActivity, SchemaConnection, SchemaName, SchemaTransaction},
};
use crate::{
    StoreError,
    backend::{RunNumber, StoreCounters},
};

/// Connections for queries at the most. PostgreSQL allows 100 in all by default, and each costs the
/// server memory; queries take milliseconds.
const MAX_QUERIES: usize = 8;
/// How long a query waits for a connection before it fails because the database is busy.
const CHECKOUT_TIME: Duration = Duration::from_secs(30);
/// How long another process waits after it first sees that a lease is lost, before it resumes a run
/// whose holder has not reported that it stopped. The holder notices within
/// [`lease::NOTICED`](super::lease::NOTICED), 8 s; its driver ends tools within 6 s; the rest is
/// for a busy machine.
pub(super) const HANDOVER_WAIT: Duration = Duration::from_secs(20);

/// Leases that are remembered as ended. One that is forgotten is waited for again.
const MAX_SIGHTINGS: usize = 1_024;

/// Connections to one PostgreSQL database, for the stores of all its schemas. Clones
/// are the same pool.
///
/// A process has at most eleven connections by a pool, however many stores it opens with
/// [`StoreOptions::postgres_on`](crate::StoreOptions::postgres_on). All runs that the process
/// drives depend on one of them, which holds the lease.
#[derive(Clone)]
pub struct PostgresPool {
    pub(super) inner: Arc<PostgresConnections>,
}

/// A session that was running, or for which a prompt waits, and that no process drives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedSession {
    /// The schema of its store; none is the usual one.
    pub schema: Option<String>,
    pub run: String,
}

impl PostgresPool {
    /// Connects to a database; the address is as for [`Store::postgres`](crate::Store::postgres).
    ///
    /// # Errors
    /// [`StoreError`]: the address is wrong, the database cannot be reached, or its tables cannot be made.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let reach = Arc::new(PostgresConnector::new(url)?);
        let counters = Arc::<StoreCounters>::default();
        let synced = committer::start(&reach, CommitDurability::Synced, &counters, None);
        let written = committer::start(&reach, CommitDurability::Written, &counters, Some(synced.clone()));
        let inner = PostgresConnections {
            reach,
            idle: Arc::default(),
            places: Arc::new(Semaphore::new(MAX_QUERIES)),
            synced,
            written,
            lease: Mutex::default(),
            held: BlockingMutex::default(),
            sightings: BlockingMutex::default(),
            handover: HANDOVER_WAIT,
            counters,
        };
        schema::make_shared(&mut inner.checkout(&SchemaName::default()).await?).await?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Changes how long this process waits before it resumes a run whose holder lost its lease and
    /// has not reported that it stopped (20 s). Shorter is safe only if the holder is known to be
    /// dead. For a pool that no store uses yet.
    #[must_use]
    pub fn handover_wait(mut self, wait: Duration) -> Self {
        if let Some(pool) = Arc::get_mut(&mut self.inner) {
            pool.handover = wait;
        }
        self
    }

    /// Sessions of all schemas that were running when their process ended or lost its lease, and
    /// that may be resumed now; the oldest first. One query, whose cost grows with the running
    /// sessions and not with the stores.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn parked(&self) -> Result<Vec<ParkedSession>, StoreError> {
        let usual = SchemaName::default();
        let checkout = self.inner.checkout(&usual).await?;
        let rows = super::lease::parked(&checkout.scoped()?).await?;
        drop(checkout);
        let is_free = |lease: &Option<i64>| lease.is_none_or(|lease| self.inner.is_over(lease));
        let free = rows.into_iter().filter(|(_, lease)| is_free(lease));
        Ok(free.map(|(session, _)| session).collect())
    }
}

impl fmt::Debug for PostgresPool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresPool").finish_non_exhaustive()
    }
}

/// The runs that this process holds, each with its lease.
pub(super) type LeasedRuns = HashMap<(SchemaName, RunNumber), Option<RunLease>>;

pub(super) struct PostgresConnections {
    pub(super) reach: Arc<PostgresConnector>,
    idle: Arc<BlockingMutex<Vec<Client>>>,
    places: Arc<Semaphore>,
    pub(super) synced: mpsc::UnboundedSender<PostgresCommitJob>,
    /// Jobs that must follow all appends go this way, and then the other.
    pub(super) written: mpsc::UnboundedSender<PostgresCommitJob>,
    /// The lease of this process, opened when a run is first held and again after a loss.
    pub(super) lease: Mutex<Option<Arc<ProcessLease>>>,
    /// The runs that are held here; none is one that is being taken.
    held: BlockingMutex<LeasedRuns>,
    /// When leases that have ended were first seen to have ended.
    sightings: BlockingMutex<HashMap<i64, Instant>>,
    pub(super) handover: Duration,
    pub(super) counters: Arc<StoreCounters>,
}

impl PostgresConnections {
    /// A connection for queries in a schema, given back when it is dropped.
    pub(super) async fn checkout<'a>(
        &self,
        schema: &'a SchemaName,
    ) -> Result<CheckedOutConnection<'a>, StoreError> {
        let busy = || StoreError::System { reason: "all connections to the database are in use".into() };
        let permit = tokio::time::timeout(CHECKOUT_TIME, Arc::clone(&self.places).acquire_owned());
        let permit = permit.await.map_err(|_| busy())?.map_err(|_| busy())?;
        let client = loop {
            let idle = lock(&self.idle).pop();
            match idle {
                Some(client) if client.is_closed() => {}
                Some(client) => break client,
                None => break self.reach.connect(CommitDurability::Synced).await?,
            }
        };
        Ok(CheckedOutConnection {
            client: Some(client),
            schema,
            under_way: QueryActivity::new(Arc::clone(&self.counters)),
            after: ConnectionReuse::Reuse,
            idle: Arc::clone(&self.idle),
            reach: Arc::clone(&self.reach),
            permit: Some(permit),
        })
    }

    pub(super) fn held(&self) -> MutexGuard<'_, LeasedRuns> {
        lock(&self.held)
    }

    /// Whether a lease ended so long ago that its holder has stopped. Remembers when it
    /// first saw the end.
    pub(super) fn is_over(&self, lease: i64) -> bool {
        let mut sightings = lock(&self.sightings);
        if sightings.len() >= MAX_SIGHTINGS {
            sightings.clear();
        }
        let since = sightings.entry(lease).or_insert_with(Instant::now);
        since.elapsed() >= self.handover
    }

    /// Waits until leases that were given back before are free: one that is taken again first would
    /// be deleted by the one that is given back late.
    pub(super) async fn released(&self) {
        let (done, passed) = oneshot::channel();
        if self.written.send(PostgresCommitJob::Last(PostgresFollowUp::Passed(done))).is_ok() {
            // Without an answer the committers have ended, which the next append reports.
            let _ = passed.await;
        }
    }
}

/// Whether a released connection is reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionReuse {
    Reuse,
    Close,
}

/// A connection for queries, given back when it is dropped. If its caller goes while a query runs,
/// the server is asked to stop the query, and the connection ends.
pub(super) struct CheckedOutConnection<'a> {
    client: Option<Client>,
    schema: &'a SchemaName,
    under_way: QueryActivity,
    after: ConnectionReuse,
    idle: Arc<BlockingMutex<Vec<Client>>>,
    reach: Arc<PostgresConnector>,
    permit: Option<OwnedSemaphorePermit>,
}

impl CheckedOutConnection<'_> {
    pub(super) fn scoped(&self) -> Result<SchemaConnection<'_>, StoreError> {
        let client = self.client.as_ref().ok_or_else(gone)?;
        Ok(SchemaConnection { client, schema: self.schema, under_way: &self.under_way })
    }

    pub(super) async fn transaction(&mut self) -> Result<SchemaTransaction<'_>, StoreError> {
        let Self { client, schema, under_way, .. } = self;
        let client = client.as_mut().ok_or_else(gone)?;
        let transaction = under_way.during(client.transaction()).await.map_err(failed)?;
        Ok(SchemaTransaction { transaction, schema, under_way })
    }

    /// Lets statements take as long as they need; the connection is not used again.
    pub(super) async fn without_time_limit(&mut self) -> Result<(), StoreError> {
        self.after = ConnectionReuse::Close;
        self.scoped()?.batch_execute("SET statement_timeout = 0").await.map_err(failed)
    }
}

impl Drop for CheckedOutConnection<'_> {
    fn drop(&mut self) {
        let Some(client) = self.client.take().filter(|client| !client.is_closed()) else { return };
        if !self.under_way.is_set() {
            if self.after == ConnectionReuse::Reuse {
                lock(&self.idle).push(client);
            }
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (reach, permit) = (Arc::clone(&self.reach), self.permit.take());
        runtime.spawn(async move {
            reach.cancel(client.cancel_token()).await;
            // Only now, so that there are never more connections than places.
            drop((client, permit));
        });
    }
}

/// The error for a connection that was already released.
fn gone() -> StoreError {
    StoreError::System { reason: "the connection was already returned".into() }
}

/// Nothing under these locks can be left incomplete, so a poisoned lock is safe to use.
fn lock<T>(mutex: &BlockingMutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
