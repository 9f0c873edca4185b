//! Kills the host at every record boundary of a script, and once more while it recovers.

use std::sync::atomic::{AtomicU64, Ordering};

use holm_kernel::{BatchOrder, Input};
use holm_testkit::{Ask, Fault, Line, Mishap, Script, Work};
use proptest::test_runner::{Config, TestRunner};

use crate::setting::Setting;
use crate::strategy::{Case, case};
use crate::{play, violations};

const CRASHES: [Mishap; 3] = [Mishap::CrashBefore, Mishap::CrashAfter, Mishap::CrashLeaving];

/// Every crash, and every crash right after it, at each record of a case.
fn sweep(case: &Case, depth: u64) -> u64 {
    let records = play(case).steps.len() as u64;
    let mut played = 0;
    for at in 1..=records {
        for mishap in CRASHES {
            for second in 0..=depth {
                let mut crashed = case.clone();
                crashed.script.faults.push(Fault { at, mishap });
                if second > 0 {
                    crashed.script.faults.push(Fault { at: at + second - 1, mishap: Mishap::CrashAfter });
                }
                let outcome = play(&crashed);
                assert_eq!(violations(&outcome), [], "{crashed:?}");
                played += 1;
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
    // The second crash comes at each of the next records; without optimisation only in the recovery itself.
    let depth = if cfg!(debug_assertions) { 1 } else { 4 };
    let mut points = 0;
    for order in [BatchOrder::Parallel, BatchOrder::Sequential] {
        let swept = sweep(&working(order), depth);
        assert!(swept > 100);
        points += swept;
    }
    println!("{points} crash points of working scripts");
}

#[test]
fn a_crash_at_every_record_of_random_scripts_doubles_and_loses_nothing() {
    let cases = Config::default().cases.div_ceil(400);
    let points = AtomicU64::new(0);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let found = runner.run(&case(), |mut case| {
        case.script.faults.clear();
        case.script.model.truncate(4);
        case.script.prompts.truncate(1);
        points.fetch_add(sweep(&case, 0), Ordering::Relaxed);
        Ok(())
    });
    assert_eq!(found, Ok(()));
    println!("{} crash points of random scripts", points.into_inner());
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
