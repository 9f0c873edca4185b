//! Implements the backend for SQLite: runs each query on a thread that may block. Only an append
//! that needs no sync is first tried on the caller's own thread.
//!
//! The SQL is in `sqlite/queries.rs`; syncs happen in `sqlite/committer.rs`. A change that must
//! survive a loss of power goes through `write_synced`. A lease is released through the committer's
//! queue, after the run's last append. Work for `write` may run more than once, so twice must be
//! the same as once.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use holm_runtime::{Durability, RecordCosts};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{
    SqliteBackend, SqliteDatabase,
    committer::{OwnedBatch, SqliteCommitJob, SqliteFollowUp, bytes_of},
    copy, files, leases,
    liveness_lock::LivenessLock,
    queries,
    writer::{AppendAttempt, SqliteWriteError, insert, patiently},
};
use crate::{
    StoreError,
    backend::{
        BlobRow, BlobStamp, CopySummary, IndexUpdate, LineRow, RecordBatch, RunNumber, RunOrigin, RunRow,
        RunTombstone, SessionFilter, SessionListRow, StaleRun, StoreBackend, StoreCounters, StoreFuture,
        StoreStats,
    },
    derive::{FoldRow, LedgerRow, SessionSummary, UsageEntry},
    sessions::blocking,
};

/// How old an unfinished file of a living process must be before it counts as left over.
const LEFT_OVER: Duration = Duration::from_secs(3_600);

/// How long another process may take to write a release that it has queued, and how
/// often that is checked.
const RELEASE_NOTICE: Duration = Duration::from_millis(150);
const RELEASE_CHECKS: u32 = 6;

impl SqliteBackend {
    pub(super) fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let db = Arc::clone(&self.db);
        StoreCounters::count(&self.counters.questions, 1);
        Box::pin(blocking(move || db.read(work)))
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let db = Arc::clone(&self.db);
        StoreCounters::count(&self.counters.questions, 1);
        Box::pin(blocking(move || db.writer.write(work)))
    }

    fn with_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SqliteDatabase) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let db = Arc::clone(&self.db);
        Box::pin(blocking(move || work(&db)))
    }

    /// Joins the queue and waits for the group that the lines become part of.
    async fn enqueue(&self, batch: RecordBatch<'_>, durability: Durability) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        self.committer.submit(SqliteCommitJob::Append { batch: OwnedBatch::new(batch), durability, done });
        answer.await.map_err(|_| closed())?
    }

    /// Makes a change that survives a loss of power once this returns, in one sync with all others
    /// that wait. Returns whether anything was changed.
    pub(super) fn write_synced(
        &self,
        work: impl FnMut(&Connection) -> Result<bool, StoreError> + Send + 'static,
    ) -> StoreFuture<'_, bool> {
        let written = self.write(work);
        Box::pin(async move {
            let changed = written.await?;
            if changed {
                let (done, answer) = oneshot::channel();
                self.committer.submit(SqliteCommitJob::Sync { done });
                answer.await.map_err(|_| closed())??;
            }
            Ok(changed)
        })
    }

    /// Waits until everything that was submitted before is done.
    async fn passed(&self) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        self.committer.submit(SqliteCommitJob::Last(SqliteFollowUp::Passed(done)));
        answer.await.map_err(|_| closed())
    }

    /// Takes a lease, with some patience for another process whose release is still queued.
    async fn take_lease(&self, run: &RunRow, words: &str) -> Result<(), StoreError> {
        // A queued job of this process may be the run's last append.
        self.passed().await?;
        let (db, run, words) = (Arc::clone(&self.db), run.clone(), words.to_owned());
        blocking(move || {
            let mut left = RELEASE_CHECKS;
            loop {
                match db.writer.write(|conn| leases::take(conn, &db.holder, &run, &words)) {
                    Err(StoreError::Busy { .. }) if left > 0 => left -= 1,
                    taken => return taken,
                }
                thread::sleep(RELEASE_NOTICE / RELEASE_CHECKS);
            }
        })
        .await
    }
}

fn closed() -> StoreError {
    StoreError::System { reason: "the store was closed in the meantime".into() }
}

