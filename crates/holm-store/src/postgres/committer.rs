//! Group commit. A connection does one thing at a time, so all waiting appends go into one
//! statement, across schemas.
//!
//! There are two committers, one of which waits for the server's disk; `postgres/pool.rs` starts
//! them and `postgres/backend.rs` chooses. An append whose lease is lost is refused. A lease is
//! released after all earlier appends of both, because the next holder must find them. If a group
//! fails, each append is tried alone. Who may take a lease is decided in `postgres/lease.rs`.
//! SQLite has its own committer (`sqlite/committer.rs`).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, types::ToSql};

use super::{
    connector::{CommitDurability, PostgresConnector},
    failed,
    lease::RunLease,
    schema_connection::SchemaName,
    signed,
};
use crate::{
    StoreError,
    backend::{RecordBatch, RunNumber, StoreCounters},
};

/// Batches of one group at the most, so that the first to come does not wait forever.
const GROUP: usize = 1_024;
/// The most schemas of one statement: the server plans it each time, and the plan grows with them.
const MAX_SCHEMAS: usize = 64;
/// The pause before another attempt to release a lease.
const RELEASE_PAUSE: Duration = Duration::from_secs(1);
/// The number of attempts. Other processes wait about as long for a holder that has not
/// reported that it stopped.
const RELEASE_TRIES: u32 = 20;

/// Something to be done in order.
pub(super) enum PostgresCommitJob {
    Append(PostgresAppend),
    Last(PostgresFollowUp),
}

/// Lines of one run that are to be kept, as long as its lease is held.
pub(super) struct PostgresAppend {
    pub(super) schema: SchemaName,
    pub(super) lease: RunLease,
    pub(super) rows: RecordRows,
    pub(super) done: oneshot::Sender<Result<(), StoreError>>,
}

/// Something to be done after everything that was to be appended before it.
pub(super) enum PostgresFollowUp {
    Release(LeaseRelease),
    /// Reports that all earlier jobs are done.
    Passed(oneshot::Sender<()>),
}

/// A lease that is given back.
pub(super) struct LeaseRelease {
    pub(super) schema: SchemaName,
    pub(super) run: RunNumber,
    pub(super) lease: RunLease,
    /// The attempts that are left.
    tries: u32,
}

impl LeaseRelease {
    pub(super) const fn new(schema: SchemaName, run: RunNumber, lease: RunLease) -> Self {
        Self { schema, run, lease, tries: RELEASE_TRIES }
    }
}

/// Lines as the server takes them.
#[derive(Default)]
pub(super) struct RecordRows {
    runs: Vec<i64>,
    seqs: Vec<i64>,
    lines: Vec<Vec<u8>>,
}

impl RecordRows {
    pub(super) fn of(batch: &RecordBatch<'_>) -> Self {
        let mut rows = Self::default();
        for (seq, body) in (batch.first..).zip(&batch.bodies) {
            rows.runs.push(batch.run.0);
            rows.seqs.push(signed(seq));
            rows.lines.push(body.bytes().to_vec());
        }
        rows
    }

    fn add(&mut self, other: &Self) {
        self.runs.extend_from_slice(&other.runs);
        self.seqs.extend_from_slice(&other.seqs);
        self.lines.extend_from_slice(&other.lines);
    }
}

/// Appends through one connection, which is made when it is first needed and again
/// after it was lost.
struct PostgresCommitter {
    reach: Arc<PostgresConnector>,
    client: Option<Client>,
    commit: CommitDurability,
    counters: Arc<StoreCounters>,
    /// The committer that does final jobs after this one; `None` if this one does them.
    next: Option<mpsc::UnboundedSender<PostgresCommitJob>>,
    /// Takes failed jobs for another attempt.
    own: mpsc::WeakUnboundedSender<PostgresCommitJob>,
}

pub(super) fn start(
    reach: &Arc<PostgresConnector>,
    commit: CommitDurability,
    counters: &Arc<StoreCounters>,
    next: Option<mpsc::UnboundedSender<PostgresCommitJob>>,
) -> mpsc::UnboundedSender<PostgresCommitJob> {
    let (sender, mut jobs) = mpsc::unbounded_channel();
    let (reach, counters) = (Arc::clone(reach), Arc::clone(counters));
    let own = sender.downgrade();
    let mut committer = PostgresCommitter { reach, client: None, commit, counters, next, own };
    tokio::spawn(async move {
        let mut group = Vec::new();
        while jobs.recv_many(&mut group, GROUP).await > 0 {
            committer.do_all(&mut group).await;
        }
    });
    sender
}

impl PostgresCommitter {
    async fn do_all(&mut self, group: &mut Vec<PostgresCommitJob>) {
        let (mut waiting, mut last) = (BTreeMap::<SchemaName, Vec<PostgresAppend>>::new(), Vec::new());
        for job in group.drain(..) {
            match job {
                PostgresCommitJob::Append(append) => {
                    if let Some(append) = held(append) {
                        waiting.entry(append.schema.clone()).or_default().push(append);
                    }
                }
                PostgresCommitJob::Last(then) => last.push(then),
            }
        }
        // Appends come first: the next holder of the lease must find them.
        while !waiting.is_empty() {
            let mut schemas = Vec::new();
            while schemas.len() < MAX_SCHEMAS
                && let Some(schema) = waiting.pop_first()
            {
                schemas.push(schema);
            }
            self.append(schemas).await;
        }
        for then in last {
            self.finish(then).await;
        }
    }

