//! Every bound has its own ending with the figures, or its own refusal; nothing escapes the account.

use alloc::{
    boxed::Box,
    collections::BTreeMap,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::play::{
    Play, Say, answered, call_block, config, config_with, different_turns, failure, reply, tool,
};
use crate::*;

const ARGS: &str = r#"{"text":"x"}"#;

/// One nano-dollar a token: a reply of the scripted model costs 110.
const PRICE: Price = Price { input: 1_000_000, output: 1_000_000, cached: None, cache_write: None };

fn limited(change: impl FnOnce(&mut Limits)) -> Config {
    let mut config = config();
    change(&mut config.limits);
    config
}

fn priced(usd: u64) -> Config {
    let mut config = config();
    config.models[0].price = Some(PRICE);
    config.limits.budget.usd = Some(NanoUsd::new(usd));
    config
}

fn over(limit: Limit, used: u64, allowed: u64) -> Ending {
    Ending::OverLimit { limit, used, allowed }
}

fn count(play: &Play, wanted: fn(&Event) -> bool) -> usize {
    play.events.iter().filter(|event| wanted(event)).count()
}

// Turns.

#[test]
fn a_headless_run_has_two_hundred_turns_unless_somebody_says_otherwise() {
    assert_eq!(Limits::default().turns, Bound::AtMost(200));
    let mut play = Play::new(config(), different_turns(240));
    assert_eq!(play.prompt("go"), over(Limit::Turns, 200, 200));
    assert_eq!(play.requests.len(), 200);
    assert_eq!(play.ran.len(), 199, "the calls of the last turn are not run");
}

#[test]
fn in_the_last_turn_the_model_answers_and_tools_stay_in_the_request() {
    let purposes = |config: Config, turns: usize| {
        let mut play = Play::new(config, different_turns(turns));
        play.prompt("go");
        play.requests.iter().map(|(_, request)| request.purpose).collect::<Vec<_>>()
    };
    let three = |change: fn(&mut Config)| {
        let mut config = limited(|limits| limits.turns = Bound::AtMost(3));
        change(&mut config);
        config
    };
    use Purpose::{Answer, Turn};
    assert_eq!(purposes(three(|_| {}), 5), [Turn, Turn, Answer]);
    assert_eq!(purposes(three(|_| {}), 1), [Turn, Turn], "an answer that comes sooner is one too");
    // Words do not end these.
    assert_eq!(purposes(three(|config| _ = config.policy.terminal_tools.insert("end".into())), 5), [Turn; 3]);
    let remind = |config: &mut Config| config.policy.plain_answer = PlainAnswer::RemindOnce("End.".into());
    assert_eq!(purposes(three(remind), 5), [Turn; 3]);
    assert_eq!(purposes(limited(|limits| limits.turns = Bound::Unbounded), 3), [Turn; 4]);
    let mut play = Play::new(three(|_| {}), different_turns(5));
    play.prompt("go");
    assert!(play.requests.iter().all(|(_, request)| !request.tools.tools.is_empty()));
}

#[test]
fn a_call_in_the_last_turn_is_refused_and_the_limit_ends_the_run() {
    let config = limited(|limits| limits.turns = Bound::AtMost(2));
    let mut play = Play::new(config, vec![Say::Call("echo", ARGS), Say::Call("echo", r#"{"text":"y"}"#)]);
    assert_eq!(play.prompt("go"), over(Limit::Turns, 2, 2));
    assert_eq!(play.ran.len(), 1, "a server that ignores `tool_choice` does not run a tool");
    let (outcome, text) = play.results().pop().unwrap();
    assert_eq!(outcome, Outcome::Refused);
    assert!(text.contains("not run: no tools can be called in the last turn"), "{text}");
    assert_eq!(play.prompt("again"), answered("done"), "the transcript has an answer for every call");
}

#[test]
fn where_only_a_tool_ends_the_run_the_last_turn_may_call_one() {
    let mut config = limited(|limits| limits.turns = Bound::AtMost(2));
    config.policy.terminal_tools.insert("end".into());
    let mut play = Play::new(config, vec![Say::Call("echo", ARGS), Say::Call("echo", r#"{"text":"y"}"#)]);
    assert_eq!(play.prompt("go"), over(Limit::Turns, 2, 2));
    assert_eq!(play.ran.len(), 2);
}

#[test]
fn turns_are_unbounded_only_by_name() {
    let config = limited(|limits| limits.turns = Bound::Unbounded);
    assert_eq!(Play::new(config, different_turns(40)).prompt("go"), answered("done"));
}

#[test]
fn turns_are_counted_from_prompt_to_ending() {
    let config = limited(|limits| limits.turns = Bound::AtMost(2));
    let mut play =
        Play::new(config, vec![Say::Call("echo", ARGS), Say::Text("one"), Say::Call("echo", ARGS)]);
    assert_eq!(play.prompt("go"), answered("one"));
    assert_eq!(play.prompt("again"), answered("done"));
}

#[test]
fn no_turn_at_all_is_a_limit_too() {
    let config = limited(|limits| limits.turns = Bound::AtMost(0));
    let mut play = Play::new(config, Vec::new());
    assert_eq!(play.prompt("go"), over(Limit::Turns, 0, 0));
    assert_eq!(play.requests.len(), 0);
    assert_eq!(play.last_text(), "go", "what was asked is in the transcript all the same");
}

// Grace.

fn graceful(turns: u64, grace: u64, script: Vec<Say>) -> Play {
    let config = limited(|limits| {
        limits.turns = Bound::AtMost(turns);
        limits.grace_turns = grace;
    });
    let mut play = Play::new(config, script);
    play.prompt("go");
    play
}

fn warnings(play: &Play) -> Vec<String> {
    let warning = |message: &alloc::sync::Arc<Message>| {
        let text = message.plain_text();
        text.contains("more turn").then_some(text)
    };
    play.run.transcript().iter().filter_map(warning).collect()
}

#[test]
fn a_run_near_its_cap_is_told_once_to_wrap_up() {
    let mut script = different_turns(3);
    script.push(Say::Text("wrapped up"));
    let play = graceful(5, 2, script);
    assert_eq!(play.endings, [answered("wrapped up")]);
    let expected = "Only 2 more turns are left, and you cannot call tools in the last one. Finish what is essential and give the \
                    final answer.";
    assert_eq!(warnings(&play), [expected]);
    let near = play.events.iter().find(|event| matches!(event, Event::LimitNear { .. }));
    assert_eq!(near, Some(&Event::LimitNear { limit: Limit::Turns, left: 2 }));
}

#[test]
fn a_run_that_ignores_the_warning_ends_at_its_cap() {
    let play = graceful(5, 2, different_turns(9));
    assert_eq!(play.endings, [over(Limit::Turns, 5, 5)]);
    assert_eq!(warnings(&play).len(), 1);
}

#[test]
fn a_run_that_ends_early_is_not_warned() {
    assert_eq!(warnings(&graceful(5, 2, different_turns(1))), [""; 0]);
}

#[test]
fn no_grace_and_a_grace_as_long_as_the_run_say_nothing() {
    for grace in [0, 5, 6, u64::MAX] {
        let play = graceful(5, grace, different_turns(9));
        assert_eq!(warnings(&play), [""; 0], "a grace of {grace}");
        assert_eq!(count(&play, |event| matches!(event, Event::LimitNear { .. })), 0);
    }
}

#[test]
fn a_product_has_its_own_words_for_the_warning() {
    let mut config = limited(|limits| {
        limits.turns = Bound::AtMost(3);
        limits.grace_turns = 1;
    });
    config.policy.wrap_up = Some("noch {left}".into());
    let mut play = Play::new(config, different_turns(2));
    play.prompt("go");
    assert!(play.run.transcript().iter().any(|message| message.plain_text() == "noch 1"));
}

// Tokens and money.

#[test]
fn tokens_are_counted_over_the_whole_run() {
    let config = limited(|limits| limits.tokens = Bound::AtMost(250));
    let mut play =
        Play::new(config, vec![Say::Text("one"), Say::Call("echo", ARGS), Say::Call("echo", ARGS)]);
    assert_eq!(play.prompt("go"), answered("one"));
    assert_eq!(play.prompt("again"), over(Limit::Tokens, 330, 250));
    assert_eq!(play.prompt("and again"), over(Limit::Tokens, 330, 250), "it stays reached");
    assert_eq!(play.requests.len(), 3);
}

#[test]
fn money_ends_the_run_with_its_figures_and_runs_no_tool_for_nobody() {
    let mut play = Play::new(priced(200), different_turns(5));
    let ending = Ending::OverBudget { spent: NanoUsd::new(220), limit: NanoUsd::new(200) };
    assert_eq!(play.prompt("go"), ending);
    assert_eq!(play.ran.len(), 1, "the calls of the reply that used it up are not run");
    assert_eq!(play.results()[1], (Outcome::Refused, "not run: the budget is spent".to_string()));
    assert_eq!(play.run.spent(), NanoUsd::new(220));
}

#[test]
fn a_call_that_has_not_started_when_the_budget_is_spent_is_refused() {
    let config = Config { batch: BatchOrder::Sequential, ..priced(1_000) };
    let calls = vec![("echo", ARGS), ("echo", r#"{"text":"another"}"#)];
    let mut play = Play::new(config, vec![Say::Calls(calls)]);
    let [Effect::RunTool { call, .. }] = play.first_effects()[..] else { panic!("the first is handed out") };
    play.give(Input::Dispatched { call });
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(50)) }));
    play.give(Input::ToolFinished { call, result: ToolOutput::text("a line of text") });
    play.play();
    let refused = (Outcome::Refused, "not run: the budget is spent".to_string());
    assert_eq!((play.results()[0].0, &play.results()[1]), (Outcome::Succeeded, &refused));
    assert!(matches!(play.endings[..], [Ending::OverBudget { .. }]));
}

#[test]
fn an_answer_that_uses_up_the_budget_is_still_an_answer() {
    assert_eq!(Play::new(priced(1), vec![Say::Text("4")]).prompt("go"), answered("4"));
}

#[test]
fn a_budget_of_nothing_asks_nobody() {
    let mut play = Play::new(priced(0), Vec::new());
    assert_eq!(play.prompt("go"), Ending::OverBudget { spent: NanoUsd::ZERO, limit: NanoUsd::ZERO });
    assert_eq!(play.requests.len(), 0);
}

#[test]
fn an_unknown_price_is_never_taken_for_free() {
    let mut config = priced(200);
    config.models[0].price = None;
    let mut play = Play::new(config, Vec::new());
    let ending = play.prompt("go");
    let Ending::Failed { class: FailureClass::BadRequest, message, attempts: 0 } = ending else {
        panic!("{ending:?}")
    };
    assert!(message.contains("the price of scripted/one is unknown"), "{message}");
    assert_eq!(play.requests.len(), 0);
}

#[test]
fn a_price_that_the_next_host_does_not_know_is_no_longer_known() {
    let mut play = Play::new(priced(1_000), different_turns(3));
    play.prompt("go");
    let narrowing = Narrowing { prices: Some(BTreeMap::new()), ..Narrowing::default() };
    play.give(Input::Narrowed(Box::new(narrowing)));
    let asked = play.requests.len();
    let ending = play.prompt("go on");
    let Ending::Failed { class: FailureClass::BadRequest, message, .. } = ending else {
        panic!("{ending:?}")
    };
    assert!(message.contains("the price of scripted/one is unknown"), "{message}");
    assert_eq!(play.requests.len(), asked, "the budget could not be held, so no request is sent");
}

#[test]
fn a_budget_can_be_raised_and_lowered_while_the_run_goes_on() {
    let mut play = Play::new(priced(200), different_turns(3));
    play.prompt("go");
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(1_000)) }));
    play.script.clear();
    assert_eq!(play.prompt("go on"), answered("done"));
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(10)) }));
    let ending = Ending::OverBudget { spent: NanoUsd::new(330), limit: NanoUsd::new(10) };
    assert_eq!(play.prompt("more"), ending);
}

