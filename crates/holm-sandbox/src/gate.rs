//! Lets in only as many guests as there is room for, on any thread, and never gives one party all
//! the places.
//!
//! It counts places and knows no threads (`workers.rs`) and no guests. How places are divided is in
//! `owner_shares.rs`. Waiting here is not the guest's time, and it is bounded; a guest that got no
//! place has done nothing. The clock asks it whether any guest runs (`ticker.rs`).

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cancel::CancelSwitch;
use crate::owner_shares::{CallOwner, OwnerShares};

/// Counts the guests that run.
#[derive(Debug)]
pub(crate) struct GuestGate {
    line: Mutex<GateQueue>,
    bell: Condvar,
}

#[derive(Debug)]
struct GateQueue {
    shares: OwnerShares,
    /// The number of guests inside.
    inside: u32,
    /// How many calls wait for a place. If none waits, none is woken, which saves a system call.
    waiting: u32,
}

/// One guest's place. Free again when this is dropped.
#[derive(Debug)]
pub(crate) struct GatePass<'a> {
    gate: &'a GuestGate,
    party: Option<CallOwner>,
}

/// Why there was no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateError {
    Cancelled,
    Busy,
}

/// How often a waiting call checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);

impl GuestGate {
    pub(crate) fn new(places: u32) -> Self {
        let line = GateQueue { shares: OwnerShares::new(places), inside: 0, waiting: 0 };
        Self { line: Mutex::new(line), bell: Condvar::new() }
    }

    /// Whether no guest is inside.
    pub(crate) fn is_empty(&self) -> bool {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).inside == 0
    }

    /// Waits for a place, for so long.
    pub(crate) fn enter(
        &self,
        party: Option<CallOwner>,
        cancel: &CancelSwitch,
        patience: Duration,
    ) -> Result<GatePass<'_>, GateError> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.take(party) {
            return Ok(GatePass { gate: self, party });
        }
        let until = Instant::now() + patience;
        while !line.take(party) {
            if cancel.is_cancelled() {
                return Err(GateError::Cancelled);
            }
            if Instant::now() >= until {
                return Err(GateError::Busy);
            }
            line.waiting += 1;
            line = self.bell.wait_timeout(line, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            line.waiting -= 1;
        }
        Ok(GatePass { gate: self, party })
    }
}

impl GateQueue {
    fn take(&mut self, party: Option<CallOwner>) -> bool {
        let taken = self.shares.take(party);
        self.inside += u32::from(taken);
        taken
    }
}

impl Drop for GatePass<'_> {
    fn drop(&mut self) {
        let mut line = self.gate.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.shares.give(self.party);
        line.inside = line.inside.saturating_sub(1);
        let waiting = line.waiting;
        drop(line);
        if waiting > 0 {
            // All of them: the first in line may belong to a party that has its share already.
            self.gate.bell.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn who_waited_long_enough_is_told_that_there_is_no_place() {
        let gate = GuestGate::new(1);
        let _pass = gate.enter(None, &CancelSwitch::new(), LONG).unwrap();
        assert_eq!(
            gate.enter(None, &CancelSwitch::new(), Duration::from_millis(1)).err(),
            Some(GateError::Busy)
        );
    }

    #[test]
    fn never_more_than_there_is_room_for() {
        let (gate, inside, most) = (GuestGate::new(3), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _pass = gate.enter(None, &CancelSwitch::new(), LONG).unwrap();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 3);
        assert_eq!(gate.line.lock().unwrap().shares.free(), 3);
        assert!(gate.is_empty());
    }

    #[test]
    fn a_greedy_party_waits_while_another_passes() {
        let (gate, greedy) = (GuestGate::new(4), Some(CallOwner::named("greedy")));
        let enter = |party, patience| gate.enter(party, &CancelSwitch::new(), patience);
        let held = [enter(greedy, LONG).unwrap(), enter(greedy, LONG).unwrap()];
        assert_eq!(enter(greedy, Duration::from_millis(1)).err(), Some(GateError::Busy));
        drop(enter(Some(CallOwner::named("other")), LONG).unwrap());
        drop(held);
        assert!(enter(greedy, LONG).is_ok());
    }

    #[test]
    fn who_is_cancelled_does_not_wait() {
        let gate = GuestGate::new(1);
        let _pass = gate.enter(None, &CancelSwitch::new(), LONG).unwrap();
        let cancel = CancelSwitch::new();
        cancel.cancel();
        assert_eq!(gate.enter(None, &cancel, LONG).err(), Some(GateError::Cancelled));
    }
}
