use alloc::{string::String, vec::Vec};

use proptest::prelude::*;

use super::{
    CallFingerprint, CallImpact, GENERATION, LoopDetector, LoopRuling, PATIENCE, PATIENCE_IN_SMALL_VIEW,
    RunProgress, WINDOW,
};

/// Runs a script of one-call turns and gives the rulings, one letter each: `.` fine, `R` refused, `E` ended.
///
/// A step is a call, an optional result after `=`, and `!` at the end if it changes state: `edit1=ok!`.
fn check(script: &str, expected: &str) {
    let mut detector = LoopDetector::default();
    let rulings: String = script.split_whitespace().map(|step| play(&mut detector, step)).collect();
    assert_eq!(rulings, expected, "{script}");
}

fn play(detector: &mut LoopDetector, step: &str) -> char {
    let (rest, change) =
        step.strip_suffix('!').map_or((step, CallImpact::None), |rest| (rest, CallImpact::Changed));
    let (name, result) = rest.split_once('=').unwrap_or((rest, "same"));
    let call = call(name);
    let ruling = detector.propose(call);
    match ruling {
        LoopRuling::Fine => detector.observe(call, digest(result), change),
        LoopRuling::Refuse { .. } => detector.refused(call),
        LoopRuling::End { .. } => {}
    }
    detector.turn();
    letter(ruling)
}

fn letter(ruling: LoopRuling) -> char {
    match ruling {
        LoopRuling::Fine => '.',
        LoopRuling::Refuse { .. } => 'R',
        LoopRuling::End { .. } => 'E',
    }
}

fn call(name: &str) -> CallFingerprint {
    CallFingerprint::new(digest(name))
}

fn digest(result: &str) -> u64 {
    crate::digest::StreamHasher::new().str(result).finish()
}

#[test]
fn reading_again_what_left_the_view_is_no_standstill_for_a_while() {
    let mut detector = LoopDetector::default();
    let mut read = |turn: u64| {
        detector.observe(CallFingerprint::new(turn % 20), 1, CallImpact::None);
        if turn.is_multiple_of(3) {
            detector.left_view();
        }
        detector.turn()
    };
    // Twenty files that are new, and then again and again the same.
    let last = 20 + PATIENCE_IN_SMALL_VIEW - 1;
    assert!((0..last).all(|turn| read(turn) == RunProgress::Fine));
    assert_eq!(read(last), RunProgress::Stuck { turns: PATIENCE_IN_SMALL_VIEW });
}

#[test]
fn the_third_equal_call_is_refused_and_the_fourth_ends_the_run() {
    check("a a a a", "..RE");
}

#[test]
fn the_rulings_count_the_proposals() {
    let mut detector = LoopDetector::default();
    let a = call("a");
    for _ in 0..2 {
        detector.observe(a, 1, CallImpact::None);
        detector.turn();
    }
    assert_eq!(detector.propose(a), LoopRuling::Refuse { times: 3 });
    detector.refused(a);
    detector.turn();
    assert_eq!(detector.propose(a), LoopRuling::End { times: 4 });
}

#[test]
fn a_changed_result_starts_the_count_again() {
    check("a=1 a=2 a=2 a=2", "...R");
    check("a=1 a=1 b a=1", "...R");
    check("a=1 a=2 a=3 a=4 a=5", ".....");
}

#[test]
fn edit_test_edit_test_is_work() {
    check("edit1=ok! test=bad edit2=ok! test=bad edit3=ok! test=bad edit4=ok! test=bad", "........");
}

#[test]
fn a_test_that_counts_as_a_change_itself_is_work_between_edits() {
    check("edit1! test=bad! edit2! test=bad! edit3! test=bad! edit4! test=bad!", "........");
}

#[test]
fn the_same_shell_call_with_the_same_result_is_a_loop_although_it_may_change_things() {
    check("ls! ls! ls! ls!", "..RE");
}

#[test]
fn repeating_the_same_edit_between_tests_is_a_loop() {
    check("edit! test edit! test edit! test", "....RR");
}

#[test]
fn a_new_change_forgives_an_earlier_refusal() {
    check("a a a edit! a a a a", "..R...RE");
}

#[test]
fn a_change_that_brings_nothing_new_forgives_nothing() {
    check("edit! a a a edit! a", "...R.E");
}

#[test]
fn a_cycle_of_two_is_refused_in_its_third_period() {
    check("a b a b a b a", "....RRE");
}

#[test]
fn a_cycle_of_three_is_refused_in_its_third_period() {
    check("a b c a b c a b c a", "......RRRE");
}

#[test]
fn a_call_whose_result_flips_back_and_forth_is_a_cycle() {
    // The first time round each flip is a change of its own, so the count begins at the second state.
    check("a=on! a=off! a=on! a=off! a=on! a a", ".....RE");
    check("a=on a=off a=on a=off a a", "....RE");
    check("a=1 a=2 a=3 a=1 a=2 a=3 a=1", "......R");
}

#[test]
fn a_cycle_whose_results_change_is_work() {
    check("a=1 b a=2 b=2 a=3 b=3 a=4 b=4 a=5", ".........");
}

#[test]
fn a_loop_is_seen_through_other_calls() {
    check("a x a y a z a", "....R.E");
}

#[test]
fn what_lies_far_back_is_a_second_look() {
    let mut detector = LoopDetector::default();
    play(&mut detector, "a");
    play(&mut detector, "a");
    for n in 0..WINDOW {
        assert_eq!(play(&mut detector, &alloc::format!("other{n}")), '.');
    }
    assert_eq!(play(&mut detector, "a"), '.');
}

