//! Connects a run with the ledger of models. The ledger is asked before record 0 is written, and
//! told when a turn group has ended.
//!
//! A ledger gives advice and has no authority. If it fails or hangs, it does not delay a run for
//! long and never ends one.
//!
//! The scores are computed in `ledger/scorer.rs`, the first rung is chosen in
//! `ledger/starting_rung.rs`. The choice is written into record 0: a replay must not ask the ledger
//! again.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use holm_kernel::{Numbered, Run, Started};

use super::Driver;
use crate::{GroupScores, LedgerError, ModelLedger, RunScorer, StartingRung, first_rung, host::HostParts};

/// How long a ledger may take: it is asked once per run, and may have to read journals first.
const PATIENCE: Duration = Duration::from_secs(10);

/// The results that still have to be reported to the ledger.
pub(super) struct LedgerQueue {
    scorer: RunScorer,
    shown: VecDeque<GroupScores>,
}

impl LedgerQueue {
    /// The queue of a run, if there is a ledger.
    pub(super) fn of(host: &HostParts, run: &Run) -> Option<Self> {
        let _ledger = host.ledger.as_ref()?;
        Some(Self { scorer: RunScorer::new(run.config()), shown: VecDeque::new() })
    }

    pub(super) fn event(&mut self, event: &Numbered) {
        self.shown.extend(self.scorer.event(event));
    }
}

impl Driver {
    /// Tells the ledger the results of the groups that ended.
    pub(super) async fn note(&mut self) {
        let (Some(notes), Some(ledger)) = (&mut self.notes, &self.host.ledger) else { return };
        let run = &self.run.started().run;
        // An entry is removed only after it was told. If the caller stops waiting here, it is told
        // with the next one.
        while let Some(shown) = notes.shown.front() {
            let noted = ledger.note(run, shown.group, &shown.standings);
            let _ = tokio::time::timeout(PATIENCE, noted).await;
            notes.shown.pop_front();
        }
    }
}

/// Puts a run on the rung that the ledger suggests.
pub(super) async fn on_its_rung(mut started: Started, ledger: Option<&Arc<dyn ModelLedger>>) -> Started {
    let config = &mut started.config;
    let (Some(ladder), Some(ledger)) = (&mut config.ladder, ledger) else { return started };
    let asked = tokio::time::timeout(PATIENCE, ledger.standings(Some(&ladder.kind))).await;
    let late = || LedgerError { reason: format!("it did not answer within {PATIENCE:?}") };
    match asked.unwrap_or_else(|_| Err(late())) {
        Ok(standings) => {
            let StartingRung { rung, why: reason } =
                first_rung(ladder, &config.models, config.limits.budget, &standings);
            ladder.start = rung;
            if !reason.is_empty() {
                ladder.why = reason;
            }
        }
        Err(failed) => ladder.why = failed.to_string(),
    }
    started
}
