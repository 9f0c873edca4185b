//! The errors of the record of trusted files. They are found in `ledger.rs`, `file.rs` and
//! `survey.rs`; this file only words them.

use holm_kernel::visible_line;
use std::path::{Path, PathBuf};

use super::ContentHash;

/// Why a file cannot be used, or why the trust record cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The file was never reviewed.
    #[error("{} is not trusted; review it, then trust its folder", visible_line(&.path.to_string_lossy()))]
    Unknown {
        path: PathBuf,
        /// What is in it.
        hash: ContentHash,
    },
    /// The file differs from the reviewed one.
    #[error("{} has changed since you trusted it; review it again, then trust its folder", visible_line(&.path.to_string_lossy()))]
    Changed {
        path: PathBuf,
        /// What is in it now.
        hash: ContentHash,
    },
    /// The path is not a plain file or folder: a link, a device, a pipe.
    #[error("{} is {what}; only regular files and folders can be trusted", visible_line(&.path.to_string_lossy()))]
    NotPlain { path: PathBuf, what: &'static str },
    /// There is more than a person could review.
    #[error("{} holds more than {max}; trust a smaller folder", visible_line(&.path.to_string_lossy()))]
    TooMuch {
        /// The file or folder.
        path: PathBuf,
        /// The bound, in words.
        max: &'static str,
    },
    /// Another user could have written the record, so it proves nothing.
    #[error("other users can write {}; make it yours alone (chmod 600)", visible_line(&.0.to_string_lossy()))]
    Exposed(PathBuf),
    /// The record is damaged.
    #[error("{} is not a valid trust record: {why}; move it elsewhere to start again", visible_line(&.path.to_string_lossy()))]
    Damaged { path: PathBuf, why: String },
    #[error("{}: {why}", visible_line(&.path.to_string_lossy()))]
    Io {
        /// What it was about.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
}

impl TrustError {
    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), why: error.to_string() }
    }
}
