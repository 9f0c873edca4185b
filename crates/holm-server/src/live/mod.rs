//! Open sessions: their driving tasks, their watchers and their questions.
//!
//! Where things are:
//! - `session_manager.rs`: all open sessions. `live_session.rs`: one of them. `drive.rs`: the task
//!   that drives it.
//! - `admission.rs`, `budget_reservations.rs`, `peer_budgets.rs`, `event_meter.rs`: how much may run,
//!   and for how much money.
//! - `stored_prompts.rs`: prompts that survive a crash.
//! - `feed.rs`, `feed_memory.rs`, `frame.rs`, `cursor.rs`, `session_watcher.rs`: what watchers see.
//! - `question_broker.rs`: questions to users. `client_tools.rs`: tools of the client.
//!   `call_uses.rs`: grants of calls.
//!
//! Agents are assembled elsewhere (`session_provider.rs`), and the kernel decides about calls.

mod admission;
mod budget_reservations;
mod call_uses;
mod client_tools;
mod cursor;
mod drive;
mod event_meter;
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
