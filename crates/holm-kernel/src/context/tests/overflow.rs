use alloc::{format, vec::Vec};

use super::teller::{Teller, never};
use crate::context::PlanDecision;
use crate::{ContextPolicy, MessageId, PlanStep};

fn shrink(teller: &mut Teller) -> Vec<PlanStep> {
    let before = teller.view.tokens();
    let steps = teller.view.shrink_after_overflow(&ContextPolicy::default());
    let after = teller.view.tokens();
    assert_eq!(steps.is_empty(), after == before);
    assert!(after <= before);
    steps.iter().map(|planned| planned.step).collect()
}

#[test]
fn each_refusal_makes_the_view_a_quarter_smaller_until_nothing_can_go() {
    let mut teller = Teller::default();
    teller.prompt("the task");
    for turn in 0..60 {
        teller.answer(&format!("thought {turn} {}", "word ".repeat(50)));
        teller.work(&[2_000, 100]);
    }
    let mut seen = Vec::new();
    loop {
        let before = teller.view.tokens();
        let steps = shrink(&mut teller);
        if steps.is_empty() {
            break;
        }
        let small = teller.view.tokens() <= 400;
        assert!(teller.view.tokens() <= before - before / 4 || small, "{before} {}", teller.view.tokens());
        seen.extend(steps);
        assert!(seen.len() < 50);
    }
    seen.dedup();
    assert_eq!(seen[0], PlanStep::Elided);
    assert!(seen.contains(&PlanStep::Dropped) && seen.contains(&PlanStep::Clipped));
    assert!(teller.shows("the task") && teller.shows("call_119"));
    assert!(teller.view.tokens() < 1_000);
}

#[test]
fn what_was_refused_once_is_not_sent_again() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..100 {
        teller.answer(&"word ".repeat(100));
    }
    let refused = teller.view.tokens();
    assert!(!shrink(&mut teller).is_empty());
    for _ in 0..300 {
        teller.answer(&"word ".repeat(100));
        assert_eq!(teller.plan(&never(), 1_000_000).next, PlanDecision::Send);
        assert!(teller.view.tokens() < refused);
    }
}

#[test]
fn a_summary_goes_last() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..100 {
        teller.answer(&"word ".repeat(100));
    }
    let window = teller.view.tokens();
    let PlanDecision::Summarise { upto } = teller.plan(&ContextPolicy::default(), window).next else {
        panic!("no summary wanted")
    };
    let summary = "fact ".repeat(500);
    teller.view.apply_summary(upto, &summary, MessageId::new(9_000)).unwrap();
    while teller.shows("fact fact") {
        assert!(!shrink(&mut teller).is_empty());
    }
    assert_eq!(teller.view.messages().len(), 3, "task, note, last turn");
    let gone = teller.history.len() - 2;
    assert_eq!(teller.shown()[1], format!("[{gone} earlier messages are no longer shown here.]"));
}

#[test]
fn an_empty_view_cannot_shrink() {
    assert_eq!(shrink(&mut Teller::default()), []);
}