impl StoreBackend for SqliteBackend {
    fn meta<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        let name = name.to_owned();
        self.read(move |conn| queries::meta(conn, &name))
    }

    fn meta_or<'a>(&'a self, name: &'a str, value: &'a [u8]) -> StoreFuture<'a, Vec<u8>> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(move |conn| queries::meta_or(conn, &name, &value))
    }

    fn any_run(&self) -> StoreFuture<'_, bool> {
        self.read(queries::any_run)
    }

    fn create<'a>(
        &'a self,
        id: &'a str,
        key: Option<&'a [u8]>,
        now: u64,
        kind: RunOrigin<'a>,
    ) -> StoreFuture<'a, RunNumber> {
        let (db, id, key) = (Arc::clone(&self.db), id.to_owned(), key.map(<[u8]>::to_vec));
        match kind {
            RunOrigin::Driven => {
                let words = self.leases.words(&self.db.holder);
                let taken = words.clone();
                let made = self.write(move |conn| {
                    queries::create(
                        conn,
                        &db.holder,
                        &id,
                        key.as_deref(),
                        now,
                        Some((&words, &LivenessLock::name())),
                    )
                });
                Box::pin(async move {
                    // A name without a record may be one that this store is still giving back.
                    self.passed().await?;
                    let no = made.await?;
                    self.leases.took(no, taken);
                    Ok(no)
                })
            }
            RunOrigin::Imported(bodies) => {
                let lines =
                    OwnedBatch::new(RecordBatch { run: RunNumber(0), first: 0, bodies: bodies.to_vec() });
                self.write(move |conn| {
                    let run = queries::create(conn, &db.holder, &id, key.as_deref(), now, None)?;
                    match insert(conn, &RecordBatch { run, ..lines.lend() }) {
                        Ok(()) => Ok(run),
                        Err(SqliteWriteError::Error(error)) => Err(error),
                        Err(SqliteWriteError::Busy) => Err(StoreError::Locked { seconds: 0 }),
                    }
                })
            }
        }
    }

    fn find<'a>(&'a self, id: &'a str) -> StoreFuture<'a, RunRow> {
        let id = id.to_owned();
        self.read(move |conn| queries::find(conn, &id))
    }

    fn hold<'a>(&'a self, run: &'a RunRow) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let words = self.leases.words(&self.db.holder);
            self.take_lease(run, &words).await?;
            self.leases.took(run.no, words);
            Ok(())
        })
    }

    fn release(&self, run: RunNumber) {
        // Through the queue, because an append of the run may still be in it.
        if let Some(holder) = self.leases.give_back(run) {
            self.committer.submit(SqliteCommitJob::Last(SqliteFollowUp::Release { run, holder }));
        }
    }

    fn append<'a>(&'a self, batch: RecordBatch<'a>, durability: Durability) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if durability == Durability::Written {
                match self.db.writer.try_append(&batch) {
                    AppendAttempt::Done => {
                        self.committer.note(bytes_of(&batch));
                        StoreCounters::count(&self.counters.inline, 1);
                        return Ok(());
                    }
                    AppendAttempt::Failed(error) => return Err(error),
                    AppendAttempt::Contended => {}
                }
            }
            self.enqueue(batch, durability).await
        })
    }

    fn records(&self, run: RunNumber, range: Range<u64>) -> StoreFuture<'_, Vec<(u64, Vec<u8>)>> {
        let counters = Arc::clone(&self.counters);
        self.read(move |conn| {
            let records = queries::records(conn, run, &range)?;
            StoreCounters::count(&counters.records, records.len() as u64);
            Ok(records)
        })
    }

    fn next_record(&self, run: RunNumber) -> StoreFuture<'_, u64> {
        self.read(move |conn| queries::next_record(conn, run))
    }

    fn keep_snapshot<'a>(&'a self, run: RunNumber, snapshot: &'a [u8]) -> StoreFuture<'a, ()> {
        let body = snapshot.to_owned();
        self.write(move |conn| queries::keep_snapshot(conn, run, &body))
    }

    fn snapshot(&self, run: RunNumber) -> StoreFuture<'_, Option<Vec<u8>>> {
        self.read(move |conn| queries::snapshot(conn, run))
    }

    fn name<'a>(&'a self, run: RunNumber, title: Option<&'a [u8]>) -> StoreFuture<'a, ()> {
        let title = title.map(<[u8]>::to_vec);
        self.write(move |conn| queries::name(conn, run, title.as_deref()))
    }

    fn tag<'a>(&'a self, run: RunNumber, tag: &'a str) -> StoreFuture<'a, ()> {
        let tag = tag.to_owned();
        self.write(move |conn| queries::tag(conn, run, &tag))
    }

    fn untag<'a>(&'a self, run: RunNumber, tag: &'a str) -> StoreFuture<'a, ()> {
        let tag = tag.to_owned();
        self.write(move |conn| queries::untag(conn, run, &tag))
    }

    fn list<'a>(&'a self, filter: SessionFilter<'a>) -> StoreFuture<'a, Vec<SessionListRow>> {
        let (filter, db) = (queries::OwnedSessionFilter::from(filter), Arc::clone(&self.db));
        let leases = Arc::clone(&self.leases);
        self.read(move |conn| {
            let rows = queries::list(conn, &filter)?;
            let is_held = |row: &SessionListRow, words: Option<String>| {
                words.is_some_and(|words| leases.is_held(&db.holder, row.run.no, &words))
            };
            let named =
                |(row, words)| SessionListRow { holder: row_holder(&row, is_held(&row, words)), ..row };
            Ok(rows.into_iter().map(named).collect())
        })
    }

    fn stale(&self) -> StoreFuture<'_, Vec<StaleRun>> {
        self.read(queries::stale)
    }

    fn openings<'a>(&'a self, runs: &'a [RunNumber]) -> StoreFuture<'a, Vec<LineRow>> {
        let runs = runs.to_vec();
        self.read(move |conn| queries::openings(conn, &runs))
    }

    fn keep_heads<'a>(&'a self, heads: &'a [(RunNumber, SessionSummary)]) -> StoreFuture<'a, ()> {
        let heads = heads.to_vec();
        self.write(move |conn| queries::keep_heads(conn, &heads))
    }

    fn fold_row(&self, run: RunNumber) -> StoreFuture<'_, FoldRow> {
        self.read(move |conn| queries::fold_row(conn, run))
    }

    fn keep_costs(&self, run: RunNumber, costs: RecordCosts) -> StoreFuture<'_, ()> {
        self.write(move |conn| queries::keep_costs(conn, run, &costs))
    }

    fn spent(&self) -> StoreFuture<'_, u64> {
        self.read(queries::spent)
    }

    fn keep_folded<'a>(&'a self, run: RunNumber, derived: IndexUpdate) -> StoreFuture<'a, ()> {
        self.write(move |conn| queries::keep_folded(conn, run, &derived))
    }

    fn forget_derived(&self) -> StoreFuture<'_, ()> {
        self.write(queries::forget_derived)
    }

    fn usage(&self) -> StoreFuture<'_, Vec<(String, UsageEntry)>> {
        self.read(queries::usage)
    }

    fn ledger<'a>(&'a self, kind: Option<&'a str>) -> StoreFuture<'a, Vec<(RunRow, LedgerRow)>> {
        let kind = kind.map(str::to_owned);
        self.read(move |conn| queries::ledger(conn, kind.as_deref()))
    }

    fn matching<'a>(&'a self, terms: &'a [String], limit: u64) -> StoreFuture<'a, Vec<(RunRow, u64)>> {
        let terms = terms.to_vec();
        self.read(move |conn| queries::matching(conn, &terms, limit))
    }

    fn keep_blob<'a>(&'a self, file: &'a str, bytes: &'a [u8]) -> StoreFuture<'a, ()> {
        let (file, bytes) = (file.to_owned(), bytes.to_owned());
        self.with_files(move |db| db.blobs.keep(&file, &bytes, db.holder.token()))
    }

    fn refer<'a>(
        &'a self,
        run: RunNumber,
        name: &'a str,
        file: &'a str,
        bytes: u64,
    ) -> StoreFuture<'a, bool> {
        let (db, name, file) = (Arc::clone(&self.db), name.to_owned(), file.to_owned());
        self.write(move |conn| {
            let exists = queries::refer(conn, run, &name, &file, bytes)?;
            // Removed while the write lock is held, as by `erase`.
            if !exists && !queries::is_referred(conn, &file)? {
                db.blobs.remove(&file)?;
            }
            Ok(exists)
        })
    }

    fn blob<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<BlobRow>> {
        let name = name.to_owned();
        self.read(move |conn| queries::blob(conn, &name))
    }

    fn blobs_of(&self, run: RunNumber) -> StoreFuture<'_, Vec<BlobRow>> {
        self.read(move |conn| queries::blobs_of(conn, run))
    }

    fn stamp<'a>(&'a self, file: &'a str) -> StoreFuture<'a, Option<BlobStamp>> {
        let file = file.to_owned();
        self.with_files(move |db| db.blobs.stamp(&file))
    }

    fn read_blob<'a>(&'a self, file: &'a str, range: Range<u64>) -> StoreFuture<'a, Vec<u8>> {
        let file = file.to_owned();
        self.with_files(move |db| db.blobs.read(&file, &range))
    }

    fn erase<'a>(&'a self, run: &'a RunRow, stone: &'a RunTombstone) -> StoreFuture<'a, ()> {
        let (db, run, stone) = (Arc::clone(&self.db), run.clone(), stone.clone());
        self.write(move |conn| {
            leases::check_free(conn, &db.holder, &run)?;
            // Done while the write lock is held: another writer of the same text looks for its file
            // afterwards.
            queries::erase(conn, &run, &stone)?.iter().try_for_each(|file| db.blobs.remove(file))
        })
    }

    fn scour(&self) -> StoreFuture<'_, ()> {
        self.with_files(|db| {
            db.writer.write(|conn| {
                conn.execute_batch("INSERT INTO texts (texts) VALUES ('optimize')").map_err(super::failed)
            })?;
            remove_left_over(db)?;
            empty_log(db)
        })
    }

    fn copy_to(&self, to: PathBuf) -> StoreFuture<'_, CopySummary> {
        self.with_files(move |db| copy::copy_to(db, &to))
    }

    fn commits(&self) -> StoreStats {
        self.counters.read()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.db.files()
    }
}

