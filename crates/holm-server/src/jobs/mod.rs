//! Jobs that the server runs by itself: at a time, repeatedly, or when another program sends a
//! signed message.
//!
//! ```text
//!   store ── jobs, standing, open runs ──►  plan (pure: no clock, no I/O)  ──► steps, when to look again
//!                                                                               │
//!   JobScheduler: asks the plan, keeps what it says, starts and stops ────────────────┘──► AttemptRunner (a session a try)
//! ```
//!
//! - **Pure planning.** The plan depends only on the job, its state, its open runs and the time. It
//!   decides what is due, missed, excessive or to be stopped. So a clock change or a downtime is a
//!   test of microseconds.
//! - **Nothing runs twice.** Each run has a key: a scheduled time, a user's request, or the id of a
//!   message. The store accepts each key once, across processes and crashes.
//! - **No notification is lost.** A message stays in the store until its recipient has accepted it.
//! - **No storms.** The number of starts per hour is bounded. Failing jobs back off and are then
//!   switched off.

mod hook;
mod id;
mod job;
mod keeper;
mod letter;
mod messenger;
mod plan;
mod run;
mod schedule;
mod shelf;
mod spec;
mod standing;
mod starter;
mod team;
mod wall;

#[cfg(test)]
mod tests;

pub use hook::{HookKey, WebhookHeaders, WebhookSignatureError};
pub use id::{JobId, JobRunKey};
pub use job::{JobError, PreviousHookKey, ScheduledJob};
pub use keeper::{JobScheduler, SchedulerServices, TriggerOutcome};
pub use letter::WebhookDelivery;
pub use messenger::{
    JobNotification, JobNotificationKind, NotificationSender, WebhookDeliveryError, WebhookSender,
};
pub use plan::{AttemptSettlement, FailureNotice, JobPlan, JobPlanStep, plan, settle};
pub use run::{Cause, Outcome, Phase, Run, RunQuestionState, Stopped, Try};
pub use schedule::{DueTimes, JobSchedule, When};
pub use shelf::{
    JobListing, JobRepository, JobRepositoryError, UnreadableJob, VersionedDelivery, VersionedJob,
    VersionedRun,
};
pub use spec::{Approval, Door, Misfire, Overlap, Retry, Spec};
pub use standing::{JobState, OffReason, Skip, SkipReason, Switch};
pub(crate) use starter::SessionAttemptRunner;
pub use starter::{AttemptOutcome, AttemptRunner, AttemptStart, JobAttempt};
pub(crate) use team::JobSchedulers;
pub use wall::WallClock;
