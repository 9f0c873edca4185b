//! The errors of this crate. Each names the place and says whether the record, the store or the
//! workspace is the cause. They are made in the other files, mostly in `store.rs`, `restore.rs` and
//! `apply.rs`; a path that changed since is no error but a verdict (`plan.rs`).

use std::{fmt::Display, io, path::Path};

/// Why an image, a record or an undo failed.
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
    /// The workspace cannot be read or written.
    #[error("{path}: {reason}")]
    Workspace {
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The workspace has more entries than an image may have.
    #[error("more than {most} files and folders")]
    TooLarge { most: usize },
    /// A record or its content is damaged.
    #[error("the undo record `{name}` cannot be used: {reason}")]
    Damaged { name: String, reason: String },
    /// Files changed after the turn; nothing was restored.
    #[error("changed since then: {}; nothing was restored", .paths.join(", "))]
    Changed { paths: Vec<String> },
    /// A file could not be put back. [`UndoArchive::resume`](crate::UndoArchive::resume) continues.
    #[error("restored only {restored} files: {reason}")]
    Stopped {
        /// How many were put back before.
        restored: usize,
        /// The path, and what the system said.
        reason: String,
    },
    /// The host refuses to write a path.
    #[error("{0}")]
    Refused(String),
    /// There is no undo that could be taken back.
    #[error("there is no undo to take back")]
    NothingToRevert,
    /// Another process is undoing something at this moment.
    #[error("another undo is running")]
    Busy,
}

impl UndoError {
    pub(crate) fn store(place: &Path, error: &io::Error) -> Self {
        Self::Store { place: place.display().to_string(), reason: error.to_string() }
    }

    pub(crate) fn workspace(path: impl Display, error: impl Into<io::Error>) -> Self {
        Self::Workspace { path: format!("{path}"), reason: error.into().to_string() }
    }

    pub(crate) fn damaged(name: &str, reason: impl Display) -> Self {
        Self::Damaged { name: name.to_owned(), reason: format!("{reason}") }
    }
}
