//! Copies the whole store while it is in use.

use std::path::Path;

use crate::{CopySummary, Store, StoreError};

impl Store {
    /// Copies the store as it is at one moment into a new store at `path`: sessions, jobs, and
    /// large results in a folder next to it. This and other processes may read and write
    /// meanwhile; later writes are not in the copy. The copy of an encrypted store is encrypted
    /// with the same key.
    ///
    /// ```
    /// use holm_store::{SessionQuery, Store};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let folder = tempfile::tempdir().unwrap();
    /// let store = Store::open(folder.path().join("holm.db")).await?;
    /// store.copy_to(folder.path().join("copy.db")).await?;
    /// let copy = Store::open(folder.path().join("copy.db")).await?;
    /// assert!(copy.list(&SessionQuery::default()).await?.sessions.is_empty());
    /// # Ok::<(), holm_store::StoreError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`StoreError`] if `path` already exists or cannot be written. Copy a PostgreSQL database
    /// with its own tools.
    pub async fn copy_to(&self, path: impl AsRef<Path>) -> Result<CopySummary, StoreError> {
        self.inner.backend.copy_to(path.as_ref().to_owned()).await
    }
}
