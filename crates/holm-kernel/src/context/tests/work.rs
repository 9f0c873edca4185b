//! Counts steps, not time: what a plan looks at must be paid for by what it takes out of the way.

use super::teller::{Teller, never};
use crate::context::PlanDecision;
use crate::{ContextPolicy, MessageId, Role};

/// Steps per message over a run of `turns`, and the most that a single quiet turn took.
fn run(policy: &ContextPolicy, window: u64, turns: u64, size: impl Fn(u64) -> usize) -> (u64, u64) {
    let mut teller = Teller::default();
    let mut quiet = 0;
    teller.prompt("go");
    for turn in 0..turns {
        let before = (teller.view.work, teller.view.epoch());
        teller.work(&[size(turn)]);
        if let PlanDecision::Summarise { upto } = teller.plan(policy, window).next {
            let text = if turn % 3 == 0 { "" } else { "a summary" };
            let _ = teller.view.apply_summary(upto, text, MessageId::new(1_000_000 + turn));
            let _ = teller.plan(policy, window);
        }
        if teller.view.epoch() == before.1 {
            quiet = quiet.max(teller.view.work - before.0);
        }
    }
    (teller.view.work / teller.history.len() as u64, quiet)
}

#[test]
fn a_turn_costs_the_same_at_any_length() {
    let sliding = ContextPolicy { max_messages: Some(60), ..never() };
    let greedy = ContextPolicy { trigger_milli: 1_000, target_milli: 1_000, ..never() };
    for policy in [never(), ContextPolicy::default(), sliding, greedy] {
        for window in [2_000, 20_000, u64::MAX] {
            let sizes: [fn(u64) -> usize; 3] =
                [|_| 100, |_| 2_000, |turn| if turn % 50 == 0 { 60_000 } else { 10 }];
            for size in sizes {
                let (each, quiet) = run(&policy, window, 400, size);
                assert!(each <= 80, "{each} steps a message, window {window}, {policy:?}");
                assert!(quiet <= 60, "{quiet} steps in a quiet turn, window {window}, {policy:?}");
            }
        }
    }
}

#[test]
fn ten_thousand_turns_take_no_more_steps_each_than_a_hundred() {
    let check = |policy: &ContextPolicy, window| {
        let (short, _) = run(policy, window, 100, |_| 300);
        let (long, quiet) = run(policy, window, 10_000, |_| 300);
        assert!(long <= short * 2 + 10, "{short} {long}");
        assert!(quiet <= 20, "{quiet}");
    };
    check(&never(), u64::MAX);
    check(&never(), 50_000);
    check(&ContextPolicy::default(), 50_000);
}

#[test]
fn a_crowd_of_results_is_walked_once() {
    let mut teller = Teller::default();
    teller.prompt("go");
    teller.work_apart(&[300; 2_000]);
    for _ in 0..100 {
        teller.answer("ok");
        let _ = teller.plan(&never(), 1_000_000);
    }
    assert!(teller.view.work < 12_000, "{}", teller.view.work);
    assert!(teller.history.iter().filter(|message| message.role == Role::Tool).count() == 2_000);
}
