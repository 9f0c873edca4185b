//! Errors that stop a driver.

use holm_kernel::journal::{ForkError, JournalError, ReplayError, StepError};

use crate::{JournalStorageError, ToolboxError};

/// A run cannot continue. Errors of a model, a tool or a hook are never among these: they are
/// facts of the run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriveError {
    /// The kernel refused a fact.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A journal could not be read or written.
    #[error(transparent)]
    Journal(#[from] JournalStorageError),
    /// A journal is damaged.
    #[error(transparent)]
    Damaged(#[from] JournalError),
    /// A journal cannot be folded.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// There is no such record to fork at.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// A tool cannot be used.
    #[error(transparent)]
    Tools(#[from] ToolboxError),
    /// The journal belongs to a different run than its name says.
    #[error("the journal of `{wanted}` belongs to the run `{found}`; it was renamed or moved: move it back")]
    OtherRun {
        /// The name that it is stored under.
        wanted: String,
        /// The run in the journal.
        found: String,
    },
    /// A record could not be written, or the caller stopped waiting for the write. The run in
    /// memory can no longer be trusted.
    #[error("the run was lost when its journal could not be written; resume it from the journal")]
    Lost,
}
