//! Errors of undo records: writing, reading and applying them.

use crate::root::WorkspaceRootError;

/// Why an undo record cannot be stored, read or applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// The records cannot be reached.
    #[error("undo records in `{place}`: {reason}")]
    Store {
        /// The file or folder.
        place: String,
        /// What the system said.
        reason: String,
    },
    /// A record or its content is damaged.
    #[error("the undo record `{name}` cannot be used: {reason}")]
    Damaged { name: String, reason: String },
    /// Files changed after the turn; nothing was restored.
    #[error("changed since then: {}; nothing was restored", .paths.join(", "))]
    Changed { paths: Vec<String> },
    /// A file could not be put back.
    #[error("restored only {restored} files: {reason}")]
    Stopped {
        /// How many were put back before.
        restored: usize,
        /// The reason why it stopped.
        reason: WorkspaceRootError,
    },
    /// A file's folder cannot be opened any more.
    #[error("{0}")]
    Root(#[from] WorkspaceRootError),
}