#[test]
fn what_failed_calls_and_skills_used_is_paid_for() {
    let used = Usage { input: 40, output: 0, ..Usage::default() };
    let failed = Say::Result(ModelResult::Failed(Failure {
        class: FailureClass::Truncated,
        message: "cut".into(),
        retry_after_ms: None,
        usage: used,
    }));
    let mut play = Play::new(priced(10_000), vec![failed, Say::Text("4")]);
    play.prompt("go");
    assert_eq!(play.run.spent(), NanoUsd::new(150));
}

#[test]
fn a_call_that_was_given_up_is_paid_for_once_when_its_bill_comes() {
    let mut play = Play::new(priced(10_000), vec![Say::Text("late")]);
    play.give(Input::Prompted(Prompt::text("go")));
    let effects = play.drain();
    play.give(Input::Cancelled { reason: "enough".into() });
    assert_eq!(play.run.spent(), NanoUsd::ZERO);
    for effect in effects {
        play.perform(effect);
    }
    assert_eq!(play.run.spent(), NanoUsd::new(110), "it was used, however late we hear of it");
    let call = play.requests[0].0;
    for _ in 0..3 {
        let late = Reply { usage: Usage { input: 100, output: 10, ..Usage::default() }, ..Reply::default() };
        play.give(Input::ModelFinished { call, result: ModelResult::Aborted(late) });
    }
    assert_eq!(play.run.spent(), NanoUsd::new(110), "and not twice");
}

