//! Who may enter: whether a person trusts a file with exactly these bytes.

use std::path::Path;

/// Says whether a file may be used at all. What it refuses is neither run nor described nor compiled.
pub trait Gate: Send + Sync {
    /// Whether the file with these bytes (SHA-256) may be used.
    ///
    /// # Errors
    ///
    /// Why not, and what a person can do about it.
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String>;
}

/// Lets everything in: for a folder that only its owner writes to.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    fn admits(&self, _path: &Path, _sha256: &[u8; 32]) -> Result<(), String> {
        Ok(())
    }
}

impl<F: Fn(&Path, &[u8; 32]) -> Result<(), String> + Send + Sync> Gate for F {
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String> {
        self(path, sha256)
    }
}
