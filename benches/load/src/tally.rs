//! What all watchers saw together.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::Duration,
};

/// How fine latencies are told apart, in microseconds.
const STEP: u64 = 100;
/// Latencies of ten seconds and more are counted as one.
const STEPS: usize = 100_000;

/// Counts from many tasks.
pub(crate) struct Tally {
    /// Pieces of one reply.
    expected: u32,
    connected: AtomicUsize,
    comings: AtomicUsize,
    ended: AtomicUsize,
    pieces: AtomicU64,
    lost: AtomicU64,
    latencies: Vec<AtomicU64>,
}

impl Tally {
    pub(crate) fn new(expected: u32) -> Self {
        Self {
            expected,
            connected: AtomicUsize::new(0),
            comings: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            pieces: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            latencies: (0..STEPS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Begins anew, but for who is connected.
    pub(crate) fn again(&self) {
        self.ended.store(0, Ordering::SeqCst);
        self.pieces.store(0, Ordering::SeqCst);
        self.lost.store(0, Ordering::SeqCst);
        self.latencies.iter().for_each(|count| count.store(0, Ordering::SeqCst));
    }

    pub(crate) fn came(&self) {
        self.connected.fetch_add(1, Ordering::SeqCst);
        self.comings.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn went(&self) {
        self.connected.fetch_sub(1, Ordering::SeqCst);
    }

    /// A piece that was sent so many microseconds ago.
    pub(crate) fn piece(&self, micros: u64) {
        self.pieces.fetch_add(1, Ordering::Relaxed);
        let step = usize::try_from(micros / STEP).unwrap_or(usize::MAX).min(STEPS - 1);
        self.latencies[step].fetch_add(1, Ordering::Relaxed);
    }

    /// Pieces that never came, or came twice.
    pub(crate) fn wrong(&self, pieces: u64) {
        self.lost.fetch_add(pieces, Ordering::Relaxed);
    }

    /// A reply has come whole, with so many pieces.
    pub(crate) fn reply(&self, pieces: u64) {
        self.wrong(u64::from(self.expected).abs_diff(pieces));
    }

    /// A run has ended.
    pub(crate) fn end(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn connected(&self) -> usize {
        self.connected.load(Ordering::SeqCst)
    }

    /// How often somebody has connected.
    pub(crate) fn comings(&self) -> usize {
        self.comings.load(Ordering::SeqCst)
    }

    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    pub(crate) fn pieces(&self) -> u64 {
        self.pieces.load(Ordering::SeqCst)
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::SeqCst)
    }

    /// The latency in the middle, and that of 99 in 100; none before the first piece.
    pub(crate) fn latency(&self) -> Option<(Duration, Duration)> {
        let counts: Vec<u64> = self.latencies.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        let all: u64 = counts.iter().sum();
        let at = |part: u64| {
            let mut seen = 0;
            let found = counts.iter().position(|count| {
                seen += count;
                seen * 100 >= all * part
            });
            Duration::from_micros(STEP * u64::try_from(found.unwrap_or(0)).unwrap_or(0))
        };
        (all > 0).then(|| (at(50), at(99)))
    }
}