#[test]
fn a_reply_that_is_told_twice_is_paid_for_once() {
    let mut play = Play::new(priced(10_000), vec![Say::Call("echo", ARGS), Say::Text("4")]);
    play.prompt("go");
    let (call, spent) = (play.requests[0].0, play.run.spent());
    let again = Reply { usage: Usage { input: 100, output: 10, ..Usage::default() }, ..Reply::default() };
    play.give(Input::ModelFinished { call, result: ModelResult::Replied(again) });
    play.drain();
    assert_eq!(play.run.spent(), spent);
    assert_eq!(play.endings.len(), 1);
}

#[test]
fn a_child_that_was_stopped_is_paid_for_once_when_its_bill_comes() {
    let kind = ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::new(500), tokens: 0 };
    let mut config = priced(10_000);
    config.tools = vec![ToolSpec { kind, ..tool("helper") }];
    let mut play = Play::new(config, vec![Say::Call("helper", ARGS)]);
    let effects = play.first_effects();
    let Some(Effect::Spawn { call, request }) = effects.first() else { panic!("{effects:?}") };
    assert_eq!(request.budget, Some(NanoUsd::new(500)));
    play.give(Input::Cancelled { reason: "enough".into() });
    let marks = Marks { untrusted: true, private: false };
    for _ in 0..2 {
        let result = ChildResult { spent: NanoUsd::new(77), marks, ..ChildResult::default() };
        play.give(Input::ChildFinished { call: *call, result });
    }
    assert_eq!(play.run.spent(), NanoUsd::new(110 + 77));
    assert!(play.run.marks().untrusted, "what had entered it counts as well");
}

