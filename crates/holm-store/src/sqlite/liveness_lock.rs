//! Tells which stores are alive. Each open store holds a lock on its own file for as long as
//! its process lives. The system releases the lock when the process ends, however it ends. So a
//! lease names a holder, and a process that wants the lease tries the holder's lock. This needs no
//! clock, no heartbeat and no process ids, which are reused.
//!
//! It knows no runs: leases are in `sqlite/leases.rs`. A lock that cannot be tried counts as held,
//! because two drivers are worse than a wait. PostgreSQL uses locks of connections instead
//! (`postgres/lease.rs`).

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use crate::{StoreError, error, vault::token};

/// This store's own lock.
pub(super) struct LivenessLock {
    folder: PathBuf,
    token: String,
    /// Held open for its lock; never read. A store that writes nothing holds none.
    file: Option<File>,
}

impl LivenessLock {
    pub(super) fn new(folder: PathBuf) -> Result<Self, StoreError> {
        super::files::make_folder(&folder)?;
        sweep(&folder);
        loop {
            let token = token()?;
            let path = folder.join(&token);
            let file = super::files::create_new(&path).map_err(|error| error::at(&path, &error))?;
            file.lock().map_err(|error| error::at(&path, &error))?;
            // Another store's sweep may have removed the file between the two steps.
            if path.exists() {
                return Ok(Self { folder, token, file: Some(file) });
            }
        }
    }

    /// No lock, for a store that writes nothing. It can tell who else is alive.
    pub(super) fn not_held(folder: PathBuf) -> Self {
        Self { folder, token: String::new(), file: None }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// The name of this holder for users.
    pub(super) fn name() -> String {
        format!("process {}", std::process::id())
    }

    /// Whether the holder of a token is still alive.
    pub(super) fn lives(&self, token: &str) -> bool {
        token == self.token || is_locked(&self.folder.join(token))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(&self.token)
    }
}

impl Drop for LivenessLock {
    fn drop(&mut self) {
        // A file that cannot be removed is removed by the next store that is opened here.
        if self.file.is_some() {
            let _ = fs::remove_file(self.path());
        }
    }
}

/// A lock that cannot be tried counts as held: better to be asked to wait than to have two drivers.
fn is_locked(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => match file.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
        },
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Removes the locks of the dead. A store that has made its file and not locked it yet may lose it
/// here, and looks again.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        // Removed while it is locked here, so that no process can lock a file that is about to go.
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}
