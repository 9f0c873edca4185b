//! The likelihoods of tool names without a request, and the name that gains most with one. This is
//! pure arithmetic over log-likelihoods; [`ToolCalibration`](super::calibration::ToolCalibration)
//! measures them.
//!
//! It does no I/O. The number of kept catalogues is bounded.

use std::{collections::VecDeque, sync::Arc};

/// Requests that ask for nothing, so that they favour no tool. They are those of the evaluation
/// (`CONTENT_FREE` in `evaluate.py`), so that the figures are comparable.
pub(super) const CONTENT_FREE: [&str; 3] = ["N/A", "...", "please"];
/// The number of catalogues whose priors are kept: more than the agents of one program
/// have at a time.
const MOST: usize = 64;

/// What the priors depend on: everything that the model sees before the first request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PriorKey {
    /// The system message, which describes the tools.
    pub(super) system: String,
    /// The names that are scored, in order.
    pub(super) names: Vec<String>,
}

/// The priors of the most recent catalogues.
#[derive(Debug, Default)]
pub(crate) struct PriorCache(VecDeque<(PriorKey, Arc<[f64]>)>);

impl PriorCache {
    /// The priors of a catalogue: one number for each name.
    pub(super) fn get(&self, catalogue: &PriorKey) -> Option<Arc<[f64]>> {
        self.0.iter().find(|(known, _)| known == catalogue).map(|(_, priors)| Arc::clone(priors))
    }

    /// Keeps measured priors, and drops the oldest.
    pub(super) fn keep(&mut self, catalogue: PriorKey, priors: Arc<[f64]>) {
        self.0.retain(|(known, _)| *known != catalogue);
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((catalogue, priors));
    }
}

/// The mean of several measurements, each with one number per name.
pub(super) fn mean(rows: &[Vec<f64>]) -> Vec<f64> {
    let count = f64::from(u32::try_from(rows.len()).unwrap_or(u32::MAX).max(1));
    let mut out = vec![0.0; rows.first().map_or(0, Vec::len)];
    for row in rows {
        for (sum, value) in out.iter_mut().zip(row) {
            *sum += value / count;
        }
    }
    out
}

/// The name that gains most over its prior. If no other name gains more, it is the written one.
pub(super) fn most_gained(likely: &[f64], priors: &[f64], written: usize) -> usize {
    let gain = |at: usize| Some(likely.get(at)? - priors.get(at)?);
    let mut best = (written, gain(written).unwrap_or(f64::NEG_INFINITY));
    for at in 0..likely.len() {
        if let Some(gained) = gain(at).filter(|gained| *gained > best.1) {
            best = (at, gained);
        }
    }
    best.0
}

#[cfg(test)]
mod tests;
