//! The token thresholds of one plan.

use crate::ContextPolicy;

/// Room for the messages of a view, in tokens, everything else in the request already taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// More than this cannot be sent.
    pub(super) hard: u64,
    /// Above this the view is made smaller.
    pub(super) trigger: u64,
    /// The view is shrunk to this.
    pub(super) target: u64,
}

impl Room {
    /// Takes `fixed` off the window and off each share of it. `ceiling` is what a provider has already refused.
    ///
    /// A large fixed part must not leave a share of nothing, or every turn would be a plan and the view would be cut to
    /// pieces for a reply that is never so long: a quarter of the window is always free for messages, the trigger is at
    /// least half of what is free, the target at least half of the trigger and at most seven eighths of it.
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
