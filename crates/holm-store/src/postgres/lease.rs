//! Leases in PostgreSQL: which process may drive which run. Each process holds one lock of the
//! database, through a connection that does nothing else. A run's row in `holmdb_leases` names the
//! lock of its holder. The lock ends with the connection, so other processes notice a holder that
//! died or lost its connection. A holder that lost its connection stops its runs and deletes their
//! rows. Other processes wait for a run whose row stays.
//!
//! A lease is released in `postgres/committer.rs`, after the appends. How long others wait is in
//! `postgres/pool.rs`; that time must be longer than a holder needs to notice the loss and to stop,
//! or two processes could drive one run. Within one store, `store/lease.rs` decides. SQLite's
//! leases are in `sqlite/leases.rs`.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_postgres::Client;

use super::{
    PostgresBackend,
    committer::{LeaseRelease, PostgresCommitJob, PostgresFollowUp},
    connector::{CommitDurability, PostgresConnector},
    failed,
    pool::{HANDOVER_WAIT, ParkedSession, PostgresConnections},
    schema_connection::{SchemaConnection, SchemaName},
};
use crate::{
    StoreError,
    backend::{RunNumber, RunRow},
};

/// How often a process checks that the connection of its lease is alive. A server
/// that vanished closes nothing.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// How many heartbeats to wait for an answer. Not one wait three times as long: a process that was
/// suspended finds all its time passed, and the answer not yet read.
const PATIENCE: u32 = 3;
/// The longest that a process takes to notice that its lease is lost.
pub(super) const NOTICED: Duration = HEARTBEAT.saturating_mul(1 + PATIENCE);
/// The longest that a driver takes to end its tools after the loss: five seconds to end by
/// themselves, one to be dropped.
const STOPPED: Duration = Duration::from_secs(6);
const _: () = assert!(HANDOVER_WAIT.as_secs() > NOTICED.as_secs() + STOPPED.as_secs());

/// How long a lease may still seem held after its process was killed: the server has to notice.
const SERVER_NOTICE: Duration = Duration::from_millis(300);
/// The number of checks within that time.
const LOOKS: u32 = 6;
/// How often to check whether a holder that lost its lease has reported that it stopped.
const HANDOVER_LOOK: Duration = Duration::from_millis(250);

/// Locks of leases that are held now, by the whole database.
pub(super) const ALIVE: &str = "WITH alive AS MATERIALIZED (
    SELECT ((l.classid::int8 << 32) | l.objid::int8) AS lease FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))";

/// The lease of this process: alive as long as its connection is.
pub(super) struct ProcessLease {
    pub(super) id: i64,
    lost: watch::Receiver<bool>,
}

impl ProcessLease {
    pub(super) async fn open(reach: &PostgresConnector) -> Result<Self, StoreError> {
        let (client, ended) = reach.connect_watched(CommitDurability::Synced).await?;
        client.batch_execute(&watched_by_server()).await.map_err(failed)?;
        let id = new_id()?;
        client.execute("SELECT pg_advisory_lock($1)", &[&id]).await.map_err(failed)?;
        let (lose, lost) = watch::channel(false);
        tokio::spawn(keep(client, ended, lose));
        Ok(Self { id, lost })
    }

    pub(super) fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    /// Ends when the lease is lost.
    pub(super) fn loss(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let mut lost = self.lost.clone();
        async move {
            // Without a sender nothing watches the connection any more, which is as bad.
            let _ = lost.wait_for(|lost| *lost).await;
        }
    }
}

/// The right to drive one run.
#[derive(Clone)]
pub(super) struct RunLease {
    pub(super) server: Arc<ProcessLease>,
    /// Names this right among all that were ever had to the run, so that one that is given back
    /// late is not mistaken for the next one.
    pub(super) hold: i64,
}

impl RunLease {
    pub(super) fn new(server: Arc<ProcessLease>) -> Result<Self, StoreError> {
        Ok(Self { server, hold: new_id()? })
    }

    pub(super) fn is_lost(&self) -> bool {
        self.server.is_lost()
    }
}

/// Holds the connection of a lease until it is lost or not needed any more.
async fn keep(client: Client, mut ended: JoinHandle<()>, lose: watch::Sender<bool>) {
    loop {
        tokio::select! {
            _ = &mut ended => break,
            () = lose.closed() => return,
            () = sleep(HEARTBEAT) => {}
        }
        if !answers(client.batch_execute("")).await {
            break;
        }
    }
    lose.send_replace(true);
}

