//! The clock that interrupts guests: one thread for all of them, asleep while none runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use wasmtime::Engine;

/// How often a computing guest is looked at: ten times as often as a cancelled one must have stopped.
const TICK: Duration = Duration::from_millis(5);
/// How many ticks the clock goes on when nobody runs, so that a burst of calls does not wake it each time.
const LINGER: u32 = 100;

/// Ticks while guests run.
#[derive(Debug)]
pub(crate) struct Ticker(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    running: AtomicU64,
    asleep: AtomicBool,
    closed: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

/// One running guest. The clock ticks at least as long as this lives.
pub(crate) struct Ticking<'a>(&'a Shared);

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let weak = engine.weak();
        let clock = Arc::clone(&shared);
        std::thread::Builder::new().name("holm-sandbox-clock".to_owned()).spawn(move || {
            let mut idle = 0;
            while !clock.closed.load(Ordering::Acquire) {
                idle = if clock.running.load(Ordering::Acquire) > 0 { 0 } else { idle + 1 };
                if idle > LINGER {
                    clock.sleep();
                    idle = 0;
                }
                std::thread::sleep(TICK);
                let Some(engine) = weak.upgrade() else { return };
                engine.increment_epoch();
            }
        })?;
        Ok(Self(shared))
    }

    /// Says that a guest runs from now on.
    pub(crate) fn tick(&self) -> Ticking<'_> {
        self.0.running.fetch_add(1, Ordering::SeqCst);
        if self.0.asleep.load(Ordering::SeqCst) {
            self.0.wake();
        }
        Ticking(&self.0)
    }
}

impl Shared {
    fn sleep(&self) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.store(true, Ordering::SeqCst);
        // Looked at after saying so: whoever starts now either sees the sleeper or is seen.
        while self.running.load(Ordering::SeqCst) == 0 && !self.closed.load(Ordering::SeqCst) {
            guard = self.bell.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.store(false, Ordering::SeqCst);
    }

    fn wake(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.bell.notify_all();
    }
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.wake();
    }
}
