//! Clocks: the time, and waiting. The kernel has no clock, so the times and deadlines of a run come
//! from one of these.
//!
//! The kernel sets deadlines and keeps a run's time from going back; the driver waits for them here
//! (`driver/wake_timer.rs`). Grace periods of this crate, such as that of a stopped tool, use the
//! async runtime's own timer and are no part of a run.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant, SystemTime};

use holm_kernel::Timestamp;

use crate::BoxFuture;

/// Tells the time and waits.
pub trait Clock: Send + Sync {
    /// The time in milliseconds since 1970.
    fn now(&self) -> Timestamp;

    /// Waits until a time; at once if it has passed.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
}

/// The longest sleep before the machine's clock is read again: timers stop while
/// a machine is suspended.
const LONGEST_SLEEP: Duration = Duration::from_secs(15);

/// The machine's clock. It follows the machine's time forward, also over a suspend. If that time is
/// set back, this clock runs on steadily, so that a run is not disturbed.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(FastClock);

impl SystemClock {
    /// A clock that shows the machine's time.
    pub fn new() -> Self {
        Self(FastClock::new(1))
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        self.0.now().max(machine_time())
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let clock = *self;
        Box::pin(async move {
            let mut left = Duration::from_millis(at.since(clock.now()));
            while !left.is_zero() && clock.now() < at {
                let sleep = left.min(LONGEST_SLEEP);
                tokio::time::sleep(sleep).await;
                left -= sleep;
            }
        })
    }
}

fn machine_time() -> Timestamp {
    Timestamp::new(millis(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()))
}

/// A clock that runs many times faster than real time, for tests: a back-off of seconds takes
/// milliseconds and is still journaled as seconds.
#[derive(Debug, Clone, Copy)]
pub struct FastClock {
    began: Instant,
    epoch_ms: u64,
    factor: u64,
}

impl FastClock {
    /// A clock that begins at the machine's time and runs `factor` times as fast.
    pub fn new(factor: u64) -> Self {
        Self { began: Instant::now(), epoch_ms: machine_time().value(), factor: factor.max(1) }
    }
}

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        let passed = micros(self.began.elapsed()).saturating_mul(self.factor) / 1_000;
        Timestamp::new(self.epoch_ms.saturating_add(passed))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        // Rounded up, so that the time has really come when the sleeper wakes.
        let wait = at.since(self.now()).saturating_mul(1_000).div_ceil(self.factor);
        Box::pin(tokio::time::sleep(Duration::from_micros(wait)))
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}
