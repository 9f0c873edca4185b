//! What is set aside for model calls and children: while they are under way, when a limit is set late, and after a crash.

use alloc::{vec, vec::Vec};

use holm_guards::skill::extract;

use super::play::{Play, call_block, config_with, echo, reply, tool};
use crate::*;

const EXTRACT: &str = r#"{"target":"email","text":"Write to ann@holm.example today."}"#;
const OTHER: &str = r#"{"target":"email","text":"Write to ann@holm.example tomorrow."}"#;
const FOUND: &str = r#"{"email":["ann@holm.example"]}"#;

/// What the first reply costs: one nano-dollar a token.
const REPLY: u64 = 110;

/// What a helper asks for, in money and in tokens.
const SHARE: u64 = 200;

fn helper(name: &str, background: Background) -> ToolSpec {
    let kind = ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::new(SHARE), tokens: SHARE };
    ToolSpec { kind, background, ..tool(name) }
}

/// A run in which every token costs one nano-dollar.
fn priced(usd: Option<u64>, tokens: Option<u64>) -> Config {
    let helpers = [helper("helper", Background::Never), helper("apart", Background::Always)];
    let mut config = config_with(vec![echo(), ToolSpec::skill(extract())]);
    config.tools.extend(helpers);
    config.models[0].price =
        Some(Price { input: 1_000_000, output: 1_000_000, cached: None, cache_write: None });
    config.limits.budget.usd = usd.map(NanoUsd::new);
    config.limits.tokens = tokens.map_or(Bound::Unbounded, Bound::AtMost);
    config
}

/// A run whose first reply makes these calls, and what follows from it, unperformed.
fn calls(config: Config, wanted: &[(&str, &str)]) -> (Play, Vec<Effect>) {
    let block = |(index, (name, arguments)): (usize, &(&str, &str))| {
        call_block(&alloc::format!("c{index}"), name, arguments)
    };
    let blocks = wanted.iter().enumerate().map(block).collect();
    let mut play = Play::new(config, vec![reply(blocks, StopReason::ToolUse)]);
    let effects = play.first_effects();
    (play, effects)
}

fn resume(play: &mut Play) -> Vec<Effect> {
    play.give(Input::Resumed { host: "another".into() });
    play.drain()
}

fn model_calls(effects: &[Effect]) -> Vec<ModelCallId> {
    let calls = effects.iter().filter_map(|effect| match effect {
        Effect::CallModel { call, .. } => Some(*call),
        _ => None,
    });
    calls.collect()
}

/// The child that is asked for.
fn child(effects: &[Effect]) -> ToolCallId {
    let mut children = effects.iter().filter_map(|effect| match effect {
        Effect::Spawn { call, .. } => Some(*call),
        _ => None,
    });
    children.next().expect("a child")
}

/// The shares of the children that are asked for.
fn shares(effects: &[Effect]) -> Vec<(Option<u64>, Option<u64>)> {
    let requests = effects.iter().filter_map(|effect| match effect {
        Effect::Spawn { request, .. } => Some((request.budget.map(NanoUsd::value), request.tokens)),
        _ => None,
    });
    requests.collect()
}

fn says(text: &str) -> ModelResult {
    let usage = Usage { input: 100, output: 10, ..Usage::default() };
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], usage, ..Reply::default() })
}

fn set_aside(play: &Play) -> (u64, u64) {
    (play.run.state.reserved.value(), play.run.state.reserved_tokens)
}

/// What the last turn was estimated at.
fn request_tokens(play: &Play) -> u64 {
    let mut called = play.events.iter().rev().filter_map(|event| match event {
        Event::ModelCalled { tokens, .. } => Some(*tokens),
        _ => None,
    });
    called.next().expect("a model call")
}

