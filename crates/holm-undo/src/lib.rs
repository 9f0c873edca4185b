//! Images of a workspace before and after a change, and the way back from one to the other.
//!
//! It does not watch processes, it does not know sessions or turns, and it does not decide which
//! call may be undone. A caller gives each change a key, and later names the keys to undo.
//!
//! There are two kinds of changes. A *file tool* knows what it is about to do: it calls
//! [`UndoArchive::keep`] with the old content before it replaces a file. A *command* can change
//! anything: [`UndoArchive::begin`] takes an image of the workspace, the command runs, and
//! [`CommandUndo::finish`] takes a second image and stores the difference as one record.
//!
//! An image has an entry for each path: the content's digest, the mode, the target of a link. The
//! contents go to a store that is addressed by digest, and each content is there once. The last
//! image of a workspace is also the cache of the next: a file whose stamp did not change is not
//! read again.
//!
//! # What an undo promises
//!
//! - A path that changed since is named, and then nothing at all is restored, unless the caller
//!   forces that path or leaves it out ([`UndoArchive::leave_changed`]).
//! - A process that is killed at any instant leaves each file as it was or as it will be, and
//!   [`UndoArchive::resume`] completes the undo.
//! - An undo can be undone: [`UndoArchive::revert`] brings back what the last undo replaced.
//!
//! # Where things are
//!
//! - `tree_path.rs`, `path_state.rs`: a path, and its state. `tree.rs`: opens and changes paths
//!   beneath a folder without following links.
//! - `image.rs`, `image_codec.rs`: an image, and its form on disk. `image_taker.rs`: the walk.
//!   `coverage.rs`: what the walk leaves out. `difference.rs`: two images compared.
//! - `content_store.rs`: contents by digest. `record.rs`: what one call changed. `store.rs`: the
//!   records on disk. `command_undo.rs`: images around a command. `prune.rs`: removes old data.
//! - `plan.rs`: what an undo would do. `partial_plan.rs`: undoes only what nobody changed since.
//!   `operation.rs`: an undo on disk. `restore.rs`: the undo
//!   itself, and its own undo. `apply.rs`: the changes to files.

mod apply;
mod command_undo;
mod content_store;
mod coverage;
mod difference;
mod error;
mod image;
mod image_codec;
mod image_taker;
mod operation;
mod partial_plan;
mod path_state;
mod plan;
mod prune;
mod record;
mod restore;
mod store;
mod tree;
mod tree_path;

#[cfg(test)]
mod tests;

pub use command_undo::{CommandChanges, CommandUndo};
pub use coverage::{Coverage, CoverageLimits, UncoveredPath, UncoveredReason};
pub use error::UndoError;
pub use operation::OperationLabel;
pub use partial_plan::{CallChanges, PlacedPath, StepContents};
pub use path_state::PathState;
pub use plan::{UndoPlan, UndoStep, UndoVerdict};
pub use record::{PathChange, RecordSource, UndoRecord};
pub use restore::{ResumedUndo, UndoOutcome};
pub use store::{KEPT, MOST_KEPT, RecordFile, UndoArchive};
pub use tree_path::{TreePath, TreePathError};
