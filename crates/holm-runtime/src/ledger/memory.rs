//! A ledger in memory, which ends with the process. Ledgers that last are in
//! `holm-store/src/store/ledger.rs`; scores are computed in `ledger/scorer.rs`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use holm_kernel::TaskKind;

use super::{LedgerError, ModelLedger, ModelStanding};
use crate::BoxFuture;

/// Keeps the scores of models in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryLedger {
    inner: Arc<Mutex<LedgerContents>>,
}

#[derive(Debug, Default)]
struct LedgerContents {
    sums: Vec<ModelStanding>,
    /// The last noted group of each run; groups come in order.
    noted: BTreeMap<String, u64>,
}

impl MemoryLedger {
    pub fn new() -> Self {
        Self::default()
    }
}

impl ModelLedger for MemoryLedger {
    fn note<'a>(
        &'a self,
        run: &'a str,
        group: u64,
        shown: &'a [ModelStanding],
    ) -> BoxFuture<'a, Result<(), LedgerError>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.noted.get(run).is_none_or(|last| *last < group) {
            inner.noted.insert(run.into(), group);
            let sums = std::mem::take(&mut inner.sums);
            inner.sums = ModelStanding::sum(sums.into_iter().chain(shown.iter().cloned()));
        }
        Box::pin(async { Ok(()) })
    }

    fn standings<'a>(
        &'a self,
        kind: Option<&'a TaskKind>,
    ) -> BoxFuture<'a, Result<Vec<ModelStanding>, LedgerError>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |standing: &&ModelStanding| kind.is_none_or(|kind| standing.kind == *kind);
        let found = inner.sums.iter().filter(wanted).cloned().collect();
        Box::pin(async { Ok(found) })
    }
}
