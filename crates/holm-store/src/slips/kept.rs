//! What is handed out.

use holm_kernel::Timestamp;

/// A note as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// Its name. No two in a tray have the same.
    pub name: String,
    /// When it was put there.
    pub at: Timestamp,
    /// Counts its changes; whoever changes it says which one they have seen.
    pub version: u64,
    pub body: Vec<u8>,
}
