//! The result of an attempt, as a line of the results of an evaluation.

use serde::{Deserialize, Serialize};

use crate::{CheckOutcome, ReplayDifference};

/// What came of one attempt at a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptResult {
    pub case: String,
    /// The digest of the case that was attempted.
    pub digest: String,
    /// The model, or `replay`.
    pub model: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    pub verdict: AttemptVerdict,
    pub checks: Vec<CheckOutcome>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<ReplayDifference>,
    /// The session, in the data folder of the evaluation.
    pub session: String,
    /// The calls in order, each as its tool and arguments.
    #[serde(default)]
    pub calls: Vec<String>,
    pub turns: u64,
    pub tokens: u64,
    pub cost_nano_usd: u64,
    pub seconds: f64,
}

/// The verdict on an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptVerdict {
    Passed,
    /// The checks passed, but what the model sees is no longer what was recorded.
    Changed,
    Failed,
    /// The attempt could not be made.
    Error,
}

impl AttemptResult {
    /// Whether the case passed; a changed one has.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        matches!(self.verdict, AttemptVerdict::Passed | AttemptVerdict::Changed)
    }

    /// Why it failed, a line each.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let checks = self
            .checks
            .iter()
            .filter_map(|check| check.failure.as_ref().map(|why| format!("{}: {why}", check.check)));
        let differences = self.differences.iter().filter(|difference| difference.is_regression());
        checks.chain(differences.map(ToString::to_string)).collect()
    }

    /// The first turn for which the recording no longer applies.
    #[must_use]
    pub fn applies_until(&self) -> Option<usize> {
        self.differences.iter().map(|difference| difference.turn).min()
    }
}
