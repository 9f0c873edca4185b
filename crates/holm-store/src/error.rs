//! The errors of a store, sorted by who can do something about them, and how they become errors of
//! the runtime.
//!
//! Errors of a database are translated where they arise: in `sqlite/mod.rs` and in
//! `postgres/mod.rs`. A message says what to do next, because users read it. Damage, a missing run
//! and a run that is busy must stay apart: callers act on each of them differently.

use std::io;

use holm_kernel::journal::JournalError;
use holm_runtime::{BlobError, JournalStorageError};

/// An error of the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store has no run of this name.
    #[error("no run `{run}` in this store; list the runs to see their ids")]
    Missing { run: String },
    /// There is one already.
    #[error("run `{run}` already exists; choose another id, or resume it")]
    Exists { run: String },
    /// The run was erased. Its id stays taken, because the keys of its calls are derived from it.
    #[error("the run `{run}` was erased; choose another id")]
    Erased { run: String },
    /// Another process or another part of this one drives the run.
    #[error("the run `{run}` is being driven by {holder}; stop it there first")]
    Busy { run: String, holder: String },
    /// The connection that held the leases was lost.
    #[error("the lease on the run was lost with the connection to the database; open the run again")]
    LeaseLost,
    /// The name cannot be a run's.
    #[error("`{run}` is not a valid session name: {reason}")]
    BadName {
        run: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A tag or a title cannot be kept.
    #[error("cannot store {what} ({reason})")]
    BadLabel {
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The lines are not those that follow.
    #[error("the lines do not follow record {next} ({reason}); replay the journal")]
    OutOfOrder { next: u64, reason: String },
    /// An earlier append failed, so the end of the journal is unknown.
    #[error("an append to `{run}` was not confirmed; drop the run and open its journal again")]
    Uncertain { run: String },
    /// A search word is too short for the index.
    #[error("`{term}` is too short to search for; each word needs 3 characters or more")]
    TooShort { term: String },
    /// The text is not a journal. The message contains the reason, so there is no separate source.
    #[error("the text is not a complete journal: {0}")]
    NotAJournal(JournalError),
    /// The journal does not start a run.
    #[error("record 0 does not start a run ({reason}); this is not a run's journal")]
    NotStarted { reason: String },
    /// Stored data is damaged.
    #[error("the stored data of `{run}` is damaged ({reason}); nothing was deleted; restore a backup")]
    Damaged { run: String, reason: String },
    /// The file belongs to another program.
    #[error("{place} is not a Holm store; choose another path")]
    Foreign { place: String },
    /// A later version has been here.
    #[error("the store has schema {found}, this program supports {known}; use the program that wrote it")]
    Newer { found: u32, known: u32 },
    /// The store is encrypted.
    #[error("the store is encrypted; give its key")]
    KeyNeeded,
    /// The store is encrypted with a different key.
    #[error("wrong key: the store was created with another one")]
    WrongKey,
    /// The store is not encrypted.
    #[error(
        "the store was created without a key; open it without one, or create a new store and import \
             the runs"
    )]
    NotEncrypted,
    #[error("the disk is full, or the store reached its size limit")]
    Full,
    #[error("cannot write to {place} ({reason}); choose a writable path")]
    ReadOnly { place: String, reason: String },
    /// Another process keeps writing.
    #[error("another process has locked the store for {seconds} s; try again, or check what it does")]
    Locked {
        /// How long the store waited.
        seconds: u64,
    },
    /// A sync failed once; data written before it may be lost.
    #[error("the disk failed to sync ({reason}); check the disk, then open the store again")]
    Unsynced { reason: String },
    /// No result of that name.
    #[error("no result `{digest}` in this store; it was removed or never existed")]
    NoBlob { digest: String },
    /// A stored result differs from the original.
    #[error("the result `{digest}` was changed after it was stored; do not trust it")]
    BlobChanged { digest: String },
    /// The operating system returned an error.
    #[error("the store failed ({reason})")]
    System { reason: String },
}

impl From<JournalError> for StoreError {
    fn from(error: JournalError) -> Self {
        Self::NotAJournal(error)
    }
}

impl From<StoreError> for JournalStorageError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Missing { run } => Self::Missing { run },
            StoreError::Exists { run } => Self::Exists { run },
            StoreError::Busy { run, holder } => Self::Busy { run, holder },
            StoreError::LeaseLost => Self::LeaseLost,
            StoreError::BadName { run, reason } => Self::BadName { run, reason },
            StoreError::Erased { run } => {
                Self::BadName { run, reason: "a run of that name was erased".into() }
            }
            StoreError::Damaged { run, reason } => Self::Damaged { run, reason },
            other => Self::System { reason: other.to_string() },
        }
    }
}

impl From<StoreError> for BlobError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoBlob { digest } => Self::Missing { digest },
            StoreError::BlobChanged { digest } => Self::Changed { digest },
            other => Self::System { reason: other.to_string() },
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::System { reason: error.to_string() },
        }
    }
}

/// Adds the path to a failed file operation.
pub(crate) fn at(path: &std::path::Path, error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory => {
            StoreError::ReadOnly { place: path.display().to_string(), reason: error.to_string() }
        }
        _ => StoreError::System { reason: format!("{}: {error}", path.display()) },
    }
}
