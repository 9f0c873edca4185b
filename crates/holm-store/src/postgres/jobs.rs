//! Jobs and their runs in PostgreSQL's SQL.
//!
//! It implements `jobs/rows.rs` and must behave as `sqlite/jobs.rs` does. Names and sealing are
//! handled in `jobs/store.rs`. Each change is one statement that checks slot or version itself: a
//! check before it would let two processes win.

use tokio_postgres::Row;

use super::{PostgresBackend, signed, unsigned};
use crate::{
    backend::StoreFuture,
    jobs::rows::{JobRow, JobRunRow, JobRunSelection, JobTable},
};

const JOB: &str = "SELECT id, key, version, spec, standing FROM holm_jobs";
const RUN: &str = "SELECT slot, at, open, version, body FROM holm_job_runs";

impl JobTable for PostgresBackend {
    fn jobs(&self) -> StoreFuture<'_, Vec<JobRow>> {
        Box::pin(async {
            let rows = self.rows(&format!("{JOB} ORDER BY id COLLATE \"C\""), &[]).await?;
            Ok(rows.iter().map(job_row).collect())
        })
    }

    fn job<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<JobRow>> {
        Box::pin(async move {
            let row = self.row(&format!("{JOB} WHERE id = $1"), &[&id]).await?;
            Ok(row.as_ref().map(job_row))
        })
    }

    fn add_job<'a>(&'a self, row: &'a JobRow) -> StoreFuture<'a, bool> {
        let sql = "INSERT INTO holm_jobs (id, key, version, spec, standing) VALUES ($1, $2, 0, $3, $4)
             ON CONFLICT DO NOTHING";
        Box::pin(async move { self.changes(sql, &[&row.id, &row.key, &row.spec, &row.standing]).await })
    }

    fn change_job<'a>(&'a self, row: &'a JobRow) -> StoreFuture<'a, bool> {
        let sql = "UPDATE holm_jobs SET version = version + 1, spec = $3, standing = $4
             WHERE id = $1 AND version = $2";
        Box::pin(async move {
            self.changes(sql, &[&row.id, &signed(row.version), &row.spec, &row.standing]).await
        })
    }

    fn remove_job<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        // One statement, so that no run is left without its job.
        let sql =
            "WITH gone AS (DELETE FROM holm_job_runs WHERE job = $1) DELETE FROM holm_jobs WHERE id = $1";
        Box::pin(async move { self.changes(sql, &[&id]).await })
    }

    fn add_job_run<'a>(&'a self, job: &'a str, row: &'a JobRunRow) -> StoreFuture<'a, bool> {
        let sql = "INSERT INTO holm_job_runs (job, slot, at, open, version, body)
             SELECT id, $2, $3, $4, 0, $5 FROM holm_jobs WHERE id = $1 ON CONFLICT DO NOTHING";
        Box::pin(
            async move { self.changes(sql, &[&job, &row.slot, &signed(row.at), &row.open, &row.body]).await },
        )
    }

    fn change_job_run<'a>(&'a self, job: &'a str, row: &'a JobRunRow) -> StoreFuture<'a, bool> {
        let sql = "UPDATE holm_job_runs SET version = version + 1, open = $4, body = $5
             WHERE job = $1 AND slot = $2 AND version = $3";
        Box::pin(async move {
            self.changes(sql, &[&job, &row.slot, &signed(row.version), &row.open, &row.body]).await
        })
    }

    fn job_runs<'a>(&'a self, job: &'a str, which: JobRunSelection) -> StoreFuture<'a, Vec<JobRunRow>> {
        Box::pin(async move {
            let (rest, limit) = match which {
                JobRunSelection::Open => ("WHERE job = $1 AND open ORDER BY no LIMIT $2", i64::MAX),
                JobRunSelection::Latest(limit) => ("WHERE job = $1 ORDER BY no DESC LIMIT $2", signed(limit)),
            };
            let rows = self.rows(&format!("{RUN} {rest}"), &[&job, &limit]).await?;
            Ok(rows.iter().map(run_row).collect())
        })
    }

    fn job_run<'a>(&'a self, job: &'a str, slot: &'a str) -> StoreFuture<'a, Option<JobRunRow>> {
        Box::pin(async move {
            let row = self.row(&format!("{RUN} WHERE job = $1 AND slot = $2"), &[&job, &slot]).await?;
            Ok(row.as_ref().map(run_row))
        })
    }

    fn prune_job_runs<'a>(&'a self, job: &'a str, keep: u64, before: u64) -> StoreFuture<'a, ()> {
        let sql = "DELETE FROM holm_job_runs WHERE job = $1 AND NOT open AND at < $2 AND no NOT IN
             (SELECT no FROM holm_job_runs WHERE job = $1 AND NOT open ORDER BY no DESC LIMIT $3)";
        Box::pin(async move {
            self.changes(sql, &[&job, &signed(before), &signed(keep)]).await?;
            Ok(())
        })
    }
}

fn job_row(row: &Row) -> JobRow {
    JobRow {
        id: row.get(0),
        key: row.get(1),
        version: unsigned(row.get(2)),
        spec: row.get(3),
        standing: row.get(4),
    }
}

fn run_row(row: &Row) -> JobRunRow {
    JobRunRow {
        slot: row.get(0),
        at: unsigned(row.get(1)),
        open: row.get(2),
        version: unsigned(row.get(3)),
        body: row.get(4),
    }
}
