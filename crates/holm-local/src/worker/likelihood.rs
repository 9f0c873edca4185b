//! Computes the likelihood of a text, token by token. It is pure arithmetic; the engine supplies
//! the logits.
//!
//! Which texts are scored is decided in `prompt_tasks.rs`. The result is always finite.

/// The score of an impossible text: practically zero likelihood, and still a finite number.
const LEAST: f64 = -1e6;

/// The running score of one text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextLikelihood {
    text: Vec<u32>,
    /// Any of these tokens may follow the text. A closing quotation mark is often one token
    /// together with what follows.
    closing: Vec<u32>,
    /// How many tokens have been scored, including the closing one.
    seen: usize,
    likely: f64,
}

impl TextLikelihood {
    pub(super) fn new(text: Vec<u32>, closing: Vec<u32>) -> Self {
        Self { text, closing, seen: 0, likely: 0.0 }
    }

    /// Adds the logits after this many tokens of the text. Only the next position counts, because
    /// tokens that are computed again after a cache loss were scored before.
    pub(super) fn look(&mut self, after: usize, logits: &[f32]) {
        if after != self.seen || self.is_done() {
            return;
        }
        let wanted = self.text.get(after).map_or(self.closing.as_slice(), std::slice::from_ref);
        self.likely += log_share(logits, wanted);
        self.seen += 1;
    }

    /// Whether the whole text is scored.
    pub(super) fn is_done(&self) -> bool {
        self.seen > self.text.len()
    }

    /// The log-likelihood of the text. It is always finite.
    pub(super) fn likely(&self) -> f64 {
        // `max` of a number and NaN is the number.
        self.likely.max(LEAST)
    }
}

/// The log-probability of any of these tokens.
fn log_share(logits: &[f32], wanted: &[u32]) -> f64 {
    let at = |token: &u32| usize::try_from(*token).ok().and_then(|token| logits.get(token));
    log_sum(wanted.iter().filter_map(at)) - log_sum(logits.iter())
}

/// The logarithm of a sum of exponentials, relative to the largest, so that none overflows.
fn log_sum<'a>(logits: impl Iterator<Item = &'a f32> + Clone) -> f64 {
    let top = f64::from(logits.clone().copied().fold(f32::NEG_INFINITY, f32::max));
    let weights = logits.map(|logit| (f64::from(*logit) - top).exp());
    top + weights.filter(|weight| weight.is_finite()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests;
