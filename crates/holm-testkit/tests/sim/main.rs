//! Plays random scripts and holds every run to every promise.
//!
//! `PROPTEST_CASES` says how many scripts are played, `SIM_SEED` where the random numbers begin. A failure prints the
//! shortest script that shows it; `make sim` plays many and also fails if some rare situation was never met, or if they took more
//! seconds than `SIM_MOST_SECONDS` says. What stands behind `RESULT` says what was tried, for `scripts/prove`.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod budget;
mod checks;
mod cost;
mod crashes;
mod liveness;
mod lockstep;
mod named;
mod oracle;
#[cfg(feature = "planted")]
mod planted;
mod setting;
mod sometimes;
mod strategy;
mod traces;

use std::{sync::Mutex, time::Instant};

use holm_testkit::{Outcome, Sim, Violation, check};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use self::sometimes::Counts;
use self::strategy::{Case, case};

/// Runs are made of many small texts, which this one gives and takes back sooner than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Where the random numbers begin unless `SIM_SEED` says otherwise: a test that fails for nobody else is no test.
const SEED: u64 = 20_261_114;

/// With so many scripts every rare situation must have been met.
const ENOUGH: u32 = 20_000;

pub(crate) fn play(case: &Case) -> Outcome {
    Sim::new(case.config(), case.script.clone(), case.seed).run()
}

/// Every promise, the oracle's included.
pub(crate) fn violations(outcome: &Outcome) -> Vec<Violation> {
    let mut found = check::all(outcome);
    found.extend(oracle::nothing_runs_unallowed(outcome));
    found
}

pub(crate) fn hold(outcome: &Outcome) -> Result<(), TestCaseError> {
    match violations(outcome).first() {
        None => Ok(()),
        Some(violation) => Err(TestCaseError::fail(violation.to_string())),
    }
}

#[test]
fn every_promise_holds_for_random_scripts() {
    let total = Config::default().cases;
    let (workers, began) = (workers(), Instant::now());
    let counts = Mutex::new(Counts::new());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads = (0..workers).map(|worker| {
            let counts = &counts;
            scope.spawn(move || {
                let failure = search(worker, total.div_ceil(workers), counts);
                // At once: the others may have a long way to go.
                if let Some(failure) = &failure {
                    println!("{failure}");
                }
                failure
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().filter_map(|thread| thread.join().expect("a worker")).collect()
    });
    let seconds = began.elapsed().as_secs();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let counts = counts.into_inner().expect("counts");
    for (name, times) in &counts {
        println!("{times:9}  {name}");
    }
    let never: Vec<_> = counts.iter().filter(|(_, times)| **times == 0).map(|(name, _)| *name).collect();
    println!(
        "RESULT sim.promises seed={} schedules={} violations=0 seconds={seconds}",
        seed(),
        u64::from(total.div_ceil(workers)) * u64::from(workers),
    );
    println!("RESULT sim.sometimes situations={} met={}", counts.len(), counts.len() - never.len());
    assert!(total < ENOUGH || never.is_empty(), "never met in {total} scripts: {never:?}");
    if let Some(most) = most_seconds() {
        assert!(seconds <= most, "{total} scripts took {seconds} s, where {most} s are allowed");
    }
}

/// Plays a share of the scripts; says what failed.
fn search(worker: u32, cases: u32, counts: &Mutex<Counts>) -> Option<String> {
    let seed = seed();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let mut met = Counts::new();
    let mine = Mutex::new(&mut met);
    let found = TestRunner::new_with_rng(config, rng(seed, worker)).run(&case(), |case| {
        let outcome = play(&case);
        sometimes::count(&outcome, &mut mine.lock().expect("counts"));
        hold(&outcome)
    });
    let mut counts = counts.lock().expect("counts");
    for (name, times) in met {
        *counts.entry(name).or_default() += times;
    }
    match found {
        Ok(()) => None,
        Err(TestError::Fail(reason, case)) => {
            Some(format!("SIM_SEED={seed}, worker {worker}: {reason}\n{case:?}"))
        }
        Err(TestError::Abort(reason)) => Some(format!("SIM_SEED={seed}: {reason}")),
    }
}

/// As many as there are processors.
pub(crate) fn workers() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1))
}

/// Random numbers that are the same wherever they are drawn.
pub(crate) fn rng(seed: u64, worker: u32) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..12].copy_from_slice(&worker.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// How long the random scripts may take. Nobody is held to it who does not say so: other machines are slower.
fn most_seconds() -> Option<u64> {
    let said = std::env::var("SIM_MOST_SECONDS").ok().filter(|text| !text.is_empty());
    said.map(|text| text.parse().expect("a number in SIM_MOST_SECONDS"))
}

fn seed() -> u64 {
    std::env::var("SIM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED)
}

#[test]
fn the_same_script_and_seed_give_the_same_run() {
    let mut runner = TestRunner::new(Config { cases: 20, failure_persistence: None, ..Config::default() });
    let found = runner.run(&case(), |case| {
        let (first, second) = (play(&case), play(&case));
        assert_eq!(first.journal, second.journal);
        assert_eq!(first.event_bytes(), second.event_bytes());
        Ok(())
    });
    assert_eq!(found, Ok(()));
}