/// The name of a holder that lives.
fn row_holder(row: &SessionListRow, alive: bool) -> Option<String> {
    row.holder.clone().filter(|_| alive)
}

/// Removes files that no run refers to and that no process can be writing any more. It goes by
/// their paths, because an unfinished file lies in the folder of its future result.
fn remove_left_over(db: &SqliteDatabase) -> Result<(), StoreError> {
    for path in db.blobs.files() {
        match files::writer_of(&path) {
            // An unfinished file of a dead process is left over, however young.
            Some(writer) if !db.holder.lives(writer) || is_old(&path) => files::remove_file(&path)?,
            Some(_) => {}
            None => remove_unreferred(db, &path)?,
        }
    }
    Ok(())
}

fn is_old(path: &Path) -> bool {
    let changed = path.metadata().and_then(|found| found.modified()).ok();
    changed.and_then(|time| SystemTime::now().duration_since(time).ok()).is_some_and(|age| age > LEFT_OVER)
}

/// Removes a finished result that no run refers to. Its writer may be about to refer to it, and
/// then finds it missing and stores it again (`store/blobs.rs`).
fn remove_unreferred(db: &SqliteDatabase, path: &Path) -> Result<(), StoreError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    if db.read(|conn| queries::is_referred(conn, name))? {
        return Ok(());
    }
    // Again while the write lock is held, as by `erase`: a reference comes before or after.
    db.writer.write(|conn| if queries::is_referred(conn, name)? { Ok(()) } else { files::remove_file(path) })
}

/// Moves the log into the database and cuts it to nothing, so that no erased page is left in it.
fn empty_log(db: &SqliteDatabase) -> Result<(), StoreError> {
    patiently(|| {
        let busy: i64 =
            db.writer.with(|conn| conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)))?;
        if busy == 0 { Ok(()) } else { Err(SqliteWriteError::Busy) }
    })
}
