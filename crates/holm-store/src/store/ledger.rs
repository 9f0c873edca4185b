//! Answers questions about the ledger of models, computed from the stored journals. Erasing a
//! session also removes its part of the ledger. Scores are stored by `store/index.rs`; the rows are
//! in `derive/ledger.rs`.

use holm_kernel::TaskKind;
use holm_runtime::{BoxFuture, LedgerError, ModelLedger, ModelStanding};

use super::{IndexDepth, Store};
use crate::StoreError;

impl Store {
    /// What models have shown at one kind of task, or at all kinds, by kind and model: the sum
    /// over all journals, with the latest reasons. A query pays for the records that were added
    /// since the last one.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn model_ledger(&self, kind: Option<&TaskKind>) -> Result<Vec<ModelStanding>, StoreError> {
        self.catch_up(IndexDepth::Everything).await?;
        let rows = self.inner.backend.ledger(kind.map(TaskKind::as_str)).await?;
        let mut standings = Vec::with_capacity(rows.len());
        for (run, row) in rows {
            standings.push(row.standing(self.inner.key(&run)?.as_ref()));
        }
        Ok(ModelStanding::sum(standings))
    }
}

impl ModelLedger for Store {
    /// Does nothing: the ledger is computed from the journals.
    fn note<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: &'a [ModelStanding],
    ) -> BoxFuture<'a, Result<(), LedgerError>> {
        Box::pin(async { Ok(()) })
    }

    fn standings<'a>(
        &'a self,
        kind: Option<&'a TaskKind>,
    ) -> BoxFuture<'a, Result<Vec<ModelStanding>, LedgerError>> {
        Box::pin(async move {
            let known = self.model_ledger(kind).await;
            known.map_err(|error| LedgerError { reason: error.to_string() })
        })
    }
}
