use holm_bench_kit::{Outcome, System as _, script};

use super::System;

#[test]
fn every_loop_runs_every_call_and_gives_the_answer() {
    for &system in System::ALL {
        for turns in [0, 1, 2, 10, 120] {
            let Outcome { calls, answer, consumed } = system.prepare(turns).run();
            assert_eq!((calls, answer.as_str()), (turns, script::ANSWER), "{} at {turns}", system.name());
            assert_ne!(consumed, 0, "{} at {turns}", system.name());
        }
    }
}

#[test]
fn the_driver_sends_the_same_whatever_keeps_its_journal() {
    assert_eq!(System::Holm.prepare(7).run().calls, System::HolmSqlite.prepare(7).run().calls);
}

#[test]
fn names_lead_back_to_their_systems() {
    for &system in System::ALL {
        assert_eq!(System::named(system.name()), Some(system));
    }
    assert_eq!(System::named("nobody"), None);
}
