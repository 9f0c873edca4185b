//! The one connection that writes.
//!
//! It never waits while it holds its lock. If another process is writing, it releases the lock and
//! tries again. So an append on a thread of an async runtime never waits for another process.
//!
//! It inserts records; all other SQL is in `sqlite/queries.rs`. It syncs nothing
//! (`sqlite/committer.rs` does). Work may run again if the database was busy, so twice must be the
//! same as once.

use std::{
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{failed, is_busy, schema};
use crate::{
    StoreError,
    backend::{RecordBatch, RecordBody},
};

/// How long another process may write before it counts as stuck. Erasing and importing
/// large sessions takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(20));

/// Rows of one `INSERT`: a batch of a driver has a few, and each number is a
/// statement to keep prepared.
const ROWS: usize = 8;

/// How often an append tries the lock before it goes into the queue.
const TRIES: u32 = 64;

const INSERTS: [&str; ROWS] = [
    "INSERT INTO records VALUES (?,?)",
    "INSERT INTO records VALUES (?,?),(?,?)",
    "INSERT INTO records VALUES (?,?),(?,?),(?,?)",
    "INSERT INTO records VALUES (?,?),(?,?),(?,?),(?,?)",
    "INSERT INTO records VALUES (?,?),(?,?),(?,?),(?,?),(?,?)",
    "INSERT INTO records VALUES (?,?),(?,?),(?,?),(?,?),(?,?),(?,?)",
    "INSERT INTO records VALUES (?,?),(?,?),(?,?),(?,?),(?,?),(?,?),(?,?)",
    "INSERT INTO records VALUES (?,?),(?,?),(?,?),(?,?),(?,?),(?,?),(?,?),(?,?)",
];

pub(super) struct SqliteWriter(Mutex<Connection>);

/// The result of an append on the caller's own thread.
pub(super) enum AppendAttempt {
    Done,
    /// Another connection is writing.
    Contended,
    /// It cannot be written.
    Failed(StoreError),
}

impl SqliteWriter {
    pub(super) fn new(conn: Connection) -> Self {
        conn.set_prepared_statement_cache_capacity(64);
        Self(Mutex::new(conn))
    }

    /// Appends at once, unless another connection is writing.
    pub(super) fn try_append(&self, batch: &RecordBatch<'_>) -> AppendAttempt {
        let Some(conn) = self.try_lock() else { return AppendAttempt::Contended };
        let done = if batch.bodies.len() <= ROWS {
            // One statement is a transaction by itself.
            insert(&conn, batch)
        } else {
            transaction(&conn, |tx| insert(tx, batch))
        };
        match done {
            Ok(()) => AppendAttempt::Done,
            Err(SqliteWriteError::Busy) => AppendAttempt::Contended,
            Err(SqliteWriteError::Error(error)) => AppendAttempt::Failed(error),
        }
    }

    /// Writes in one transaction, on a thread that may wait. `work` may run more than once.
    pub(super) fn write<T>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        patiently(|| transaction(&self.lock(), |tx| Ok(work(tx)?)))
    }

    /// Uses the connection outside a transaction.
    pub(super) fn with<T>(
        &self,
        mut work: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        patiently(|| work(&self.lock()).map_err(SqliteWriteError::from))
    }

    /// Appends several batches in one transaction.
    pub(super) fn append_all(&self, batches: &[RecordBatch<'_>]) -> Result<(), StoreError> {
        patiently(|| transaction(&self.lock(), |tx| batches.iter().try_for_each(|batch| insert(tx, batch))))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic inside SQLite's wrapper leaves a transaction that the guard has rolled back.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Connection>> {
        for _ in 0..TRIES {
            match self.0.try_lock() {
                Ok(conn) => return Some(conn),
                Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        }
        None
    }
}

/// Adds the rows of a batch to the open transaction.
pub(super) fn insert(conn: &Connection, batch: &RecordBatch<'_>) -> Result<(), SqliteWriteError> {
    let mut run_exists = conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM runs WHERE no = ?)")?;
    if !run_exists.query_row([batch.run.0], |row| row.get(0))? {
        return Err(SqliteWriteError::Error(StoreError::System {
            reason: "the run was erased in the meantime".into(),
        }));
    }
    let mut seq = batch.first;
    for rows in batch.bodies.chunks(ROWS) {
        let sql = INSERTS.get(rows.len() - 1).copied().unwrap_or_default();
        let mut statement = conn.prepare_cached(sql)?;
        let mut at = 1;
        for body in rows {
            statement.raw_bind_parameter(at, schema::key(batch.run, seq)?)?;
            match body {
                RecordBody::Plain(text) => statement.raw_bind_parameter(at + 1, *text)?,
                RecordBody::Sealed(bytes) => statement.raw_bind_parameter(at + 1, bytes.as_slice())?,
            }
            (seq, at) = (seq + 1, at + 2);
        }
        statement.raw_execute()?;
    }
    Ok(())
}

/// Why a write did not happen.
pub(super) enum SqliteWriteError {
    /// Another process is writing to the database.
    Busy,
    Error(StoreError),
}

impl From<rusqlite::Error> for SqliteWriteError {
    fn from(error: rusqlite::Error) -> Self {
        if is_busy(&error) { Self::Busy } else { Self::Error(failed(error)) }
    }
}

impl From<StoreError> for SqliteWriteError {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

fn transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, SqliteWriteError>,
) -> Result<T, SqliteWriteError> {
    let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let value = work(&tx)?;
    tx.commit()?;
    Ok(value)
}

/// Retries while another process writes.
pub(super) fn patiently<T>(mut work: impl FnMut() -> Result<T, SqliteWriteError>) -> Result<T, StoreError> {
    let since = Instant::now();
    let mut pause = PAUSES.0;
    loop {
        match work() {
            Ok(value) => return Ok(value),
            Err(SqliteWriteError::Error(error)) => return Err(error),
            Err(SqliteWriteError::Busy) if since.elapsed() > PATIENCE => {
                return Err(StoreError::Locked { seconds: PATIENCE.as_secs() });
            }
            Err(SqliteWriteError::Busy) => {
                thread::sleep(pause);
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }
}