#[test]
fn what_is_set_aside_for_a_child_comes_back_whatever_happens_to_the_budget_meanwhile() {
    let kind = ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::new(500), tokens: 0 };
    let mut config = priced(700);
    config.tools = vec![ToolSpec { kind, ..tool("helper") }];
    let mut play = Play::new(config, vec![Say::Call("helper", ARGS), Say::Text("4")]);
    let mut once = true;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::Spawn { .. } if core::mem::take(&mut once) => {
            vec![Input::BudgetChanged(Budget { usd: None })]
        }
        _ => Vec::new(),
    });
    play.prompt("go");
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(700)) }));
    assert_eq!(play.prompt("again"), answered("done"), "nothing is set aside any more");
}

/// A run of this budget whose child of 500 is at work, and the child.
fn with_a_child_at_work(budget: Option<u64>, reserve: u64) -> (Play, ToolCallId) {
    let kind = ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::new(reserve), tokens: 0 };
    let mut config = priced(0);
    config.limits.budget.usd = budget.map(NanoUsd::new);
    config.tools = vec![ToolSpec { kind, ..tool("helper") }];
    let mut play = Play::new(config, vec![Say::Call("helper", ARGS)]);
    let effects = play.first_effects();
    let Some(Effect::Spawn { call, .. }) = effects.first() else { panic!("{effects:?}") };
    let call = *call;
    play.give(Input::ChildStarted { call, child: "child-1".into() });
    play.drain();
    (play, call)
}

