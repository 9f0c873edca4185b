//! Jobs and job runs as the store returns them.

use holm_kernel::Timestamp;

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    pub id: String,
    /// Counts the job's changes. A caller that changes the job passes the version it has seen.
    pub version: u64,
    /// The definition that the user wrote.
    pub spec: Vec<u8>,
    /// The progress of the job.
    pub standing: Vec<u8>,
}

/// A run of a job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJobRun {
    /// The slot that the run fills. No two runs of a job have the same.
    pub slot: String,
    /// When it was made.
    pub at: Timestamp,
    /// Whether the run is still open.
    pub state: JobRunState,
    /// Counts its changes, as a job's.
    pub version: u64,
    /// The caller's data about the run.
    pub body: Vec<u8>,
}

/// Whether a run is still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobRunState {
    /// It waits or works.
    Open,
    Ended,
}