/// Makes the server send keepalive probes, so that it frees the lock of a process whose machine has
/// vanished. With its own settings that takes two hours. A heartbeat comes before the first probe,
/// so a live process is never probed. Has no effect on a connection that is not TCP.
fn watched_by_server() -> String {
    let (idle, unheard) = (2 * HEARTBEAT.as_secs(), NOTICED.as_millis());
    let (interval, count) = (HEARTBEAT.as_secs(), PATIENCE);
    format!(
        "SET tcp_keepalives_idle = {idle}; SET tcp_keepalives_interval = {interval};
         SET tcp_keepalives_count = {count}; SET tcp_user_timeout = {unheard}"
    )
}

/// Whether the server answers in time.
async fn answers(question: impl Future<Output = Result<(), tokio_postgres::Error>>) -> bool {
    let mut question = std::pin::pin!(question);
    for _ in 0..PATIENCE {
        if let Ok(answer) = timeout(HEARTBEAT, &mut question).await {
            return answer.is_ok();
        }
    }
    false
}

/// A random number that no other process has.
fn new_id() -> Result<i64, StoreError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::System { reason: error.to_string() })?;
    Ok(i64::from_le_bytes(bytes) & i64::MAX)
}

/// The state of the lease on a run.
enum LeaseStatus {
    Free,
    /// It is of this process, which does not hold the run: giving it back has failed so far.
    Left {
        hold: i64,
    },
    Alive {
        holder: String,
    },
    Ended {
        lease: i64,
        hold: i64,
    },
}

impl PostgresBackend {
    /// The lease of this process, taken again if it was lost.
    pub(super) async fn server_lease(&self) -> Result<Arc<ProcessLease>, StoreError> {
        let mut lease = self.pool.lease.lock().await;
        match &*lease {
            Some(lease) if !lease.is_lost() => Ok(Arc::clone(lease)),
            _ => {
                let opened = Arc::new(ProcessLease::open(&self.pool.reach).await?);
                *lease = Some(Arc::clone(&opened));
                Ok(opened)
            }
        }
    }

    /// The lease under which this process holds a run.
    pub(super) fn held_by(&self, run: RunNumber) -> Option<RunLease> {
        self.pool.held().get(&(self.schema.clone(), run)).cloned().flatten()
    }

    pub(super) fn note_held(&self, run: RunNumber, lease: RunLease) {
        self.pool.held().insert((self.schema.clone(), run), Some(lease));
    }

    /// Takes the lease on a run. If its last holder lost the lease and has not reported that it
    /// stopped, waits until it has.
    pub(super) async fn take_lease(&self, run: &RunRow) -> Result<(), StoreError> {
        let taking = LeaseAcquisition::begin(&self.pool, &self.schema, run)?;
        self.pool.released().await;
        let lease = RunLease::new(self.server_lease().await?)?;
        let mut looks = LOOKS;
        loop {
            match self.find_lease(run.no, &lease).await? {
                LeaseStatus::Left { hold } => {
                    if self.replace_lease(run.no, &lease, hold).await? {
                        break;
                    }
                }
                LeaseStatus::Free => {
                    if self.insert_lease(run.no, &lease).await? {
                        break;
                    }
                }
                LeaseStatus::Alive { holder } if looks == 0 => {
                    return Err(StoreError::Busy { run: run.id.clone(), holder });
                }
                LeaseStatus::Alive { .. } => {
                    looks -= 1;
                    sleep(SERVER_NOTICE / LOOKS).await;
                }
                LeaseStatus::Ended { lease: ended, hold } => {
                    if !self.pool.is_over(ended) {
                        sleep(HANDOVER_LOOK.min(self.pool.handover)).await;
                    } else if self.replace_lease(run.no, &lease, hold).await? {
                        break;
                    }
                }
            }
        }
        taking.done(lease);
        Ok(())
    }

