//! What models have shown, as rows of a database. Numbers are readable; reasons are encrypted if
//! the store is. Scores are computed in `holm-runtime/src/ledger/scorer.rs`, stored by
//! `store/index.rs` and read in `store/ledger.rs`.

use holm_kernel::TaskKind;
use holm_runtime::{ModelScore, ModelStanding, TaskFailure};

use crate::{StoreError, vault::SessionCipher};

/// The place of sealed reasons; it never changes, or they could not be opened again.
const LEDGER: &str = "ledger";

/// The results of one model in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LedgerRow {
    pub(crate) kind: String,
    pub(crate) model: String,
    /// Calls, tasks, successes, rejections, invalid calls, step-ups.
    pub(crate) numbers: [u64; 6],
    /// The reasons as JSON, sealed in an encrypted store.
    pub(crate) whys: Vec<u8>,
}

impl LedgerRow {
    /// The rows of one run; `standings` holds each model once.
    pub(crate) fn of(
        standings: Vec<ModelStanding>,
        key: Option<&SessionCipher>,
    ) -> Result<Vec<Self>, StoreError> {
        standings.into_iter().map(|standing| Self::one(standing, key)).collect()
    }

    fn one(standing: ModelStanding, key: Option<&SessionCipher>) -> Result<Self, StoreError> {
        let ModelStanding { model, kind, score } = standing;
        let ModelScore { calls, tasks, successes, rejections, invalid_calls, step_ups, whys } = score;
        let whys =
            serde_json::to_vec(&whys).map_err(|error| StoreError::System { reason: error.to_string() })?;
        let whys = match key {
            Some(key) => key.seal(LEDGER, 0, &whys)?,
            None => whys,
        };
        let numbers = [calls, tasks, successes, rejections, invalid_calls, step_ups];
        Ok(Self { kind: kind.to_string(), model, numbers, whys })
    }

    /// The standing that the row describes. Reasons that cannot be read do
    /// not invalidate the numbers.
    pub(crate) fn standing(self, key: Option<&SessionCipher>) -> ModelStanding {
        let [calls, tasks, successes, rejections, invalid_calls, step_ups] = self.numbers;
        let whys = match key {
            Some(key) => key.open(LEDGER, 0, &self.whys),
            None => Some(self.whys),
        };
        let whys =
            whys.and_then(|whys| serde_json::from_slice::<Vec<TaskFailure>>(&whys).ok()).unwrap_or_default();
        let score = ModelScore { calls, tasks, successes, rejections, invalid_calls, step_ups, whys };
        ModelStanding { model: self.model, kind: TaskKind::new(self.kind), score }
    }
}
