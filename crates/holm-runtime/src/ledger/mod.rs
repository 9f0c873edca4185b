//! The ledger of models: how often each model succeeded at each kind of task.
//!
//! A run with a [`Ladder`](holm_kernel::Ladder) asks the ledger where to begin, and its results are
//! noted. So the next task of the same kind begins with a capable model. Everything in a ledger can
//! be computed from journals ([`RunScorer`]); a ledger that reads them needs no notes.
//!
//! Where things are:
//!
//! - `ledger/score.rs`: the numbers.
//! - `ledger/scorer.rs`: computes them from events.
//! - `ledger/work.rs`: whether a run did what it was asked to do.
//! - `ledger/starting_rung.rs`: chooses the first rung.
//! - `ledger/memory.rs`: a ledger in memory.
//!
//! The driver asks in `driver/ledger.rs`; the ledger of a store is in
//! `holm-store/src/store/ledger.rs`. A ledger gives advice: no run may fail because of it.

mod memory;
mod score;
mod scorer;
mod starting_rung;
mod work;

#[cfg(test)]
mod tests;

pub use memory::MemoryLedger;
pub use score::{MOST_WHYS, ModelScore, ModelStanding, TaskFailure};
pub use scorer::{GroupScores, RunScorer};
pub use starting_rung::{RETRY_EVERY, StartingRung, first_rung};
pub use work::WorkTally;

use holm_kernel::TaskKind;

use crate::BoxFuture;

/// Stores the scores of models.
pub trait ModelLedger: Send + Sync {
    /// Stores the results of the turn group `group` of a run. The same group counts once, however
    /// often it is noted. A ledger that computes everything from journals does nothing here.
    fn note<'a>(
        &'a self,
        run: &'a str,
        group: u64,
        shown: &'a [ModelStanding],
    ) -> BoxFuture<'a, Result<(), LedgerError>>;

    /// The scores of every model for one kind of task, or for all kinds; sorted by kind and model.
    fn standings<'a>(
        &'a self,
        kind: Option<&'a TaskKind>,
    ) -> BoxFuture<'a, Result<Vec<ModelStanding>, LedgerError>>;
}

/// The ledger could not be read or written. The run continues without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the ledger of models: {reason}")]
pub struct LedgerError {
    pub reason: String,
}
