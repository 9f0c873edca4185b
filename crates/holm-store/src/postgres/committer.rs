//! Group commit: a connection does one thing at a time, so everything that waits for it goes in one transaction.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Client;

use super::{failed, signed};
use crate::{
    StoreError,
    backend::{Batch, Counters, RunNo},
};

/// Batches of one transaction at the most, so that the first to come does not wait for ever.
const GROUP: usize = 1_024;

/// All rows or none: what comes late for a run that was erased meanwhile must not bring a part of it back. The runs are
/// held, so that none can be erased between the look and the insert.
const INSERT: &str = "WITH there AS (SELECT no FROM holm_runs WHERE no = ANY($1::int8[]) FOR KEY SHARE)
    INSERT INTO holm_records SELECT * FROM unnest($1::int8[], $2::int8[], $3::bytea[])
    WHERE (SELECT count(*) FROM there) = (SELECT count(DISTINCT no) FROM unnest($1::int8[]) AS wanted (no))";

/// Something to be done in order.
pub(super) enum Job {
    Append { rows: Rows, done: oneshot::Sender<Result<(), StoreError>> },
    Last(Last),
}

/// Something to be done after everything that was to be appended before it.
pub(super) enum Last {
    /// Gives a lease back.
    Release { run: RunNo, lock: i32 },
    /// Says that all that was asked for before is done.
    Passed(oneshot::Sender<()>),
}

/// Lines as the server takes them.
#[derive(Default)]
pub(super) struct Rows {
    runs: Vec<i64>,
    seqs: Vec<i64>,
    lines: Vec<Vec<u8>>,
}

impl Rows {
    pub(super) fn of(batch: &Batch<'_>) -> Self {
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

/// Appends through one connection for as long as the one that holds the leases lives.
pub(super) struct Committer {
    pub(super) client: Arc<Client>,
    pub(super) lease: Arc<Client>,
    /// What marks the locks of the store.
    pub(super) locks: i32,
    /// Syncs of each commit: one, or none where the server does not wait for the disk.
    pub(super) syncs: u64,
    pub(super) counters: Arc<Counters>,
    /// Where what is to be done last goes from here; none where it is done.
    pub(super) next: Option<mpsc::UnboundedSender<Job>>,
}

pub(super) fn start(committer: Committer) -> mpsc::UnboundedSender<Job> {
    let (sender, mut jobs) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut group = Vec::new();
        while jobs.recv_many(&mut group, GROUP).await > 0 {
            committer.commit(&mut group).await;
        }
    });
    sender
}

impl Committer {
    async fn commit(&self, group: &mut Vec<Job>) {
        let (mut waiting, mut last) = (Vec::with_capacity(group.len()), Vec::new());
        for job in group.drain(..) {
            match job {
                Job::Append { rows, done } => waiting.push((rows, done)),
                Job::Last(then) => last.push(then),
            }
        }
        // First what is appended: whoever has the lease next must find it.
        self.append(waiting).await;
        for then in last {
            if let Some(next) = &self.next {
                // Nobody there means that the connection is lost, and every lease with it.
                let _ = next.send(Job::Last(then));
                continue;
            }
            match then {
                Last::Release { run, lock } => release(&self.lease, run, (self.locks, lock)).await,
                // Whoever waited may have gone, which is no matter.
                Last::Passed(done) => {
                    let _ = done.send(());
                }
            }
        }
    }

    async fn append(&self, waiting: Vec<(Rows, oneshot::Sender<Result<(), StoreError>>)>) {
        let lease = &self.lease;
        if waiting.is_empty() {
            return;
        }
        if lease.is_closed() {
            for (_, done) in waiting {
                let reason = "the connection that held the lease is lost; open the run again".to_owned();
                let _ = done.send(Err(StoreError::System { reason }));
            }
            return;
        }
        // Where the connection is lost that does not wait for the disk, the other one waits instead.
        let client = if self.client.is_closed() { lease } else { &self.client };
        Counters::count(&self.counters.groups, 1);
        Counters::count(&self.counters.grouped, waiting.len() as u64);
        Counters::count(&self.counters.syncs, self.syncs);
        let mut all = Rows::default();
        for (rows, _) in &waiting {
            all.add(rows);
        }
        let together = insert(client, &all).await;
        let one_by_one = together.is_err() && waiting.len() > 1;
        for (rows, done) in waiting {
            // One that fails must not spoil the others.
            let result = if one_by_one { insert(client, &rows).await } else { together.clone() };
            // Whoever no longer waits folds the journal again.
            let _ = done.send(result);
        }
    }
}

async fn insert(client: &Client, rows: &Rows) -> Result<(), StoreError> {
    if rows.runs.is_empty() {
        return Ok(());
    }
    let written = client.execute(INSERT, &[&rows.runs, &rows.seqs, &rows.lines]).await.map_err(failed)?;
    if written == 0 {
        return Err(StoreError::System { reason: "the run was erased meanwhile".into() });
    }
    Ok(())
}

/// First the name, then the lock: the next holder writes its own.
async fn release(client: &Client, run: RunNo, (mark, lock): (i32, i32)) {
    // Should this fail, then the connection is lost and the server has released everything.
    let _ = client.execute("UPDATE holm_runs SET holder = NULL WHERE no = $1", &[&run.0]).await;
    let _ = client.execute("SELECT pg_advisory_unlock($1, $2)", &[&mark, &lock]).await;
}
