//! Lets only as many guests in as there is room for, whoever's thread they run on.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cancel::Cancel;

/// Counts the guests that run.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Mutex<u32>,
    bell: Condvar,
}

/// One guest's place. Free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Pass<'a>(&'a Gate);

/// Why there was no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    Cancelled,
    Busy,
}

/// How often somebody who waits looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);

impl Gate {
    pub(crate) fn new(places: u32) -> Self {
        Self { free: Mutex::new(places), bell: Condvar::new() }
    }

    /// Waits for a place, for so long.
    pub(crate) fn enter(&self, cancel: &Cancel, patience: Duration) -> Result<Pass<'_>, Full> {
        let until = Instant::now() + patience;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if cancel.is_cancelled() {
                return Err(Full::Cancelled);
            }
            if Instant::now() >= until {
                return Err(Full::Busy);
            }
            free = self.bell.wait_timeout(free, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Ok(Pass(self))
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.bell.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn who_waited_long_enough_is_told_that_there_is_no_place() {
        let gate = Gate::new(1);
        let _pass = gate.enter(&Cancel::new(), LONG).unwrap();
        assert_eq!(gate.enter(&Cancel::new(), Duration::from_millis(1)).err(), Some(Full::Busy));
    }

    #[test]
    fn never_more_than_there_is_room_for() {
        let (gate, inside, most) = (Gate::new(3), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _pass = gate.enter(&Cancel::new(), LONG).unwrap();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 3);
        assert_eq!(*gate.free.lock().unwrap(), 3);
    }

    #[test]
    fn who_is_cancelled_does_not_wait() {
        let gate = Gate::new(1);
        let _pass = gate.enter(&Cancel::new(), LONG).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(gate.enter(&cancel, LONG).err(), Some(Full::Cancelled));
    }
}