#[test]
fn the_estimate_of_a_request_is_set_aside_until_its_bill_is_there() {
    let mut play = Play::new(priced(Some(100_000), None), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    let call = model_calls(&play.drain())[0];
    let request = request_tokens(&play);
    assert_eq!(set_aside(&play), (request, request));
    play.give(Input::ModelFinished { call, result: says("done") });
    assert_eq!((set_aside(&play), play.run.spent()), ((0, 0), NanoUsd::new(REPLY)));
}

#[test]
fn a_child_beside_a_skill_gets_what_the_request_of_the_skill_leaves() {
    for (usd, tokens) in [(Some(REPLY + 400), None), (None, Some(REPLY + 400))] {
        let (play, effects) = calls(priced(usd, tokens), &[("extract", EXTRACT), ("helper", "{}")]);
        assert_eq!(model_calls(&effects).len(), 1);
        let Some(Effect::CallModel { request, .. }) = effects.first() else { panic!("{effects:?}") };
        let Messages::Own(messages) = &request.messages else { panic!("a skill brings its own messages") };
        let estimate = crate::context::estimate::messages(Family::Other, messages);
        assert!((200..400).contains(&estimate), "{estimate}");
        let left = 400 - estimate;
        let expected = if usd.is_some() { (Some(left), Some(SHARE)) } else { (Some(SHARE), Some(left)) };
        assert_eq!(shares(&effects), [expected]);
        assert!(play.run.spent().plus(play.run.state.reserved) <= NanoUsd::new(usd.unwrap_or(u64::MAX)));
    }
}

// Crashes.

#[test]
fn a_child_in_the_background_that_had_not_begun_does_not_begin_when_a_lost_call_took_its_share() {
    // There is room for the child, and something is left for the next turn, which is lost.
    let (mut play, effects) = calls(priced(Some(REPLY + SHARE + 1), None), &[("apart", "{}")]);
    assert_eq!((shares(&effects), model_calls(&effects).len()), (vec![(Some(SHARE), Some(SHARE))], 1));
    let lost = request_tokens(&play);
    let effects = resume(&mut play);
    assert_eq!((shares(&effects), model_calls(&effects)), (vec![], vec![]));
    assert_eq!((set_aside(&play), play.run.spent().value()), ((0, 0), REPLY + lost));
    let refused = |event: &Event| matches!(event, Event::ChildFinished { outcome: Outcome::Refused, .. });
    assert!(play.events.iter().any(refused));
}

#[test]
fn a_child_that_had_not_begun_gets_what_a_lost_call_leaves_of_its_share() {
    // Room for the child beside one request of the skill, and not beside two.
    let limit = REPLY + 700;
    let (mut play, effects) = calls(priced(Some(limit), None), &[("extract", EXTRACT), ("helper", "{}")]);
    let [(Some(before), _)] = shares(&effects)[..] else { panic!("{effects:?}") };
    let effects = resume(&mut play);
    let [(Some(share), _)] = shares(&effects)[..] else { panic!("{effects:?}") };
    assert!(share < before, "{share} of {before}");
    assert_eq!(play.run.spent().plus(play.run.state.reserved), NanoUsd::new(limit));
}

#[test]
fn a_child_that_had_begun_keeps_its_share_after_a_crash() {
    let (mut play, effects) = calls(priced(Some(REPLY + SHARE + 1), None), &[("apart", "{}")]);
    let call = child(&effects);
    play.give(Input::ChildStarted { call, child: "child-1".into() });
    let effects = resume(&mut play);
    assert_eq!(shares(&effects), [(Some(SHARE), Some(SHARE))]);
    assert_eq!(set_aside(&play), (SHARE, SHARE));
}

#[test]
fn a_run_that_waits_for_a_child_goes_on_when_that_child_cannot_begin() {
    let (mut play, effects) = calls(priced(Some(REPLY * 2 + SHARE + 1), None), &[("apart", "{}")]);
    let call = model_calls(&effects)[0];
    play.give(Input::ModelFinished { call, result: says("I wait for it.") });
    assert!(play.drain().is_empty() && !play.run.is_idle());
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(REPLY * 2 + SHARE)) }));
    let effects = resume(&mut play);
    // Its share would be all that is left, and the run itself needs something.
    assert_eq!((shares(&effects), model_calls(&effects).len()), (vec![], 1));
}

#[test]
fn a_child_that_was_refused_after_a_crash_is_still_paid_for_if_the_host_before_began_it() {
    let (mut play, effects) = calls(priced(Some(REPLY + SHARE + 1), None), &[("apart", "{}")]);
    let call = child(&effects);
    resume(&mut play);
    let before = play.run.spent();
    let result = ChildResult { spent: NanoUsd::new(7), ..ChildResult::default() };
    play.give(Input::ChildFinished { call, result });
    assert_eq!(play.run.spent(), before.plus(NanoUsd::new(7)));
}

// Models that change meanwhile.

