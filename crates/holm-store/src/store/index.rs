//! Updates the index: computes what lists, searches and sums need from the records that are new.
//!
//! None of this happens while a run is driven: an append is one row. A query pays for the records
//! that are new. A run is folded from the state that the last fold left. The list entries of all
//! runs that changed are updated at once.
//!
//! What is computed is in `derive/`; SQL is in `sqlite/queries.rs` and `postgres/queries.rs`. A
//! damaged or erased run is passed over, so that it does not keep the others from being listed. An
//! encrypted store gets no search index, which would reveal its text. A long journal is never in
//! memory as a whole.

use std::collections::BTreeMap;

use holm_kernel::journal::JournalRecord;

use super::Store;
use crate::{
    StoreError,
    backend::{IndexUpdate, LineRow, RunNumber, RunRow, StaleRun},
    derive::{
        FirstRecord, FoldRow, LedgerRow, RunFold, RunUsage, SessionSummary, TextRow, search_text, spilled,
        time_of,
    },
    sessions::blocking,
};

/// The place of a sealed derived title.
pub(crate) const TITLE: &str = "title";

/// The place of a sealed fold.
const FOLD: &str = "fold";

/// Records that are read at once: a long journal is never in memory as a whole.
const AT_ONCE: u64 = 1_024;

/// Sessions whose first lines are read at once.
const OPENINGS: usize = 256;

/// Sessions that a query of what was spent may find changed although their cost is known. Of more
/// it indexes a few, so that later queries need not look at them again.
const MOST_UNINDEXED: usize = 64;
const INDEXED_AT_ONCE: usize = 4;

/// How much of the index is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexDepth {
    /// The list entries only.
    Heads,
    /// Usage, ledger and search as well.
    Everything,
}