#[test]
fn a_changed_budget_stops_the_children_that_it_no_longer_covers() {
    let check = |budget: Option<u64>, reserve: u64, now: Option<u64>, stops: bool| {
        let (mut play, child) = with_a_child_at_work(budget, reserve);
        play.give(Input::BudgetChanged(Budget { usd: now.map(NanoUsd::new) }));
        let aborts = play.drain().contains(&Effect::Abort(child.into()));
        assert_eq!(aborts, stops, "{budget:?} by {reserve}, now {now:?}");
        assert_eq!(play.run.awaits_child(child), !stops);
        // A host that takes the run over afterwards requests no child that was stopped.
        play.give(Input::Resumed { host: "another".into() });
        let spawns = play.drain().iter().any(|effect| matches!(effect, Effect::Spawn { .. }));
        assert_eq!(spawns, !stops, "{budget:?} by {reserve}, now {now:?}");
        super::journal::refold(&play);
    };
    // A reply costs 110, and 500 are the child's.
    check(Some(10_000), 500, Some(609), true);
    check(Some(10_000), 500, Some(610), false);
    check(Some(10_000), 500, Some(1), true);
    check(Some(10_000), 500, None, false);
    // All that is left is the child's, so that any lower budget is too low.
    check(Some(10_000), 0, Some(9_999), true);
    check(Some(10_000), 0, Some(20_000), false);
    // Nothing bounds a child that began without a budget.
    check(None, 0, Some(10_000), true);
    check(None, 500, Some(10_000), false);
}

// Wall clock.

#[test]
fn the_wall_clock_ends_the_run_wherever_it_hangs() {
    let hanging: [fn(&Effect) -> bool; 4] = [
        |effect| matches!(effect, Effect::CallModel { .. }),
        |effect| matches!(effect, Effect::RunTool { .. }),
        |effect| matches!(effect, Effect::Judge(_)),
        |effect| matches!(effect, Effect::Consult(_)),
    ];
    for (index, hangs) in hanging.into_iter().enumerate() {
        let mut config = limited(|limits| limits.wall_ms = Bound::AtMost(5_000));
        config.approvals = if index == 2 { Approvals::AskAlways } else { Approvals::Ask };
        if index == 3 {
            config.consult.insert(ConsultPoint::AfterTool);
        }
        let mut play = Play::new(config, vec![Say::Call("echo", ARGS)]);
        play.hang = Box::new(hangs);
        assert_eq!(play.prompt("go"), over(Limit::WallClock, 5_000, 5_000), "case {index}");
        assert_eq!(play.now, 5_000);
        assert!(!play.aborted.is_empty(), "case {index}: what hangs is stopped");
    }
}

#[test]
fn the_wall_clock_is_not_outwaited_by_a_pause() {
    let mut config = limited(|limits| limits.wall_ms = Bound::AtMost(100));
    config.retry.attempts = 50;
    let mut play = Play::new(config, (0..50).map(|_| failure(FailureClass::Server)).collect());
    assert_eq!(play.prompt("go"), over(Limit::WallClock, 100, 100));
}

#[test]
fn the_wall_clock_starts_anew_with_each_prompt() {
    let config = limited(|limits| limits.wall_ms = Bound::AtMost(100));
    let mut play = Play::new(config, Vec::new());
    play.prompt("go");
    play.now = 10_000;
    assert_eq!(play.prompt("again"), answered("done"));
}

#[test]
fn a_wall_clock_that_nobody_watched_is_noticed_before_the_next_call() {
    let config = limited(|limits| limits.wall_ms = Bound::AtMost(100));
    let mut play = Play::new(config, vec![Say::Call("echo", ARGS)]);
    let effects = play.first_effects();
    play.now = 130;
    for effect in effects {
        play.perform(effect);
    }
    play.drain();
    assert_eq!(play.endings, [over(Limit::WallClock, 130, 100)]);
}

// Replies that are cut.

fn cut(blocks: Vec<Block>) -> Say {
    reply(blocks, StopReason::MaxTokens)
}

fn cut_text() -> Say {
    cut(vec![Block::Text("once upon a".into())])
}

fn capped(max_output: Option<u64>, ceiling: Option<u64>) -> Config {
    let mut config = limited(|limits| limits.max_tokens.ceiling = ceiling);
    config.models[0].max_output = max_output;
    config
}

fn caps(play: &Play) -> Vec<Option<u64>> {
    play.requests.iter().map(|(_, request)| request.max_output).collect()
}

