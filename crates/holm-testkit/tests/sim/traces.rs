//! Writes down what many seeds come to, so that other builds, threads and processes can be held against it.
//!
//! One process cannot show that another decides the same. So this writes one line for each seed, and `scripts/same-traces` compares
//! what a debug and a release build have written, on one thread and on several.

use std::{env, fmt::Write as _, fs, sync::Mutex, thread};

use holm_testkit::Outcome;
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::{Config, TestRunner},
};

use crate::strategy::case;
use crate::{play, rng};

/// Seeds that are played unless `SIM_SEEDS` says otherwise.
const SEEDS: u64 = 10_000;

#[test]
#[ignore = "scripts/same-traces runs it in several builds and compares what it writes"]
fn the_traces_of_many_seeds_are_written_down() {
    let place = env::var("SIM_TRACES").expect("SIM_TRACES says where to; run scripts/same-traces");
    let number = |name: &str, usual: u64| {
        env::var(name).map_or(usual, |text| text.parse().expect("a number in SIM_SEEDS and SIM_THREADS"))
    };
    let (seeds, threads) = (number("SIM_SEEDS", SEEDS), number("SIM_THREADS", 1).max(1));
    let traces = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for first in 0..threads {
            let traces = &traces;
            let step = usize::try_from(threads).expect("few threads");
            scope.spawn(move || {
                for seed in (first..seeds).step_by(step) {
                    let trace = trace(seed);
                    traces.lock().expect("a list").push((seed, trace));
                }
            });
        }
    });
    let mut traces = traces.into_inner().expect("a list");
    traces.sort_unstable();
    let mut text = String::new();
    for (seed, trace) in traces {
        writeln!(text, "{seed} {trace:016x}").expect("a line");
    }
    fs::write(place, text).expect("a file");
}

/// What one seed comes to: the script that it chooses, and everything that came of it.
fn trace(seed: u64) -> u64 {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng(seed, 0));
    let case = case().new_tree(&mut runner).expect("a script").current();
    digest(&play(&case))
}

/// FNV-1a over the journal, the events and the state: it is the same in every build, and nobody is out to find collisions.
fn digest(outcome: &Outcome) -> u64 {
    let events = outcome.event_bytes();
    let bytes = [outcome.journal.as_bytes(), events.as_bytes(), outcome.state.as_bytes()];
    bytes.into_iter().flatten().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
