//! Sessions from files.

use holm_kernel::{Input, journal};

use super::blocking;
use crate::{
    Store, StoreError,
    backend::RunOrigin,
    label::check_run,
    store::{bodies, now},
};

impl Store {
    /// Imports a journal, byte for byte, after its chain has been verified from end to end. Returns
    /// the run's id: the one that record 0 names, unless the caller asks for another.
    ///
    /// # Errors
    /// [`StoreError::NotAJournal`] for damage of any kind, a
    /// torn end included; [`StoreError::Exists`].
    pub async fn import(&self, text: &[u8], run: Option<&str>) -> Result<String, StoreError> {
        let unstarted = |reason: &str| StoreError::NotStarted { reason: reason.into() };
        let copy = text.to_vec();
        let first = blocking(move || Ok(journal::decode_strict(&copy)?.into_iter().next())).await?;
        let first = first.ok_or_else(|| unstarted("it is empty"))?;
        let id = match (run, first.payload().input()) {
            (Some(run), _) => run.to_owned(),
            (None, Ok(Input::Started(started))) => started.run.clone(),
            (None, Ok(_)) => return Err(unstarted("it is another input")),
            (None, Err(error)) => return Err(unstarted(&error.to_string())),
        };
        check_run(&id)?;
        let lines = std::str::from_utf8(text).map_err(|error| unstarted(&error.to_string()))?;
        let (key, wrapped) = match &self.inner.vault {
            Some(vault) => vault.new_key(&id).map(|(key, wrapped)| (Some(key), Some(wrapped)))?,
            None => (None, None),
        };
        let bodies = bodies(lines, 0, key.as_ref())?;
        self.inner.backend.create(&id, wrapped.as_deref(), now(), RunOrigin::Imported(&bodies)).await?;
        Ok(id)
    }
}
