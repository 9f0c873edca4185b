//! Children in the background: answered at once, reported once, paid from the parent's budget, and
//! never left behind.

use alloc::{boxed::Box, format, string::String, vec, vec::Vec};

use holm_grants::{GrantSet, Mode};
use holm_guards::json::Json;
use holm_guards::postcondition::{Postcondition, Rule};

use super::journal::refold;
use super::play::{Play, Say, answered, config_with, echo, tool};
use crate::*;

const APART: &str = r#"{"background":true,"text":"a"}"#;
const BESIDE: &str = r#"{"background":true,"text":"b"}"#;

fn helper(reserve: u64) -> ToolSpec {
    let schema =
        r#"{"type":"object","properties":{"text":{"type":"string"},"background":{"type":"boolean"}}}"#;
    let grants = GrantSet::parse(["read:**"]).expect("grants");
    ToolSpec {
        schema: Json::parse(schema).expect("a schema"),
        kind: ToolKind::Agent { grants, reserve: NanoUsd::new(reserve), tokens: 0 },
        background: Background::Asked { argument: "background".into() },
        ..tool("helper")
    }
}

fn with_helper() -> Config {
    let tools = vec![helper(0), ToolSpec::children("children"), echo()];
    Config { grants: GrantSet::parse(["read:**"]).expect("grants"), ..config_with(tools) }
}

/// A model that costs a nano-dollar a token, and so 110 a reply.
fn priced(limit: u64, reserve: u64) -> Config {
    let mut config = config_with(vec![helper(reserve), ToolSpec::children("children"), echo()]);
    config.models[0].price = Some(Price { input: 1_000_000, output: 1_000_000, ..Price::default() });
    config.limits.budget.usd = Some(NanoUsd::new(limit));
    config
}

/// Plays until nothing more happens; children are left to the test.
fn begun(config: Config, script: Vec<Say>) -> Play {
    let mut play = Play::new(config, script);
    play.hang = Box::new(|effect| matches!(effect, Effect::Spawn { .. }));
    play.give(Input::Prompted(Prompt::text("go")));
    play.play();
    play
}

fn finished(text: &str, spent: u64) -> ChildResult {
    let (output, spent) = (ToolOutput::text(text), NanoUsd::new(spent));
    ChildResult { output, spent, ..ChildResult::default() }
}

/// The children, in the order in which they were asked for.
fn children(play: &Play) -> Vec<ToolCallId> {
    let calls = play.events.iter().filter_map(|event| match event {
        Event::CallProposed { call, tool, .. } if &**tool == "helper" => Some(*call),
        _ => None,
    });
    calls.collect()
}

/// What was told of a child, as the model read it.
fn told(play: &Play, child: ToolCallId) -> Vec<String> {
    let lead = format!("(child {child})");
    let messages = play.run.transcript().iter().filter(|message| message.role == Role::User);
    messages.map(|message| message.plain_text()).filter(|text| text.contains(&lead)).collect()
}

fn ended_events(play: &Play, child: ToolCallId) -> Vec<Outcome> {
    let events = play.events.iter().filter_map(|event| match event {
        Event::ChildFinished { call, outcome, .. } if *call == child => Some(*outcome),
        _ => None,
    });
    events.collect()
}

