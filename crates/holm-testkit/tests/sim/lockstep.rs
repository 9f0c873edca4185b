//! The naive kernel decides the same as the real one, over every random script; and how much of them it knows.
//!
//! `PROPTEST_CASES` says how many scripts are played, `SIM_SEED` where the random numbers begin. A difference is printed with the
//! shortest script that shows it, and with the first record at which it shows.

use std::{collections::BTreeMap, fmt, sync::Mutex};

use holm_testkit::{Outcome, naive::Left};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use crate::strategy::case;
use crate::{ENOUGH, play, rng, seed};

/// Of a hundred records so many must have been compared: below, the comparison says little.
const COMPARED: u64 = 45;

/// How far many runs were compared.
#[derive(Default)]
struct Reach {
    records: u64,
    compared: u64,
    whole: u64,
    left: BTreeMap<Left, u64>,
}

impl Reach {
    fn add(&mut self, outcome: &Outcome) {
        self.records += outcome.steps.len() as u64;
        self.compared += outcome.naive.records;
        match outcome.naive.left {
            Some((_, left)) => *self.left.entry(left).or_default() += 1,
            None => self.whole += 1,
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:9}  scripts compared to their end", self.whole)?;
        for left in Left::ALL {
            let times = self.left.get(&left).copied().unwrap_or_default();
            writeln!(out, "{times:9}  left: {}", left.as_str())?;
        }
        write!(out, "{:9}  of {} records compared", self.compared, self.records)
    }
}

#[test]
fn the_naive_kernel_decides_the_same_for_random_scripts() {
    // Every script of the simulation is held to the naive kernel already; this says how far it reaches.
    let cases = Config::default().cases.min(ENOUGH);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let reach = Mutex::new(Reach::default());
    let found = TestRunner::new_with_rng(config, rng(seed(), 0)).run(&case(), |case| {
        let outcome = play(&case);
        reach.lock().expect("counts").add(&outcome);
        match &outcome.naive.difference {
            None => Ok(()),
            Some(difference) => {
                Err(TestCaseError::fail(format!("record {}: {}", difference.seq, difference.message)))
            }
        }
    });
    let reach = reach.into_inner().expect("counts");
    println!("{reach}");
    let Reach { records, compared, .. } = &reach;
    let differences = u64::from(found.is_err());
    println!(
        "RESULT sim.reference scripts={cases} records={records} compared={compared} differences={differences}"
    );
    match found {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => panic!("SIM_SEED={}: {reason}\n{case:?}", seed()),
        Err(TestError::Abort(reason)) => panic!("SIM_SEED={}: {reason}", seed()),
    }
    let enough = reach.compared * 100 >= reach.records * COMPARED;
    assert!(cases < ENOUGH || enough, "{} of {} records", reach.compared, reach.records);
}
