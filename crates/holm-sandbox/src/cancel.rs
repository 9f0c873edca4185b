//! Cancels a running guest, whether it computes, sleeps or waits for the network.
//!
//! A computing guest is interrupted by the clock (`ticker.rs`), which asks this switch; a waiting
//! one is woken here. Host functions that take long must ask [`CallDeadline`] between steps,
//! because nothing can interrupt them. The error that ends a guest is in `guest_abort.rs`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::guest_abort::GuestAbort;

/// A switch that ends a call. Clones switch the same call.
///
/// ```
/// let cancel = holm_sandbox::CancelSwitch::new();
/// let other = cancel.clone();
/// other.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelSwitch(Arc<CancelState>);

#[derive(Debug, Default)]
struct CancelState {
    cancelled: AtomicBool,
    sleepers: Mutex<()>,
    bell: Condvar,
    tasks: Notify,
}

impl CancelSwitch {
    /// Creates an unused switch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the call. A guest that computes stops within two ticks of the sandbox's clock; one that
    /// waits stops at once.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        // Locked and unlocked, so that a thread that has just checked the switch does not go to
        // sleep unwoken.
        drop(self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.bell.notify_all();
        self.0.tasks.notify_waiters();
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Completes when the call is cancelled.
    pub(crate) async fn cancelled(&self) {
        let mut notified = std::pin::pin!(self.0.tasks.notified());
        notified.as_mut().enable();
        if !self.is_cancelled() {
            notified.await;
        }
    }

    /// Sleeps on this thread until `until`, or is cut short by the switch or by the end
    /// of the call's time.
    pub(crate) fn sleep(&self, until: Instant, deadline: Instant) -> Result<(), GuestAbort> {
        let mut guard = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            self.check(deadline)?;
            let now = Instant::now();
            if now >= until {
                return Ok(());
            }
            let nap = until.min(deadline).saturating_duration_since(now);
            guard = self.0.bell.wait_timeout(guard, nap).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Checks whether the call may continue.
    pub(crate) fn check(&self, deadline: Instant) -> Result<(), GuestAbort> {
        if self.is_cancelled() {
            Err(GuestAbort::Cancelled)
        } else if Instant::now() >= deadline {
            Err(GuestAbort::Time)
        } else {
            Ok(())
        }
    }
}

/// How long a call may run: until it is cancelled or its time is over.
#[derive(Debug, Clone)]
pub(crate) struct CallDeadline {
    cancel: CancelSwitch,
    deadline: Instant,
}

impl CallDeadline {
    pub(crate) fn new(cancel: CancelSwitch, deadline: Instant) -> Self {
        Self { cancel, deadline }
    }

    /// Checks whether the call may continue. For long work within one host call.
    pub(crate) fn check(&self) -> Result<(), GuestAbort> {
        self.cancel.check(self.deadline)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_sleeper_wakes_at_once() {
        let cancel = CancelSwitch::new();
        let far = Instant::now() + Duration::from_secs(60);
        let began = Instant::now();
        let result = std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| cancel.sleep(far, far));
            std::thread::sleep(Duration::from_millis(20));
            cancel.cancel();
            sleeper.join().unwrap()
        });
        assert_eq!(result, Err(GuestAbort::Cancelled));
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn sleep_ends_at_its_time_or_at_the_deadline() {
        let cancel = CancelSwitch::new();
        let soon = Instant::now() + Duration::from_millis(5);
        let far = Instant::now() + Duration::from_secs(60);
        assert_eq!(cancel.sleep(soon, far), Ok(()));
        assert_eq!(cancel.sleep(far, soon), Err(GuestAbort::Time));
    }

    #[tokio::test]
    async fn a_task_wakes_also_when_it_came_late() {
        let cancel = CancelSwitch::new();
        let task = tokio::spawn({
            let cancel = cancel.clone();
            async move { cancel.cancelled().await }
        });
        tokio::task::yield_now().await;
        cancel.cancel();
        task.await.unwrap();
        cancel.cancelled().await;
    }
}
