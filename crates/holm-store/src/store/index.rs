//! Catches up with journals: computes what lists, searches and sums need from the lines that came since.
//!
//! Nothing of this happens while a run is driven: an append is one row. Whoever asks pays for what is new.

use holm_kernel::journal;

use super::Store;
use crate::{
    StoreError,
    backend::{Derived, RunRow, Stale},
    derive::{
        FIRST_LINES, Folded, HeadFacts, LedgerRow, Opening, TextRow, fold, search_text, spilled, time_of,
    },
};

/// The place of a sealed derived title.
pub(crate) const TITLE: &str = "title";

/// How much is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// What a list shows.
    Heads,
    /// Usage, ledger and search as well.
    Everything,
}

impl Store {
    /// Forgets everything that is derived from journals (titles of unnamed sessions, usage, the ledger of models, the search index) and
    /// computes it again.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn rebuild(&self) -> Result<(), StoreError> {
        self.inner.backend.forget_derived().await?;
        self.catch_up(Depth::Everything).await
    }

    pub(crate) async fn catch_up(&self, depth: Depth) -> Result<(), StoreError> {
        for stale in self.inner.backend.stale().await? {
            let caught = self.catch_up_one(&stale, depth).await;
            // Erased since, or damaged: neither may keep the other sessions from being listed.
            if let Err(error) = caught
                && !matches!(error, StoreError::Missing { .. } | StoreError::Damaged { .. })
            {
                return Err(error);
            }
        }
        Ok(())
    }

    async fn catch_up_one(&self, stale: &Stale, depth: Depth) -> Result<(), StoreError> {
        if stale.records == 0 {
            return Ok(());
        }
        if depth == Depth::Everything && stale.folded != stale.records {
            self.fold_run(&stale.run, stale.folded).await?;
        }
        if stale.head_at != stale.records {
            let facts = self.head_facts(stale).await?;
            self.inner.backend.keep_head(stale.run.no, &facts).await?;
        }
        Ok(())
    }

    async fn head_facts(&self, stale: &Stale) -> Result<HeadFacts, StoreError> {
        let Stale { run, records, .. } = stale;
        let last = self.inner.lines(run, records - 1..*records).await?;
        let mut facts = HeadFacts {
            records: *records,
            updated: last.first().map_or(0, |line| time_of(line)),
            ..HeadFacts::default()
        };
        if !stale.titled {
            let opening = Opening::read(&self.inner.lines(run, 0..FIRST_LINES.min(*records)).await?);
            (facts.agent, facts.model) = (opening.agent, opening.model);
            facts.title = match (opening.title, self.inner.key(run)?) {
                (Some(title), Some(key)) => Some(key.seal(TITLE, 0, title.as_bytes())?),
                (title, _) => title.map(String::into_bytes),
            };
        }
        Ok(facts)
    }

    /// Computes usage and ledger from all records, and the texts and references of those that are new.
    async fn fold_run(&self, run: &RunRow, texts_from: u64) -> Result<(), StoreError> {
        let (text, count) = self.text(run).await?;
        let records = journal::decode(&text)
            .map_err(|error| StoreError::Damaged { run: run.id.clone(), reason: error.to_string() })?
            .records;
        let Folded { entries: usage, ledger, .. } = fold(&records);
        let ledger = LedgerRow::of(ledger, self.inner.key(run)?.as_ref())?;
        let new = || records.iter().filter(|record| record.seq().value() >= texts_from);
        let inputs = new().filter_map(|record| record.payload().input().ok());
        self.adopt(run, &inputs.filter_map(|input| spilled(&input)).collect::<Vec<_>>()).await?;
        // An index over readable text would undo the encryption; such a store searches by decrypting.
        let texts: Vec<TextRow> = if self.inner.vault.is_some() {
            Vec::new()
        } else {
            new()
                .filter_map(|record| {
                    let (_, text) = search_text(&record.payload().input().ok()?)?;
                    Some(TextRow { seq: record.seq().value(), text })
                })
                .collect()
        };
        let derived = Derived { records: count, usage, texts, ledger };
        self.inner.backend.keep_folded(run.no, derived).await
    }
}
