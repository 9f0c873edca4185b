//! The state of a job. The scheduler stores it, and only the plan changes it.
//!
//! The types are stored and part of the API, so their names must not change. The state of one run
//! is in `run.rs`.

use holm_kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The state of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobState {
    /// Whether its schedule is active.
    #[serde(default)]
    pub switch: Switch,
    /// Scheduled times up to this one are done.
    pub settled: Timestamp,
    /// The start times of attempts in the last hour.
    #[serde(default)]
    pub starts: Vec<Timestamp>,
    /// The number of failed runs in a row.
    #[serde(default)]
    pub failures: u32,
    /// When the last of them ended.
    #[serde(default)]
    pub failed_at: Option<Timestamp>,
    /// The total number of skipped times.
    #[serde(default)]
    pub skipped: u64,
    /// The last skipped time.
    #[serde(default)]
    pub last_skip: Option<Skip>,
}

impl JobState {
    /// The state of a new job: earlier times do not count.
    pub const fn new(now: Timestamp) -> Self {
        Self {
            switch: Switch::On,
            settled: now,
            starts: Vec::new(),
            failures: 0,
            failed_at: None,
            skipped: 0,
            last_skip: None,
        }
    }

    /// The state after a user switched the job on: earlier times and failures do not count.
    pub fn on(&self, now: Timestamp) -> Self {
        let fresh = Self::new(now);
        Self { starts: self.starts.clone(), skipped: self.skipped, last_skip: self.last_skip, ..fresh }
    }

    pub fn off(&self, now: Timestamp, why: OffReason) -> Self {
        Self { switch: Switch::Off { at: now, why }, ..self.clone() }
    }

    pub(super) fn skip(&mut self, due: Timestamp, why: SkipReason, count: u64) {
        self.skipped = self.skipped.saturating_add(count);
        self.last_skip = Some(Skip { due, why, count });
    }
}

/// Whether a job is enabled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// It runs when it is due.
    #[default]
    On,
    /// It does not run until a user enables it.
    Off {
        /// When it was disabled.
        #[schema(value_type = u64)]
        at: Timestamp,
        /// Why it was disabled.
        why: OffReason,
    },
}

/// Why a job was disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OffReason {
    /// A user disabled it.
    Person,
    /// It failed too many times in a row.
    Failing,
}

/// Scheduled times that were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Skip {
    /// The last of them.
    #[schema(value_type = u64)]
    pub due: Timestamp,
    /// Why they were skipped.
    pub why: SkipReason,
    /// How many were skipped.
    pub count: u64,
}

/// Why a scheduled time was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It passed while no server could run the job.
    Missed,
    /// The previous run was still in progress.
    Overlap,
    /// Too many runs were waiting.
    Full,
    /// The job reached its maximum number of starts per hour.
    TooOften,
    /// The job failed, and waits before it runs again.
    BackingOff,
}
