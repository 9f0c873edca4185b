//! Jobs and their runs in SQL.
//!
//! It implements `jobs/rows.rs` and must behave as `postgres/jobs.rs` does. Names and sealing are
//! handled in `jobs/store.rs`. Each change checks slot or version itself: a check before it would
//! let two processes win. New jobs, changed jobs, removed jobs and new runs are synced before the
//! call returns.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    SqliteBackend, failed,
    queries::{signed, unsigned},
};
use crate::{
    StoreError,
    backend::StoreFuture,
    jobs::rows::{JobRow, JobRunRow, JobRunSelection, JobTable},
};

type Result<T> = std::result::Result<T, StoreError>;

const JOB: &str = "SELECT id, key, version, spec, standing FROM jobs";
const RUN: &str = "SELECT slot, at, open, version, body FROM job_runs";

impl JobTable for SqliteBackend {
    fn jobs(&self) -> StoreFuture<'_, Vec<JobRow>> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!("{JOB} ORDER BY id")).map_err(failed)?;
            let rows = statement.query_map([], job_row);
            rows.and_then(Iterator::collect).map_err(failed)
        })
    }

    fn job<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<JobRow>> {
        let id = id.to_owned();
        self.read(move |conn| {
            conn.query_row(&format!("{JOB} WHERE id = ?"), [id], job_row).optional().map_err(failed)
        })
    }

    fn add_job<'a>(&'a self, row: &'a JobRow) -> StoreFuture<'a, bool> {
        let row = row.clone();
        self.write_synced(move |conn| {
            let sql = "INSERT OR IGNORE INTO jobs (id, key, version, spec, standing) VALUES (?, ?, 0, ?, ?)";
            one(conn.execute(sql, params![row.id, row.key, row.spec, row.standing]))
        })
    }

    fn change_job<'a>(&'a self, row: &'a JobRow) -> StoreFuture<'a, bool> {
        let row = row.clone();
        self.write_synced(move |conn| {
            let sql = "UPDATE jobs SET version = version + 1, spec = ?3, standing = ?4
                 WHERE id = ?1 AND version = ?2";
            one(conn.execute(sql, params![row.id, signed(row.version), row.spec, row.standing]))
        })
    }

    fn remove_job<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        let id = id.to_owned();
        self.write_synced(move |conn| {
            conn.execute("DELETE FROM job_runs WHERE job = ?", [&id]).map_err(failed)?;
            one(conn.execute("DELETE FROM jobs WHERE id = ?", [&id]))
        })
    }

    fn add_job_run<'a>(&'a self, job: &'a str, row: &'a JobRunRow) -> StoreFuture<'a, bool> {
        let (job, row) = (job.to_owned(), row.clone());
        self.write_synced(move |conn| {
            let sql = "INSERT OR IGNORE INTO job_runs (job, slot, at, open, version, body)
                 SELECT id, ?2, ?3, ?4, 0, ?5 FROM jobs WHERE id = ?1";
            one(conn.execute(sql, params![job, row.slot, signed(row.at), row.open, row.body]))
        })
    }

    fn change_job_run<'a>(&'a self, job: &'a str, row: &'a JobRunRow) -> StoreFuture<'a, bool> {
        let (job, row) = (job.to_owned(), row.clone());
        self.write(move |conn| {
            let sql = "UPDATE job_runs SET version = version + 1, open = ?4, body = ?5
                 WHERE job = ?1 AND slot = ?2 AND version = ?3";
            one(conn.execute(sql, params![job, row.slot, signed(row.version), row.open, row.body]))
        })
    }

    fn job_runs<'a>(&'a self, job: &'a str, which: JobRunSelection) -> StoreFuture<'a, Vec<JobRunRow>> {
        let job = job.to_owned();
        self.read(move |conn| runs(conn, &job, which))
    }

    fn job_run<'a>(&'a self, job: &'a str, slot: &'a str) -> StoreFuture<'a, Option<JobRunRow>> {
        let (job, slot) = (job.to_owned(), slot.to_owned());
        self.read(move |conn| {
            let sql = format!("{RUN} WHERE job = ? AND slot = ?");
            conn.query_row(&sql, [job, slot], run_row).optional().map_err(failed)
        })
    }

    fn prune_job_runs<'a>(&'a self, job: &'a str, keep: u64, before: u64) -> StoreFuture<'a, ()> {
        let job = job.to_owned();
        self.write(move |conn| {
            let sql = "DELETE FROM job_runs WHERE job = ?1 AND open = 0 AND at < ?2 AND no NOT IN
                 (SELECT no FROM job_runs WHERE job = ?1 AND open = 0 ORDER BY no DESC LIMIT ?3)";
            conn.execute(sql, params![job, signed(before), signed(keep)]).map_err(failed)?;
            Ok(())
        })
    }
}

fn runs(conn: &Connection, job: &str, which: JobRunSelection) -> Result<Vec<JobRunRow>> {
    let (rest, limit) = match which {
        JobRunSelection::Open => ("WHERE job = ? AND open = 1 ORDER BY no LIMIT ?", i64::MAX),
        JobRunSelection::Latest(limit) => ("WHERE job = ? ORDER BY no DESC LIMIT ?", signed(limit)),
    };
    let mut statement = conn.prepare_cached(&format!("{RUN} {rest}")).map_err(failed)?;
    let rows = statement.query_map(params![job, limit], run_row);
    rows.and_then(Iterator::collect).map_err(failed)
}

fn job_row(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    Ok(JobRow {
        id: row.get(0)?,
        key: row.get(1)?,
        version: unsigned(row.get(2)?),
        spec: row.get(3)?,
        standing: row.get(4)?,
    })
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<JobRunRow> {
    Ok(JobRunRow {
        slot: row.get(0)?,
        at: unsigned(row.get(1)?),
        open: row.get(2)?,
        version: unsigned(row.get(3)?),
        body: row.get(4)?,
    })
}

/// Whether a row was changed.
fn one(changed: rusqlite::Result<usize>) -> Result<bool> {
    changed.map(|rows| rows > 0).map_err(failed)
}
