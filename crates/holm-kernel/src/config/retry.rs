//! When a failed model call is retried. The kernel sets the times, and they are journaled.

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// Back-off between tries of one model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct RetryPolicy {
    /// Tries per model, the first included.
    pub attempts: u64,
    /// The first pause in milliseconds; it doubles.
    pub base_ms: u64,
    /// The longest pause, unless the provider asks for a longer one.
    pub cap_ms: u64,
    /// The longest pause that a provider may ask for. If it asks for more, the next model is tried
    /// or the run fails.
    pub patience_ms: u64,
    /// Up to this many thousandths of a pause are subtracted at random (from the seed).
    pub jitter_milli: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 5, base_ms: 500, cap_ms: 30_000, patience_ms: 120_000, jitter_milli: 250 }
    }
}
