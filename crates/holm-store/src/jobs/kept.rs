//! Jobs and job runs as the store returns them.

use holm_kernel::Timestamp;

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptJob {
    pub id: String,
    /// Counts the job's changes. A caller that changes the job passes the version it has seen.
    pub version: u64,
    /// What a person wrote.
    pub spec: Vec<u8>,
    /// How far it has come.
    pub standing: Vec<u8>,
}

/// A run of a job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRun {
    /// What it was made for. No two runs of a job have the same.
    pub slot: String,
    /// When it was made.
    pub at: Timestamp,
    /// Whether something is still to come of it.
    pub state: RunState,
    /// Counts its changes, as a job's.
    pub version: u64,
    /// What is known of it.
    pub body: Vec<u8>,
}

/// Whether something is still to come of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It waits or works.
    Open,
    Ended,
}