impl Store {
    /// Deletes everything that is derived from journals (titles of unnamed sessions, usage, the
    /// ledger of models, the search index) and computes it again. Data that cannot be computed any
    /// more, because this kernel has other rules, stays as it is.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn rebuild(&self) -> Result<(), StoreError> {
        self.inner.backend.forget_derived().await?;
        self.catch_up(IndexDepth::Everything).await
    }

    pub(crate) async fn catch_up(&self, depth: IndexDepth) -> Result<(), StoreError> {
        let stale = self.stale().await?;
        self.index(stale, depth).await
    }

    /// Folds the runs whose cost is unknown. Mostly there are none: the driver of a run stores what
    /// it cost. Only a run that is at work, was imported or was left by a crash lags.
    pub(crate) async fn catch_up_spent(&self) -> Result<(), StoreError> {
        let (known, unknown): (Vec<_>, Vec<_>) =
            self.stale().await?.into_iter().partition(|stale| stale.spent_at == stale.records);
        for stale in &unknown {
            passable(self.fold_run(stale).await)?;
        }
        let mut unindexed = known;
        unindexed.retain(|stale| stale.folded != stale.records || stale.head_at != stale.records);
        if unindexed.len() <= MOST_UNINDEXED {
            return Ok(());
        }
        // Not always the same ones: a damaged run stays where it is.
        let start = usize::try_from(super::now()).unwrap_or(0) % unindexed.len();
        unindexed.rotate_left(start);
        unindexed.truncate(INDEXED_AT_ONCE);
        self.index(unindexed, IndexDepth::Everything).await
    }

    /// The runs whose index may lag their journals.
    async fn stale(&self) -> Result<Vec<StaleRun>, StoreError> {
        let mut stale = self.inner.backend.stale().await?;
        stale.retain(|stale| stale.records > 0);
        Ok(stale)
    }

    async fn index(&self, mut stale: Vec<StaleRun>, depth: IndexDepth) -> Result<(), StoreError> {
        if depth == IndexDepth::Everything {
            for stale in stale.iter().filter(|stale| stale.folded != stale.records) {
                passable(self.fold_run(stale).await)?;
            }
        }
        stale.retain(|stale| stale.head_at != stale.records);
        self.keep_heads(&stale).await
    }

    /// Updates the list entries of these runs.
    async fn keep_heads(&self, stale: &[StaleRun]) -> Result<(), StoreError> {
        for some in stale.chunks(OPENINGS) {
            let untitled: Vec<RunNumber> =
                some.iter().filter(|stale| !stale.titled).map(|stale| stale.run.no).collect();
            let lines =
                if untitled.is_empty() { Vec::new() } else { self.inner.backend.openings(&untitled).await? };
            let (store, some) = (self.clone(), some.to_vec());
            let heads = blocking(move || store.head_facts(&some, lines)).await?;
            self.inner.backend.keep_heads(&heads).await?;
        }
        Ok(())
    }

    /// The list entries of these runs. A damaged run does not keep the others from being listed.
    fn head_facts(
        &self,
        stale: &[StaleRun],
        lines: Vec<LineRow>,
    ) -> Result<Vec<(RunNumber, SessionSummary)>, StoreError> {
        let mut first: BTreeMap<RunNumber, Vec<(u64, Vec<u8>)>> = BTreeMap::new();
        for (run, seq, line) in lines {
            first.entry(run).or_default().push((seq, line));
        }
        let mut heads = Vec::with_capacity(stale.len());
        for stale in stale {
            let lines = first.remove(&stale.run.no).unwrap_or_default();
            let facts = self.facts_of(stale, lines);
            if let Err(StoreError::Damaged { .. }) = facts {
                continue;
            }
            heads.push((stale.run.no, facts?));
        }
        Ok(heads)
    }

    fn facts_of(&self, stale: &StaleRun, first: Vec<(u64, Vec<u8>)>) -> Result<SessionSummary, StoreError> {
        let StaleRun { run, records, last, .. } = stale;
        let last = self.inner.opened(run, vec![(records - 1, last.clone())], records - 1)?;
        let mut facts = SessionSummary {
            records: *records,
            updated: last.first().map_or(0, |line| time_of(line)),
            ..SessionSummary::default()
        };
        if !stale.titled {
            let opening = FirstRecord::read(&self.inner.opened(run, first, 0)?);
            (facts.agent, facts.model) = (opening.agent, opening.model);
            facts.title = match (opening.title, self.inner.key(run)?) {
                (Some(title), Some(key)) => Some(key.seal(TITLE, 0, title.as_bytes())?),
                (title, _) => title.map(String::into_bytes),
            };
        }
        Ok(facts)
    }

    /// Computes usage and ledger, and the texts and references of the new records, from the state
    /// of the last fold.
    async fn fold_run(&self, stale: &StaleRun) -> Result<(), StoreError> {
        let run = &stale.run;
        let known = self.inner.backend.fold_row(run.no).await?;
        let counted = known.counted;
        let work = self.begin_fold(run, known, stale.folded).await?;
        let is_restored = work.fold.is_restored();
        let (work, records) = match self.read_on(run, work).await {
            // Either the journal is damaged or the state belongs to another journal. A fold of the
            // whole journal shows which.
            Err(StoreError::Damaged { .. }) if is_restored => {
                let none = FoldRow { counted, ..FoldRow::default() };
                let work = self.begin_fold(run, none, stale.folded).await?;
                self.read_on(run, work).await?
            }
            read => read?,
        };
        self.adopt(run, &work.spilled).await?;
        let IndexBuild { fold, texts, .. } = work;
        // Spent money stays spent, even if this kernel cannot count it again.
        let last_known = if fold.is_outdone() { Some(self.last_known(run).await?) } else { None };
        let (store, row) = (self.clone(), run.clone());
        let derived = blocking(move || {
            let key = store.inner.key(&row)?;
            let at = fold.records();
            let state = match (fold.state(), &key) {
                (Some(state), Some(key)) => Some((at, key.seal(FOLD, at, &state)?)),
                (state, _) => state.map(|state| (at, state)),
            };
            let RunUsage { entries: usage, ledger, .. } = match last_known {
                Some((entries, ledger)) => fold.beside(entries, ledger),
                None => fold.folded(),
            };
            let ledger = LedgerRow::of(ledger, key.as_ref())?;
            Ok(IndexUpdate { records, usage, texts, ledger, state })
        })
        .await?;
        self.inner.backend.keep_folded(run.no, derived).await
    }

    /// Folds the new records, some at a time. Returns how many records there are in all.
    async fn read_on(&self, run: &RunRow, mut work: IndexBuild) -> Result<(IndexBuild, u64), StoreError> {
        let mut records = work.fold.records();
        loop {
            let lines = self.inner.backend.records(run.no, records..records + AT_ONCE).await?;
            let (from, count) = (records, lines.len() as u64);
            let (store, row) = (self.clone(), run.clone());
            work = blocking(move || {
                work.add(&row, &store.inner.opened(&row, lines, from)?)?;
                Ok(work)
            })
            .await?;
            records += count;
            if count < AT_ONCE {
                return Ok((work, records));
            }
        }
    }

    /// Continues from the stored state, unless everything must be computed again. A state that
    /// cannot be read is ignored.
    async fn begin_fold(&self, run: &RunRow, known: FoldRow, folded: u64) -> Result<IndexBuild, StoreError> {
        let (store, run) = (self.clone(), run.clone());
        blocking(move || {
            let state = known.state.filter(|_| known.state_at <= folded);
            let state = match (state, store.inner.key(&run)?) {
                (Some(sealed), Some(key)) => key.open(FOLD, known.state_at, &sealed),
                (state, _) => state,
            };
            let mut fold = RunFold::new(state.as_deref(), known.counted);
            if fold.is_restored() && fold.records() != known.state_at {
                fold = RunFold::new(None, known.counted);
            }
            // An index over readable text would undo the encryption; such a store searches by
            // decrypting.
            let indexes = store.inner.vault.is_none();
            let (texts, spilled) = (Vec::new(), Vec::new());
            Ok(IndexBuild { reader: fold.reader(), fold, texts_from: folded, indexes, texts, spilled })
        })
        .await
    }

    /// The usage and the ledger of a run as they are kept.
    async fn last_known(
        &self,
        run: &RunRow,
    ) -> Result<(Vec<crate::UsageEntry>, Vec<holm_runtime::ModelStanding>), StoreError> {
        let key = self.inner.key(run)?;
        let usage = self.inner.backend.usage().await?.into_iter().filter(|(id, _)| *id == run.id);
        let ledger = self.inner.backend.ledger(None).await?.into_iter().filter(|(of, _)| of.no == run.no);
        let ledger = ledger.map(|(_, row)| row.standing(key.as_ref())).collect();
        Ok((usage.map(|(_, entry)| entry).collect(), ledger))
    }
}

