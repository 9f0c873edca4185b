//! What time it is, and waiting. The kernel has no clock, so every wait of a run passes through here.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant, SystemTime};

use holm_kernel::Timestamp;

use crate::BoxFuture;

/// Tells the time and waits.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now(&self) -> Timestamp;

    /// Waits until a time; at once if it has passed.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
}

/// The machine's clock. It is read once and then only runs forward, so that a run is not disturbed when somebody sets
/// the machine's time.
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
        self.0.now()
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        self.0.sleep_until(at)
    }
}

/// A clock that runs many times faster than the world, for tests: a back-off of seconds takes milliseconds and is
/// still journaled as seconds.
#[derive(Debug, Clone, Copy)]
pub struct FastClock {
    began: Instant,
    epoch_ms: u64,
    factor: u64,
}

impl FastClock {
    /// A clock that begins at the machine's time and runs `factor` times as fast.
    pub fn new(factor: u64) -> Self {
        let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { began: Instant::now(), epoch_ms: millis(epoch), factor: factor.max(1) }
    }
}

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        let passed = micros(self.began.elapsed()).saturating_mul(self.factor) / 1_000;
        Timestamp::new(self.epoch_ms.saturating_add(passed))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        // Rounded up, so that the time has come when the sleeper looks.
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
