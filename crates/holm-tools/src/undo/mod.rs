//! What files were before a call changed them, so that a person can have them back.
//!
//! A record is written and synced before the file is replaced, under the key of the call that replaces it. The journal
//! of a session says which calls a turn made, so the records need to know neither: [`Undo::plan`] takes the keys of a
//! turn's calls and says, file by file, what would be restored. A file that somebody changed afterwards is not touched
//! unless it is named.
//!
//! Records lie in Holm's data folder, for its owner alone: they hold what the files held.

mod error;
mod plan;
mod record;
mod store;

#[cfg(test)]
mod tests;

pub use error::UndoError;
pub use plan::{Plan, Step, Verdict};
pub use record::{Record, State};
pub use store::{KEPT, MOST_KEPT, Undo};

pub(crate) use record::digest;
