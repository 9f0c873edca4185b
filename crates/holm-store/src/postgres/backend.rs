//! Implements the backend for PostgreSQL: runs each query on a connection of the pool.
//!
//! Short statements are here, longer ones in `postgres/queries.rs`. An append is only queued here
//! and written in `postgres/committer.rs`; leases are in `postgres/lease.rs`. Appending and erasing
//! need a lease that this process holds. References to large results change only under `BLOB_LOCK`,
//! so that an erasure never removes a result to which another run has just referred.

use std::{ops::Range, path::PathBuf};

use holm_runtime::{BoxFuture, Durability, RecordCosts};
use tokio::sync::oneshot;
use tokio_postgres::Row;

use super::{
    LOCKS, PostgresBackend,
    committer::{PostgresAppend, PostgresCommitJob, RecordRows},
    failed,
    lease::{INSERT_LEASE, RunLease, holder},
    queries,
    schema_connection::QueryValues,
    signed, unsigned,
};
use crate::{
    RUNNING_TAG, StoreError,
    backend::{
        BlobRow, BlobStamp, CopySummary, IndexUpdate, LineRow, RecordBatch, RecordBody, RunNumber, RunOrigin,
        RunRow, RunTombstone, SessionFilter, SessionListRow, StaleRun, StoreBackend, StoreCounters,
        StoreFuture, StoreStats,
    },
    derive::{FIRST_LINES, FoldRow, LedgerRow, SessionSummary, UsageEntry},
};

/// Bytes of a large result in one row.
const PIECE: u64 = 256 * 1024;

/// The lock under which references to large results of a schema change.
const BLOB_LOCK: &str = "SELECT pg_advisory_xact_lock($1, hashtext('blobs ' || :schema))";
/// Deletes pieces of large results to which no run refers. Needs that lock.
const UNREFERRED: &str = "DELETE FROM holm_pieces p
     WHERE NOT EXISTS (SELECT 1 FROM holm_blobs b WHERE b.file = p.file)";

impl PostgresBackend {
    async fn execute(&self, sql: &str, values: QueryValues<'_>) -> Result<(), StoreError> {
        self.execute_counted(sql, values).await?;
        Ok(())
    }

    /// Changes something; how many rows.
    async fn execute_counted(&self, sql: &str, values: QueryValues<'_>) -> Result<u64, StoreError> {
        self.asking().await?.scoped()?.execute(sql, values).await.map_err(failed)
    }

    /// Changes something; whether a row was changed.
    pub(super) async fn changes(&self, sql: &str, values: QueryValues<'_>) -> Result<bool, StoreError> {
        Ok(self.execute_counted(sql, values).await? > 0)
    }

    pub(super) async fn row(&self, sql: &str, values: QueryValues<'_>) -> Result<Option<Row>, StoreError> {
        self.asking().await?.scoped()?.query_opt(sql, values).await.map_err(failed)
    }

    pub(super) async fn rows(&self, sql: &str, values: QueryValues<'_>) -> Result<Vec<Row>, StoreError> {
        self.asking().await?.scoped()?.query(sql, values).await.map_err(failed)
    }

    async fn make(
        &self,
        (id, key, now): (&str, Option<&[u8]>, u64),
        kind: RunOrigin<'_>,
        lease: Option<&RunLease>,
    ) -> Result<RunNumber, StoreError> {
        let mut checkout = self.asking().await?;
        let tx = checkout.transaction().await?;
        let run = queries::create(&tx, id, key, now).await?;
        if let RunOrigin::Imported(bodies) = kind {
            let seqs: Vec<i64> = (0..).take(bodies.len()).collect();
            let lines: Vec<&[u8]> = bodies.iter().map(RecordBody::bytes).collect();
            let sql = "INSERT INTO holm_records SELECT $1, * FROM unnest($2::int8[], $3::bytea[])";
            tx.execute(sql, &[&run.0, &seqs, &lines]).await.map_err(failed)?;
        }
        if let Some(lease) = lease {
            // With the run, so that it is never seen without its holder.
            let values: QueryValues<'_> = &[&run.0, &lease.server.id, &lease.hold, &holder()];
            tx.execute(INSERT_LEASE, values).await.map_err(failed)?;
        }
        tx.commit().await.map_err(failed)?;
        Ok(run)
    }
}

