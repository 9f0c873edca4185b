//! What no provider reports is paid by estimate, and a session that ends its host again and again is given up.

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_guards::skill::extract;

use super::play::{Play, Say, call_block, config, config_with, failure, reply};
use crate::context::estimate;
use crate::*;

const ARGS: &str = r#"{"text":"x"}"#;
const EXTRACT: &str = r#"{"target":"email","text":"Write to ann@holm.example today."}"#;
const FOUND: &str = r#"{"email":["ann@holm.example"]}"#;

/// One nano-dollar a token.
const PRICE: Price = Price { input: 1_000_000, output: 1_000_000, cached: None, cache_write: None };

fn priced(mut config: Config, usd: Option<u64>) -> Config {
    config.models[0].price = Some(PRICE);
    config.limits.budget.usd = usd.map(NanoUsd::new);
    config
}

/// A reply whose provider reports nothing.
fn unreported(blocks: Vec<Block>) -> ModelResult {
    ModelResult::Replied(Reply { blocks, ..Reply::default() })
}

fn text(text: &str) -> Vec<Block> {
    vec![Block::Text(text.into())]
}

fn resume(play: &mut Play) -> Vec<Effect> {
    play.give(Input::Resumed { host: "another".into() });
    play.drain()
}

fn model_calls(effects: &[Effect]) -> usize {
    effects.iter().filter(|effect| matches!(effect, Effect::CallModel { .. })).count()
}

/// The model call among these effects.
fn call_of(effects: &[Effect]) -> ModelCallId {
    let mut calls = effects.iter().filter_map(|effect| match effect {
        Effect::CallModel { call, .. } => Some(*call),
        _ => None,
    });
    calls.next().expect("a model call")
}

/// What the last request was estimated at.
fn request_tokens(play: &Play) -> u64 {
    let mut called = play.events.iter().rev().filter_map(|event| match event {
        Event::ModelCalled { tokens, .. } => Some(*tokens),
        _ => None,
    });
    called.next().expect("a model call")
}

// Missing usage.

