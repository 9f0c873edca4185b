//! Budgets where providers report nothing, replies break off, skills and children stand side by side, people cancel, and hosts
//! stop again and again. What `check::money_is_counted_once` promises is held, and every one of these situations is met.

use std::cell::RefCell;
use std::collections::BTreeMap;

use holm_kernel::{Ending, Event, FailureClass, Purpose};
use holm_testkit::{Ask, Fault, Interrupt, Line, Mishap, Outcome, Script, What, Work};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

use crate::setting::Setting;
use crate::strategy::{Case, case, crashes, usage};
use crate::{hold, play, rng, violations};

/// Situations that the scripts of this file are about.
const SITUATIONS: [&str; 6] = [
    "a reply is paid by estimate",
    "a broken reply is paid by estimate",
    "the budget ends a group",
    "several skills are asked for at once",
    "a call is cancelled",
    "a session that ends its hosts is given up",
];

/// A random script in which every call costs money that is scarce.
fn costly() -> impl Strategy<Value = Case> {
    let limits = (100_u64..6_000, prop_oneof![3 => Just(None), 1 => (200_u64..6_000).prop_map(Some)]);
    let wrong = (vec(cancel(), 0..3), prop_oneof![2 => Just(Vec::new()), 1 => crashes()]);
    (case(), limits, vec(line(), 2..9), usage(), wrong).prop_map(
        |(case, (budget, tokens), model, usage, (cancels, crashes))| {
            let setting =
                Setting { budget: Some(budget), tokens, window: 128_000, turns: 12, ..case.setting };
            let mut script = Script { model, usage, ..case.script };
            script.interrupts.extend(cancels);
            script.faults.extend(crashes);
            Case { setting, script, ..case }
        },
    )
}

fn line() -> impl Strategy<Value = Line> {
    use FailureClass::{Empty, Network, RateLimited, Truncated};
    prop_oneof![
        3 => (1_usize..12).prop_map(|count| Line::Calls(String::new(), skills(count))),
        1 => (1_usize..5).prop_map(|count| {
            let mut asks = skills(count);
            asks.push(Ask::new("ask_child", "{}"));
            asks.push(Ask::new("leave_child", "{}"));
            Line::Calls(String::new(), asks)
        }),
        2 => (0_u64..30).prop_map(|n| Line::calls("look", format!(r#"{{"path":"src/{n}.rs"}}"#))),
        2 => select(vec![Truncated, Truncated, Empty, Network, RateLimited]).prop_map(Line::Fails),
        1 => Just(Line::Stops),
        1 => Just(Line::Cut("half a reply".into(), Vec::new())),
        2 => Just(Line::says(r#"{"email":["a@b.example"]}"#)),
    ]
}

/// So many skills, each about something else.
fn skills(count: usize) -> Vec<Ask> {
    let ask = |n: usize| {
        Ask::new("extract", format!(r#"{{"target":"email","text":"Write to a@b.example, {n} times."}}"#))
    };
    (0..count).map(ask).collect()
}

fn cancel() -> impl Strategy<Value = Interrupt> {
    (1_u64..30).prop_map(|after| Interrupt { after, what: What::Cancels })
}

fn met(outcome: &Outcome) -> [bool; SITUATIONS.len()] {
    let estimated =
        outcome.has(|event| matches!(event, Event::ModelReplied { usage, .. } if usage.is_estimated()));
    let broken = |event: &Event| matches!(event, Event::ModelFailed { class: FailureClass::Truncated, .. });
    let ended = |is: fn(&Ending) -> bool| outcome.endings.iter().any(is);
    let skills = outcome.sent.iter().filter(|sent| sent.request.purpose == Purpose::Skill).count();
    [
        estimated,
        outcome.has(broken),
        ended(|ending| matches!(ending, Ending::OverBudget { .. })),
        skills > 1,
        ended(|ending| matches!(ending, Ending::Cancelled { .. })),
        ended(|ending| matches!(ending, Ending::Failed { class: FailureClass::HostCrash, .. })),
    ]
}

#[test]
fn a_budget_is_exceeded_by_one_reply_and_not_by_more() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let counts: RefCell<BTreeMap<&str, u64>> = RefCell::default();
    let cases = config.cases;
    let found = TestRunner::new_with_rng(config, rng(7, 0)).run(&costly(), |case| {
        let outcome = play(&case);
        for (name, met) in SITUATIONS.into_iter().zip(met(&outcome)) {
            *counts.borrow_mut().entry(name).or_default() += u64::from(met);
        }
        hold(&outcome)
    });
    assert_eq!(found, Ok(()));
    let counts = counts.into_inner();
    assert!(cases < 200 || counts.values().all(|times| *times > 0), "never met: {counts:?}");
}

#[test]
fn a_tool_that_ends_its_host_is_tried_five_times() {
    let script = Script {
        model: vec![Line::calls("look", r#"{"path":"src/a.rs"}"#)],
        tools: vec![Work::Hangs],
        faults: (4..12).map(|at| Fault { at, mishap: Mishap::CrashAfter }).collect(),
        ..Script::prompted("look")
    };
    let case = Case { setting: Setting::default(), script, seed: 1 };
    let outcome = play(&case);
    assert_eq!(violations(&outcome), []);
    assert!(
        matches!(outcome.endings[..], [Ending::Failed { class: FailureClass::HostCrash, attempts: 5, .. }]),
        "{:?}",
        outcome.endings
    );
}