/// A run that goes through every state that children in the background can be in.
pub(super) fn whole_life() -> Play {
    let mut config = priced(5_000, 700);
    config.consult = [ConsultPoint::AfterTool].into();
    let script = vec![
        Say::Calls(vec![("helper", APART), ("helper", BESIDE), ("echo", "{}")]),
        Say::Call("children", r#"{"action":"status"}"#),
    ];
    let mut play = begun(config, script);
    let [first, second] = children(&play)[..] else { panic!("two children") };
    play.give(Input::ChildStarted { call: first, child: "child-1".into() });
    play.give(Input::ChildFinished { call: first, result: finished("one", 5) });
    play.play();
    play.give(Input::Resumed { host: "another".into() });
    play.play();
    play.give(Input::Cancelled { reason: "enough".into() });
    play.play();
    play.give(Input::ChildFinished { call: second, result: finished("two", 6) });
    play.prompt("again");
    play
}

#[test]
fn a_call_is_answered_at_once_and_the_run_waits_for_the_result() {
    let mut play = begun(with_helper(), vec![Say::Call("helper", APART), Say::Text("meanwhile")]);
    let child = children(&play)[0];
    let (outcome, text) = play.results().remove(0);
    assert_eq!(outcome, Outcome::Succeeded);
    assert!(text.contains(&format!("in the background as child {child}")), "{text}");
    assert!(play.endings.is_empty() && !play.run.is_idle() && play.run.awaits_child(child));
    play.give(Input::ChildFinished { call: child, result: finished("the child is done", 0) });
    play.give(Input::ChildFinished { call: child, result: finished("the child is done", 0) });
    play.play();
    assert_eq!(play.endings, [answered("done")]);
    let told = told(&play, child);
    assert!(matches!(&told[..], [one] if one.contains("the child is done")), "{told:?}");
    assert_eq!(ended_events(&play, child), [Outcome::Succeeded]);
    refold(&play);
}

#[test]
fn the_arguments_of_a_child_in_the_background_can_be_read_while_it_works() {
    let play = begun(with_helper(), vec![Say::Call("helper", APART), Say::Text("meanwhile")]);
    let child = children(&play)[0];
    assert!(play.run.awaits_child(child));
    assert_eq!(play.run.arguments(child).map(|arguments| &**arguments), Some(APART));
}

#[test]
fn without_the_argument_a_call_waits_for_its_child() {
    for arguments in ["{}", r#"{"background":false}"#] {
        let play = begun(with_helper(), vec![Say::Call("helper", arguments)]);
        assert!(play.results().is_empty(), "{arguments}");
    }
}

#[test]
fn a_result_that_comes_while_the_model_gives_its_last_answer_is_heard() {
    let mut play = Play::new(with_helper(), vec![Say::Call("helper", APART), Say::Text("the end?")]);
    play.hang = Box::new(|effect| matches!(effect, Effect::Spawn { .. }));
    let (mut child, mut models) = (None, 0);
    play.interrupt = Box::new(move |effect| match effect {
        Effect::Spawn { call, .. } => {
            child = Some(*call);
            Vec::new()
        }
        Effect::CallModel { .. } => {
            models += 1;
            let call = child.filter(|_| models == 2);
            let fact = |call| Input::ChildFinished { call, result: finished("late news", 0) };
            call.map(fact).into_iter().collect()
        }
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(told(&play, children(&play)[0]).len(), 1);
}

#[test]
fn a_run_that_was_told_to_stops_its_children_at_the_end() {
    let config = Config { children_at_end: ChildrenAtEnd::Stop, ..with_helper() };
    let mut play = begun(config, vec![Say::Call("helper", APART), Say::Text("the end")]);
    let child = children(&play)[0];
    assert_eq!((&play.endings[..], &play.aborted[..]), (&[answered("the end")][..], &[child.into()][..]));
    assert_eq!(ended_events(&play, child), [Outcome::Stopped]);
    for _ in 0..2 {
        play.give(Input::ChildFinished { call: child, result: finished("too late", 9) });
    }
    assert_eq!(play.run.spent(), NanoUsd::new(9), "the bill is paid once");
    // The model that thinks of a child at work is told what became of it.
    play.prompt("and now?");
    let told = told(&play, child);
    assert!(
        matches!(&told[..], [one] if one.contains("was stopped") && !one.contains("too late")),
        "{told:?}"
    );
}

#[test]
fn whatever_ends_a_run_by_force_stops_its_children() {
    let check = |config: Config, facts: Vec<Input>| {
        let mut play = begun(config, vec![Say::Call("helper", APART), Say::Text("waiting")]);
        let child = children(&play)[0];
        play.now += 5_000;
        for fact in facts {
            play.give(fact);
        }
        play.play();
        assert!(play.run.is_idle() && play.aborted.contains(&child.into()), "{:?}", play.endings);
        assert_eq!(ended_events(&play, child).len(), 1);
    };
    check(with_helper(), vec![Input::Cancelled { reason: "enough".into() }]);
    let mut short = with_helper();
    short.limits.wall_ms = Bound::AtMost(5_000);
    check(short, vec![Input::TimePassed]);
    let mut few = with_helper();
    few.limits.turns = Bound::AtMost(2);
    check(few, vec![Input::Steered(Prompt::text("one more turn"))]);
}

#[test]
fn people_are_heard_while_a_run_waits_and_its_children_go_on() {
    for fact in [Input::Steered, Input::FollowedUp, Input::Prompted] {
        let mut play = begun(with_helper(), vec![Say::Call("helper", APART)]);
        let (child, requests) = (children(&play)[0], play.requests.len());
        play.give(fact(Prompt::text("how is it going?")));
        play.play();
        assert_eq!(play.requests.len(), requests + 1);
        assert!(play.run.awaits_child(child) && play.endings.is_empty() && play.aborted.is_empty());
    }
}

#[test]
fn a_child_that_fails_or_gives_nothing_is_a_result_and_no_ending() {
    for (result, expected) in [
        (ChildResult { output: ToolOutput::failed("it broke"), ..ChildResult::default() }, "it broke"),
        (ChildResult::default(), "not accepted"),
    ] {
        let mut play = begun(with_helper(), vec![Say::Call("helper", APART)]);
        let child = children(&play)[0];
        play.give(Input::ChildFinished { call: child, result });
        play.play();
        assert_eq!(play.endings, [answered("done")]);
        assert_eq!(ended_events(&play, child), [Outcome::Failed]);
        assert!(told(&play, child)[0].contains(expected));
    }
}

#[test]
fn what_a_child_in_the_background_promised_is_checked_while_the_run_goes_on() {
    for (ruling, outcome) in [
        (CheckRuling::Passed, Outcome::Succeeded),
        (CheckRuling::Failed { reason: "not so".into() }, Outcome::Failed),
    ] {
        let mut config = with_helper();
        let rule = Rule::Executable { command: "verify".into(), arguments: vec![] };
        config.tools[0].postconditions = vec![Postcondition::new("holds", rule)];
        let mut play = begun(config, vec![Say::Call("helper", APART)]);
        let child = children(&play)[0];
        play.give(Input::ChildFinished { call: child, result: finished("I did it", 0) });
        let effects = play.drain();
        let [Effect::Check { call, request }] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(request.tool_call, child);
        let checked = play.run.checked_output(child).expect("the result in question");
        assert_eq!(checked.text, "I did it");
        // A crash asks for the check again and for nothing else.
        play.give(Input::Resumed { host: "another".into() });
        let again = play.drain();
        let [Effect::Check { call: again, .. }] = &again[..] else { panic!("{again:?}") };
        assert_ne!(call, again);
        play.give(Input::Checked { call: *again, ruling });
        play.play();
        assert_eq!((ended_events(&play, child), told(&play, child).len()), (vec![outcome], 1));
        assert_eq!(play.endings, [answered("done")]);
    }
}

#[test]
fn a_child_in_the_background_needs_a_share_that_leaves_something() {
    let check = |limit: u64, reserve: u64, runs: bool| {
        let play = begun(priced(limit, reserve), vec![Say::Call("helper", APART)]);
        let outcome = if runs { Outcome::Succeeded } else { Outcome::Refused };
        assert_eq!(play.results()[0].0, outcome, "{reserve} of {limit}");
    };
    check(1_000, 0, false);
    check(1_000, 890, false);
    check(1_000, 889, true);
    check(1_000, 100, true);
}

#[test]
fn a_run_whose_money_is_with_its_children_waits_for_what_they_give_back() {
    // Two replies cost 220; the third does not fit beside the share of 700.
    let script = vec![Say::Call("helper", APART), Say::Call("echo", "{}"), Say::Text("rich again")];
    let mut play = begun(priced(900, 700), script);
    let child = children(&play)[0];
    assert_eq!(play.requests.len(), 2);
    assert!(play.endings.is_empty(), "{:?}", play.endings);
    play.give(Input::ChildFinished { call: child, result: finished("cheap", 10) });
    play.play();
    assert_eq!(play.endings, [answered("rich again")]);
    assert_eq!(play.run.spent(), NanoUsd::new(340));
}

#[test]
fn a_run_whose_children_spend_it_all_is_over_budget() {
    let mut play = begun(priced(900, 700), vec![Say::Call("helper", APART), Say::Call("echo", "{}")]);
    play.give(Input::ChildFinished { call: children(&play)[0], result: finished("dear", 700) });
    play.play();
    let (spent, limit) = (NanoUsd::new(920), NanoUsd::new(900));
    assert_eq!(play.endings, [Ending::OverBudget { spent, limit }]);
}

/// The shares of the children that were asked for.
fn shares(effects: &[Effect]) -> Vec<Option<u64>> {
    let shares = effects.iter().filter_map(|effect| match effect {
        Effect::Spawn { request, .. } => Some(request.budget.map(NanoUsd::value)),
        _ => None,
    });
    shares.collect()
}

/// A run that stops its child of 700 and asks for another in one reply; a reply costs 110 of 1,100.
fn swaps_its_child(began: bool) -> (Play, ToolCallId, Vec<Option<u64>>) {
    let mut play = Play::new(priced(1_100, 700), vec![Say::Call("helper", APART)]);
    let effects = play.first_effects();
    let child = children(&play)[0];
    if began {
        play.give(Input::ChildStarted { call: child, child: "child-1".into() });
    }
    let stop = format!(r#"{{"action":"stop","child":{child}}}"#).leak();
    play.script = vec![Say::Calls(vec![("children", stop), ("helper", BESIDE)])].into();
    for effect in effects.into_iter().filter(|effect| matches!(effect, Effect::CallModel { .. })) {
        play.perform(effect);
    }
    let shares = shares(&play.drain());
    (play, child, shares)
}

#[test]
fn the_share_of_a_child_that_was_stopped_is_held_until_its_bill_comes() {
    let (mut play, child, shares) = swaps_its_child(true);
    assert_eq!(shares, [], "700 of 1,100 are still the first one's");
    assert_eq!(play.results().pop().map(|(outcome, _)| outcome), Some(Outcome::Refused));
    play.give(Input::ChildFinished { call: child, result: finished("too late", 650) });
    assert_eq!(play.run.spent(), NanoUsd::new(870));
    // What is set aside now is for the turn that is under way.
    let turn = play.events.iter().rev().find_map(|event| match event {
        Event::ModelCalled { tokens, .. } => Some(NanoUsd::new(*tokens)),
        _ => None,
    });
    assert_eq!(Some(play.run.state.reserved), turn);
}

#[test]
fn a_child_that_never_began_owes_nothing() {
    let (_, _, shares) = swaps_its_child(false);
    assert_eq!(shares, [Some(700)]);
}

#[test]
fn a_run_whose_money_is_with_a_child_that_was_stopped_waits_for_its_bill_and_not_for_ever() {
    for bill in [Some(10), None] {
        let mut config = priced(900, 0);
        config.tools[0].timeout_ms = Some(5_000);
        let mut play = Play::new(config, vec![Say::Call("helper", "{}"), Say::Text("rich again")]);
        play.first_effects();
        let child = children(&play)[0];
        play.give(Input::ChildStarted { call: child, child: "child-1".into() });
        play.now = 5_000;
        play.give(Input::TimePassed);
        assert_eq!(play.drain(), [Effect::Abort(child.into())], "all that is left is with the child");
        assert!(play.endings.is_empty(), "{:?}", play.endings);
        if let Some(bill) = bill {
            play.give(Input::ChildFinished { call: child, result: finished("too late", bill) });
        }
        play.play();
        let (spent, limit) = (NanoUsd::new(110), NanoUsd::new(900));
        let ending =
            if bill.is_some() { answered("rich again") } else { Ending::OverBudget { spent, limit } };
        assert_eq!(play.endings, [ending]);
        refold(&play);
    }
}

#[test]
fn no_bill_of_a_child_is_forgotten_and_no_more_are_waited_for_than_can_be_kept() {
    let mut play = Play::new(priced(1_000_000, 1), vec![]);
    play.hang = Box::new(|effect| matches!(effect, Effect::Spawn { .. }));
    let mut all = Vec::new();
    for round in 0..3 {
        let tasks = (0..30).map(|n| format!(r#"{{"background":true,"text":"{round} {n}"}}"#));
        play.script = vec![Say::Calls(tasks.map(|task| ("helper", &*task.leak())).collect())].into();
        play.give(Input::Prompted(Prompt::text("go")));
        play.play();
        for child in children(&play).split_off(all.len()) {
            all.push(child);
            play.give(Input::ChildStarted { call: child, child: format!("child-{child}") });
        }
        play.give(Input::Cancelled { reason: "enough".into() });
        play.play();
    }
    let refused = play.results().iter().filter(|(outcome, _)| *outcome == Outcome::Refused).count();
    assert_eq!((all.len(), refused), (90, 26), "64 bills are owed");
    let before = play.run.spent();
    for child in all {
        play.give(Input::ChildFinished { call: child, result: finished("late", 1) });
    }
    assert_eq!(play.run.spent(), before.plus(NanoUsd::new(64)));
}

#[test]
fn the_model_looks_after_its_children() {
    let ask = |play: &mut Play, arguments: String| {
        play.script.push_front(Say::Call("children", arguments.leak()));
        play.give(Input::Steered(Prompt::text("look")));
        play.play();
        play.results().pop().expect("a result")
    };
    let mut play = begun(with_helper(), vec![Say::Calls(vec![("helper", APART), ("helper", BESIDE)])]);
    let [first, second] = children(&play)[..] else { panic!("two children") };
    play.give(Input::ChildStarted { call: first, child: "child-1".into() });
    assert_eq!(play.run.open_children().collect::<Vec<_>>(), [(first, "child-1")]);
    let (_, text) = ask(&mut play, r#"{"action":"status"}"#.into());
    assert!(text.contains(&format!("child {first} (`helper`) is running")), "{text}");
    assert!(text.contains(&format!("child {second} (`helper`) is queued")), "{text}");
    let (outcome, text) = ask(&mut play, format!(r#"{{"action":"stop","child":{second}}}"#));
    assert!(outcome == Outcome::Succeeded && text.contains("was stopped"), "{text}");
    assert_eq!((&play.aborted[..], told(&play, second).len()), (&[second.into()][..], 0));
    let (_, text) = ask(&mut play, format!(r#"{{"action":"result","child":{first}}}"#));
    assert!(text.contains("is running"), "{text}");
    let (outcome, _) = ask(&mut play, r#"{"action":"stop","child":999}"#.into());
    assert_eq!(outcome, Outcome::Failed);
    play.give(Input::ChildFinished { call: first, result: finished("forty-two", 0) });
    play.play();
    assert_eq!((play.endings.len(), told(&play, first).len()), (1, 1));
    assert_eq!(play.run.open_children().count(), 0);
    // Asked for later, it is read out again, also where the transcript was left to the journal.
    let state = play.run.freeze_without_transcript().expect("state");
    play.run = crate::Run::thaw(holm_read::from_str(&state).expect("the same state"));
    let (_, text) = ask(&mut play, format!(r#"{{"action":"result","child":{first}}}"#));
    assert_eq!(text, "forty-two");
}

/// A run whose only child ends with this result while the model asks for it.
fn asked_for_first(result: ChildResult) -> Play {
    let mut play = Play::new(with_helper(), vec![Say::Call("helper", APART)]);
    play.hang = Box::new(|effect| matches!(effect, Effect::Spawn { .. }));
    let mut child = None;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::Spawn { call, .. } => {
            child = Some(*call);
            Vec::new()
        }
        // It ends while the model asks for it.
        Effect::CallModel { .. } => {
            let fact = |call| Input::ChildFinished { call, result: result.clone() };
            child.take().map(fact).into_iter().collect()
        }
        _ => Vec::new(),
    });
    // The only child is the second call: the first is that of the model.
    play.script.push_back(Say::Call("children", r#"{"action":"result","child":1}"#));
    play.prompt("go");
    assert_eq!(children(&play), [ToolCallId::new(1)]);
    play
}

#[test]
fn a_result_that_was_asked_for_first_is_not_told_again() {
    let play = asked_for_first(finished("forty-two", 0));
    assert_eq!(play.results().pop(), Some((Outcome::Succeeded, "forty-two".into())));
    assert_eq!(told(&play, ToolCallId::new(1)), Vec::<String>::new());
}

#[test]
fn whoever_asks_for_the_result_of_a_child_that_failed_is_told_a_failure() {
    let output = ToolOutput::failed("it broke");
    let play = asked_for_first(ChildResult { output, ..ChildResult::default() });
    assert_eq!(play.results().pop(), Some((Outcome::Failed, "it broke".into())));
}

#[test]
fn whoever_asks_for_the_result_of_a_child_gets_its_pictures_too() {
    let media =
        Media { media_type: "image/png".into(), source: Source::Reference("blob:1".into()), name: None };
    let output = ToolOutput { parts: vec![Block::Image(media.clone())], ..ToolOutput::text("a drawing") };
    let play = asked_for_first(ChildResult { output, ..ChildResult::default() });
    let mut blocks = play.run.transcript().iter().rev().flat_map(|message| message.blocks.iter());
    let last = blocks.find_map(|block| match block {
        Block::ToolResult(result) => Some(result.parts.clone()),
        _ => None,
    });
    assert_eq!(last, Some(vec![Block::Image(media)]));
}

#[test]
fn after_a_takeover_the_children_are_gone_on_with() {
    let mut play = begun(with_helper(), vec![Say::Call("helper", APART)]);
    let child = children(&play)[0];
    play.give(Input::ChildStarted { call: child, child: "child-1".into() });
    play.drain();
    play.give(Input::Resumed { host: "another".into() });
    let effects = play.drain();
    let [Effect::Spawn { call, request }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((*call, request.resume.as_deref()), (child, Some("child-1")));
    play.give(Input::ChildFinished { call: child, result: finished("at last", 0) });
    play.play();
    assert_eq!((play.endings.len(), told(&play, child).len()), (1, 1));
}

#[test]
fn a_child_that_holds_more_than_its_parent_does_now_is_stopped_and_told() {
    for change in [Input::GrantsChanged(GrantSet::default()), Input::ModeChanged(Mode::Plan)] {
        let mut play = begun(with_helper(), vec![Say::Call("helper", APART)]);
        let child = children(&play)[0];
        play.give(change);
        play.play();
        assert_eq!((&play.aborted[..], &play.endings[..]), (&[child.into()][..], &[answered("done")][..]));
        assert!(told(&play, child)[0].contains("withdrawn"));
    }
}

#[test]
fn a_child_that_takes_too_long_is_stopped_whatever_the_run_does() {
    let mut config = with_helper();
    config.tools[0].timeout_ms = Some(5_000);
    let play = begun(config, vec![Say::Call("helper", APART)]);
    let child = children(&play)[0];
    assert_eq!((play.now, &play.aborted[..]), (5_000, &[child.into()][..]));
    assert!(told(&play, child)[0].contains("timed out"));
    assert_eq!(play.endings, [answered("done")]);
}

#[test]
fn no_more_children_work_in_the_background_than_can_be_looked_after() {
    let tasks = (0..40).map(|n| ("helper", &*format!(r#"{{"background":true,"text":"{n}"}}"#).leak()));
    let play = begun(with_helper(), vec![Say::Calls(tasks.collect())]);
    let refused = play.results().iter().filter(|(outcome, _)| *outcome == Outcome::Refused).count();
    assert_eq!(refused, 8);
}

#[test]
fn a_snapshot_of_a_run_that_waits_is_the_run() {
    let mut play = begun(with_helper(), vec![Say::Call("helper", APART)]);
    let child = children(&play)[0];
    let frozen = play.run.freeze().expect("a state");
    let mut thawed = Run::thaw(holm_read::from_str(&frozen).expect("the same state"));
    let fact = Input::ChildFinished { call: child, result: finished("at last", 0) };
    play.give(fact.clone());
    let receipt = thawed.handle(Timestamp::new(play.now), fact).expect("a fact");
    assert_eq!(receipt, play.run.receipt());
}

#[test]
fn a_changed_budget_stops_children_in_the_background_too() {
    let mut play = begun(priced(2_000, 700), vec![Say::Call("helper", APART), Say::Text("waits")]);
    let child = children(&play)[0];
    play.give(Input::ChildStarted { call: child, child: "child-1".into() });
    play.give(Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(900)) }));
    play.drain();
    assert!(!play.run.awaits_child(child), "220 and 700 are more than 900");
    assert_eq!(play.run.state.reserved, NanoUsd::new(700), "its share is held until its bill comes");
    refold(&play);
}
