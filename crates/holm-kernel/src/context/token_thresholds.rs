//! The token thresholds of one plan.

use crate::ContextPolicy;

/// Token thresholds for the messages of a view; the rest of the request is already subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenThresholds {
    /// More than this cannot be sent.
    pub(super) hard: u64,
    /// Above this the view is made smaller.
    pub(super) trigger: u64,
    /// The view is shrunk to this.
    pub(super) target: u64,
}

impl TokenThresholds {
    /// Subtracts `fixed` from the window and from each share of it. `ceiling` is the size that a
    /// provider has already refused.
    ///
    /// A large fixed part must not leave too little, or every turn would need a plan and the view
    /// would be cut to pieces. So a quarter of the window is always free for messages. The
    /// trigger is at least half of the free part. The target is at least half and at most seven
    /// eighths of the trigger.
    pub(super) fn new(policy: &ContextPolicy, window: u64, fixed: u64, ceiling: Option<u64>) -> Self {
        let window = if window == 0 { policy.default_window } else { window };
        let free = window.saturating_sub(fixed).max(window / 4);
        let mut hard = free;
        let mut trigger = share(window, policy.trigger_milli).saturating_sub(fixed).max(free / 2).min(free);
        if let Some(ceiling) = ceiling {
            hard = hard.min(ceiling);
            trigger = trigger.min(share(ceiling, policy.trigger_milli)).min(hard);
        }
        let target = share(window, policy.target_milli).saturating_sub(fixed);
        let target = target.max(trigger / 2).min(trigger - trigger / 8);
        Self { hard, trigger, target }
    }
}

/// Thousandths of a whole, at most the whole.
pub(super) fn share(whole: u64, milli: u64) -> u64 {
    let part = u128::from(whole) * u128::from(milli.min(1_000)) / 1_000;
    u64::try_from(part).unwrap_or(whole)
}
