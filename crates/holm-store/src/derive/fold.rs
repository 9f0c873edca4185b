//! An incremental fold over a journal: what a run used and what its models have shown, up to a
//! record, with the run's state there. New records are folded from that state, so a long session
//! costs only what is new in it.
//!
//! What is counted is in `derive/usage.rs`; reading lines and storing the state is in
//! `store/index.rs`. A state that this kernel cannot read is ignored, and the journal is folded
//! from record 0. A record that it cannot fold is counted by its content, and what an earlier fold
//! counted stays: spent money stays spent.

use std::collections::BTreeMap;

use holm_kernel::{
    Run,
    journal::{self, Head, JournalRecord, Snapshot},
};
use holm_runtime::ModelStanding;

use super::usage::{RunUsage, UsageEntry, UsageSums, start};

/// Records after which the state is worth keeping again; fewer are folded again the next time.
const KEEP_RECORDS: u64 = 64;

/// The largest state that is stored. A database refuses a much larger one, and nothing would be
/// counted any more. A run with a larger state is folded from its last smaller one.
const MOST_STATE_BYTES: usize = 256 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoldRow {
    /// Records that the usage and the ledger of the run hold.
    pub(crate) counted: u64,
    /// Records of the state.
    pub(crate) state_at: u64,
    /// A [`RunFold`] as text, sealed in an encrypted store; none for a short run.
    pub(crate) state: Option<Vec<u8>>,
}

/// Folds records one after the other.
#[derive(Default)]
pub(crate) struct RunFold {
    /// None before record 0, and after a record that this kernel cannot fold.
    run: Option<Run>,
    head: Option<Head>,
    sums: UsageSums,
    records: u64,
    understood: u64,
    /// Records whose usage is known from an earlier fold, and what the records after them say
    /// if this fold fails.
    known: u64,
    behind: UsageSums,
    kept_at: u64,
}

impl RunFold {
    /// From record 0, or from a state that this kernel can read. `known`
    /// records were counted before.
    pub(crate) fn new(state: Option<&[u8]>, known: u64) -> Self {
        let restored = state.and_then(Self::restored).unwrap_or_default();
        Self { known, ..restored }
    }

    /// Whether the fold continues from a stored state.
    pub(crate) const fn is_restored(&self) -> bool {
        self.kept_at > 0
    }

    fn restored(state: &[u8]) -> Option<Self> {
        let end = state.iter().position(|byte| *byte == b'\n')?;
        let (sums, snapshot) = state.split_at(end);
        let snapshot = Snapshot::decode(snapshot.get(1..)?).ok()?;
        let run = journal::resume_from(&snapshot, &[]).ok()?;
        let records = snapshot.head().seq.value() + 1;
        Some(Self {
            run: Some(run),
            head: Some(snapshot.head()),
            sums: UsageSums::read(sums)?,
            records,
            understood: records,
            kept_at: records,
            ..Self::default()
        })
    }

    /// Records that were folded.
    pub(crate) const fn records(&self) -> u64 {
        self.records
    }

    /// Reads the lines that come next.
    pub(crate) fn reader(&self) -> journal::JournalReader {
        self.head.map_or_else(journal::JournalReader::new, journal::JournalReader::after)
    }

    /// Folds the next record. If this kernel can no longer fold, counts it by its content alone.
    pub(crate) fn add(&mut self, record: &JournalRecord) {
        if self.records == 0 {
            self.sums.configure(record);
        }
        let folded = match (&mut self.run, self.records) {
            (Some(run), _) => self.sums.step(run, record),
            (None, 0) => start(record).is_some_and(|mut run| {
                self.sums.begin(&mut run, record);
                self.run = Some(run);
                true
            }),
            (None, _) => false,
        };
        if folded {
            self.understood += 1;
        } else {
            self.run = None;
            self.sums.guess(record);
            if record.seq().value() >= self.known {
                self.behind.follow(&self.sums);
                self.behind.guess(record);
            }
        }
        (self.records, self.head) = (self.records + 1, Some(record.head()));
    }

    /// The state as text, if it is worth keeping.
    pub(crate) fn state(&self) -> Option<Vec<u8>> {
        let (Some(run), Some(head)) = (&self.run, self.head) else { return None };
        if self.records < self.kept_at + KEEP_RECORDS {
            return None;
        }
        let snapshot = Snapshot::without_transcript(run, head).ok()?;
        let mut state = self.sums.text()?;
        state.push(b'\n');
        state.extend_from_slice(snapshot.encode().as_bytes());
        Some(state).filter(|state| state.len() <= MOST_STATE_BYTES)
    }

    /// Whether an earlier fold counted records that this one does not understand. The earlier
    /// counts are then valid.
    pub(crate) const fn is_outdone(&self) -> bool {
        self.understood < self.records && self.understood < self.known
    }

    /// Combines the known usage of a run with what the later records say, in place of
    /// this fold's own result.
    pub(crate) fn beside(self, entries: Vec<UsageEntry>, ledger: Vec<ModelStanding>) -> RunUsage {
        let mut sums: BTreeMap<_, _> =
            entries.into_iter().map(|entry| ((entry.day, entry.subject), entry.tally)).collect();
        for UsageEntry { day, subject, tally } in self.behind.entries() {
            let sum = sums.entry((day, subject)).or_default();
            *sum = sum.plus(tally);
        }
        let entries =
            sums.into_iter().map(|((day, subject), tally)| UsageEntry { day, subject, tally }).collect();
        RunUsage { entries, understood: self.understood, ledger }
    }

    /// What the run used.
    pub(crate) fn folded(self) -> RunUsage {
        let ledger = self.sums.ledger();
        RunUsage { entries: self.sums.entries(), understood: self.understood, ledger }
    }
}

/// Folds a run's records into what it used. Children count in their own runs,
/// not in their parent's.
#[must_use]
pub fn fold(records: &[JournalRecord]) -> RunUsage {
    let mut fold = RunFold::default();
    records.iter().for_each(|record| fold.add(record));
    fold.folded()
}