#[test]
fn the_ladder_waits_for_the_skills_under_way_so_each_is_paid_at_the_price_of_its_model() {
    let mut config = priced(None, None);
    let price = Price { input: 50_000_000, output: 50_000_000, cached: None, cache_write: None };
    config.models.push(ModelSpec { price: Some(price), ..ModelSpec::named("dear") });
    config.ladder = Some(Ladder::of_kind("copying"));
    let end = |last: fn(&mut Play, ModelCallId)| {
        let (mut play, effects) = calls(config.clone(), &[("extract", EXTRACT), ("extract", OTHER)]);
        let [first, second] = model_calls(&effects)[..] else { panic!("{effects:?}") };
        play.give(Input::ModelFinished { call: first, result: says("no JSON") });
        let [again] = model_calls(&play.drain())[..] else { panic!("the first is tried again") };
        play.give(Input::ModelFinished { call: again, result: says("still no JSON") });
        play.drain();
        assert!(!play.events.iter().any(|event| matches!(event, Event::SteppedUp { .. })));
        let before = play.run.spent();
        last(&mut play, second);
        (play.run.spent().minus(before), play.run.state.reserved)
    };
    let (cost, _) = end(|play, call| play.give(Input::ModelFinished { call, result: says(FOUND) }));
    assert_eq!(cost, NanoUsd::new(REPLY));
    // Stopped, and paid when its bill comes: nothing stays reserved.
    let (cost, reserved) = end(|play, call| {
        play.give(Input::Cancelled { reason: "enough".into() });
        play.give(Input::ModelFinished { call, result: says(FOUND) });
    });
    assert_eq!(cost, NanoUsd::new(REPLY));
    assert_eq!(reserved, NanoUsd::ZERO);
}

// Limits that are set late.

#[test]
fn the_second_try_of_a_skill_waits_for_another_that_is_under_way_when_a_limit_is_set() {
    let (mut play, effects) = calls(priced(None, None), &[("extract", EXTRACT), ("extract", OTHER)]);
    let [first, second] = model_calls(&effects)[..] else { panic!("{effects:?}") };
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(100_000)) }));
    play.give(Input::ModelFinished { call: first, result: says("no JSON") });
    assert_eq!(model_calls(&play.drain()), []);
    play.give(Input::ModelFinished { call: second, result: says(FOUND) });
    let [again] = model_calls(&play.drain())[..] else { panic!("the first is tried again") };
    play.give(Input::ModelFinished { call: again, result: says(FOUND) });
    play.play();
    let results = play.results();
    assert!(results.iter().all(|(outcome, _)| *outcome == Outcome::Succeeded), "{results:?}");
}

#[test]
fn a_second_try_that_waits_is_made_after_a_crash_and_is_not_a_third() {
    let (mut play, effects) = calls(priced(None, None), &[("extract", EXTRACT), ("extract", OTHER)]);
    let [first, _] = model_calls(&effects)[..] else { panic!("{effects:?}") };
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(100_000)) }));
    play.give(Input::ModelFinished { call: first, result: says("no JSON") });
    // The other one is under way, so it is the one that goes on.
    let [second] = model_calls(&resume(&mut play))[..] else { panic!("one is under way") };
    play.give(Input::ModelFinished { call: second, result: says(FOUND) });
    let [again] = model_calls(&play.drain())[..] else { panic!("the first is tried again") };
    play.give(Input::ModelFinished { call: again, result: says("still no JSON") });
    play.play();
    let outcomes: Vec<Outcome> = play.results().iter().map(|(outcome, _)| *outcome).collect();
    assert_eq!(outcomes, [Outcome::Failed, Outcome::Succeeded]);
    let started = play.events.iter().filter(|event| matches!(event, Event::CallStarted { .. }));
    assert_eq!(started.count(), 2, "each skill starts once");
}

#[test]
fn a_second_try_that_waits_is_not_made_when_the_run_is_cancelled() {
    let (mut play, effects) = calls(priced(None, None), &[("extract", EXTRACT), ("extract", OTHER)]);
    let [first, second] = model_calls(&effects)[..] else { panic!("{effects:?}") };
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(100_000)) }));
    play.give(Input::ModelFinished { call: first, result: says("no JSON") });
    play.give(Input::Cancelled { reason: "enough".into() });
    let effects = play.drain();
    assert!(matches!(effects[..], [Effect::Abort(call)] if call == second), "{effects:?}");
    assert_eq!(play.endings, [Ending::Cancelled { reason: "enough".into() }]);
}

#[test]
fn a_limit_that_is_set_late_counts_the_calls_that_are_under_way() {
    // The child alone would be covered by the new budget, and the child with the turn that is under way is not.
    let (mut play, effects) = calls(priced(Some(100_000), None), &[("apart", "{}")]);
    let call = child(&effects);
    play.give(Input::ChildStarted { call, child: "child-1".into() });
    let under_way = request_tokens(&play);
    let covered = REPLY + SHARE + under_way;
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(covered)) }));
    assert!(play.drain().is_empty());
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(covered - 1)) }));
    let effects = play.drain();
    assert!(matches!(effects[..], [Effect::Abort(stopped)] if stopped == call), "{effects:?}");
}
