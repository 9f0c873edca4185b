//! How often a bare timer comes while a chat is measured: a chat that misses beats is told apart from a machine that does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// From one beat to the next: that of Holm's chat.
const BEAT: Duration = Duration::from_millis(15);

/// A timer at work.
pub struct Metronome {
    ends: Arc<AtomicBool>,
    counts: JoinHandle<f64>,
}

impl Metronome {
    /// Begins to count.
    pub fn start() -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&ends);
        let counts = thread::spawn(move || {
            let (began, mut beats) = (Instant::now(), 0.0);
            while !told.load(Ordering::Acquire) {
                let now = began.elapsed();
                thread::sleep(next(now) - now);
                beats += 1.0;
            }
            beats / began.elapsed().as_secs_f64()
        });
        Self { ends, counts }
    }

    /// How many beats a second were heard.
    pub fn stop(self) -> f64 {
        self.ends.store(true, Ordering::Release);
        self.counts.join().unwrap_or_default()
    }
}

/// When the next beat is, counted from the first: at a fixed time, however late the last one was heard.
fn next(now: Duration) -> Duration {
    let beats = now.as_nanos() / BEAT.as_nanos() + 1;
    BEAT * u32::try_from(beats).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_that_was_missed_puts_no_other_off() {
        let ms = Duration::from_millis;
        for (now, expect) in [(0, 15), (14, 15), (15, 30), (29, 30), (46, 60)] {
            assert_eq!(next(ms(now)), ms(expect), "at {now}");
        }
    }
}
