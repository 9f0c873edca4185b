//! One server a folder. Two would write the same files, and what one of them takes back the other would bring again.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use crate::{ServerError, auth::private_folder};

/// The file whose lock says that the folder is taken.
const LOCK: &str = "lock";

/// The right to a server's folder, given back when it is dropped; the system gives it back for a process that ends, in
/// whatever way.
#[derive(Debug)]
pub(crate) struct Claim {
    _file: File,
}

impl Claim {
    /// Takes a folder.
    ///
    /// # Errors
    /// [`ServerError::Taken`] if another server has it.
    pub(crate) fn take(folder: &Path) -> Result<Self, ServerError> {
        private_folder(folder)?;
        let place = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(&place).map_err(|error| ServerError::file(&place, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(ServerError::Taken(folder.display().to_string())),
            Err(TryLockError::Error(error)) => Err(ServerError::file(&place, &error)),
        }
    }
}

#[cfg(test)]
mod tests;