#[test]
fn a_budget_holds_although_no_reply_reports_its_usage() {
    let turns = (0..200).map(|turn| {
        let arguments = alloc::format!(r#"{{"text":"turn {turn}"}}"#);
        Say::Result(unreported(vec![call_block("c", "echo", &arguments)]))
    });
    let mut config = priced(config(), Some(2_000));
    config.limits.turns = Bound::Unbounded;
    let mut play = Play::new(config, turns.collect());
    let Ending::OverBudget { spent, limit } = play.prompt("go") else { panic!("{:?}", play.endings) };
    let costs = play.events.iter().filter_map(|event| match event {
        Event::ModelReplied { cost, .. } => *cost,
        _ => None,
    });
    let dearest = costs.max().expect("a reply");
    assert!(spent >= limit && spent < limit.plus(dearest), "{spent} of {limit}, a reply costs {dearest}");
    let usage = play.run.usage();
    assert_eq!(usage.estimated, usage.total());
}

#[test]
fn the_event_of_a_reply_says_what_of_its_usage_is_an_estimate() {
    let mut play =
        Play::new(priced(config(), None), vec![Say::Result(unreported(text("four words are here")))]);
    play.prompt("go");
    let tokens = request_tokens(&play);
    let output = estimate::text(Family::Other, "four words are here");
    let expected = Usage { input: tokens, output, estimated: tokens + output, ..Usage::default() };
    let replied = play.events.iter().find_map(|event| match event {
        Event::ModelReplied { usage, cost, .. } => Some((*usage, *cost)),
        _ => None,
    });
    assert_eq!(replied, Some((expected, Some(PRICE.cost(expected)))));
}

#[test]
fn only_what_is_missing_is_estimated() {
    // What the provider says of a call that ends like this, and what the run counts: input and output; none is the estimate.
    let check = |result: ModelResult, input: Option<u64>, output: u64| {
        let mut play = Play::new(config(), vec![Say::Result(result.clone())]);
        play.give(Input::Prompted(Prompt::text("go")));
        let first = play.drain();
        let request = request_tokens(&play);
        play.perform(first.into_iter().next().expect("a call"));
        let used = play.run.usage();
        assert_eq!((used.input, used.output), (input.unwrap_or(request), output), "{result:?}");
    };
    let arrived = estimate::text(Family::Other, "half a reply");
    let replied =
        |usage| ModelResult::Replied(Reply { usage, blocks: text("half a reply"), ..Reply::default() });
    let aborted =
        |usage| ModelResult::Aborted(Reply { usage, blocks: text("half a reply"), ..Reply::default() });
    let failed = |class, usage| {
        ModelResult::Failed(Failure { class, message: String::new(), retry_after_ms: None, usage })
    };
    let usage = |input, output| Usage { input, output, ..Usage::default() };
    check(replied(usage(50, 5)), Some(50), 5);
    check(replied(usage(50, 0)), Some(50), arrived);
    check(replied(usage(0, 5)), None, 5);
    check(replied(usage(0, 0)), None, arrived);
    check(aborted(usage(0, 0)), None, arrived);
    // What was reported when the reply began is not all that was written.
    check(aborted(usage(50, 1)), Some(50), arrived);
    check(aborted(usage(50, 900)), Some(50), 900);
    for class in [FailureClass::Truncated, FailureClass::Empty] {
        check(failed(class, usage(0, 0)), None, 0);
        check(failed(class, usage(50, 7)), Some(50), 7);
    }
    for class in [
        FailureClass::RateLimited,
        FailureClass::Overloaded,
        FailureClass::Server,
        FailureClass::Network,
        FailureClass::Auth,
        FailureClass::Quota,
        FailureClass::BadRequest,
        FailureClass::ContentFilter,
    ] {
        check(failed(class, usage(0, 0)), Some(0), 0);
        check(failed(class, usage(0, 7)), None, 7);
    }
}

#[test]
fn every_retry_of_a_reply_that_broke_off_is_paid_for() {
    let broken = (0..3).map(|_| failure(FailureClass::Truncated));
    let mut play = Play::new(priced(config(), None), broken.collect());
    play.prompt("go");
    let request = request_tokens(&play);
    let last = 110;
    assert_eq!(play.run.spent(), NanoUsd::new(3 * request + last));
    assert_eq!(play.run.usage().estimated, 3 * request);
}

#[test]
fn a_budget_ends_the_retries_of_a_reply_that_breaks_off() {
    let broken = (0..9).map(|_| failure(FailureClass::Truncated));
    let mut play = Play::new(priced(config(), Some(1)), broken.collect());
    assert!(matches!(play.prompt("go"), Ending::OverBudget { .. }));
    assert_eq!(play.requests.len(), 1);
}

#[test]
fn what_hooks_write_into_a_request_is_part_of_its_estimate() {
    let mut config = config();
    config.consult = [ConsultPoint::Context].into();
    let mut tokens = Vec::new();
    for words in [1, 1_000] {
        let mut play = Play::new(config.clone(), Vec::new());
        play.consult = alloc::boxed::Box::new(move |_| {
            Answer::Patch(vec![Patch::Append(vec![Block::Text("word ".repeat(words))])])
        });
        play.prompt("go");
        tokens.push(request_tokens(&play));
    }
    assert!(tokens[1] > tokens[0] + 900, "{tokens:?}");
}

#[test]
fn a_summary_without_usage_is_billed_by_estimate() {
    let mut config = priced(config(), None);
    config.models[0].window = Some(2_000);
    config.context.keep_turns = 1;
    let mut play = Play::new(config, Vec::new());
    let summary = (0..40).find_map(|n| {
        let prompt = alloc::format!("question {n}: {}", "words and more words ".repeat(60));
        play.give(Input::Prompted(Prompt::text(prompt)));
        let mut open = play.drain();
        let first = open.remove(0);
        if let Effect::Summarise { call, .. } = first {
            return Some(call);
        }
        play.perform(first);
        play.play();
        None
    });
    let call = summary.expect("a summary");
    let before = play.run.usage();
    play.give(Input::Summarised { call, result: unreported(text("They talked about words.")) });
    let used = play.run.usage();
    assert_eq!(used.estimated, used.total() - before.total());
    assert!(used.estimated > 1_000, "the request holds nearly the whole window: {used:?}");
}

// Calls that were given up.

#[test]
fn the_estimate_of_a_stopped_call_is_set_aside_until_its_bill_comes() {
    let mut play = Play::new(priced(config(), Some(100_000)), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    let call = call_of(&play.drain());
    let request = request_tokens(&play);
    play.give(Input::Cancelled { reason: "enough".into() });
    assert_eq!((play.run.spent(), play.run.state.reserved), (NanoUsd::ZERO, NanoUsd::new(request)));
    assert_eq!(play.run.state.reserved_tokens, request);
    let usage = Usage { input: 20, output: 3, ..Usage::default() };
    let result = ModelResult::Aborted(Reply { usage, ..Reply::default() });
    play.give(Input::ModelFinished { call, result });
    assert_eq!((play.run.spent(), play.run.state.reserved), (NanoUsd::new(23), NanoUsd::ZERO));
    assert_eq!(play.run.state.reserved_tokens, 0);
}

#[test]
fn a_stopped_call_whose_bill_says_nothing_costs_its_estimate() {
    let mut play = Play::new(priced(config(), None), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    let call = call_of(&play.drain());
    play.give(Input::Cancelled { reason: "enough".into() });
    play.give(Input::ModelFinished { call, result: ModelResult::Aborted(Reply::default()) });
    assert_eq!(play.run.spent(), NanoUsd::new(request_tokens(&play)));
}

#[test]
fn bills_that_never_come_do_not_lift_a_budget() {
    let mut play = Play::new(priced(config(), Some(500)), Vec::new());
    let mut calls = 0;
    for _ in 0..1_000 {
        play.give(Input::Prompted(Prompt::text("go")));
        calls += model_calls(&play.drain());
        play.give(Input::Cancelled { reason: "enough".into() });
    }
    let request = request_tokens(&play);
    assert!((calls as u64 - 1) * 4 < 500 && request > 4, "{calls} calls of up to {request} tokens");
    assert!(matches!(play.endings.last(), Some(Ending::OverBudget { .. })));
}

// Skills side by side.

#[test]
fn skills_of_one_reply_run_one_after_another_where_a_limit_holds() {
    let with_tokens = |bound| {
        let mut config = priced(config_with(vec![ToolSpec::skill(extract())]), None);
        config.limits.tokens = bound;
        config
    };
    let check = |config: Config, at_once: usize| {
        let block = |index: usize| {
            let arguments = EXTRACT.replace("today", &alloc::format!("on day {index}"));
            call_block(&alloc::format!("c{index}"), "extract", &arguments)
        };
        let mut play = Play::new(config, vec![reply((0..10).map(block).collect(), StopReason::ToolUse)]);
        assert_eq!(model_calls(&play.first_effects()), at_once);
    };
    check(with_tokens(Bound::Unbounded), 10);
    check(with_tokens(Bound::AtMost(1_000_000)), 1);
    check(priced(with_tokens(Bound::Unbounded), Some(1_000_000)), 1);
}

#[test]
fn skills_of_one_reply_exceed_a_budget_by_one_reply_and_not_by_more() {
    let block = |index: usize| call_block(&alloc::format!("c{index}"), "extract", EXTRACT);
    let mut script = vec![reply((0..60).map(block).collect(), StopReason::ToolUse)];
    script.extend((0..60).map(|_| Say::Text(FOUND)));
    let mut play = Play::new(priced(config_with(vec![ToolSpec::skill(extract())]), Some(300)), script);
    // Each reply costs 110: the turn, then two skills.
    assert!(matches!(play.prompt("go"), Ending::OverBudget { .. }));
    assert_eq!(play.run.spent(), NanoUsd::new(330));
}

#[test]
fn a_limit_that_is_set_while_skills_run_holds_after_a_crash() {
    let block = |index: usize| {
        let arguments = EXTRACT.replace("today", &alloc::format!("on day {index}"));
        call_block(&alloc::format!("c{index}"), "extract", &arguments)
    };
    let script = vec![reply((0..4).map(block).collect(), StopReason::ToolUse)];
    let mut play = Play::new(priced(config_with(vec![ToolSpec::skill(extract())]), None), script);
    assert_eq!(model_calls(&play.first_effects()), 4);
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(100_000)) }));
    assert_eq!(model_calls(&resume(&mut play)), 1);
    play.script = (0..4).map(|_| Say::Text(FOUND)).collect();
    assert_eq!(model_calls(&resume(&mut play)), 1, "one is under way, three wait");
}

