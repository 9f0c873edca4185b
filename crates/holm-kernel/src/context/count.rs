//! Corrects the estimate of a view by what its provider counted for the last request.
//!
//! Tokenizers of one family differ, and an estimate that is too high would shrink the view long
//! before the window is full. Only the thresholds of a plan are corrected
//! (`context/token_thresholds.rs`). Budgets and reservations keep the plain estimate
//! (`run/billing.rs`).

use super::view::ContextView;

/// A smaller request says too little about the estimate.
const MIN_TOKENS: u64 = 1_000;

/// Counts outside of these thousandths of the estimate are no counts of the same text: a gateway
/// reports nothing of use, or the request was changed on its way.
const PLAUSIBLE: core::ops::RangeInclusive<u64> = 500..=2_000;

impl ContextView {
    /// Takes what a provider counted for a request that was estimated at `estimated` tokens.
    pub(crate) fn learn_count(&mut self, estimated: u64, counted: u64) {
        if estimated < MIN_TOKENS {
            return;
        }
        let milli = u128::from(counted) * 1_000 / u128::from(estimated);
        if let Some(milli) = u64::try_from(milli).ok().filter(|milli| PLAUSIBLE.contains(milli)) {
            self.counted_milli = milli;
        }
    }

    /// A window of the provider in tokens of the estimate.
    pub(super) fn estimated_window(&self, window: u64) -> u64 {
        if self.counted_milli == 0 {
            return window;
        }
        let estimated = u128::from(window) * 1_000 / u128::from(self.counted_milli);
        u64::try_from(estimated).unwrap_or(u64::MAX)
    }
}
