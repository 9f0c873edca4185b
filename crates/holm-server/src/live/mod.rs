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

pub(crate) use admission::Admission;
pub use cursor::Cursor;
pub use desk::{Answered, Attendance, Desk, Posed, Question, QuestionId};
pub(crate) use errand::{Errands, PREFIX};
pub use feed::{Feed, Step};
pub use frame::{Frame, Told};
pub(crate) use hall::over_budget;
pub use hall::{Hall, Lasting, Opening};
pub(crate) use memory::Memory;
pub(crate) use room::{RUNNING, Room, State};
pub(crate) use uses::{Use, uses};
pub(crate) use watch::{Watch, past};
