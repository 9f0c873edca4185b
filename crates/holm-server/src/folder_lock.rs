//! Allows one server per folder. Two servers would write the same files: a token that one of them
//! revokes would reappear when the other one writes. The lock is taken in `serve.rs`. Sessions have
//! leases of their own in `holm-store`.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use crate::{ServerError, auth::private_folder};

/// The file whose lock marks the folder as used.
const LOCK: &str = "lock";

/// The lock on a server's folder, released on drop. If the process ends in any other way,
/// the system releases it.
#[derive(Debug)]
pub(crate) struct ServerFolderLock {
    _file: File,
}

impl ServerFolderLock {
    /// Locks a folder for this server.
    ///
    /// # Errors
    /// [`ServerError::Taken`] if another server has it.
    pub(crate) fn take(folder: &Path) -> Result<Self, ServerError> {
        private_folder(folder)?;
        let path = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(&path).map_err(|error| ServerError::file(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(ServerError::Taken(folder.display().to_string())),
            Err(TryLockError::Error(error)) => Err(ServerError::file(&path, &error)),
        }
    }
}

#[cfg(test)]
mod tests;