// Hosts that stop.

#[test]
fn a_call_that_was_lost_with_its_host_is_paid_by_estimate() {
    let mut play = Play::new(priced(config(), None), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    let lost = call_of(&play.drain());
    let request = request_tokens(&play);
    assert_eq!(model_calls(&resume(&mut play)), 1);
    assert_eq!(play.run.spent(), NanoUsd::new(request));
    // A bill from the host that is gone is not paid on top.
    play.give(Input::ModelFinished { call: lost, result: unreported(text("too late")) });
    assert_eq!(play.run.spent(), NanoUsd::new(request));
}

#[test]
fn the_bill_of_a_stopped_call_is_written_off_by_estimate_when_its_host_is_gone() {
    let mut play = Play::new(priced(config(), None), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    play.drain();
    play.give(Input::Cancelled { reason: "enough".into() });
    resume(&mut play);
    assert_eq!((play.run.spent().value(), play.run.state.reserved), (request_tokens(&play), NanoUsd::ZERO));
}

#[test]
fn a_session_that_ends_its_host_five_times_is_given_up_and_says_why() {
    let mut play = Play::new(priced(config(), None), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    let mut calls = model_calls(&play.drain());
    for _ in 0..1_000 {
        calls += model_calls(&resume(&mut play));
    }
    assert_eq!(calls, 5);
    assert_eq!(play.run.spent(), NanoUsd::new(5 * request_tokens(&play)));
    let [Ending::Failed { class: FailureClass::HostCrash, message, attempts: 5 }] = &play.endings[..] else {
        panic!("{:?}", play.endings)
    };
    assert!(message.contains("5 times") && message.contains("prompt"), "{message}");
    // A person's next prompt begins a count of its own.
    play.give(Input::Prompted(Prompt::text("again")));
    assert_eq!(model_calls(&play.drain()), 1);
    assert_eq!(model_calls(&resume(&mut play)), 1);
}

#[test]
fn an_answer_between_two_crashes_begins_the_count_again() {
    let mut play = Play::new(config(), Vec::new());
    play.give(Input::Prompted(Prompt::text("go")));
    let mut open = play.drain();
    for turn in 0..4 {
        for _ in 0..4 {
            open = resume(&mut play);
            assert_eq!(model_calls(&open), 1, "turn {turn}");
        }
        let arguments = alloc::format!(r#"{{"text":"turn {turn}"}}"#);
        let result = unreported(vec![call_block("c", "echo", &arguments)]);
        play.give(Input::ModelFinished { call: call_of(&open), result });
        for effect in play.drain() {
            play.perform(effect);
        }
        open = play.drain();
    }
    assert!(play.endings.is_empty(), "{:?}", play.endings);
}

#[test]
fn a_tool_that_ends_its_host_every_time_is_given_up_with_its_batch_answered() {
    let calls = vec![call_block("a", "echo", ARGS), call_block("b", "ask", ARGS)];
    let mut config = config();
    config.tools.push(ToolSpec { name: "ask".into(), ..config.tools[0].clone() });
    let mut play = Play::new(config, vec![reply(calls, StopReason::ToolUse)]);
    let mut open = play.first_effects();
    for _ in 0..5 {
        for effect in &open {
            if let Effect::RunTool { call, .. } = effect {
                play.give(Input::Dispatched { call: *call });
            }
        }
        open = resume(&mut play);
    }
    assert!(
        matches!(play.endings[..], [Ending::Failed { class: FailureClass::HostCrash, .. }]),
        "{:?}",
        play.endings
    );
    let outcomes: Vec<Outcome> = play.results().into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Unknown; 2]);
}

#[test]
fn a_person_and_a_child_are_waited_for_over_any_number_of_restarts() {
    let mut asked = config();
    asked.approvals = Approvals::AskAlways;
    let mut play = Play::new(asked, vec![Say::Call("echo", ARGS)]);
    play.first_effects();
    for _ in 0..20 {
        let open = resume(&mut play);
        assert!(matches!(open[..], [Effect::Judge(_)]), "{open:?}");
    }
    let kind = ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::ZERO, tokens: 0 };
    let helper = ToolSpec { kind, ..ToolSpec { name: "helper".to_string(), ..config().tools[0].clone() } };
    let mut play = Play::new(config_with(vec![helper]), vec![Say::Call("helper", ARGS)]);
    play.first_effects();
    for _ in 0..20 {
        let open = resume(&mut play);
        assert!(matches!(open[..], [Effect::Spawn { .. }]), "{open:?}");
    }
}
