//! Weighs a text: how likely a model makes it, token by token. Pure arithmetic; the engine brings the logits.

/// What a text weighs that cannot be: as good as nothing, and still a number.
const LEAST: f64 = -1e6;

/// A text on the scale.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    text: Vec<u32>,
    /// Any of these may follow the text: a closing mark is often one token with what stands behind it.
    closing: Vec<u32>,
    /// How many tokens have been weighed, the closing one among them.
    seen: usize,
    likely: f64,
}

impl Scale {
    pub(super) fn new(text: Vec<u32>, closing: Vec<u32>) -> Self {
        Self { text, closing, seen: 0, likely: 0.0 }
    }

    /// Looks at what the model expects after so many tokens of the text. Only the next place counts: what was computed
    /// again, because the cache was lost, was weighed before.
    pub(super) fn look(&mut self, after: usize, logits: &[f32]) {
        if after != self.seen || self.is_done() {
            return;
        }
        let wanted = self.text.get(after).map_or(self.closing.as_slice(), std::slice::from_ref);
        self.likely += log_share(logits, wanted);
        self.seen += 1;
    }

    /// Whether all of it is weighed.
    pub(super) fn is_done(&self) -> bool {
        self.seen > self.text.len()
    }

    /// The logarithm of its likelihood; always finite.
    pub(super) fn likely(&self) -> f64 {
        // The greater of a number and of what is none is the number.
        self.likely.max(LEAST)
    }
}

/// The logarithm of how likely one of these tokens is.
fn log_share(logits: &[f32], wanted: &[u32]) -> f64 {
    let at = |token: &u32| usize::try_from(*token).ok().and_then(|token| logits.get(token));
    log_sum(wanted.iter().filter_map(at)) - log_sum(logits.iter())
}

/// The logarithm of a sum of exponentials, from the greatest down, so that none is too large.
fn log_sum<'a>(logits: impl Iterator<Item = &'a f32> + Clone) -> f64 {
    let top = f64::from(logits.clone().copied().fold(f32::NEG_INFINITY, f32::max));
    let weights = logits.map(|logit| (f64::from(*logit) - top).exp());
    top + weights.filter(|weight| weight.is_finite()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests;
