//! Tokens of children: set aside when they are asked for, booked when they end, held until the bill of one that was
//! stopped is there. A reply uses 110 of them.

use alloc::{boxed::Box, vec, vec::Vec};

use holm_guards::json::Json;

use super::journal::refold;
use super::play::{Play, Say, answered, config_with, echo, tool};
use crate::*;

const APART: &str = r#"{"background":true}"#;
const ALONE: &str = r#"{"text":"b"}"#;

/// A run of so many tokens, whose helper gets so many of them.
fn limited(limit: u64, share: u64) -> Config {
    let schema =
        r#"{"type":"object","properties":{"text":{"type":"string"},"background":{"type":"boolean"}}}"#;
    let helper = ToolSpec {
        schema: Json::parse(schema).expect("a schema"),
        kind: ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::ZERO, tokens: share },
        background: Background::Asked { argument: "background".into() },
        ..tool("helper")
    };
    let mut config = config_with(vec![helper, ToolSpec::children("children"), echo()]);
    config.limits.tokens = Bound::AtMost(limit);
    config
}

/// Three children of one reply, and the tokens that each was given.
fn three(limit: u64, share: u64) -> (Play, Vec<Option<u64>>) {
    let calls = ["{}", ALONE, r#"{"text":"c"}"#].map(|arguments| ("helper", arguments));
    let mut play = Play::new(limited(limit, share), vec![Say::Calls(calls.into())]);
    let given = play.first_effects().into_iter().filter_map(|effect| match effect {
        Effect::Spawn { request, .. } => Some(request.tokens),
        _ => None,
    });
    let given = given.collect();
    (play, given)
}

fn child(play: &Play) -> CallId {
    let mut calls = play.events.iter().filter_map(|event| match event {
        Event::CallProposed { call, tool, .. } if &**tool == "helper" => Some(*call),
        _ => None,
    });
    calls.next().expect("a child")
}

fn used(tokens: u64) -> ChildResult {
    let usage = Usage { input: tokens, ..Usage::default() };
    ChildResult { output: ToolOutput::text("found"), usage, ..ChildResult::default() }
}

#[test]
fn children_side_by_side_never_get_more_tokens_than_are_left() {
    let check = |limit, share, expected: &[Option<u64>]| {
        let (play, given) = three(limit, share);
        assert_eq!(given, expected, "{limit} by {share}");
        let together: u64 = given.iter().flatten().sum();
        assert!(together + play.run.usage().total() <= limit, "{limit} by {share}");
        assert_eq!(play.run.state.reserved_tokens, together);
    };
    check(1_000, 200, &[Some(200), Some(200), Some(200)]);
    // The last gets what is left, and then nothing is.
    check(610, 200, &[Some(200), Some(200), Some(100)]);
    check(510, 200, &[Some(200), Some(200)]);
    // One that asks for no share gets all of it, so that no other runs beside it.
    check(1_000, 0, &[Some(890)]);
}

#[test]
fn a_child_that_finds_no_tokens_left_is_a_refused_call() {
    let calls = vec![("helper", "{}"), ("helper", ALONE)];
    let mut play = Play::new(limited(1_000, 0), vec![Say::Calls(calls)]);
    assert_eq!(play.prompt("go"), answered("done"));
    let refused = play.results().pop();
    let (outcome, text) = refused.expect("a result");
    assert_eq!(outcome, Outcome::Refused);
    assert!(text.contains("the token limit has nothing left"), "{text}");
}

#[test]
fn without_a_limit_a_share_still_binds_its_child() {
    let check = |share, expected| {
        let mut config = limited(0, share);
        config.limits.tokens = Bound::Unbounded;
        let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(play.spawned[0].tokens, expected);
    };
    check(300, Some(300));
    check(0, None);
}

#[test]
fn what_a_child_did_not_use_is_given_back() {
    let mut play = Play::new(limited(1_000, 0), vec![Say::Call("helper", "{}"), Say::Call("helper", ALONE)]);
    play.child = Box::new(|_| used(40));
    assert_eq!(play.prompt("go"), answered("done"));
    // 110 and 40 of the first round, 110 of the second question.
    assert_eq!(play.spawned.iter().map(|request| request.tokens).collect::<Vec<_>>(), [Some(890), Some(740)]);
    assert_eq!((play.run.usage().total(), play.run.state.reserved_tokens), (410, 0));
    refold(&play);
}

#[test]
fn a_child_in_the_background_must_leave_the_run_something() {
    let check = |share, expected| {
        let mut play = Play::new(limited(1_000, share), vec![Say::Call("helper", APART)]);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(play.results().remove(0).0, expected, "{share}");
    };
    check(500, Outcome::Succeeded);
    check(890, Outcome::Refused);
    check(0, Outcome::Refused);
}

#[test]
fn a_run_whose_tokens_are_with_its_children_waits_for_what_they_give_back() {
    for (bill, expected) in
        [(10, answered("done")), (700, Ending::OverLimit { limit: Limit::Tokens, used: 920, allowed: 900 })]
    {
        let mut play =
            Play::new(limited(900, 700), vec![Say::Call("helper", APART), Say::Call("echo", "{}")]);
        play.hang = Box::new(|effect| matches!(effect, Effect::Spawn { .. }));
        play.give(Input::Prompted(Prompt::text("go")));
        play.play();
        assert!(play.endings.is_empty() && play.requests.len() == 2, "{:?}", play.endings);
        play.give(Input::ChildFinished { call: child(&play), result: used(bill) });
        play.play();
        assert_eq!(play.endings, [expected]);
        refold(&play);
    }
}

#[test]
fn the_tokens_of_a_child_that_was_stopped_are_held_until_its_bill_comes_and_not_for_ever() {
    for bill in [Some(10), None] {
        let mut config = limited(900, 0);
        config.tools[0].timeout_ms = Some(5_000);
        let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
        play.first_effects();
        let child = child(&play);
        play.give(Input::ChildStarted { call: child, child: "child-1".into() });
        play.now = 5_000;
        play.give(Input::TimePassed);
        assert_eq!(play.drain(), [Effect::Abort(child)], "all that is left is with the child");
        assert!(play.endings.is_empty(), "{:?}", play.endings);
        if let Some(bill) = bill {
            play.give(Input::ChildFinished { call: child, result: used(bill) });
        }
        play.play();
        let over = Ending::OverLimit { limit: Limit::Tokens, used: 110, allowed: 900 };
        assert_eq!(play.endings, [if bill.is_some() { answered("done") } else { over }]);
        refold(&play);
    }
}

#[test]
fn a_child_that_is_asked_for_again_after_a_crash_has_the_tokens_that_it_had() {
    let calls = vec![("helper", "{}"), ("helper", ALONE)];
    let mut play = Play::new(limited(1_000, 300), vec![Say::Calls(calls)]);
    play.first_effects();
    play.give(Input::ChildFinished { call: child(&play), result: used(250) });
    play.give(Input::Resumed { host: "another".into() });
    let given = play.drain().into_iter().find_map(|effect| match effect {
        Effect::Spawn { request, .. } => Some(request.tokens),
        _ => None,
    });
    assert_eq!(given, Some(Some(300)));
    assert_eq!(play.run.state.reserved_tokens, 300);
}