/// A fold on its way.
struct IndexBuild {
    reader: holm_kernel::journal::JournalReader,
    fold: RunFold,
    /// The first record whose text and references are new.
    texts_from: u64,
    indexes: bool,
    texts: Vec<TextRow>,
    spilled: Vec<String>,
}

impl IndexBuild {
    fn add(&mut self, run: &RunRow, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        let damaged = |error: holm_kernel::journal::JournalError| StoreError::Damaged {
            run: run.id.clone(),
            reason: error.to_string(),
        };
        let mut records = Vec::with_capacity(1);
        for line in lines {
            self.reader.feed(line, &mut records).map_err(damaged)?;
            self.reader.feed(b"\n", &mut records).map_err(damaged)?;
            records.drain(..).for_each(|record| self.hear(&record));
        }
        Ok(())
    }

    fn hear(&mut self, record: &JournalRecord) {
        self.fold.add(record);
        let seq = record.seq().value();
        if seq < self.texts_from {
            return;
        }
        let Ok(input) = record.payload().input() else { return };
        self.spilled.extend(spilled(&input));
        if self.indexes
            && let Some((_, text)) = search_text(&input)
        {
            self.texts.push(TextRow { seq, text });
        }
    }
}

/// Ignores a run that was erased or is damaged: neither may keep the other
/// sessions from being counted.
fn passable(caught: Result<(), StoreError>) -> Result<(), StoreError> {
    match caught {
        Err(StoreError::Missing { .. } | StoreError::Damaged { .. }) => Ok(()),
        other => other,
    }
}
