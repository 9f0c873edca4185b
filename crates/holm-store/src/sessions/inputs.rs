//! Single facts of a session, for callers that do not need a fold of the journal.

use holm_kernel::{Input, Seq, Started};

use super::{blocking, search::UnverifiedRecord};
use crate::{Store, StoreError};

impl Store {
    /// How a run was started. Reads only the first record.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or [`StoreError::Damaged`] if the first
    /// record cannot be understood.
    pub async fn started(&self, run: &str) -> Result<Started, StoreError> {
        let row = self.find(run).await?;
        let first = self.inner.lines(&row, 0..1).await?;
        match first.first().and_then(|line| UnverifiedRecord::read(line)).map(|line| line.input) {
            Some(Input::Started(started)) => Ok(*started),
            _ => Err(StoreError::Damaged { run: run.into(), reason: "record 0 does not start a run".into() }),
        }
    }

    /// The inputs of a run after a record, in order. Inputs that cannot be understood are left out;
    /// a fold reports them.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or [`StoreError::Damaged`] for a record that is not there.
    pub async fn inputs_after(&self, run: &str, after: Seq) -> Result<Vec<Input>, StoreError> {
        let row = self.find(run).await?;
        let first = after.value().saturating_add(1);
        let lines = self.inner.backend.records(row.no, first..u64::MAX).await?;
        let store = self.clone();
        blocking(move || {
            let lines = store.inner.opened(&row, lines, first)?;
            Ok(lines.iter().filter_map(|line| UnverifiedRecord::read(line)).map(|line| line.input).collect())
        })
        .await
    }
}