impl StoreBackend for PostgresBackend {
    fn meta<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let row = self.row("SELECT value FROM holm_meta WHERE name = $1", &[&name]).await?;
            Ok(row.map(|row| row.get(0)))
        })
    }

    fn meta_or<'a>(&'a self, name: &'a str, value: &'a [u8]) -> StoreFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let sql = "INSERT INTO holm_meta VALUES ($1, $2) ON CONFLICT DO NOTHING";
            self.execute(sql, &[&name, &value]).await?;
            Ok(self.meta(name).await?.unwrap_or_default())
        })
    }

    fn any_run(&self) -> StoreFuture<'_, bool> {
        let sql = "SELECT 1 WHERE EXISTS (SELECT 1 FROM holm_runs) OR EXISTS (SELECT 1 FROM holm_jobs)
             OR EXISTS (SELECT 1 FROM holm_slips)";
        Box::pin(async move { Ok(self.row(sql, &[]).await?.is_some()) })
    }

    fn create<'a>(
        &'a self,
        id: &'a str,
        key: Option<&'a [u8]>,
        now: u64,
        kind: RunOrigin<'a>,
    ) -> StoreFuture<'a, RunNumber> {
        Box::pin(async move {
            let lease = match kind {
                RunOrigin::Driven => Some(RunLease::new(self.server_lease().await?)?),
                RunOrigin::Imported(_) => None,
            };
            let run = self.make((id, key, now), kind, lease.as_ref()).await?;
            if let Some(lease) = lease {
                self.note_held(run, lease);
            }
            Ok(run)
        })
    }

    fn find<'a>(&'a self, id: &'a str) -> StoreFuture<'a, RunRow> {
        Box::pin(async move {
            let row = self.row("SELECT no, id, key FROM holm_runs WHERE id = $1", &[&id]).await?;
            row.as_ref().map(queries::run_row).ok_or_else(|| StoreError::Missing { run: id.into() })
        })
    }

    fn hold<'a>(&'a self, run: &'a RunRow) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.take_lease(run).await?;
            let held = self.changes("UPDATE holm_runs SET moved = true WHERE no = $1", &[&run.no.0]).await;
            let missing = || StoreError::Missing { run: run.id.clone() };
            let held = held.and_then(|found| if found { Ok(()) } else { Err(missing()) });
            if held.is_err() {
                self.give_back(run.no);
            }
            held
        })
    }

    fn release(&self, run: RunNumber) {
        self.give_back(run);
    }

    fn lost(&self, run: RunNumber) -> BoxFuture<'static, ()> {
        match self.held_by(run) {
            Some(lease) => Box::pin(lease.server.loss()),
            None => Box::pin(std::future::pending()),
        }
    }

    fn clock(&self) -> StoreFuture<'_, u64> {
        let sql = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8";
        Box::pin(async move { Ok(self.row(sql, &[]).await?.map_or(0, |row| unsigned(row.get(0)))) })
    }

    fn append<'a>(&'a self, batch: RecordBatch<'a>, durability: Durability) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let (done, answer) = oneshot::channel();
            let Some(lease) = self.held_by(batch.run) else {
                let reason = "this process does not hold the run; open its journal again".to_owned();
                return Err(StoreError::System { reason });
            };
            let queue = match durability {
                Durability::Written => &self.pool.written,
                Durability::Synced => &self.pool.synced,
            };
            let closed = || StoreError::System { reason: "the store's runtime has ended".into() };
            let (schema, rows) = (self.schema.clone(), RecordRows::of(&batch));
            queue
                .send(PostgresCommitJob::Append(PostgresAppend { schema, lease, rows, done }))
                .map_err(|_| closed())?;
            answer.await.map_err(|_| closed())?
        })
    }

    fn records(&self, run: RunNumber, range: Range<u64>) -> StoreFuture<'_, Vec<(u64, Vec<u8>)>> {
        Box::pin(async move {
            let sql =
                "SELECT seq, line FROM holm_records WHERE run = $1 AND seq >= $2 AND seq < $3 ORDER BY seq";
            let rows = self.rows(sql, &[&run.0, &signed(range.start), &signed(range.end)]).await?;
            StoreCounters::count(&self.pool.counters.records, rows.len() as u64);
            Ok(rows.iter().map(|row| (unsigned(row.get(0)), row.get(1))).collect())
        })
    }

    fn next_record(&self, run: RunNumber) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let sql = "SELECT max(seq) FROM holm_records WHERE run = $1";
            let newest: Option<i64> = self.row(sql, &[&run.0]).await?.and_then(|row| row.get(0));
            Ok(newest.map_or(0, |seq| unsigned(seq) + 1))
        })
    }

    fn keep_snapshot<'a>(&'a self, run: RunNumber, snapshot: &'a [u8]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            // A late write for a run that was erased meanwhile must not bring its data back.
            let sql = "WITH there AS (SELECT no FROM holm_runs WHERE no = $1 FOR KEY SHARE)
                INSERT INTO holm_snapshots SELECT no, $2::bytea FROM there
                ON CONFLICT (run) DO UPDATE SET body = EXCLUDED.body";
            self.execute(sql, &[&run.0, &snapshot]).await
        })
    }

    fn snapshot(&self, run: RunNumber) -> StoreFuture<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let row = self.row("SELECT body FROM holm_snapshots WHERE run = $1", &[&run.0]).await?;
            Ok(row.map(|row| row.get(0)))
        })
    }

    fn name<'a>(&'a self, run: RunNumber, title: Option<&'a [u8]>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.execute("UPDATE holm_runs SET named = $2 WHERE no = $1", &[&run.0, &title]).await
        })
    }

    fn tag<'a>(&'a self, run: RunNumber, tag: &'a str) -> StoreFuture<'a, ()> {
        // An erased run gets no tag: nothing would ever remove it.
        const TAG: &str = "INSERT INTO holm_tags SELECT no, $2::text FROM holm_runs WHERE no = $1
             FOR KEY SHARE ON CONFLICT DO NOTHING";
        Box::pin(async move {
            if tag != RUNNING_TAG {
                return self.execute(TAG, &[&run.0, &tag]).await;
            }
            let found = "SELECT :schema, id, $2, no FROM holm_runs WHERE no = $1";
            let sql = format!("WITH tagged AS ({TAG}) {}", queries::note_at_work(found));
            self.execute(&sql, &[&run.0, &tag]).await
        })
    }

    fn untag<'a>(&'a self, run: RunNumber, tag: &'a str) -> StoreFuture<'a, ()> {
        let sql = "WITH untagged AS (DELETE FROM holm_tags WHERE run = $1 AND tag = $2)
             DELETE FROM holmdb_at_work w USING holm_runs r
             WHERE r.no = $1 AND w.schema = :schema AND w.id = r.id AND w.reason = $2";
        Box::pin(async move { self.execute(sql, &[&run.0, &tag]).await })
    }

    fn list<'a>(&'a self, filter: SessionFilter<'a>) -> StoreFuture<'a, Vec<SessionListRow>> {
        Box::pin(async move { queries::list(&self.asking().await?.scoped()?, &filter).await })
    }

    fn stale(&self) -> StoreFuture<'_, Vec<StaleRun>> {
        Box::pin(async { queries::stale(&self.asking().await?.scoped()?).await })
    }

    fn openings<'a>(&'a self, runs: &'a [RunNumber]) -> StoreFuture<'a, Vec<LineRow>> {
        Box::pin(async move {
            let sql =
                "SELECT run, seq, line FROM holm_records WHERE run = ANY($1) AND seq < $2 ORDER BY run, seq";
            let rows = self.rows(sql, &[&queries::numbers(runs), &signed(FIRST_LINES)]).await?;
            Ok(rows.iter().map(|row| (RunNumber(row.get(0)), unsigned(row.get(1)), row.get(2))).collect())
        })
    }

    fn keep_heads<'a>(&'a self, heads: &'a [(RunNumber, SessionSummary)]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await?;
            queries::keep_heads(&tx, heads).await?;
            tx.commit().await.map_err(failed)
        })
    }

    fn fold_row(&self, run: RunNumber) -> StoreFuture<'_, FoldRow> {
        Box::pin(async move {
            let sql = "SELECT counted, state_at, state FROM holm_folds WHERE run = $1";
            let row = self.row(sql, &[&run.0]).await?;
            let read = |row: tokio_postgres::Row| FoldRow {
                counted: unsigned(row.get(0)),
                state_at: unsigned(row.get(1)),
                state: row.get(2),
            };
            Ok(row.map(read).unwrap_or_default())
        })
    }

    fn keep_costs(&self, run: RunNumber, costs: RecordCosts) -> StoreFuture<'_, ()> {
        Box::pin(async move { queries::keep_costs(&self.asking().await?.scoped()?, run, &costs).await })
    }

    fn spent(&self) -> StoreFuture<'_, u64> {
        Box::pin(async {
            let row = self.row("SELECT coalesce(sum(nano), 0)::int8 FROM holm_spends", &[]).await?;
            Ok(row.map_or(0, |row| unsigned(row.get(0))))
        })
    }

    fn keep_folded<'a>(&'a self, run: RunNumber, derived: IndexUpdate) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await?;
            queries::keep_folded(&tx, run, &derived).await?;
            tx.commit().await.map_err(failed)
        })
    }

    fn forget_derived(&self) -> StoreFuture<'_, ()> {
        Box::pin(async {
            let sql = "UPDATE holm_runs SET moved = true; DELETE FROM holm_heads; DELETE FROM holm_texts";
            let mut client = self.asking().await?;
            // Not `BEGIN` and `COMMIT` in the text: a failure between them would leave the
            // connection in a transaction.
            let tx = client.transaction().await?;
            tx.batch_execute(sql).await.map_err(failed)?;
            tx.commit().await.map_err(failed)
        })
    }

    fn usage(&self) -> StoreFuture<'_, Vec<(String, UsageEntry)>> {
        Box::pin(async { queries::usage(&self.asking().await?.scoped()?).await })
    }

    fn ledger<'a>(&'a self, kind: Option<&'a str>) -> StoreFuture<'a, Vec<(RunRow, LedgerRow)>> {
        Box::pin(async move { queries::ledger(&self.asking().await?.scoped()?, kind).await })
    }

    fn matching<'a>(&'a self, terms: &'a [String], limit: u64) -> StoreFuture<'a, Vec<(RunRow, u64)>> {
        Box::pin(async move { queries::matching(&self.asking().await?.scoped()?, terms, limit).await })
    }

    fn keep_blob<'a>(&'a self, file: &'a str, bytes: &'a [u8]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await?;
            // An empty text has a piece too: nothing and no text are not the same.
            let pieces = bytes.chunks(usize::try_from(PIECE).unwrap_or(usize::MAX));
            let empty = bytes.is_empty().then_some(bytes);
            for (n, chunk) in (0_i64..).zip(pieces.chain(empty)) {
                let sql = "INSERT INTO holm_pieces VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
                tx.execute(sql, &[&file, &n, &chunk]).await.map_err(failed)?;
            }
            tx.commit().await.map_err(failed)
        })
    }

    fn refer<'a>(
        &'a self,
        run: RunNumber,
        name: &'a str,
        file: &'a str,
        bytes: u64,
    ) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await?;
            tx.execute(BLOB_LOCK, &[&LOCKS]).await.map_err(failed)?;
            let found = "SELECT no FROM holm_runs WHERE no = $1 FOR KEY SHARE";
            let exists = tx.query_opt(found, &[&run.0]).await.map_err(failed)?.is_some();
            if exists {
                let sql = "INSERT INTO holm_blobs VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
                tx.execute(sql, &[&run.0, &name, &file, &signed(bytes)]).await.map_err(failed)?;
            } else {
                let sql = format!("{UNREFERRED} AND p.file = $1");
                tx.execute(&sql, &[&file]).await.map_err(failed)?;
            }
            tx.commit().await.map_err(failed)?;
            Ok(exists)
        })
    }

    fn blob<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Option<BlobRow>> {
        Box::pin(async move {
            let sql =
                "SELECT r.no, r.id, r.key, b.name, b.file, b.bytes FROM holm_blobs b JOIN holm_runs r ON r.no = b.run
                WHERE b.name = $1 LIMIT 1";
            Ok(self.row(sql, &[&name]).await?.as_ref().map(queries::blob_row))
        })
    }

    fn blobs_of(&self, run: RunNumber) -> StoreFuture<'_, Vec<BlobRow>> {
        Box::pin(async move {
            let sql =
                "SELECT r.no, r.id, r.key, b.name, b.file, b.bytes FROM holm_blobs b JOIN holm_runs r ON r.no = b.run
                WHERE b.run = $1";
            Ok(self.rows(sql, &[&run.0]).await?.iter().map(queries::blob_row).collect())
        })
    }

    fn stamp<'a>(&'a self, file: &'a str) -> StoreFuture<'a, Option<BlobStamp>> {
        Box::pin(async move {
            let sql = "SELECT sum(length(data))::int8 FROM holm_pieces WHERE file = $1";
            let length: Option<i64> = self.row(sql, &[&file]).await?.and_then(|row| row.get(0));
            Ok(length.map(|length| BlobStamp { length: unsigned(length), changed: None }))
        })
    }

    fn read_blob<'a>(&'a self, file: &'a str, range: Range<u64>) -> StoreFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let (first, last) = (range.start / PIECE, range.end.div_ceil(PIECE));
            let sql = "SELECT data FROM holm_pieces WHERE file = $1 AND n >= $2 AND n < $3 ORDER BY n";
            let rows = self.rows(sql, &[&file, &signed(first), &signed(last)]).await?;
            let bytes: Vec<u8> = rows.iter().flat_map(|row| row.get::<_, Vec<u8>>(0)).collect();
            let skip = usize::try_from(range.start - first * PIECE).unwrap_or(usize::MAX);
            let take = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
            Ok(bytes.into_iter().skip(skip).take(take).collect())
        })
    }

    fn erase<'a>(&'a self, run: &'a RunRow, stone: &'a RunTombstone) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if self.held_by(run.no).is_none_or(|lease| lease.is_lost()) {
                return Err(StoreError::LeaseLost);
            }
            let mut client = self.asking().await?;
            let tx = client.transaction().await?;
            tx.execute(BLOB_LOCK, &[&LOCKS]).await.map_err(failed)?;
            queries::erase(&tx, run.no).await?;
            tx.execute("DELETE FROM holm_slips WHERE name = $1", &[&run.id]).await.map_err(failed)?;
            let values: QueryValues<'_> = &[&run.id, &signed(stone.at), &signed(stone.records), &stone.chain];
            tx.execute("INSERT INTO holm_stones VALUES ($1, $2, $3, $4)", values).await.map_err(failed)?;
            tx.commit().await.map_err(failed)
        })
    }

    fn scour(&self) -> StoreFuture<'_, ()> {
        Box::pin(async {
            let mut client = self.asking().await?;
            client.without_time_limit().await?;
            // A writer that was killed may have left them. One that is alive looks for its pieces
            // after it has referred to them, and stores them again.
            let tx = client.transaction().await?;
            tx.execute(BLOB_LOCK, &[&LOCKS]).await.map_err(failed)?;
            tx.execute(UNREFERRED, &[]).await.map_err(failed)?;
            tx.commit().await.map_err(failed)?;
            for table in [
                "records",
                "texts",
                "snapshots",
                "folds",
                "pieces",
                "heads",
                "runs",
                "jobs",
                "job_runs",
                "slips",
            ] {
                client.scoped()?.batch_execute(&format!("VACUUM holm_{table}")).await.map_err(failed)?;
            }
            Ok(())
        })
    }

    fn copy_to(&self, _: PathBuf) -> StoreFuture<'_, CopySummary> {
        let reason = "copy a PostgreSQL database with its own tools, such as pg_dump".into();
        Box::pin(async { Err(StoreError::System { reason }) })
    }

    fn commits(&self) -> StoreStats {
        self.pool.counters.read()
    }

    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
