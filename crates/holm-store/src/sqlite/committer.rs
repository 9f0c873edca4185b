//! Group commit: appends that need a sync share one.
//!
//! One thread takes all waiting appends, writes them in one transaction, and syncs the log once for
//! all of them. Appends that arrive meanwhile form the next group. The sync happens outside the
//! writer's lock, so appends that need no sync continue meanwhile.
//!
//! The writer commits with `synchronous = NORMAL`, which puts a commit into the log without waiting
//! for the disk. This thread then syncs the log through its own descriptor. `FULL` does the
//! same, but for each commit alone. SQLite checks frames one by one from the log's beginning, so
//! all commits up to the sync survive a loss of power. If the log is emptied in between, a
//! checkpoint has synced the database itself before.
//!
//! An append that needs no sync does not come here unless the writer is busy (`sqlite/backend.rs`).
//! After one failed sync every later one is refused, because the system may have dropped the pages.
//! Leases are released after the appends of their group. The connection and its retries are in
//! `sqlite/writer.rs`.

use std::{
    fs::File,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

use holm_runtime::Durability;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::writer::SqliteWriter;
use crate::{
    StoreError,
    backend::{RecordBatch, RecordBody, RunNumber, StoreCounters},
};

/// Bytes of the log after which it is synced and copied into the database.
const LOG_BYTES: u64 = 4 * 1024 * 1024;

/// The number of copies before the log is restarted. Copying runs in parallel with appends. A
/// restart makes them wait for the disk, so it is done rarely enough not to be noticed.
const COPIES: u32 = 4;

/// The bytes that each commit adds to the log in addition to its lines: a page and its frame.
const COMMIT_BYTES: u64 = 4_096 + 24;

/// Something to be written.
pub(super) enum SqliteCommitJob {
    /// Lines, and who waits for them.
    Append {
        batch: OwnedBatch,
        durability: Durability,
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    /// A sync of everything that was committed before it.
    Sync {
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    Last(SqliteFollowUp),
}

/// Something to be done after every append that was submitted before it.
pub(super) enum SqliteFollowUp {
    Release {
        run: RunNumber,
        holder: String,
    },
    /// Reports that all earlier jobs are done.
    Passed(oneshot::Sender<()>),
}

/// Lines that wait to be written.
struct PendingAppend {
    batch: OwnedBatch,
    durability: Durability,
    done: oneshot::Sender<Result<(), StoreError>>,
}

/// Lines that have left their caller.
pub(super) struct OwnedBatch {
    run: RunNumber,
    first: u64,
    bodies: Vec<OwnedBody>,
}

enum OwnedBody {
    Plain(String),
    Sealed(Vec<u8>),
}

impl OwnedBatch {
    pub(super) fn new(batch: RecordBatch<'_>) -> Self {
        let own = |body| match body {
            RecordBody::Plain(text) => OwnedBody::Plain(text.to_owned()),
            RecordBody::Sealed(bytes) => OwnedBody::Sealed(bytes),
        };
        Self { run: batch.run, first: batch.first, bodies: batch.bodies.into_iter().map(own).collect() }
    }

    pub(super) fn lend(&self) -> RecordBatch<'_> {
        RecordBatch {
            run: self.run,
            first: self.first,
            bodies: self.bodies.iter().map(OwnedBody::lend).collect(),
        }
    }
}

impl OwnedBody {
    fn lend(&self) -> RecordBody<'_> {
        match self {
            Self::Plain(text) => RecordBody::Plain(text),
            Self::Sealed(bytes) => RecordBody::Sealed(bytes.clone()),
        }
    }
}

/// The thread that commits.
pub(super) struct SqliteCommitter {
    shared: Arc<CommitterShared>,
    thread: Option<JoinHandle<()>>,
}

struct CommitterShared {
    queue: Mutex<CommitQueue>,
    wake: Condvar,
    /// Bytes that went into the log since it was last moved, counted without the lock.
    logged: AtomicU64,
}

#[derive(Default)]
struct CommitQueue {
    jobs: Vec<SqliteCommitJob>,
    closing: bool,
}

impl SqliteCommitter {
    pub(super) fn start(work: CommitWorker) -> Result<Self, StoreError> {
        let shared = Arc::new(CommitterShared {
            queue: Mutex::default(),
            wake: Condvar::new(),
            logged: AtomicU64::new(0),
        });
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("holm-commit".into())
            .spawn(move || work.run(&theirs))
            .map_err(StoreError::from)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(super) fn submit(&self, job: SqliteCommitJob) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).jobs.push(job);
        self.shared.wake.notify_one();
    }

    /// Takes note of an append that went past the queue.
    pub(super) fn note(&self, bytes: u64) {
        if self.shared.log(bytes + COMMIT_BYTES) >= LOG_BYTES {
            // Under the lock, or the thread could look just before and sleep just after.
            let _queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
            self.shared.wake.notify_one();
        }
    }
}

impl Drop for SqliteCommitter {
    fn drop(&mut self) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).closing = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported already.
            let _ = thread.join();
        }
    }
}

/// The state of the committing thread.
pub(super) struct CommitWorker {
    pub(super) writer: Arc<SqliteWriter>,
    pub(super) log: PathBuf,
    /// Set once a sync has failed: the system may have dropped the pages, so no later
    /// sync can be trusted.
    pub(super) unsynced: Option<StoreError>,
    pub(super) counters: Arc<StoreCounters>,
    /// Copies the log while the writer continues.
    pub(super) copier: Connection,
    pub(super) copies: u32,
}