    async fn find_lease(&self, run: RunNumber, own: &RunLease) -> Result<LeaseStatus, StoreError> {
        let sql = format!(
            "{ALIVE} SELECT l.lease, l.hold, l.holder, l.lease IN (SELECT lease FROM alive)
             FROM holmdb_leases l WHERE l.schema = :schema AND l.run = $1"
        );
        let Some(row) = self.row(&sql, &[&run.0]).await? else { return Ok(LeaseStatus::Free) };
        let (lease, hold): (i64, i64) = (row.get(0), row.get(1));
        Ok(match (lease == own.server.id, row.get(3)) {
            (true, _) => LeaseStatus::Left { hold },
            (false, true) => LeaseStatus::Alive { holder: row.get(2) },
            (false, false) => LeaseStatus::Ended { lease, hold },
        })
    }

    async fn insert_lease(&self, run: RunNumber, own: &RunLease) -> Result<bool, StoreError> {
        self.changes(INSERT_LEASE, &[&run.0, &own.server.id, &own.hold, &holder()]).await
    }

    /// Replaces a lease that has ended, unless another process did so first.
    async fn replace_lease(&self, run: RunNumber, own: &RunLease, ended: i64) -> Result<bool, StoreError> {
        let sql = "UPDATE holmdb_leases SET lease = $2, hold = $3, holder = $4
             WHERE schema = :schema AND run = $1 AND hold = $5";
        self.changes(sql, &[&run.0, &own.server.id, &own.hold, &holder(), &ended]).await
    }

    /// Releases the lease on a run, after all earlier appends. After a loss it also reports that
    /// the run has stopped here.
    pub(super) fn give_back(&self, run: RunNumber) {
        let key = (self.schema.clone(), run);
        let mut held = self.pool.held();
        let Some(lease) = held.get(&key).cloned().flatten() else { return };
        let schema = key.0.clone();
        // Before the run is free in this process, so that the next holder here waits for it.
        let _ = self
            .pool
            .written
            .send(PostgresCommitJob::Last(PostgresFollowUp::Release(LeaseRelease::new(schema, run, lease))));
        held.remove(&key);
    }
}

/// Adds the lease on a run that no process holds.
pub(super) const INSERT_LEASE: &str = "INSERT INTO holmdb_leases (schema, run, lease, hold, holder)
     VALUES (:schema, $1, $2, $3, $4) ON CONFLICT DO NOTHING";

/// A run whose lease is being taken in this process: no other store of the pool takes it meanwhile.
/// The database would not object, because all of them have the same lease.
struct LeaseAcquisition<'a> {
    pool: &'a PostgresConnections,
    key: Option<(SchemaName, RunNumber)>,
}

impl<'a> LeaseAcquisition<'a> {
    fn begin(pool: &'a PostgresConnections, schema: &SchemaName, run: &RunRow) -> Result<Self, StoreError> {
        let key = (schema.clone(), run.no);
        let mut held = pool.held();
        if held.contains_key(&key) {
            return Err(StoreError::Busy { run: run.id.clone(), holder: "this process".into() });
        }
        held.insert(key.clone(), None);
        drop(held);
        Ok(Self { pool, key: Some(key) })
    }

    fn done(mut self, lease: RunLease) {
        if let Some(key) = self.key.take() {
            self.pool.held().insert(key, Some(lease));
        }
    }
}

impl Drop for LeaseAcquisition<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.pool.held().remove(&key);
        }
    }
}

/// The name of this process for users.
pub(super) fn holder() -> String {
    format!("process {}", std::process::id())
}

/// Sessions at work that no process drives, the oldest first, each with the lease that its
/// last holder has lost.
pub(super) async fn parked(
    scoped: &SchemaConnection<'_>,
) -> Result<Vec<(ParkedSession, Option<i64>)>, StoreError> {
    let sql = format!(
        "{ALIVE} SELECT w.schema, w.id, l.lease FROM holmdb_at_work w
         LEFT JOIN holmdb_leases l ON l.schema = w.schema AND l.run = w.run
         WHERE l.lease IS NULL OR l.lease NOT IN (SELECT lease FROM alive)
         GROUP BY w.schema, w.id, l.lease ORDER BY min(w.since), w.id"
    );
    let rows = scoped.query(&sql, &[]).await.map_err(failed)?;
    let parked = rows.iter().map(|row| {
        let schema: String = row.get(0);
        let schema = Some(schema).filter(|name| !name.is_empty());
        (ParkedSession { schema, run: row.get(1) }, row.get(2))
    });
    Ok(parked.collect())
}

#[cfg(test)]
mod tests;
