//! The record of one change to one file.

use holm_grants::FilePath;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of the format; a record of another version is not read.
pub(super) const VERSION: u32 = 1;

/// The change that one call made to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoRecord {
    pub version: u32,
    /// When, in nanoseconds since 1970. Changes of one file never overlap, so this is their order.
    pub at: u64,
    /// The folder in which the tools worked.
    pub root: FilePath,
    /// The file, from there.
    pub path: FilePath,
    pub before: RecordedFileState,
    /// The state after the change.
    pub after: RecordedFileState,
}

/// The state of a path: absent, or a file with a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedFileState {
    Absent,
    File {
        /// SHA-256 of its bytes, in hex.
        sha256: String,
        /// How many they are.
        bytes: u64,
        /// Its mode, where it was known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
}

impl RecordedFileState {
    /// The state of a file with these bytes.
    pub(crate) fn of(bytes: &[u8], mode: Option<u32>) -> Self {
        Self::File { sha256: digest(bytes), bytes: bytes.len() as u64, mode }
    }

    /// Whether both have the same bytes, or none.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Absent, Self::Absent) => true,
            (Self::File { sha256: one, .. }, Self::File { sha256: other, .. }) => one == other,
            (Self::Absent, Self::File { .. }) | (Self::File { .. }, Self::Absent) => false,
        }
    }
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
