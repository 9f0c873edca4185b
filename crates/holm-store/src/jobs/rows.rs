//! The operations on jobs that a database must offer, and their rows. They are implemented in
//! `sqlite/jobs.rs` and `postgres/jobs.rs`, and called by `jobs/store.rs`, which checks names and
//! encrypts texts. Jobs are run by `holm-server/src/jobs/`.

use crate::backend::StoreFuture;

/// A job as a row; `spec` and `standing` are sealed in an encrypted store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobRow {
    pub(crate) id: String,
    /// The wrapped data key of an encrypted store.
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) version: u64,
    pub(crate) spec: Vec<u8>,
    pub(crate) standing: Vec<u8>,
}

/// A run of a job as a row; `body` is sealed in an encrypted store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobRunRow {
    pub(crate) slot: String,
    pub(crate) at: u64,
    pub(crate) open: bool,
    pub(crate) version: u64,
    pub(crate) body: Vec<u8>,
}

/// Which runs of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobRunSelection {
    /// The runs that are still open, the oldest first.
    Open,
    /// So many of all, the latest first.
    Latest(u64),
}

pub(crate) trait JobTable {
    /// All jobs by name.
    fn jobs(&self) -> StoreFuture<'_, Vec<JobRow>>;
    fn job<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<JobRow>>;
    /// Adds a job unless there is one of that name; whether it was added.
    fn add_job<'a>(&'a self, row: &'a JobRow) -> StoreFuture<'a, bool>;
    /// Replaces the stored job and increments its version, if `row` has the stored version.
    /// Returns whether it did.
    fn change_job<'a>(&'a self, row: &'a JobRow) -> StoreFuture<'a, bool>;
    /// Removes a job and its runs; whether there was one.
    fn remove_job<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool>;
    /// Adds a run unless its slot is taken or its job is gone; whether it was added.
    fn add_job_run<'a>(&'a self, job: &'a str, row: &'a JobRunRow) -> StoreFuture<'a, bool>;
    /// Changes a run of a job, as [`change_job`](Self::change_job) does.
    fn change_job_run<'a>(&'a self, job: &'a str, row: &'a JobRunRow) -> StoreFuture<'a, bool>;
    fn job_runs<'a>(&'a self, job: &'a str, which: JobRunSelection) -> StoreFuture<'a, Vec<JobRunRow>>;
    fn job_run<'a>(&'a self, job: &'a str, slot: &'a str) -> StoreFuture<'a, Option<JobRunRow>>;
    /// Forgets runs that have ended, were made before a time, and are not among the latest.
    fn prune_job_runs<'a>(&'a self, job: &'a str, keep: u64, before: u64) -> StoreFuture<'a, ()>;
}
