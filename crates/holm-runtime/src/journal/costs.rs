//! What the records of a run cost, so that a store knows a run's total without folding its journal.
//!
//! A run pays for its own model calls here. What a child costs is in the child's own journal,
//! although the run's budget holds both. Prices and estimates are the kernel's
//! (`holm-kernel/src/run/billing.rs`): this file only reads the difference that a record makes.

use std::collections::VecDeque;

use holm_kernel::{Input, NanoUsd, Run};

/// Costs that are remembered. A store that lags further folds the journal.
const MOST_COSTS: usize = 1_024;

/// Measures what one record costs the run itself.
#[derive(Debug, Clone, Copy)]
pub struct CostMeter {
    /// What the run had spent before, if the record can cost it anything.
    before: Option<NanoUsd>,
}

impl CostMeter {
    /// Call this before the run handles the input.
    #[must_use]
    pub fn before(run: &Run, input: &Input) -> Self {
        // Any other record may give up waiting for the bill of an earlier call, and pay for it.
        let pays = !matches!(input, Input::ChildFinished { .. });
        Self { before: pays.then(|| run.spent()) }
    }

    /// The cost of the input, after the run has handled it.
    #[must_use]
    pub fn after(self, run: &Run) -> NanoUsd {
        self.before.map_or(NanoUsd::ZERO, |before| run.spent().minus(before))
    }
}

/// The costs of the records that were appended since a journal was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordCosts {
    /// The first record whose cost is known.
    first: u64,
    /// Records of the journal.
    records: u64,
    /// Records that cost something, in order.
    costs: VecDeque<(u64, NanoUsd)>,
}

impl RecordCosts {
    /// No costs yet, in a journal of this many records.
    #[must_use]
    pub const fn after(records: u64) -> Self {
        Self { first: records, records, costs: VecDeque::new() }
    }

    /// Adds the cost of the next record.
    pub fn add(&mut self, cost: NanoUsd) {
        if cost > NanoUsd::ZERO {
            self.costs.push_back((self.records, cost));
        }
        self.records += 1;
        if self.costs.len() > MOST_COSTS
            && let Some((oldest, _)) = self.costs.pop_front()
        {
            self.first = oldest + 1;
        }
    }

    /// Records of the journal, those before it was opened included.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The cost of all records from this one on; `None` if the cost of one of them is unknown.
    #[must_use]
    pub fn since(&self, record: u64) -> Option<NanoUsd> {
        if !(self.first..=self.records).contains(&record) {
            return None;
        }
        let later = self.costs.iter().filter(|(at, _)| *at >= record);
        Some(later.fold(NanoUsd::ZERO, |sum, (_, cost)| sum.plus(*cost)))
    }
}
