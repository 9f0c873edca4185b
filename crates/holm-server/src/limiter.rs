//! A rate limiter with one token bucket per client. The caller passes the time, so tests need not
//! wait.
//!
//! It limits requests per minute; how many runs work at once is limited in `live/admission.rs`.
//! What is counted, and for whom, is decided in `state.rs` and `request_guard.rs`. The memory is
//! bounded: if too many clients are known, new ones are refused.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The number of clients that are remembered, so that an attacker with many addresses
/// cannot fill the memory.
const MOST_NAMES: usize = 65_536;
/// The unit of a bucket: a thousandth of a request.
const UNIT: u64 = 1_000;

/// Allows a number of requests per minute for each client, at once or spread out.
#[derive(Debug)]
pub(crate) struct RateLimiter<K> {
    per_minute: u64,
    buckets: Mutex<HashMap<K, RateBucket>>,
}

#[derive(Debug, Clone, Copy)]
struct RateBucket {
    left: u64,
    at: Instant,
}

impl<K: Eq + Hash + Clone> RateLimiter<K> {
    /// Creates a limiter for this many requests per minute.
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { per_minute: u64::from(per_minute), buckets: Mutex::default() }
    }

    /// Takes one request. The error is the number of seconds until the next one is allowed.
    pub(crate) fn take(&self, name: &K, now: Instant) -> Result<(), u64> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = self.per_minute * UNIT;
        if buckets.len() >= MOST_NAMES && !buckets.contains_key(name) {
            buckets.retain(|_, bucket| self.filled(*bucket, now) < full);
            if buckets.len() >= MOST_NAMES {
                return Err(60);
            }
        }
        let bucket = buckets.entry(name.clone()).or_insert(RateBucket { left: full, at: now });
        let left = self.filled(*bucket, now);
        if left < UNIT {
            let missing = UNIT - left;
            return Err((missing * 60).div_ceil(self.per_minute.max(1) * UNIT).max(1));
        }
        *bucket = RateBucket { left: left - UNIT, at: now };
        Ok(())
    }

    fn filled(&self, bucket: RateBucket, now: Instant) -> u64 {
        let passed = now.saturating_duration_since(bucket.at).min(Duration::from_secs(60));
        let millis = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        (bucket.left + millis * self.per_minute * UNIT / 60_000).min(self.per_minute * UNIT)
    }
}

#[cfg(test)]
mod tests;
