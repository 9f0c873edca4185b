//! What the names of tools weigh where nothing is asked, and which name gains most where something is. Pure arithmetic over
//! logarithms of likelihoods; [`Calibration`](super::calibration::Calibration) has them measured.

use std::{collections::VecDeque, sync::Arc};

/// Requests that ask for nothing: what is likely after them is likely for no reason. Those of the evaluation
/// (`CONTENT_FREE` in `evaluate.py`), so that figures compare.
pub(super) const CONTENT_FREE: [&str; 3] = ["N/A", "...", "please"];
/// Catalogues whose priors are kept: more than one program's agents have at a time.
const MOST: usize = 64;

/// What priors depend on: all that a model is shown before the first request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Catalogue {
    /// The system message, which describes the tools.
    pub(super) system: String,
    /// The names that are weighed, in their order.
    pub(super) names: Vec<String>,
}

/// The priors of the catalogues that were shown last.
#[derive(Debug, Default)]
pub(crate) struct Priors(VecDeque<(Catalogue, Arc<[f64]>)>);

impl Priors {
    /// What is known of a catalogue: a number for each name.
    pub(super) fn get(&self, catalogue: &Catalogue) -> Option<Arc<[f64]>> {
        self.0.iter().find(|(known, _)| known == catalogue).map(|(_, priors)| Arc::clone(priors))
    }

    /// Keeps what was measured; what was kept longest goes.
    pub(super) fn keep(&mut self, catalogue: Catalogue, priors: Arc<[f64]>) {
        self.0.retain(|(known, _)| *known != catalogue);
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((catalogue, priors));
    }
}

/// The mean of several measurements, each a number for each name.
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

/// The name that gains most over its prior; the one that is written already, unless another gains more.
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
