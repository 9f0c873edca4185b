//! The clock that interrupts guests: one thread for all of them, which sleeps while none runs.
//!
//! It only advances the engine's epoch; whether a guest must stop is asked at each tick in
//! `run.rs`, through `cancel.rs`. Guests are counted in `gate.rs`, not here: a guest must
//! pass the gate before the clock is woken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use wasmtime::Engine;

use crate::gate::GuestGate;

/// The interval of the clock: a tenth of the 50 ms within which a cancelled guest must stop.
pub(crate) const TICK: Duration = Duration::from_millis(5);
/// How many ticks the clock continues when no guest runs, so that a burst of calls does not
/// wake it each time.
const IDLE_TICKS_BEFORE_SLEEP: u32 = 100;

/// Ticks while guests are inside the gate. The gate counts them: a separate counter would be one
/// more value that all threads write to for each call.
#[derive(Debug)]
pub(crate) struct EpochTicker(Arc<TickerShared>);

#[derive(Debug)]
struct TickerShared {
    gate: Arc<GuestGate>,
    asleep: AtomicBool,
    closed: AtomicBool,
    lock: Mutex<()>,
    wakeup: Condvar,
}

impl EpochTicker {
    pub(crate) fn start(engine: &Engine, gate: Arc<GuestGate>) -> std::io::Result<Self> {
        let shared = Arc::new(TickerShared {
            gate,
            asleep: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            lock: Mutex::default(),
            wakeup: Condvar::new(),
        });
        let weak = engine.weak();
        let thread_shared = Arc::clone(&shared);
        std::thread::Builder::new().name("holm-sandbox-clock".to_owned()).spawn(move || {
            let mut idle_ticks = 0;
            while !thread_shared.closed.load(Ordering::Acquire) {
                idle_ticks = if thread_shared.gate.is_empty() { idle_ticks + 1 } else { 0 };
                if idle_ticks > IDLE_TICKS_BEFORE_SLEEP {
                    thread_shared.sleep();
                    idle_ticks = 0;
                }
                std::thread::sleep(TICK);
                let Some(engine) = weak.upgrade() else { return };
                engine.increment_epoch();
            }
        })?;
        Ok(Self(shared))
    }

    /// Wakes the clock for a guest that has passed the gate. It ticks until the gate is empty.
    pub(crate) fn wake_if_asleep(&self) {
        if self.0.asleep.load(Ordering::SeqCst) {
            self.0.wake();
        }
    }
}

impl TickerShared {
    fn sleep(&self) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.store(true, Ordering::SeqCst);
        // Checked after setting the flag: a guest that passes the gate now either sees the flag, or
        // is seen here.
        while self.gate.is_empty() && !self.closed.load(Ordering::SeqCst) {
            guard = self.wakeup.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.store(false, Ordering::SeqCst);
    }

    fn wake(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.wakeup.notify_all();
    }
}

impl Drop for EpochTicker {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.wake();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Instant;

    use super::*;
    use crate::cancel::CancelSwitch;

    /// A time after which any machine, however busy, has certainly finished.
    const LONG: Duration = Duration::from_secs(30);

    /// Whether a condition became true in time.
    pub(crate) fn wait_until(done: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        while !done() && began.elapsed() < LONG {
            std::thread::sleep(TICK);
        }
        done()
    }

    #[test]
    fn the_clock_sleeps_while_nobody_runs_and_wakes_for_whoever_comes() {
        let (engine, gate) = (Engine::default(), Arc::new(GuestGate::new(2)));
        let ticker = EpochTicker::start(&engine, Arc::clone(&gate)).unwrap();
        for _ in 0..2 {
            assert!(wait_until(|| ticker.0.asleep.load(Ordering::SeqCst)), "it never sleeps");
            let pass = gate.enter(None, &CancelSwitch::new(), LONG).unwrap();
            ticker.wake_if_asleep();
            assert!(wait_until(|| !ticker.0.asleep.load(Ordering::SeqCst)), "it never wakes");
            drop(pass);
        }
    }
}
