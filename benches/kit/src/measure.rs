//! Time and heap of every loop, in rounds.
//!
//! The loops take turns in short slices, so that a disturbance of the machine meets all of them. Set-up is timed
//! apart and taking a session apart is not timed at all: a run lasts from its prompt to its answer.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{Outcome, System, processor, script, watch};

/// How often every loop gets its slice.
const ROUNDS: usize = 5;

/// How long a slice lasts, at least one session excepted: five rounds of 28 of them stay near half a minute.
const SLICE: Duration = Duration::from_millis(200);

/// Sessions in a slice at the most; more do not make a median better.
const MOST_SESSIONS: usize = 1_000;

/// What was measured of one loop at one number of turns. Everything is per turn, where it does not say otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Its name in the report.
    pub system: &'static str,
    /// The number of turns.
    pub turns: u64,
    /// Microseconds: the middle of all sessions.
    pub micros: f64,
    /// Microseconds: the quickest session, which is what a quiet machine would come near.
    pub quickest: f64,
    /// Microseconds that processors were busy with it, on all threads: the middle of all sessions.
    pub processor: f64,
    /// The same of the session that took the least.
    pub processor_least: f64,
    /// Sessions that were timed.
    pub sessions: u64,
    /// Microseconds of set-up, per session.
    pub set_up: f64,
    /// Allocations.
    pub allocations: f64,
    /// Bytes allocated.
    pub allocated: f64,
    /// Bytes still held when the answer was there.
    pub retained: f64,
    /// Bytes of those that are neither the plain content nor the encoded body.
    pub beyond: f64,
    /// Instructions, where they could be counted.
    pub instructions: Option<f64>,
}

/// Measures all loops at all numbers of turns.
pub fn all<S: System>(turns: &[u64]) -> Vec<Figure> {
    let mut samples: BTreeMap<(S, u64), Samples> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for &turns in turns {
            for &system in S::ALL {
                samples.entry((system, turns)).or_default().slice(system, turns);
            }
        }
    }
    samples.into_iter().map(|((system, turns), samples)| samples.figure(system, turns)).collect()
}

/// Adds counted instructions (of whole runs) to the figures.
pub fn add_instructions(figures: &mut [Figure], counts: &BTreeMap<(&'static str, u64), u64>) {
    for figure in figures {
        let whole = counts.get(&(figure.system, figure.turns));
        figure.instructions = whole.map(|whole| *whole as f64 / figure.turns as f64);
    }
}

/// The figure of one system at one number of turns.
pub fn find<'a>(figures: &'a [Figure], system: &str, turns: u64) -> Option<&'a Figure> {
    figures.iter().find(|figure| figure.system == system && figure.turns == turns)
}

/// The middle of some samples; the later of two. They are in order afterwards.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

#[derive(Default)]
struct Samples {
    runs: Vec<f64>,
    processor: Vec<f64>,
    set_ups: Vec<f64>,
}

impl Samples {
    fn slice(&mut self, system: impl System, turns: u64) {
        let slice = Instant::now();
        for _ in 0..MOST_SESSIONS {
            let begun = Instant::now();
            let mut session = system.prepare(turns);
            let spent = processor();
            let prompted = Instant::now();
            let outcome = session.run();
            let answered = Instant::now();
            self.processor.push(micros(processor().saturating_sub(spent)));
            check(system.name(), turns, &outcome);
            self.set_ups.push(micros(prompted - begun));
            self.runs.push(micros(answered - prompted));
            if slice.elapsed() >= SLICE {
                return;
            }
        }
    }

    fn figure(mut self, system: impl System, turns: u64) -> Figure {
        let per = turns as f64;
        let mut session = system.prepare(turns);
        let opened = session.body().len();
        let (outcome, heap) = watch(|| session.run());
        check(system.name(), turns, &outcome);
        let body = session.body().len() - opened;
        let known = script::content_bytes(turns) as f64 + body as f64;
        Figure {
            system: system.name(),
            turns,
            micros: median(&mut self.runs) / per,
            quickest: self.runs.first().copied().unwrap_or(f64::NAN) / per,
            processor: median(&mut self.processor) / per,
            processor_least: self.processor.first().copied().unwrap_or(f64::NAN) / per,
            sessions: self.runs.len() as u64,
            set_up: median(&mut self.set_ups),
            allocations: heap.allocations as f64 / per,
            allocated: heap.allocated as f64 / per,
            retained: heap.retained as f64 / per,
            beyond: (heap.retained as f64 - known) / per,
            instructions: None,
        }
    }
}

/// A figure of a run that went wrong would be worth nothing.
fn check(system: &str, turns: u64, outcome: &Outcome) {
    assert!(
        outcome.calls == turns && outcome.answer == script::ANSWER,
        "{system} did not do its work at {turns} turns: {outcome:?}"
    );
}

/// A span in microseconds.
pub fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests;
