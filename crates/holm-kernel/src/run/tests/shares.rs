//! Tokens of children: set aside when they are asked for, booked when they end, held until the bill of one that was
//! stopped is there. A reply uses 110 of them.

use alloc::{boxed::Box, vec, vec::Vec};

use holm_guards::json::Json;

use super::journal::refold;
use super::play::{Play, Say, answered, call_block, config_with, echo, reply, tool};
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

fn child(play: &Play) -> ToolCallId {
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
        assert_eq!(play.drain(), [Effect::Abort(child.into())], "all that is left is with the child");
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

// Replies that are cut while children hold what is left.

const CUT: &str = "Your reply was cut at the output limit.";

/// A run of 900 tokens whose helper in the background holds 700 of them as the model's second reply is cut.
fn cut_while_waiting(blocks: Vec<Block>, rest: Vec<Say>) -> (Play, ToolCallId) {
    let script = [Say::Call("helper", APART), reply(blocks, StopReason::MaxTokens)];
    let mut play = Play::new(limited(900, 700), script.into_iter().chain(rest).collect());
    play.hang = Box::new(|effect| matches!(effect, Effect::Spawn { .. }));
    play.give(Input::Prompted(Prompt::text("go")));
    play.play();
    assert!(play.endings.is_empty() && play.requests.len() == 2, "it waits: {:?}", play.endings);
    let child = child(&play);
    (play, child)
}

fn notes_about_cuts(play: &Play) -> usize {
    play.run.transcript().iter().filter(|message| message.plain_text().starts_with(CUT)).count()
}

#[test]
fn an_answer_that_is_cut_before_the_run_waits_for_shares_goes_on_after_what_the_child_found() {
    let beginning = || vec![Block::Text("once upon a".into())];
    let (mut play, child) = cut_while_waiting(beginning(), vec![Say::Text("The child found it.")]);
    play.give(Input::ChildFinished { call: child, result: used(10) });
    play.play();
    // The result came between the two parts, so the second one begins a sentence of its own.
    assert_eq!(play.endings, [answered("once upon a\n\nThe child found it.")]);
    assert_eq!(notes_about_cuts(&play), 1, "the model is told that its reply was cut");
    refold(&play);

    // A child that took everything leaves the beginning, once.
    let (mut play, child) = cut_while_waiting(beginning(), Vec::new());
    play.give(Input::ChildFinished { call: child, result: used(700) });
    play.play();
    assert_eq!(play.endings, [Ending::OverLimit { limit: Limit::Tokens, used: 920, allowed: 900 }]);
    assert_eq!(play.run.unfinished_answer().trim_end(), "once upon a");
    refold(&play);
}

#[test]
fn an_answer_that_is_cut_before_the_run_waits_for_a_bill_goes_on_in_its_sentence() {
    let mut play = Play::new(
        limited(1_010, 700),
        vec![
            Say::Call("helper", APART),
            Say::Call("children", r#"{"action":"stop","child":1}"#),
            reply(vec![Block::Text("once upon a".into())], StopReason::MaxTokens),
            Say::Text(" time"),
        ],
    );
    play.give(Input::Prompted(Prompt::text("go")));
    while play.requests.len() < 3 {
        for effect in play.drain() {
            match effect {
                Effect::Spawn { call, .. } => {
                    play.give(Input::ChildStarted { call, child: "child-1".into() });
                }
                other => play.perform(other),
            }
        }
    }
    assert_eq!((play.drain(), &play.endings), (Vec::new(), &Vec::new()), "it waits for the bill");
    play.give(Input::ChildFinished { call: child(&play), result: used(10) });
    play.play();
    assert_eq!(play.endings, [answered("once upon a time")], "nobody spoke in between");
    assert_eq!(notes_about_cuts(&play), 1);
    refold(&play);
}

#[test]
fn a_call_that_is_cut_before_the_run_waits_for_shares_is_made_again() {
    let half = vec![Block::Text("I will echo.".into()), call_block("c9", "echo", r#"{"text":"hal"#)];
    let rest = vec![Say::Call("echo", r#"{"text":"half"}"#), Say::Text("4")];
    let (mut play, child) = cut_while_waiting(half, rest);
    play.give(Input::ChildFinished { call: child, result: used(10) });
    play.play();
    assert_eq!((play.endings.as_slice(), play.ran.as_slice()), (&[answered("4")][..], &["echo".into()][..]));
    assert_eq!(notes_about_cuts(&play), 1, "the model is told to make its call again");
    refold(&play);
}