#[test]
fn a_cut_reply_is_tried_again_with_a_growing_cap() {
    let script = vec![cut_text(), cut_text(), cut_text(), Say::Text("the end")];
    let mut play = Play::new(capped(Some(100), Some(700)), script);
    assert_eq!(play.prompt("go"), answered("the end"));
    assert_eq!(caps(&play), [Some(100), Some(200), Some(400), Some(700)]);
    assert_eq!(play.run.transcript().len(), 2, "what was cut is withdrawn, not kept");
    assert_eq!(count(&play, |event| matches!(event, Event::Withdrawn { .. })), 3);
    assert_eq!(count(&play, |event| matches!(event, Event::OutputCapRaised { .. })), 3);
}

#[test]
fn a_reply_that_is_cut_after_every_try_ends_the_run_and_is_kept() {
    let mut play = Play::new(capped(Some(100), Some(10_000)), (0..9).map(|_| cut_text()).collect());
    assert_eq!(play.prompt("go"), over(Limit::OutputTokens, 10, 800));
    assert_eq!(play.requests.len(), 4, "three tries after the first");
    assert_eq!(play.last_text(), "once upon a");
}

#[test]
fn without_a_ceiling_the_model_is_asked_to_resume() {
    let mut play = Play::new(capped(Some(100), None), vec![cut_text(), Say::Text(" time")]);
    assert_eq!(play.prompt("go"), answered("once upon a time"), "and the answer is whole");
    assert_eq!(play.run.unfinished_answer(), "");
    assert_eq!(caps(&play), [Some(100), Some(100)]);
    let texts: Vec<String> = play.run.transcript().iter().map(|message| message.plain_text()).collect();
    assert_eq!(texts[1], "once upon a", "what was said so far stays");
    assert!(texts[2].starts_with("Your reply was cut at the output limit."), "{}", texts[2]);
}

