//! The world behaves after the last fault, and then every run comes to its end.
//!
//! `PROPTEST_CASES` says how many scripts are played, `SIM_SEED` where the random numbers begin.

use holm_grants::Mode;
use holm_kernel::{Ending, FailureClass};
use holm_testkit::{Fault, Line, Mishap, Outcome, Rest, Ruling, Script, Sim, Violation, Work, check};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use crate::setting::Setting;
use crate::strategy::{Case, case};
use crate::{ENOUGH, play, rng, seed, violations};

/// Where the random numbers of this search begin beside those of the others, so that it plays scripts of its own.
const OWN_NUMBERS: u32 = 2_000;

fn play_lively(case: &Case) -> Outcome {
    Sim::new(case.config(), case.script.clone(), case.seed).lively().run()
}

/// Every promise, and that it comes to rest.
fn lively_violations(outcome: &Outcome) -> Vec<Violation> {
    let mut found = violations(outcome);
    found.extend(check::comes_to_rest(outcome));
    found
}

#[test]
fn every_run_comes_to_rest_once_the_world_behaves() {
    // What goes wrong is looked for by the others at length; this asks what comes after it.
    let cases = Config::default().cases.min(ENOUGH);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let found = TestRunner::new_with_rng(config, rng(seed(), OWN_NUMBERS)).run(&case(), |case| {
        match lively_violations(&play_lively(&case)).first() {
            None => Ok(()),
            Some(violation) => Err(TestCaseError::fail(violation.to_string())),
        }
    });
    println!(
        "RESULT sim.liveness seed={} schedules={cases} violations={}",
        seed(),
        u64::from(found.is_err())
    );
    match found {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => panic!("SIM_SEED={}: {reason}\n{case:?}", seed()),
        Err(TestError::Abort(reason)) => panic!("SIM_SEED={}: {reason}", seed()),
    }
}

/// Somebody is asked and says nothing, a tool hangs, and the host dies twice.
fn forsaken() -> Case {
    let script = Script {
        model: vec![Line::calls("write", r#"{"path":"out/b.txt"}"#), Line::calls("shell", "{}")],
        people: vec![Ruling::Silent, Ruling::Silent, Ruling::Silent],
        tools: vec![Work::Hangs, Work::Hangs],
        faults: vec![
            Fault { at: 2, mishap: Mishap::CrashAfter },
            Fault { at: 3, mishap: Mishap::DiskFull },
            // Never reached: the world behaves once the run has come to rest.
            Fault { at: 500, mishap: Mishap::CrashAfter },
        ],
        ..Script::prompted("go")
    };
    Case { setting: Setting { mode: Mode::Default, ..Setting::default() }, script, seed: 5 }
}

#[test]
fn a_run_that_waits_for_ever_ends_once_those_who_were_asked_answer() {
    let outcome = play(&forsaken());
    assert_eq!((outcome.rest, outcome.calm), (Rest::AwaitsPerson, None));
    assert_eq!(violations(&outcome), [], "for safety it may wait");
    let outcome = play_lively(&forsaken());
    assert_eq!(outcome.endings, [Ending::Answered { text: "done".into() }]);
    assert_eq!(lively_violations(&outcome), []);
}

#[test]
fn a_run_that_was_played_for_safety_is_no_proof_of_liveness() {
    let outcome = play(&forsaken());
    assert_ne!(check::comes_to_rest(&outcome), []);
}

#[test]
fn a_model_that_fails_for_ever_is_given_up_in_time() {
    let script = Script {
        model: vec![Line::FailsFor(FailureClass::RateLimited, 4_000)],
        then: holm_testkit::Then::Repeats,
        faults: vec![Fault { at: 1, mishap: Mishap::Lost }],
        ..Script::prompted("go")
    };
    let case = Case { setting: Setting::default(), script, seed: 5 };
    let outcome = play_lively(&case);
    assert!(matches!(outcome.endings[..], [Ending::Failed { .. }]), "{:?}", outcome.endings);
    assert_eq!(lively_violations(&outcome), []);
}
