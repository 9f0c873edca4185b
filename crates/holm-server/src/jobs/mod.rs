//! Work that nobody starts by hand: at a time, again and again, or when somebody else's program says so.
//!
//! ```text
//!   store ── jobs, standing, open runs ──►  plan (pure: no clock, no I/O)  ──► steps, when to look again
//!                                                                               │
//!   Keeper: asks the plan, keeps what it says, starts and stops ────────────────┘──► Starter (a session a try)
//! ```
//!
//! - **Pure planning.** What is due, missed, too much or to be stopped follows from the job, from how far it has come,
//!   from its open runs and from the time, and from nothing else; so a change of clocks or a downtime is a test of
//!   microseconds.
//! - **Nothing runs twice.** A run is named by what it was made for: a time, a person's wish, a message's id. The store
//!   fills a name once, for however many processes and after whatever crash.
//! - **Nothing is told into the void.** A message lies in the store until somebody has taken it.
//! - **Nothing storms.** Starts in an hour are bounded, failing jobs back off and are switched off.

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
