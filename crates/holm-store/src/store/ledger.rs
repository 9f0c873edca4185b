//! The ledger of models, computed from the stored journals. Erasing a session also removes its part
//! of the ledger.

use holm_kernel::TaskKind;
use holm_runtime::{BoxFuture, Ledger, LedgerFailed, Standing};

use super::{Depth, Store};
use crate::StoreError;

impl Store {
    /// What models have shown at one kind of task, or at all kinds, by kind and model: the sum
    /// over all journals, with the latest reasons. A query pays for the records that were added
    /// since the last one.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn model_ledger(&self, kind: Option<&TaskKind>) -> Result<Vec<Standing>, StoreError> {
        self.catch_up(Depth::Everything).await?;
        let rows = self.inner.backend.ledger(kind.map(TaskKind::as_str)).await?;
        let mut standings = Vec::with_capacity(rows.len());
        for (run, row) in rows {
            standings.push(row.standing(self.inner.key(&run)?.as_ref()));
        }
        Ok(Standing::sum(standings))
    }
}

impl Ledger for Store {
    /// Does nothing: the ledger is computed from the journals.
    fn note<'a>(&'a self, _: &'a str, _: u64, _: &'a [Standing]) -> BoxFuture<'a, Result<(), LedgerFailed>> {
        Box::pin(async { Ok(()) })
    }

    fn standings<'a>(
        &'a self,
        kind: Option<&'a TaskKind>,
    ) -> BoxFuture<'a, Result<Vec<Standing>, LedgerFailed>> {
        Box::pin(async move {
            let known = self.model_ledger(kind).await;
            known.map_err(|error| LedgerFailed { reason: error.to_string() })
        })
    }
}