#[test]
fn what_was_said_before_a_call_is_no_beginning_of_the_answer() {
    let cut_call = || vec![Block::Text("I will echo.".into()), call_block("c0", "echo", r#"{"text":"hal"#)];
    let script = vec![cut(cut_call()), Say::Call("echo", r#"{"text":"half"}"#), Say::Text("4")];
    assert_eq!(Play::new(capped(None, None), script).prompt("go"), answered("4"));
    let script = vec![cut_text(), Say::Call("echo", r#"{"text":"half"}"#), Say::Text("4")];
    assert_eq!(Play::new(capped(None, None), script).prompt("go"), answered("4"));
}

#[test]
fn an_answer_that_stays_unfinished_can_be_read_from_the_run() {
    let mut play = Play::new(capped(Some(100), None), (0..4).map(|_| cut_text()).collect());
    assert_eq!(play.prompt("go"), over(Limit::OutputTokens, 10, 100));
    assert_eq!(play.run.unfinished_answer(), "once upon a".repeat(4));
    play.script.push_back(Say::Text("4"));
    assert_eq!(play.prompt("more"), answered("4"), "the next prompt begins anew");
    assert_eq!(play.run.unfinished_answer(), "");
}

#[test]
fn a_person_who_speaks_between_the_parts_of_an_answer_breaks_the_sentence() {
    let mut play = Play::new(capped(None, None), vec![cut_text(), Say::Text("Yes, shorter.")]);
    let mut told = false;
    play.interrupt = Box::new(move |effect| {
        let speaks = matches!(effect, Effect::CallModel { .. }) && !core::mem::replace(&mut told, true);
        if speaks { vec![Input::Steered(Prompt::text("shorter"))] } else { Vec::new() }
    });
    assert_eq!(play.prompt("go"), answered("once upon a\n\nYes, shorter."));
}

#[test]
fn a_call_in_text_that_was_cut_is_read_when_it_is_whole() {
    let mut config = capped(None, None);
    config.protocol = Protocol::Text;
    let half = cut(vec![Block::Text(r#"{"tool":"echo","te"#.into())]);
    let mut play = Play::new(config, vec![half, Say::Text(r#"xt":"hi"}"#), Say::Text("4")]);
    assert_eq!(play.prompt("go"), answered("4"));
    assert_eq!(play.ran, ["echo"]);
}

#[test]
fn a_cap_at_its_ceiling_goes_over_to_resuming_and_all_tries_count_together() {
    let mut play = Play::new(capped(Some(100), Some(150)), (0..9).map(|_| cut_text()).collect());
    assert_eq!(play.prompt("go"), over(Limit::OutputTokens, 10, 150));
    assert_eq!(caps(&play), [Some(100), Some(150), Some(100), Some(150)]);
}

#[test]
fn a_whole_reply_in_between_gives_all_tries_back() {
    let mut script = Vec::new();
    for turn in different_turns(3) {
        script.extend([cut_text(), cut_text(), cut_text(), turn]);
    }
    assert_eq!(Play::new(capped(None, None), script).prompt("go"), answered("done"));
}

#[test]
fn a_call_that_was_cut_is_neither_run_nor_left_open() {
    let script = vec![cut(vec![call_block("c0", "echo", r#"{"text":"hal"#)]), Say::Text("4")];
    let mut play = Play::new(capped(None, None), script);
    assert_eq!(play.prompt("go"), answered("4"));
    assert_eq!(play.ran, [""; 0]);
    let roles: Vec<Role> = play.run.transcript().iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::User, Role::Assistant], "and leaves no empty message");
}

#[test]
fn a_reply_that_was_cut_while_thinking_gets_a_larger_cap_and_is_not_taken_for_empty() {
    let thinking = Block::Thinking(Thinking { text: "hmm".into(), replay: None });
    for blocks in [vec![thinking], Vec::new()] {
        let mut play = Play::new(capped(Some(100), Some(1_000)), vec![cut(blocks), Say::Text("4")]);
        assert_eq!(play.prompt("go"), answered("4"));
        assert_eq!(caps(&play), [Some(100), Some(200)]);
    }
}

#[test]
fn a_product_has_its_own_words_for_going_on() {
    let mut config = capped(None, None);
    config.policy.resume = Some("weiter".into());
    let mut play = Play::new(config, vec![cut_text(), Say::Text("4")]);
    play.prompt("go");
    assert_eq!(play.run.transcript()[2].plain_text(), "weiter");
}

// Results.

#[test]
fn a_long_result_keeps_its_head_and_its_tail() {
    let config = limited(|limits| limits.result_chars = 40);
    let mut play = Play::new(config, vec![Say::Call("echo", ARGS)]);
    play.tool = Box::new(|_| ToolOutput::text(alloc::format!("{}{}", "ä".repeat(100), "z".repeat(100))));
    play.prompt("go");
    let text = &play.results()[0].1;
    assert_eq!(text.chars().filter(|c| *c == 'ä').count(), 30);
    assert!(text.ends_with(&"z".repeat(10)), "{text}");
    assert!(text.contains("160 of 200 characters left out"), "{text}");
}

#[test]
fn a_tool_may_have_its_own_limit_and_may_have_none() {
    let check = |limit: u64, whole: bool| {
        let wordy = ToolSpec { result_limit: Some(limit), ..tool("echo") };
        let mut config = config_with(vec![wordy]);
        config.limits.result_chars = 5;
        let mut play = Play::new(config, vec![Say::Call("echo", ARGS)]);
        play.tool = Box::new(|_| ToolOutput::text("word ".repeat(100)));
        play.prompt("go");
        assert_eq!(!play.results()[0].1.contains("left out"), whole);
    };
    check(499, false);
    check(500, true);
    check(u64::MAX, true);
}

#[test]
fn a_spilled_result_shows_its_ends_and_where_the_whole_is() {
    let mut play = Play::new(config(), vec![Say::Call("echo", ARGS)]);
    play.tool = Box::new(|_| ToolOutput {
        spill: Some(Box::new(Spill {
            head: "the beginning".into(),
            tail: "the very end".into(),
            bytes: 1_000_000,
            sha256: "00".repeat(32),
            reference: "blob:42".into(),
        })),
        ..ToolOutput::default()
    });
    play.prompt("go");
    let text = &play.results()[0].1;
    for part in
        ["the beginning", "the very end", "of 1000000 bytes left out", r#"read {"reference": "blob:42"}"#]
    {
        assert!(text.contains(part), "{text}");
    }
    let finished =
        play.events.iter().any(|event| matches!(event, Event::CallFinished { bytes: 1_000_000, .. }));
    assert!(finished, "people are told its true size");
}

// Quotas.

fn quota(quota: Quota) -> Config {
    config_with(vec![ToolSpec { quota, ..tool("echo") }])
}

fn refused_at(play: &Play) -> Option<(usize, String)> {
    let results = play.results();
    results
        .into_iter()
        .enumerate()
        .find(|(_, (outcome, _))| *outcome == Outcome::Refused)
        .map(|(at, (_, text))| (at, text))
}

#[test]
fn a_quota_of_calls_refuses_the_next_and_the_run_goes_on() {
    let config = quota(Quota { calls: Some(1), ..Quota::default() });
    let mut play = Play::new(config, different_turns(2));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran.len(), 1);
    assert_eq!(refused_at(&play), Some((1, "not run: `echo` has used its quota of 1 calls".to_string())));
}

#[test]
fn the_calls_of_one_reply_share_the_quota() {
    let config = quota(Quota { calls: Some(1), ..Quota::default() });
    let calls = vec![("echo", r#"{"text":"a"}"#), ("echo", r#"{"text":"b"}"#)];
    let mut play = Play::new(config, vec![Say::Calls(calls)]);
    play.prompt("go");
    assert_eq!(play.ran.len(), 1);
}

#[test]
fn a_quota_of_bytes_counts_what_the_tool_gave_also_where_it_was_spilled() {
    let config = quota(Quota { bytes: Some(20), ..Quota::default() });
    let mut play = Play::new(config, different_turns(3));
    play.tool = Box::new(|_| ToolOutput::text("eleven byte"));
    play.prompt("go");
    assert_eq!(refused_at(&play).map(|(at, _)| at), Some(2), "two results made 22 bytes");
    assert!(refused_at(&play).is_some_and(|(_, text)| text.contains("20 bytes of output")));
}

/// A tool with 100 ms in all, whose first two calls are stopped after 60 each: the third is not begun.
fn stopped_twice(slow: ToolSpec, begins: impl Fn(&[Effect]) -> Input) {
    let quota = Quota { millis: Some(100), ..Quota::default() };
    let slow = ToolSpec { quota, timeout_ms: Some(60), ..slow };
    let mut play = Play::new(config_with(vec![slow]), different_turns(3));
    play.give(Input::Prompted(Prompt::text("go")));
    for _ in 0..2 {
        let effects = play.next_effects();
        play.give(begins(&effects));
        play.drain();
        play.now += 60;
        play.give(Input::TimePassed);
    }
    play.play();
    let outcomes: Vec<Outcome> = play.results().into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Stopped, Outcome::Stopped, Outcome::Refused]);
}

#[test]
fn a_quota_of_time_counts_what_a_call_took_also_where_it_was_stopped() {
    stopped_twice(tool("echo"), |effects| {
        let Some(Effect::RunTool { call, .. }) = effects.first() else { panic!("{effects:?}") };
        Input::Dispatched { call: *call }
    });
}

#[test]
fn a_quota_of_time_counts_what_a_child_took_until_it_was_stopped() {
    let kind =
        ToolKind::Agent { grants: holm_grants::GrantSet::default(), reserve: NanoUsd::ZERO, tokens: 0 };
    stopped_twice(ToolSpec { kind, ..tool("echo") }, |effects| {
        let [Effect::Spawn { call, .. }] = effects else { panic!("{effects:?}") };
        Input::ChildStarted { call: *call, child: "child-1".into() }
    });
}

#[test]
fn a_quota_is_counted_from_prompt_to_ending() {
    let config = quota(Quota { calls: Some(1), ..Quota::default() });
    let mut play =
        Play::new(config, vec![Say::Call("echo", ARGS), Say::Text("one"), Say::Call("echo", ARGS)]);
    play.prompt("go");
    play.prompt("again");
    assert_eq!(play.ran.len(), 2);
}

#[test]
fn a_call_that_was_rewritten_or_denied_uses_its_quota_once_or_not_at_all() {
    let mut config = quota(Quota { calls: Some(1), ..Quota::default() });
    config.approvals = Approvals::AskAlways;
    let mut play = Play::new(config, different_turns(2));
    play.judge = Box::new(|proposal| match proposal.arguments.as_str() {
        r#"{"text":"turn 0"}"# => Verdict::deny("not this one"),
        r#"{"text":"turn 1"}"# => Verdict::Rewrite { arguments: r#"{"text":"mended"}"#.into() },
        _ => Verdict::allow(),
    });
    play.prompt("go");
    assert_eq!(play.ran.len(), 1);
    assert_eq!(play.results()[1], (Outcome::Succeeded, r#"out of {"text":"mended"}"#.to_string()));
}
