//! New names and seeds.

use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use holm_kernel::Timestamp;

/// A new name for a run. It begins with the time, so names sort by age.
///
/// ```
/// use holm_kernel::Timestamp;
/// use holm_runtime::new_name;
///
/// let (older, newer) = (new_name(Timestamp::new(1)), new_name(Timestamp::new(2)));
/// assert!(older < newer);
/// ```
pub fn new_name(now: Timestamp) -> String {
    format!("{:012x}-{:016x}", now.value(), new_seed())
}

/// An unpredictable number: the seals of a run's envelopes depend on it.
pub(super) fn new_seed() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Keyed by the system's randomness; the counter makes every number of this process different.
    RandomState::new().hash_one((COUNT.fetch_add(1, Ordering::Relaxed), std::process::id()))
}
