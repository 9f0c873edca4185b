//! Joins the questions to the connections that ask them.

use std::{
    ops::Range,
    path::PathBuf,
    sync::{Arc, PoisonError},
    time::Duration,
};

use holm_runtime::Durability;
use tokio::sync::oneshot;
use tokio_postgres::{Row, types::ToSql};

use super::{
    BLOB_LOCK, Postgres,
    committer::{Job, Rows},
    failed,
    line::Line,
    lock_of, queries, signed, unsigned,
};
use crate::{
    StoreError,
    backend::{
        Backend, Batch, BlobRow, Body, Commits, Copied, Counters, Creation, Derived, Gravestone, LineRow,
        ListFilter, ListedRow, Pending, RunNo, RunRow, Stale, Stamp,
    },
    derive::{Entry, FIRST_LINES, FoldRow, HeadFacts, LedgerRow},
};

/// Bytes of a large result in one row.
const PIECE: u64 = 256 * 1024;

/// How long a lease may still seem taken after its holder was killed: the server has to notice.
const NOTICE: Duration = Duration::from_millis(300);

pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Postgres {
    async fn execute(&self, sql: &str, values: Values<'_>) -> Result<(), StoreError> {
        self.execute_counted(sql, values).await?;
        Ok(())
    }

    /// Changes something; how many rows.
    async fn execute_counted(&self, sql: &str, values: Values<'_>) -> Result<u64, StoreError> {
        self.asking().await?.execute(sql, values).await.map_err(failed)
    }

    /// Changes something; whether a row was changed.
    pub(super) async fn changes(&self, sql: &str, values: Values<'_>) -> Result<bool, StoreError> {
        Ok(self.execute_counted(sql, values).await? > 0)
    }

    pub(super) async fn row(&self, sql: &str, values: Values<'_>) -> Result<Option<Row>, StoreError> {
        self.asking().await?.query_opt(sql, values).await.map_err(failed)
    }

    pub(super) async fn rows(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, StoreError> {
        self.asking().await?.query(sql, values).await.map_err(failed)
    }

    /// Takes the lock of a run, waiting a little for the server to notice that its holder is gone. By which connection.
    async fn lock(&self, run: &RunRow) -> Result<Arc<Line>, StoreError> {
        let (line, lock) = (self.line().await?, lock_of(run.no)?);
        line.released().await;
        let mut left = 6_u32;
        loop {
            let row = line.safe.query_one("SELECT pg_try_advisory_lock($1, $2)", &[&self.locks, &lock]).await;
            if row.map_err(failed)?.get(0) {
                return Ok(line);
            }
            if left == 0 {
                let row = self.row("SELECT holder FROM holm_runs WHERE no = $1", &[&run.no.0]).await?;
                let holder: Option<String> = row.and_then(|row| row.get(0));
                let holder = holder.unwrap_or_else(|| "somebody".into());
                return Err(StoreError::Busy { run: run.id.clone(), holder });
            }
            left -= 1;
            tokio::time::sleep(NOTICE / 6).await;
        }
    }

    async fn erase_locked(&self, run: &RunRow, stone: &Gravestone) -> Result<(), StoreError> {
        let mut client = self.asking().await?;
        let tx = client.transaction().await.map_err(failed)?;
        tx.execute("SELECT pg_advisory_xact_lock($1, $2)", &[&self.locks, &BLOB_LOCK])
            .await
            .map_err(failed)?;
        queries::erase(&tx, run.no).await?;
        tx.execute("DELETE FROM holm_slips WHERE name = $1", &[&run.id]).await.map_err(failed)?;
        let values: Values<'_> = &[&run.id, &signed(stone.at), &signed(stone.records), &stone.chain];
        tx.execute("INSERT INTO holm_stones VALUES ($1, $2, $3, $4)", values).await.map_err(failed)?;
        tx.commit().await.map_err(failed)
    }

    /// Gives back the lease of a run that is held.
    fn unlock(&self, run: RunNo) {
        let line = self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
        if let Some(line) = line {
            line.release(run);
        }
    }
}

/// How people know this process.
fn holder() -> String {
    format!("process {}", std::process::id())
}

impl Backend for Postgres {
    fn meta<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let row = self.row("SELECT value FROM holm_meta WHERE name = $1", &[&name]).await?;
            Ok(row.map(|row| row.get(0)))
        })
    }

    fn meta_or<'a>(&'a self, name: &'a str, value: &'a [u8]) -> Pending<'a, Vec<u8>> {
        Box::pin(async move {
            let sql = "INSERT INTO holm_meta VALUES ($1, $2) ON CONFLICT DO NOTHING";
            self.execute(sql, &[&name, &value]).await?;
            Ok(self.meta(name).await?.unwrap_or_default())
        })
    }

    fn any_run(&self) -> Pending<'_, bool> {
        let sql = "SELECT 1 WHERE EXISTS (SELECT 1 FROM holm_runs) OR EXISTS (SELECT 1 FROM holm_jobs)
             OR EXISTS (SELECT 1 FROM holm_slips)";
        Box::pin(async move { Ok(self.row(sql, &[]).await?.is_some()) })
    }

    fn create<'a>(
        &'a self,
        id: &'a str,
        key: Option<&'a [u8]>,
        now: u64,
        kind: Creation<'a>,
    ) -> Pending<'a, RunNo> {
        Box::pin(async move {
            let line = self.line().await?;
            let mut client = self.asking().await?;
            let tx = client.transaction().await.map_err(failed)?;
            let run = match kind {
                Creation::Driven => {
                    let run = queries::create(&tx, self.locks, id, key, now, Some(holder())).await?;
                    // Before anybody else can see the run.
                    let sql = "SELECT pg_advisory_lock($1, $2)";
                    line.safe.execute(sql, &[&self.locks, &lock_of(run)?]).await.map_err(failed)?;
                    self.note_held(run, line);
                    run
                }
                Creation::Imported(bodies) => {
                    let run = queries::create(&tx, self.locks, id, key, now, None).await?;
                    let seqs: Vec<i64> = (0..).take(bodies.len()).collect();
                    let lines: Vec<&[u8]> = bodies.iter().map(Body::bytes).collect();
                    let sql = "INSERT INTO holm_records SELECT $1, * FROM unnest($2::int8[], $3::bytea[])";
                    tx.execute(sql, &[&run.0, &seqs, &lines]).await.map_err(failed)?;
                    run
                }
            };
            let committed = tx.commit().await.map_err(failed);
            if committed.is_err() {
                self.unlock(run);
            }
            committed.map(|()| run)
        })
    }

    fn find<'a>(&'a self, id: &'a str) -> Pending<'a, RunRow> {
        Box::pin(async move {
            let row = self.row("SELECT no, id, key FROM holm_runs WHERE id = $1", &[&id]).await?;
            row.as_ref().map(queries::run_row).ok_or_else(|| StoreError::Missing { run: id.into() })
        })
    }

    fn hold<'a>(&'a self, run: &'a RunRow) -> Pending<'a, ()> {
        Box::pin(async move {
            let line = self.lock(run).await?;
            let sql = "UPDATE holm_runs SET holder = $2, moved = true WHERE no = $1";
            let held = line.safe.execute(sql, &[&run.no.0, &holder()]).await.map_err(failed);
            match held {
                Ok(1) => {
                    self.note_held(run.no, line);
                    Ok(())
                }
                Ok(_) => {
                    line.release(run.no);
                    Err(StoreError::Missing { run: run.id.clone() })
                }
                Err(error) => {
                    line.release(run.no);
                    Err(error)
                }
            }
        })
    }

    fn release(&self, run: RunNo) {
        self.unlock(run);
    }

    fn append<'a>(&'a self, batch: Batch<'a>, durability: Durability) -> Pending<'a, ()> {
        Box::pin(async move {
            let (done, answer) = oneshot::channel();
            let Some(line) = self.held_by(batch.run) else {
                let reason = "nobody here holds the run; open its journal again".to_owned();
                return Err(StoreError::System { reason });
            };
            let queue = match durability {
                Durability::Written => &line.written,
                Durability::Synced => &line.synced,
            };
            let closed = || StoreError::System { reason: "the store's runtime has ended".into() };
            queue.send(Job::Append { rows: Rows::of(&batch), done }).map_err(|_| closed())?;
            answer.await.map_err(|_| closed())?
        })
    }

    fn records(&self, run: RunNo, range: Range<u64>) -> Pending<'_, Vec<(u64, Vec<u8>)>> {
        Box::pin(async move {
            let sql =
                "SELECT seq, line FROM holm_records WHERE run = $1 AND seq >= $2 AND seq < $3 ORDER BY seq";
            let rows = self.rows(sql, &[&run.0, &signed(range.start), &signed(range.end)]).await?;
            Counters::count(&self.counters.records, rows.len() as u64);
            Ok(rows.iter().map(|row| (unsigned(row.get(0)), row.get(1))).collect())
        })
    }

    fn keep_snapshot<'a>(&'a self, run: RunNo, snapshot: &'a [u8]) -> Pending<'a, ()> {
        Box::pin(async move {
            // One that comes late for a run that was erased meanwhile must not bring what it held back.
            let sql = "WITH there AS (SELECT no FROM holm_runs WHERE no = $1 FOR KEY SHARE)
                INSERT INTO holm_snapshots SELECT no, $2::bytea FROM there
                ON CONFLICT (run) DO UPDATE SET body = EXCLUDED.body";
            self.execute(sql, &[&run.0, &snapshot]).await
        })
    }

    fn snapshot(&self, run: RunNo) -> Pending<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let row = self.row("SELECT body FROM holm_snapshots WHERE run = $1", &[&run.0]).await?;
            Ok(row.map(|row| row.get(0)))
        })
    }

    fn name<'a>(&'a self, run: RunNo, title: Option<&'a [u8]>) -> Pending<'a, ()> {
        Box::pin(async move {
            self.execute("UPDATE holm_runs SET named = $2 WHERE no = $1", &[&run.0, &title]).await
        })
    }

    fn tag<'a>(&'a self, run: RunNo, tag: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            self.execute("INSERT INTO holm_tags VALUES ($1, $2) ON CONFLICT DO NOTHING", &[&run.0, &tag])
                .await
        })
    }

    fn untag<'a>(&'a self, run: RunNo, tag: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            self.execute("DELETE FROM holm_tags WHERE run = $1 AND tag = $2", &[&run.0, &tag]).await
        })
    }

    fn list<'a>(&'a self, filter: ListFilter<'a>) -> Pending<'a, Vec<ListedRow>> {
        Box::pin(async move { queries::list(&*self.asking().await?, self.locks, &filter).await })
    }

    fn stale(&self) -> Pending<'_, Vec<Stale>> {
        Box::pin(async { queries::stale(&*self.asking().await?).await })
    }

    fn openings<'a>(&'a self, runs: &'a [RunNo]) -> Pending<'a, Vec<LineRow>> {
        Box::pin(async move {
            let sql =
                "SELECT run, seq, line FROM holm_records WHERE run = ANY($1) AND seq < $2 ORDER BY run, seq";
            let rows = self.rows(sql, &[&queries::numbers(runs), &signed(FIRST_LINES)]).await?;
            Ok(rows.iter().map(|row| (RunNo(row.get(0)), unsigned(row.get(1)), row.get(2))).collect())
        })
    }

    fn keep_heads<'a>(&'a self, heads: &'a [(RunNo, HeadFacts)]) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await.map_err(failed)?;
            queries::keep_heads(&tx, heads).await?;
            tx.commit().await.map_err(failed)
        })
    }

    fn fold_row(&self, run: RunNo) -> Pending<'_, FoldRow> {
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

    fn spent(&self) -> Pending<'_, u64> {
        Box::pin(async {
            // The eighth number is the cost.
            let row = self.row("SELECT coalesce(sum(numbers[8]), 0)::int8 FROM holm_usage", &[]).await?;
            Ok(row.map_or(0, |row| unsigned(row.get(0))))
        })
    }

    fn keep_folded<'a>(&'a self, run: RunNo, derived: Derived) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await.map_err(failed)?;
            queries::keep_folded(&tx, run, &derived).await?;
            tx.commit().await.map_err(failed)
        })
    }

    fn forget_derived(&self) -> Pending<'_, ()> {
        Box::pin(async {
            let sql = "UPDATE holm_runs SET moved = true; DELETE FROM holm_heads; DELETE FROM holm_texts";
            let mut client = self.asking().await?;
            // Not `BEGIN` and `COMMIT` in the text: one that fails between would leave the connection in a transaction.
            let tx = client.transaction().await.map_err(failed)?;
            tx.batch_execute(sql).await.map_err(failed)?;
            tx.commit().await.map_err(failed)
        })
    }

    fn usage(&self) -> Pending<'_, Vec<(String, Entry)>> {
        Box::pin(async { queries::usage(&*self.asking().await?).await })
    }

    fn ledger<'a>(&'a self, kind: Option<&'a str>) -> Pending<'a, Vec<(RunRow, LedgerRow)>> {
        Box::pin(async move { queries::ledger(&*self.asking().await?, kind).await })
    }

    fn matching<'a>(&'a self, terms: &'a [String], limit: u64) -> Pending<'a, Vec<(RunRow, u64)>> {
        Box::pin(async move { queries::matching(&*self.asking().await?, terms, limit).await })
    }

    fn keep_blob<'a>(&'a self, file: &'a str, bytes: &'a [u8]) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await.map_err(failed)?;
            // An empty text has a piece too: nothing and no text are not the same.
            let pieces = bytes.chunks(usize::try_from(PIECE).unwrap_or(usize::MAX));
            let empty = bytes.is_empty().then_some(bytes);
            for (n, piece) in (0_i64..).zip(pieces.chain(empty)) {
                let sql = "INSERT INTO holm_pieces VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
                tx.execute(sql, &[&file, &n, &piece]).await.map_err(failed)?;
            }
            tx.commit().await.map_err(failed)
        })
    }

    fn refer<'a>(&'a self, run: RunNo, name: &'a str, file: &'a str, bytes: u64) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut client = self.asking().await?;
            let tx = client.transaction().await.map_err(failed)?;
            tx.execute("SELECT pg_advisory_xact_lock($1, $2)", &[&self.locks, &BLOB_LOCK])
                .await
                .map_err(failed)?;
            let sql = "INSERT INTO holm_blobs VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
            tx.execute(sql, &[&run.0, &name, &file, &signed(bytes)]).await.map_err(failed)?;
            tx.commit().await.map_err(failed)
        })
    }

    fn blob<'a>(&'a self, name: &'a str) -> Pending<'a, Option<BlobRow>> {
        Box::pin(async move {
            let sql =
                "SELECT r.no, r.id, r.key, b.name, b.file, b.bytes FROM holm_blobs b JOIN holm_runs r ON r.no = b.run
                WHERE b.name = $1 LIMIT 1";
            Ok(self.row(sql, &[&name]).await?.as_ref().map(queries::blob_row))
        })
    }

    fn blobs_of(&self, run: RunNo) -> Pending<'_, Vec<BlobRow>> {
        Box::pin(async move {
            let sql =
                "SELECT r.no, r.id, r.key, b.name, b.file, b.bytes FROM holm_blobs b JOIN holm_runs r ON r.no = b.run
                WHERE b.run = $1";
            Ok(self.rows(sql, &[&run.0]).await?.iter().map(queries::blob_row).collect())
        })
    }

    fn stamp<'a>(&'a self, file: &'a str) -> Pending<'a, Option<Stamp>> {
        Box::pin(async move {
            let sql = "SELECT sum(length(data))::int8 FROM holm_pieces WHERE file = $1";
            let length: Option<i64> = self.row(sql, &[&file]).await?.and_then(|row| row.get(0));
            Ok(length.map(|length| Stamp { length: unsigned(length), changed: None }))
        })
    }

    fn read_blob<'a>(&'a self, file: &'a str, range: Range<u64>) -> Pending<'a, Vec<u8>> {
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

    fn erase<'a>(&'a self, run: &'a RunRow, stone: &'a Gravestone) -> Pending<'a, ()> {
        Box::pin(async move {
            let line = self.lock(run).await?;
            let erased = self.erase_locked(run, stone).await;
            line.release(run.no);
            erased
        })
    }

    fn scour(&self) -> Pending<'_, ()> {
        Box::pin(async {
            let client = self.asking().await?;
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
                client.batch_execute(&format!("VACUUM holm_{table}")).await.map_err(failed)?;
            }
            Ok(())
        })
    }

    fn copy_to(&self, _: PathBuf) -> Pending<'_, Copied> {
        let reason = "a PostgreSQL database is copied with its own tools, such as pg_dump".into();
        Box::pin(async { Err(StoreError::System { reason }) })
    }

    fn commits(&self) -> Commits {
        self.counters.read()
    }

    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
