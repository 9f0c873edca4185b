//! Tools of the conversation itself: they ask a person, tell a person, wait, keep a list, and look up other tools. None
//! of them can change anything but what is said.

mod counter;
mod people;
mod plan;
mod search;
mod sleep;
mod todo;
mod withheld;

#[cfg(test)]
mod tests;

pub use counter::{Counter, NotOpen, Open, Said};
pub use people::{AskUser, Brief, People};
pub use plan::plan_tools;
pub use search::{Lookup, MOST_SHOWN, Showing, TOOL_SEARCH};
pub use sleep::Sleep;
pub use todo::{Item, Progress, Todo};
pub use withheld::{PERSON_TOOLS, WithheldTools};
