//! Notes as the store returns them.

use holm_kernel::Timestamp;

/// A note as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNote {
    /// Its name. No two in a tray have the same.
    pub name: String,
    /// When it was put there.
    pub at: Timestamp,
    /// Counts the note's changes. A caller that changes the note passes the version it has seen.
    pub version: u64,
    pub body: Vec<u8>,
}