/// The next step of the thread.
enum CommitterStep {
    Jobs(Vec<SqliteCommitJob>),
    MoveLog,
    End,
}

impl CommitWorker {
    fn run(mut self, shared: &CommitterShared) {
        let mut log = None;
        loop {
            match shared.next() {
                CommitterStep::Jobs(jobs) => {
                    let bytes = self.commit(jobs, &mut log);
                    shared.log(bytes);
                }
                CommitterStep::MoveLog => self.move_log(),
                CommitterStep::End => return,
            }
        }
    }

    /// Commits a group: first the appends, then one sync for all that need it, then the final jobs.
    fn commit(&mut self, jobs: Vec<SqliteCommitJob>, log: &mut Option<File>) -> u64 {
        let (mut waiting, mut syncs, mut last) = (Vec::with_capacity(jobs.len()), Vec::new(), Vec::new());
        for job in jobs {
            match job {
                SqliteCommitJob::Append { batch, durability, done } => {
                    waiting.push(PendingAppend { batch, durability, done });
                }
                SqliteCommitJob::Sync { done } => syncs.push(done),
                SqliteCommitJob::Last(then) => last.push(then),
            }
        }
        let (bytes, results) = self.append(&waiting);
        let must_sync = waiting
            .iter()
            .zip(&results)
            .any(|(entry, result)| entry.durability == Durability::Synced && result.is_ok());
        let synced = if must_sync || !syncs.is_empty() { self.sync(log) } else { Ok(()) };
        for (PendingAppend { durability, done, .. }, result) in waiting.into_iter().zip(results) {
            let result = match durability {
                Durability::Written => result,
                Durability::Synced => result.and_then(|()| synced.clone()),
            };
            // A caller that no longer waits folds the journal again.
            let _ = done.send(result);
        }
        for done in syncs {
            let _ = done.send(synced.clone());
        }
        // The next holder of a run must find all appends before its release.
        for then in last {
            self.finish(then);
        }
        bytes
    }

    /// Writes all batches in one transaction. If that fails, writes each by itself, so that one
    /// cannot spoil the others.
    fn append(&self, waiting: &[PendingAppend]) -> (u64, Vec<Result<(), StoreError>>) {
        if waiting.is_empty() {
            return (0, Vec::new());
        }
        let batches: Vec<RecordBatch<'_>> = waiting.iter().map(|entry| entry.batch.lend()).collect();
        let bytes = batches.iter().map(bytes_of).sum::<u64>() + COMMIT_BYTES;
        let together = self.writer.append_all(&batches);
        let results = match together {
            Ok(()) => waiting.iter().map(|_| Ok(())).collect(),
            Err(error) if batches.len() == 1 => vec![Err(error)],
            Err(_) => batches.chunks(1).map(|batch| self.writer.append_all(batch)).collect(),
        };
        StoreCounters::count(&self.counters.groups, 1);
        StoreCounters::count(&self.counters.grouped, waiting.len() as u64);
        (bytes, results)
    }

    fn finish(&self, then: SqliteFollowUp) {
        match then {
            SqliteFollowUp::Release { run, holder } => {
                // A lease that stays belongs to a holder that will be found dead.
                let _ = self.writer.with(|conn| super::release(conn, run, &holder));
            }
            // The caller may have stopped waiting.
            SqliteFollowUp::Passed(done) => {
                let _ = done.send(());
            }
        }
    }

    fn sync(&mut self, log: &mut Option<File>) -> Result<(), StoreError> {
        if let Some(error) = &self.unsynced {
            return Err(error.clone());
        }
        let synced = match log {
            Some(file) => file.sync_data(),
            // The log stays the same file as long as this store is open.
            None => File::open(&self.log).and_then(|file| log.insert(file).sync_data()),
        };
        StoreCounters::count(&self.counters.syncs, 1);
        synced.map_err(|error| {
            let error = StoreError::Unsynced { reason: error.to_string() };
            self.unsynced = Some(error.clone());
            error
        })
    }

    /// Copies the log into the database. Every fourth time the log is restarted, and new appends
    /// wait in the queue.
    fn move_log(&mut self) {
        let copy = |conn: &Connection| conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        // Should it fail, the log grows and the next try comes after as many bytes again.
        let _ = copy(&self.copier);
        self.copies += 1;
        if self.copies >= COPIES && self.writer.with(copy).is_ok() {
            self.copies = 0;
        }
    }
}

impl CommitterShared {
    /// Counts bytes of the log. Returns the sum.
    fn log(&self, bytes: u64) -> u64 {
        self.logged.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes)
    }

    fn next(&self) -> CommitterStep {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            // First, or a queue that is never empty would let the log grow without end.
            if self.logged.load(Ordering::Relaxed) >= LOG_BYTES {
                self.logged.store(0, Ordering::Relaxed);
                return CommitterStep::MoveLog;
            }
            if !queue.jobs.is_empty() {
                return CommitterStep::Jobs(std::mem::take(&mut queue.jobs));
            }
            if queue.closing {
                return CommitterStep::End;
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests;

pub(super) fn bytes_of(batch: &RecordBatch<'_>) -> u64 {
    batch.bodies.iter().map(|body| body.bytes().len() as u64).sum()
}
