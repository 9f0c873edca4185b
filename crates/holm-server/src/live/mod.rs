//! Open sessions: their driving tasks, their watchers and their questions.

mod admission;
mod company;
mod cursor;
mod desk;
mod drive;
mod errand;
mod feed;
mod frame;
mod hall;
mod kept;
mod memory;
mod purse;
mod room;
mod uses;
mod watch;

#[cfg(test)]
mod tests;

pub(crate) use admission::RunAdmission;
pub use cursor::FeedCursor;
pub use desk::{Answered, Posed, Question, QuestionAttendance, QuestionBroker, QuestionId};
pub(crate) use errand::{ClientToolCalls, PREFIX};
pub use feed::{FeedStep, SessionFeed};
pub use frame::{FeedEvent, FeedFrame};
pub(crate) use hall::over_budget;
pub use hall::{SessionManager, SessionOptions, WorkLifetime};
pub(crate) use memory::FeedMemory;
pub(crate) use room::{LiveSession, RUNNING, SessionState};
pub(crate) use uses::{Use, uses};
pub(crate) use watch::{SessionWatcher, past};
