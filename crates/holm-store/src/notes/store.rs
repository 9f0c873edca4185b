//! The store's methods for notes: they check names, and seal and open texts.
//!
//! Who was first is decided by the database (`sqlite/notes.rs`, `postgres/notes.rs`). A note that
//! was put survives a loss of power. A note that has the name of a run is erased with the run
//! (`sqlite/queries.rs`, `postgres/backend.rs`), so a note about a run must have its name. The
//! names of the sealed places must not change, or stored notes could not be opened any more.

use holm_kernel::Timestamp;

use super::{StoredNote, rows::NoteRow};
use crate::{Store, StoreError, label::check_run, store::StoreInner, vault::SessionCipher};

/// Tells the sealed text of a note from other sealed texts.
const BODY: &str = "slip";

impl Store {
    /// Everything in a tray, the oldest first.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn slips(&self, tray: &str) -> Result<Vec<StoredNote>, StoreError> {
        let rows = self.inner.backend.slips(tray).await?;
        rows.into_iter().map(|row| self.inner.opened_slip(row)).collect()
    }

    /// Returns one note, or `None` if no note has that name.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn slip(&self, tray: &str, name: &str) -> Result<Option<StoredNote>, StoreError> {
        let row = self.inner.backend.slip(tray, name).await?;
        row.map(|row| self.inner.opened_slip(row)).transpose()
    }

    /// Puts a note into a tray. Whether it was put: not if there is one of that name. One that was
    /// put survives a loss of power. One that has the name of a run goes when that run is erased.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let folder = tempfile::tempdir().unwrap();
    /// use holm_kernel::Timestamp;
    ///
    /// let store = holm_store::Store::open(folder.path().join("holm.db")).await?;
    /// assert!(store.put_slip("letters", "one", Timestamp::new(7), b"to be sent").await?);
    /// assert!(!store.put_slip("letters", "one", Timestamp::new(8), b"another").await?);
    /// assert!(store.take_slip("letters", "one").await?);
    /// # Ok::<(), holm_store::StoreError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`StoreError::BadName`] if tray or name cannot be names, and errors of the database.
    pub async fn put_slip(
        &self,
        tray: &str,
        name: &str,
        at: Timestamp,
        body: &[u8],
    ) -> Result<bool, StoreError> {
        check_run(tray)?;
        check_run(name)?;
        let (key, body) = match &self.inner.vault {
            None => (None, body.to_vec()),
            Some(vault) => {
                let (sealing, wrapped) = vault.new_key(&key_name(tray, name))?;
                (Some(wrapped), sealing.seal(BODY, 0, body)?)
            }
        };
        let (tray, name) = (tray.to_owned(), name.to_owned());
        self.inner.backend.put_slip(&NoteRow { tray, name, key, at: at.value(), version: 0, body }).await
    }

    /// Replaces the text of a note. Returns whether it was replaced: not if another process has
    /// changed it since `slip.version`, or if it is gone.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn change_slip(&self, tray: &str, slip: &StoredNote) -> Result<bool, StoreError> {
        let Some(row) = self.inner.backend.slip(tray, &slip.name).await? else { return Ok(false) };
        let body = match self.inner.slip_key(&row)? {
            None => slip.body.clone(),
            Some(key) => key.seal(BODY, 0, &slip.body)?,
        };
        self.inner.backend.change_slip(&NoteRow { version: slip.version, body, ..row }).await
    }

    /// Takes a note away. Whether there was one.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn take_slip(&self, tray: &str, name: &str) -> Result<bool, StoreError> {
        self.inner.backend.take_slip(tray, name).await
    }
}

impl StoreInner {
    fn slip_key(&self, row: &NoteRow) -> Result<Option<SessionCipher>, StoreError> {
        let Some(vault) = &self.vault else { return Ok(None) };
        let Some(wrapped) = &row.key else { return Err(damaged(row, "its key is missing")) };
        vault.key(&key_name(&row.tray, &row.name), wrapped).map(Some)
    }

    fn opened_slip(&self, row: NoteRow) -> Result<StoredNote, StoreError> {
        let body = match self.slip_key(&row)? {
            None => row.body,
            Some(key) => {
                key.open(BODY, 0, &row.body).ok_or_else(|| damaged(&row, "it cannot be decrypted"))?
            }
        };
        Ok(StoredNote { name: row.name, at: Timestamp::new(row.at), version: row.version, body })
    }
}

/// No run and no job has two colons in its name, so their keys differ.
fn key_name(tray: &str, name: &str) -> String {
    format!("slip:{tray}:{name}")
}

fn damaged(row: &NoteRow, reason: &str) -> StoreError {
    StoreError::Damaged { run: format!("the note {} in {}", row.name, row.tray), reason: reason.into() }
}
