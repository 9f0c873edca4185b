//! Keeps the content of files from before a call changed them, so that a person can restore it.
//!
//! A record is written and synced before the file is replaced, under the key of the call that
//! replaces it. The session's journal says which calls a turn made, so the records store neither
//! sessions nor turns. [`UndoStore::plan`] takes the keys of a turn's calls and says, file by file,
//! what would be restored. A file that was changed afterwards is not touched unless it is named.
//!
//! Records lie in Holm's data folder and are readable by its owner alone, because they hold the
//! contents of the files.
//!
//! Where things are:
//! - `store.rs`: the records on disk. `record.rs`: one record.
//! - `plan.rs`: what an undo would do, and the undo itself. `error.rs`: why it fails.
//!
//! File tools write records through `files/change.rs`. The command is in
//! `holm-cli/src/commands/undo.rs`.

mod error;
mod plan;
mod record;
mod store;

#[cfg(test)]
mod tests;

pub use error::UndoError;
pub use plan::{UndoPlan, UndoStep, UndoVerdict};
pub use record::{RecordedFileState, UndoRecord};
pub use store::{KEPT, MOST_KEPT, UndoStore};

pub(crate) use record::digest;
