//! Keeps what calls change, so that a person can restore it: the file tools' changes one by one,
//! and what a command changed in the workspace as a whole.
//!
//! Images, records and the undo itself are in `holm-undo`, which knows neither calls nor rules. Here
//! they meet the rest of this crate. A record is stored under the key of its call. The session's
//! journal says which calls a turn made, so the records store neither sessions nor turns. File tools
//! write records through `files/change.rs`, commands through `shell/command_images.rs`.
//!
//! Records lie in Holm's data folder and are readable by its owner alone, because they hold the
//! contents of the files.
//!
//! Where things are:
//! - `store.rs`: the records, by the key of a call. `coverage.rs`: which paths commands can be
//!   undone at.
//!
//! The command is in `holm-cli/src/commands/undo.rs`.

mod coverage;
mod store;

#[cfg(test)]
mod tests;

pub use holm_undo::{
    CallChanges, CommandChanges, CommandUndo, KEPT, MOST_KEPT, OperationLabel, PathState, PlacedPath,
    ResumedUndo, StepContents, TreePath, UncoveredPath, UndoError, UndoOutcome, UndoPlan, UndoStep,
    UndoVerdict,
};
pub use store::UndoStore;

pub(crate) use coverage::command_coverage;
pub(crate) use store::digest;
