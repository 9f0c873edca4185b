//! Decides whether a file with exactly these bytes may be used, by what a person trusts. The ledger
//! is in `trust/ledger.rs`; it is read anew each time, so that trust that is given or withdrawn
//! counts at once. If it cannot be read, nothing is trusted. A file behind a link is never
//! admitted.

use std::path::{Path, PathBuf};

use crate::trust::{ContentHash, TrustLedger, TrustStatus, place};

/// Decides whether a file may be used at all. A refused file is not run, described or compiled.
pub trait ToolFileGate: Send + Sync {
    /// Whether the file with these bytes (SHA-256) may be used now. Asked again at each call, so
    /// it should be quick.
    ///
    /// # Errors
    ///
    /// Why the file is refused, and what a person can do about it.
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String>;
}

/// Admits every file: for a folder that only its owner writes to.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAllGate;

impl ToolFileGate for AllowAllGate {
    fn admits(&self, _path: &Path, _sha256: &[u8; 32]) -> Result<(), String> {
        Ok(())
    }
}

/// Admits the files of a project that a person has trusted, as the ledger file says at that moment.
/// A file behind a link at or below the project's folder is never admitted.
#[derive(Debug, Clone)]
pub struct TrustGate {
    ledger: PathBuf,
    project: PathBuf,
}

impl TrustGate {
    /// A gate for the files of this project, by the ledger in this file.
    pub fn new(ledger: impl Into<PathBuf>, project: impl Into<PathBuf>) -> Self {
        Self { ledger: ledger.into(), project: project.into() }
    }
}

impl ToolFileGate for TrustGate {
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String> {
        // Read anew each time, so that another process can add trust. If the ledger cannot be
        // read, nothing is trusted.
        let ledger = TrustLedger::open(&self.ledger).map_err(|error| error.to_string())?;
        let whole = place(&self.project, path).map_err(|linked| linked.to_string())?;
        match ledger.standing(&whole, &ContentHash::from_bytes(*sha256)) {
            TrustStatus::Trusted => Ok(()),
            TrustStatus::Changed => {
                Err("it changed since you trusted it; review it, then run `holm tool trust`".to_owned())
            }
            TrustStatus::Unknown => {
                Err("you have not trusted it; review it, then run `holm tool trust`".to_owned())
            }
        }
    }
}

impl<F: Fn(&Path, &[u8; 32]) -> Result<(), String> + Send + Sync> ToolFileGate for F {
    fn admits(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), String> {
        self(path, sha256)
    }
}
