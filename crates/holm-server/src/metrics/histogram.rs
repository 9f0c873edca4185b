//! Counts how long something took, in the buckets that Prometheus computes percentiles from. What
//! is measured is decided by its callers (`metrics.rs`, `metrics/run_meter.rs`); counters with
//! labels are in `metrics/labelled_counter.rs`.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The upper bounds of the buckets, in milliseconds: from an answer
/// out of memory to a long reply of a model.
const BOUNDS_MS: [u64; 12] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 30_000, 120_000];

/// A histogram of durations.
#[derive(Debug, Default)]
pub struct DurationHistogram {
    /// How many were at most as long as the bound of each bucket, and longer than the one before.
    buckets: [AtomicU64; BOUNDS_MS.len()],
    count: AtomicU64,
    sum_us: AtomicU64,
}

impl DurationHistogram {
    pub(crate) fn observe(&self, took: Duration) {
        let bucket = BOUNDS_MS.iter().position(|bound| took <= Duration::from_millis(*bound));
        if let Some(bucket) = bucket.and_then(|at| self.buckets.get(at)) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.sum_us.fetch_add(micros, Ordering::Relaxed);
    }

    /// Appends the histogram in the Prometheus text format.
    pub(super) fn write(&self, name: &str, help: &str, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        // The count is read first: a duration that is observed meanwhile must not make a bucket
        // larger than the sum of all.
        let mut below = 0;
        let count = self.count.load(Ordering::Relaxed);
        for (bound, bucket) in BOUNDS_MS.iter().zip(&self.buckets) {
            below = count.min(below + bucket.load(Ordering::Relaxed));
            let _ = writeln!(out, "{name}_bucket{{le=\"{}\"}} {below}", seconds(*bound, 1_000));
        }
        let sum = seconds(self.sum_us.load(Ordering::Relaxed), 1_000_000);
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}");
    }
}

/// A number of parts of a second, as Prometheus reads it: `0.25`, `10`.
fn seconds(parts: u64, per_second: u64) -> String {
    let digits = per_second.ilog10() as usize;
    let text = format!("{}.{:0digits$}", parts / per_second, parts % per_second);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
