//! Jobs that the server runs by itself: at a time, repeatedly, or when another program sends a
//! signed message.
//!
//! ```text
//!   store ── jobs, standing, open runs ──►  plan (pure: no clock, no I/O)  ──► steps, when to look again
//!                                                                               │
//!   Keeper: asks the plan, keeps what it says, starts and stops ────────────────┘──► Starter (a session a try)
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

pub use hook::{HookKey, Rejected, Signed};
pub use id::{JobId, Slot};
pub use job::{Job, JobError, OldKey};
pub use keeper::{Keeper, Keeping, Triggered};
pub use letter::Letter;
pub use messenger::{Messenger, News, NewsKind, Undelivered, Webhooks};
pub use plan::{Plan, Settled, Step, Tell, plan, settle};
pub use run::{Asking, Cause, Outcome, Phase, Run, Stopped, Try};
pub use schedule::{Due, Schedule, When};
pub use shelf::{Broken, Held, HeldLetter, HeldRun, Listed, Shelf, ShelfError};
pub use spec::{Approval, Door, Misfire, Overlap, Retry, Spec};
pub use standing::{OffReason, Skip, SkipReason, Standing, Switch};
pub(crate) use starter::HallStarter;
pub use starter::{Begin, Errand, Finished, Starter};
pub(crate) use team::Team;
pub use wall::WallClock;