    async fn finish(&mut self, then: PostgresFollowUp) {
        if let Some(next) = &self.next {
            // The other committer ends with the pool, and the leases with it.
            let _ = next.send(PostgresCommitJob::Last(then));
            return;
        }
        match then {
            PostgresFollowUp::Release(released) => {
                let deleted = match self.client().await {
                    Ok(client) => release(client, &released).await,
                    Err(error) => Err(error),
                };
                if deleted.is_err() {
                    release_later(released, self.own.clone());
                }
            }
            // Whether the caller still waits does not matter.
            PostgresFollowUp::Passed(done) => {
                let _ = done.send(());
            }
        }
    }

    /// The connection, opened again if it was lost.
    async fn client(&mut self) -> Result<&Client, StoreError> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            self.client = Some(self.reach.connect(self.commit).await?);
        }
        self.client.as_ref().ok_or_else(|| StoreError::System { reason: "not connected".into() })
    }

    async fn append(&mut self, schemas: Vec<(SchemaName, Vec<PostgresAppend>)>) {
        let count = schemas.iter().map(|(_, appends)| appends.len()).sum::<usize>();
        StoreCounters::count(&self.counters.groups, 1);
        StoreCounters::count(&self.counters.grouped, count as u64);
        StoreCounters::count(&self.counters.syncs, u64::from(self.commit == CommitDurability::Synced));
        let client = match self.client().await {
            Ok(client) => client,
            Err(error) => {
                for append in schemas.into_iter().flat_map(|(_, appends)| appends) {
                    let _ = append.done.send(Err(error.clone()));
                }
                return;
            }
        };
        let together: Vec<(SchemaName, RecordRows)> = schemas.iter().map(joined).collect();
        let kept = insert(client, &together).await;
        for (index, (_, appends)) in schemas.into_iter().enumerate() {
            let kept = match &kept {
                Ok(kept) if kept.get(index).is_some_and(|kept| *kept) => Ok(()),
                Ok(_) => Err(StoreError::System { reason: "the run was erased in the meantime".into() }),
                Err(error) => Err(error.clone()),
            };
            for append in appends {
                // One failing append must not spoil the others.
                let result = match &kept {
                    Err(_) if count > 1 => alone(client, &append).await,
                    kept => kept.clone(),
                };
                // A caller that no longer waits folds the journal again.
                let _ = append.done.send(result);
            }
        }
    }
}

async fn alone(client: &Client, append: &PostgresAppend) -> Result<(), StoreError> {
    let mut rows = RecordRows::default();
    rows.add(&append.rows);
    let kept = insert(client, &[(append.schema.clone(), rows)]).await?;
    match kept.first() {
        Some(true) => Ok(()),
        _ => Err(StoreError::System { reason: "the run was erased in the meantime".into() }),
    }
}

/// Passes on an append whose lease is held, and answers one whose lease is lost.
fn held(append: PostgresAppend) -> Option<PostgresAppend> {
    if !append.lease.is_lost() {
        return Some(append);
    }
    let _ = append.done.send(Err(StoreError::LeaseLost));
    None
}

fn joined((schema, appends): &(SchemaName, Vec<PostgresAppend>)) -> (SchemaName, RecordRows) {
    let mut all = RecordRows::default();
    for append in appends {
        all.add(&append.rows);
    }
    (schema.clone(), all)
}

/// Keeps rows of several schemas. For each schema whether they were kept; an error
/// keeps none at all.
async fn insert(client: &Client, schemas: &[(SchemaName, RecordRows)]) -> Result<Vec<bool>, StoreError> {
    let (mut parts, mut counts) = (Vec::new(), Vec::new());
    let mut values: Vec<&(dyn ToSql + Sync)> = Vec::new();
    for (index, (schema, rows)) in schemas.iter().enumerate() {
        parts.push(schema.qualify(&part(index)).into_owned());
        counts.push(format!("(SELECT count(*) > 0 FROM kept{index})"));
        values.extend([&rows.runs as &(dyn ToSql + Sync), &rows.seqs, &rows.lines]);
    }
    let sql = format!("WITH {} SELECT ARRAY[{}]", parts.join(", "), counts.join(", "));
    Ok(client.query_one(&sql, &values).await.map_err(failed)?.get(0))
}

/// The rows of one schema, all or none: what comes late for a run that was erased must not bring a
/// part of it back. The runs are held, so that none can be erased between the look and the insert.
fn part(index: usize) -> String {
    let (runs, seqs, lines) = (index * 3 + 1, index * 3 + 2, index * 3 + 3);
    format!(
        "there{index} AS (SELECT no FROM holm_runs WHERE no = ANY(${runs}::int8[]) FOR KEY SHARE),
         kept{index} AS (INSERT INTO holm_records SELECT * FROM unnest(${runs}::int8[], ${seqs}::int8[], ${lines}::bytea[])
            WHERE (SELECT count(*) FROM there{index}) =
                (SELECT count(DISTINCT no) FROM unnest(${runs}::int8[]) AS wanted (no)) RETURNING 1)"
    )
}

async fn release(client: &Client, released: &LeaseRelease) -> Result<(), StoreError> {
    let LeaseRelease { schema, run, lease, .. } = released;
    let sql = "DELETE FROM holmdb_leases WHERE schema = :schema AND run = $1 AND hold = $2";
    client.execute(&*schema.qualify(sql), &[&run.0, &lease.hold]).await.map_err(failed)?;
    Ok(())
}

/// Releases a lease as soon as the database can be reached again, if that is soon.
fn release_later(released: LeaseRelease, own: mpsc::WeakUnboundedSender<PostgresCommitJob>) {
    let Some(tries) = released.tries.checked_sub(1) else { return };
    tokio::spawn(async move {
        tokio::time::sleep(RELEASE_PAUSE).await;
        if let Some(own) = own.upgrade() {
            let _ = own
                .send(PostgresCommitJob::Last(PostgresFollowUp::Release(LeaseRelease { tries, ..released })));
        }
    });
}
