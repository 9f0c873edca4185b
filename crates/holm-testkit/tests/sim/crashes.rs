//! Kills the host in four windows around every record of a script, and lets something else go wrong while it recovers.

use std::{
    env,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

use holm_kernel::{BatchOrder, Effect, Event, Input, Outcome};
use holm_testkit::{Ask, Fault, Line, Mishap, Script, Step, Work};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::{Config, TestRunner},
};

use crate::setting::Setting;
use crate::strategy::{Case, case};
use crate::{play, rng, seed, violations, workers};

/// Before the record is appended; after it, with nothing performed; the same, while what was begun elsewhere still answers; and
/// after all that it asks for was performed, with no answer heard.
const CRASHES: [Mishap; 4] =
    [Mishap::CrashBefore, Mishap::CrashAfter, Mishap::CrashLeaving, Mishap::CrashPerformed];

/// What goes wrong in a recovery.
const SECONDS: [Mishap; 10] = [
    Mishap::CrashAfter,
    Mishap::CrashBefore,
    Mishap::CrashLeaving,
    Mishap::CrashPerformed,
    Mishap::Lost,
    Mishap::Late(700),
    Mishap::Snapshot,
    Mishap::Torn(90),
    Mishap::DiskFull,
    Mishap::Slow(700),
];

/// Every crash at each record of a case, alone and with each of `seconds` at each of the next `depth` records.
fn sweep(case: &Case, depth: u64, seconds: &[Mishap]) -> u64 {
    let records = play(case).steps.len() as u64;
    let mut played = 0;
    let mut hold = |faults: &[Fault]| {
        let mut crashed = case.clone();
        crashed.script.faults.extend_from_slice(faults);
        assert_eq!(violations(&play(&crashed)), [], "{crashed:?}");
        played += 1;
    };
    for at in 1..=records {
        for mishap in CRASHES {
            let first = Fault { at, mishap };
            hold(&[first]);
            // A record that was not appended leaves its number to the recovery.
            let recovery = if mishap == Mishap::CrashBefore { at } else { at + 1 };
            for at in recovery..recovery + depth {
                for mishap in seconds {
                    hold(&[first, Fault { at, mishap: *mishap }]);
                }
            }
        }
    }
    played
}

fn working(order: BatchOrder) -> Case {
    let asks = vec![
        Ask::new("write", r#"{"path":"out/b.txt"}"#),
        Ask::new("put", r#"{"path":"out/c.txt"}"#),
        Ask::new("look", r#"{"path":"src/a.rs"}"#),
        Ask::new("ask_child", "{}"),
    ];
    let script = Script {
        model: vec![
            Line::Calls("Let me work.".into(), asks),
            Line::calls("checked", "{}"),
            Line::says("done"),
        ],
        tools: vec![Work::Gives("one".into()), Work::Gives("two".into())],
        ..Script::prompted("work")
    };
    Case { setting: Setting { order, budget: Some(5_000), ..Setting::default() }, script, seed: 11 }
}

#[test]
fn a_crash_at_every_record_and_in_every_recovery_doubles_and_loses_nothing() {
    // Something else goes wrong at each of the next records; without optimisation a second crash in the recovery itself.
    let (depth, seconds) = if cfg!(debug_assertions) { (1, &SECONDS[..1]) } else { (4, &SECONDS[..]) };
    let mut points = 0;
    for order in [BatchOrder::Parallel, BatchOrder::Sequential] {
        let swept = sweep(&working(order), depth, seconds);
        assert!(swept > 100);
        points += swept;
    }
    println!("RESULT crash.sim.working points={points} lost=0 doubled=0");
}

/// Where the random numbers of this sweep begin beside those of the others, so that it plays scripts of its own.
const OWN_NUMBERS: u32 = 1_000;

/// Crash points of random scripts that must be reached; one script has many, so without `SIM_CRASH_POINTS` each worker plays one.
fn wanted_points() -> u64 {
    let said = env::var("SIM_CRASH_POINTS").ok();
    said.map_or(1, |text| text.parse().expect("a number in SIM_CRASH_POINTS"))
}

/// Sweeps random scripts until all workers together have reached so many points.
fn sweep_random(worker: u32, wanted: u64, points: &AtomicU64) {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng(seed(), OWN_NUMBERS + worker));
    let strategy = case();
    loop {
        let mut case = strategy.new_tree(&mut runner).expect("a script").current();
        case.script.faults.clear();
        case.script.model.truncate(4);
        case.script.prompts.truncate(1);
        let swept = sweep(&case, 0, &[]);
        if points.fetch_add(swept, Ordering::Relaxed) + swept >= wanted {
            return;
        }
    }
}

#[test]
fn a_crash_at_every_record_of_random_scripts_doubles_and_loses_nothing() {
    let (wanted, points, began) = (wanted_points(), AtomicU64::new(0), Instant::now());
    thread::scope(|scope| {
        for worker in 0..workers() {
            let points = &points;
            scope.spawn(move || sweep_random(worker, wanted, points));
        }
    });
    let (points, seconds) = (points.into_inner(), began.elapsed().as_secs());
    println!("RESULT crash.sim.random seed={} points={points} lost=0 doubled=0 seconds={seconds}", seed());
}

#[test]
fn a_dispatched_call_is_unknown_after_a_crash_and_is_never_run_to_find_out() {
    let mut case = working(BatchOrder::Sequential);
    let steps = play(&case).steps;
    let dispatched = steps.iter().find(|step| matches!(step.input, Input::Dispatched { .. }));
    let at = dispatched.map(|step| step.seq.value()).expect("a dispatch");
    case.script.faults = vec![Fault { at, mishap: Mishap::CrashAfter }];
    let outcome = play(&case);
    assert!(outcome.ran.iter().all(|ran| &*ran.tool != "write"), "{:?}", outcome.ran);
    assert_eq!(violations(&outcome), []);
}

#[test]
fn what_was_done_when_the_host_died_is_unknown_and_is_not_done_again() {
    let mut case = working(BatchOrder::Sequential);
    let steps = play(&case).steps;
    let hands_out = |step: &&Step| {
        step.effects
            .iter()
            .any(|effect| matches!(effect, Effect::RunTool { request, .. } if &*request.tool == "write"))
    };
    let at = steps.iter().find(hands_out).map(|step| step.seq.value()).expect("a write");
    case.script.faults = vec![Fault { at, mishap: Mishap::CrashPerformed }];
    let outcome = play(&case);
    assert_eq!(outcome.ran.iter().filter(|ran| &*ran.tool == "write").count(), 1);
    assert!(outcome.has(|event| matches!(event, Event::CallFinished { outcome: Outcome::Unknown, .. })));
    assert_eq!(violations(&outcome), []);
}
