//! Open sessions: their driving tasks, their watchers and their questions.

mod admission;
mod budget_reservations;
mod call_uses;
mod client_tools;
mod cursor;
mod drive;
mod feed;
mod feed_memory;
mod frame;
mod live_session;
mod peer_budgets;
mod question_broker;
mod session_manager;
mod session_watcher;
mod stored_prompts;

#[cfg(test)]
mod tests;

pub(crate) use admission::RunAdmission;
pub(crate) use call_uses::{Use, uses};
pub(crate) use client_tools::{ClientToolCalls, PREFIX};
pub use cursor::FeedCursor;
pub use feed::{FeedStep, SessionFeed};
pub(crate) use feed_memory::FeedMemory;
pub use frame::{FeedEvent, FeedFrame};
pub(crate) use live_session::{LiveSession, RUNNING, SessionState};
pub use question_broker::{Answered, Posed, Question, QuestionAttendance, QuestionBroker, QuestionId};
pub(crate) use session_manager::over_budget;
pub use session_manager::{SessionManager, SessionOptions, WorkLifetime};
pub(crate) use session_watcher::{SessionWatcher, past};