#[test]
fn a_batch_that_repeats_a_refused_call_does_not_end_the_run_before_the_model_was_told() {
    let mut detector = LoopDetector::default();
    let a = call("a");
    detector.observe(a, 1, CallImpact::None);
    detector.observe(a, 1, CallImpact::None);
    detector.turn();
    for times in 3..6 {
        assert_eq!(detector.propose(a), LoopRuling::Refuse { times });
        detector.refused(a);
    }
    detector.turn();
    assert_eq!(detector.propose(a), LoopRuling::End { times: 6 });
}

#[test]
fn turns_that_bring_nothing_new_end_in_stuck() {
    let mut detector = LoopDetector::default();
    // Each turn repeats a long batch, so that no single call is caught by the window.
    let mut batch = || {
        for n in 0..WINDOW + 8 {
            let call = call(&alloc::format!("read{n}"));
            assert_eq!(detector.propose(call), LoopRuling::Fine);
            detector.observe(call, 1, CallImpact::None);
        }
        detector.turn()
    };
    for _ in 0..PATIENCE {
        assert_eq!(batch(), RunProgress::Fine);
    }
    assert_eq!(batch(), RunProgress::Stuck { turns: PATIENCE });
}

#[test]
fn one_new_result_shows_progress() {
    let mut detector = LoopDetector::default();
    for round in 0..100_u64 {
        detector.observe(call("known"), 1, CallImpact::None);
        if round % (PATIENCE - 1) == 0 {
            detector.observe(call("search"), round, CallImpact::None);
        }
        assert_eq!(detector.turn(), RunProgress::Fine);
    }
}

#[test]
fn turns_without_calls_that_count_are_not_idle() {
    let mut detector = LoopDetector::default();
    play(&mut detector, "a");
    for _ in 0..100 {
        assert_eq!(detector.turn(), RunProgress::Fine);
    }
}

#[test]
fn refusals_are_no_progress() {
    let mut detector = LoopDetector::default();
    let mut last = RunProgress::Fine;
    for _ in 0..=PATIENCE {
        detector.refused(call("a"));
        last = detector.turn();
    }
    assert_eq!(last, RunProgress::Stuck { turns: PATIENCE + 1 });
}

#[test]
fn memory_does_not_grow_with_the_run() {
    let mut detector = LoopDetector::default();
    for n in 0..20_000 {
        detector.observe(CallFingerprint(n), n, CallImpact::None);
    }
    assert!(detector.recent.len() <= WINDOW);
    assert!(detector.young.len() + detector.old.len() <= 2 * GENERATION);
}

/// One random step: which call, which result, what it does, whether the turn ends, whether it is stored and read back.
type Step = (u8, u8, bool, bool, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..4_u8, 0..3_u8, any::<bool>(), any::<bool>(), any::<bool>()), 0..120)
}

fn apply(detector: &mut LoopDetector, step: Step) -> (LoopRuling, RunProgress) {
    let call = CallFingerprint(step.0.into());
    let ruling = detector.propose(call);
    match ruling {
        LoopRuling::Fine => {
            let change = if step.2 { CallImpact::Changed } else { CallImpact::None };
            detector.observe(call, step.1.into(), change);
        }
        LoopRuling::Refuse { .. } | LoopRuling::End { .. } => detector.refused(call),
    }
    (ruling, if step.3 { detector.turn() } else { RunProgress::Fine })
}

proptest! {
    #[test]
    fn nothing_is_refused_while_every_result_is_new(calls in prop::collection::vec((0..4_u8, any::<bool>()), 0..200)) {
        let mut detector = LoopDetector::default();
        for (at, (name, changes)) in calls.into_iter().enumerate() {
            let call = CallFingerprint(name.into());
            prop_assert_eq!(detector.propose(call), LoopRuling::Fine);
            detector.observe(call, at as u64, if changes { CallImpact::Changed } else { CallImpact::None });
            prop_assert_eq!(detector.turn(), RunProgress::Fine);
        }
    }

    #[test]
    fn a_detector_that_was_stored_and_read_back_rules_the_same(script in steps()) {
        let mut kept = LoopDetector::default();
        let mut stored = LoopDetector::default();
        for step in script {
            prop_assert_eq!(apply(&mut kept, step), apply(&mut stored, step));
            if step.4 {
                let json = serde_json::to_string(&stored).unwrap();
                stored = serde_json::from_str(&json).unwrap();
            }
            prop_assert_eq!(&stored, &kept);
        }
    }

    #[test]
    fn an_end_is_always_preceded_by_a_refusal_in_an_earlier_turn(script in steps()) {
        let mut detector = LoopDetector::default();
        let (mut turn, mut refused_in) = (0_u32, [None; 4]);
        for step in script {
            let name = usize::from(step.0);
            match apply(&mut detector, step).0 {
                LoopRuling::Fine => {}
                LoopRuling::Refuse { times } => {
                    prop_assert!(times >= 3);
                    refused_in[name].get_or_insert(turn);
                }
                LoopRuling::End { times } => {
                    prop_assert!(times >= 4);
                    prop_assert!(refused_in[name].is_some_and(|told| told < turn));
                }
            }
            turn += u32::from(step.3);
        }
    }

    #[test]
    fn the_same_call_for_ever_is_ended(result: u64, changes: bool) {
        let mut detector = LoopDetector::default();
        let call = CallFingerprint(1);
        let ended = (0..4).any(|_| {
            let ruling = detector.propose(call);
            match ruling {
                LoopRuling::Fine => detector.observe(call, result, if changes { CallImpact::Changed } else { CallImpact::None }),
                LoopRuling::Refuse { .. } | LoopRuling::End { .. } => detector.refused(call),
            }
            detector.turn();
            matches!(ruling, LoopRuling::End { .. })
        });
        prop_assert!(ended);
    }
}
