//! Jobs that the server runs by itself: at a time, repeatedly, or when another program sends a
//! signed message.
//!
//! ```text
//!   store ── jobs, state, open runs ──► plan (pure: no clock, no I/O) ──► steps, when to look again
//!                                                                           │
//!   JobScheduler: asks the plan, stores its answer, starts and stops ◄──────┘
//!         └──► AttemptRunner (one session per attempt)
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
//!
//! Where things are:
//! - `spec.rs`, `schedule.rs`, `job.rs`, `id.rs`: what a job is, and when it is due.
//! - `plan.rs`, `job_state.rs`, `run.rs`: decisions, and what they are about.
//! - `job_scheduler.rs`, `scheduler_pool.rs`, `attempt_runner.rs`: carry decisions out.
//! - `job_repository.rs`: storage. `wall_clock.rs`: the time.
//! - `webhook_signature.rs`, `webhook_delivery.rs`, `webhook_sender.rs`: signed messages.
//!
//! The routes are in `routes/jobs.rs` and `routes/hooks.rs`.

mod attempt_runner;
mod id;
mod job;
mod job_repository;
mod job_scheduler;
mod job_state;
mod plan;
mod run;
mod schedule;
mod scheduler_pool;
mod spec;
mod wall_clock;
mod webhook_delivery;
mod webhook_example;
mod webhook_sender;
mod webhook_signature;

#[cfg(test)]
mod tests;

pub(crate) use attempt_runner::SessionAttemptRunner;
pub use attempt_runner::{AttemptOutcome, AttemptRunner, AttemptStart, JobAttempt};
pub use id::{JobId, JobRunKey};
pub use job::{JobError, PreviousHookKey, ScheduledJob};
pub use job_repository::{
    JobListing, JobRepository, JobRepositoryError, UnreadableJob, VersionedDelivery, VersionedJob,
    VersionedRun,
};
pub use job_scheduler::{JobScheduler, SchedulerServices, TriggerOutcome};
pub use job_state::{JobState, OffReason, Skip, SkipReason, Switch};
pub use plan::{AttemptSettlement, FailureNotice, JobPlan, JobPlanStep, plan, settle};
pub use run::{Cause, Outcome, Phase, Run, RunQuestionState, Stopped, Try};
pub use schedule::{DueTimes, JobSchedule, When};
pub(crate) use scheduler_pool::JobSchedulers;
pub use spec::{Approval, Door, Misfire, Overlap, Retry, Spec};
pub use wall_clock::WallClock;
pub use webhook_delivery::WebhookDelivery;
pub use webhook_example::{hook_command, hook_path};
pub use webhook_sender::{
    JobNotification, JobNotificationKind, NotificationSender, WebhookDeliveryError, WebhookSender,
};
pub use webhook_signature::{HookKey, WebhookHeaders, WebhookSignatureError};
