//! A validated job, with the key that signs its messages. The specification and its limits are in
//! `spec.rs`, times in `schedule.rs`, and storage in `job_repository.rs`. A job cannot be made from
//! an invalid specification.

use holm_kernel::Timestamp;
use serde::{Deserialize, Serialize};

use super::{HookKey, JobId, JobSchedule, Spec, WebhookHeaders, WebhookSignatureError};

#[derive(Debug, Clone)]
pub struct ScheduledJob {
    pub id: JobId,
    /// The specification, as the user wrote it.
    pub spec: Spec,
    /// When it is due.
    pub schedule: JobSchedule,
    /// Signs notifications about the job, and messages that start it.
    pub key: HookKey,
    /// The previous key, while it is still valid.
    pub old: Option<PreviousHookKey>,
    /// When it was created.
    pub made: Timestamp,
}

/// A key that was replaced, and the time until which it is still valid.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PreviousHookKey {
    pub key: HookKey,
    /// When it becomes invalid.
    pub until: Timestamp,
}

/// A job as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JobDocument {
    pub(super) spec: Spec,
    pub(super) key: HookKey,
    #[serde(default)]
    pub(super) old: Option<PreviousHookKey>,
    pub(super) made: Timestamp,
}

impl ScheduledJob {
    /// Creates a job from a specification that it validates first.
    ///
    /// # Errors
    /// [`JobError`] with the first invalid field.
    pub fn new(id: JobId, spec: Spec, key: HookKey, made: Timestamp) -> Result<Self, JobError> {
        spec.check()?;
        let schedule = JobSchedule::new(&spec.when)?;
        Ok(Self { id, spec, schedule, key, old: None, made })
    }

    /// As [`new`](Self::new), for a job that a user creates now: its schedule must
    /// have a time ahead.
    ///
    /// # Errors
    /// As there; [`JobError::Never`] if the schedule has no time ahead, and [`JobError::TooOften`] if
    /// the hourly limit would drop some of its times.
    pub fn to_come(id: JobId, spec: Spec, key: HookKey, now: Timestamp) -> Result<Self, JobError> {
        let job = Self::new(id, spec, key, now)?;
        let asked = matches!(job.spec.when, super::When::Asked);
        if !asked && job.schedule.next(now).is_none() {
            return Err(JobError::Never);
        }
        let per_hour = job.spec.per_hour;
        match job.schedule.exceeds(per_hour, now) {
            Some(due) => Err(JobError::TooOften { due, per_hour }),
            None => Ok(job),
        }
    }

    /// Replaces the key; the old one stays valid until the given time. Only one old key does, so a
    /// second change invalidates a leaked key.
    pub fn rekey(&mut self, key: HookKey, until: Timestamp) {
        let key = std::mem::replace(&mut self.key, key);
        self.old = Some(PreviousHookKey { key, until });
    }

    /// The previous key, if it is still valid.
    pub fn old_key(&self, now: Timestamp) -> Option<&HookKey> {
        self.old.as_ref().filter(|old| now < old.until).map(|old| &old.key)
    }

    /// Verifies that a message was signed with the current or the previous key, and recently.
    ///
    /// # Errors
    /// [`WebhookSignatureError`] with the reason, which the sender is not told.
    pub fn check(
        &self,
        signed: &WebhookHeaders,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(), WebhookSignatureError> {
        let checked = self.key.check(signed, body, now);
        match self.old_key(now) {
            Some(old) if checked.is_err() => old.check(signed, body, now),
            Some(_) | None => checked,
        }
    }

    pub(super) fn written(&self) -> JobDocument {
        JobDocument { spec: self.spec.clone(), key: self.key.clone(), old: self.old.clone(), made: self.made }
    }
}

/// Why a job is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// A required text is empty.
    #[error("{0} is empty; describe the work")]
    Missing(&'static str),
    /// A text is too long.
    #[error("{what} is longer than {most} bytes")]
    TooLong { what: &'static str, most: usize },
    /// A number is out of range.
    #[error("{what} is {value}; it must be between {least} and {most}")]
    Bounds { what: &'static str, value: u64, least: u64, most: u64 },
    /// The cron pattern is invalid.
    #[error("`{pattern}` is not a valid cron pattern: {reason}")]
    Pattern {
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no such time zone.
    #[error("unknown time zone `{0}`; use a name such as Europe/Berlin or UTC")]
    Zone(String),
    /// A field cannot be changed like this.
    #[error("invalid change ({reason})")]
    Field { reason: String },
    /// It would never run.
    #[error("that time never comes; choose one in the future")]
    Never,
    /// The hourly limit would drop some of its times.
    #[error(
        "the schedule is due {due} times an hour, but `per_hour` is {per_hour}; choose a schedule that is \
         due less often, or raise `per_hour` (60 at most)"
    )]
    TooOften { due: u32, per_hour: u32 },
    /// The address is not valid for notifications.
    #[error("`notify` is not a valid address; start with https://")]
    Address,
    /// There is no address for questions.
    #[error("`approval` is `notify`, but `notify` has no address; set an https address")]
    NobodyToTell,
}
