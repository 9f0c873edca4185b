//! Stores logins on disk: one file for each server and address, readable only by its owner.
//!
//! Credentials for one address are never sent to another. The file's path contains the address, and
//! the file contains the issuer, which is compared before use.
//!
//! How a login is made is in `login.rs`, and how files are written in `server_file_store.rs`. An
//! error never contains what was to be written.

use std::path::PathBuf;
use std::pin::Pin;

use holm_tools::trust::ContentHash;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};

use crate::server_file_store::ServerFileStore;
use crate::{ServerAddress, ServerName};

/// A folder of logins. The folder may not exist yet.
#[derive(Debug, Clone)]
pub struct LoginStore {
    files: ServerFileStore,
}

impl LoginStore {
    /// The logins in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { files: ServerFileStore::new(folder) }
    }

    /// Deletes all logins of a server and returns how many there were.
    ///
    /// # Errors
    ///
    /// The I/O error if a file cannot be removed.
    pub fn forget(&self, server: &ServerName) -> std::io::Result<usize> {
        self.files.forget(server)
    }

    /// The login to a server at its address.
    pub(crate) fn of(&self, server: &ServerName, address: &ServerAddress) -> StoredLogin {
        let url = address.url.to_string();
        StoredLogin {
            files: self.files.clone(),
            server: server.clone(),
            hash: ContentHash::of(url.as_bytes()),
            url,
        }
    }
}

/// One stored login, in the form that `rmcp` reads and writes.
#[derive(Debug, Clone)]
pub(crate) struct StoredLogin {
    files: ServerFileStore,
    server: ServerName,
    url: String,
    hash: ContentHash,
}

/// The content of a login file. The login is text, because its format belongs to `rmcp`.
#[derive(Serialize, Deserialize)]
struct LoginFile {
    url: String,
    login: String,
}

impl StoredLogin {
    fn read(&self) -> Option<StoredCredentials> {
        let written: LoginFile = serde_json::from_slice(&self.files.read(&self.server, &self.hash)?).ok()?;
        // If the login cannot be parsed, the server will ask for a new one.
        if written.url == self.url { serde_json::from_str(&written.login).ok() } else { None }
    }

    fn write(&self, login: &StoredCredentials) -> Result<(), AuthError> {
        let login = serde_json::to_string(login).map_err(failed)?;
        let written = LoginFile { url: self.url.clone(), login };
        let bytes = serde_json::to_vec(&written).map_err(failed)?;
        self.files.write(&self.server, &self.hash, &bytes).map_err(failed)
    }
}

/// Errors contain the message of the system, and never the data to be written.
fn failed(error: impl std::error::Error) -> AuthError {
    AuthError::CredentialStoreError(format!("the login cannot be stored: {error}"))
}

type LoginStoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl CredentialStore for StoredLogin {
    fn load<'s, 'a>(&'s self) -> LoginStoreFuture<'a, Option<StoredCredentials>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async { Ok(self.read()) })
    }

    fn save<'s, 'a>(&'s self, login: StoredCredentials) -> LoginStoreFuture<'a, ()>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move { self.write(&login) })
    }

    fn clear<'s, 'a>(&'s self) -> LoginStoreFuture<'a, ()>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async { self.files.remove(&self.server, &self.hash).map_err(failed) })
    }

    /// A refresh token can be used only once. Without the lock, another process that refreshes at
    /// the same time would lose the login.
    fn acquire_refresh_guard<'s, 'a>(&'s self) -> LoginStoreFuture<'a, Option<CredentialRefreshGuard>>
    where
        's: 'a,
        Self: 'a,
    {
        let own = self.clone();
        Box::pin(async move {
            let locked = tokio::task::spawn_blocking(move || own.files.lock(&own.server, &own.hash)).await;
            let lock = locked.map_err(failed)?.map_err(failed)?;
            Ok(Some(CredentialRefreshGuard::new(lock)))
        })
    }
}

#[cfg(test)]
mod tests;
