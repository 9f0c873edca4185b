//! Child agents: never wider than their parent, and paid from the same budget.

use alloc::{boxed::Box, collections::BTreeSet, string::ToString, vec, vec::Vec};

use holm_grants::{DenialSet, GrantSet, Level, Mode};

use super::play::{Play, Say, answered, config_with, tool};
use crate::*;

fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).expect("grants")
}

fn agent(asks: &[&str], reserve: u64) -> ToolSpec {
    let kind = ToolKind::Agent { grants: grants(asks), reserve: NanoUsd::new(reserve), tokens: 0 };
    ToolSpec { kind, ..tool("helper") }
}

fn parent(asks: &[&str], holds: &[&str]) -> Config {
    Config { grants: grants(holds), ..config_with(vec![agent(asks, 0)]) }
}

/// What a parent of this configuration asks the host to start.
fn spawned(config: Config) -> SpawnRequest {
    let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
    assert_eq!(play.prompt("go"), answered("done"));
    play.spawned.remove(0)
}

fn held(set: &GrantSet) -> BTreeSet<alloc::string::String> {
    set.iter().map(ToString::to_string).collect()
}

/// Hands out the spawn of the first reply, unperformed.
fn open(config: Config) -> (Play, ToolCallId, SpawnRequest) {
    let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
    let effects = play.first_effects();
    let [Effect::Spawn { call, request }] = &effects[..] else { panic!("{effects:?}") };
    let (call, request) = (*call, (**request).clone());
    (play, call, request)
}

fn finished(spent: u64) -> ChildResult {
    let output = ToolOutput::text("the child is done");
    let usage = Usage { input: 7, output: 3, ..Usage::default() };
    ChildResult { output, spent: NanoUsd::new(spent), usage, marks: Marks::default() }
}

#[test]
fn a_child_holds_what_it_asks_for_as_far_as_its_parent_holds_it() {
    let check = |asks: &[&str], holds: &[&str], gets: &[&str]| {
        let request = spawned(parent(asks, holds));
        assert_eq!(held(&request.grants), held(&grants(gets)), "{asks:?} of {holds:?}");
    };
    check(&["read:src/**"], &["read:**"], &["read:src/**"]);
    check(&["read:**"], &["read:src/**"], &["read:src/**"]);
    check(&["write:**"], &["read:**"], &[]);
    check(&[], &["read:**"], &[]);
    check(&["read:a/**", "write:b/**"], &["write:b/c", "read:a/**"], &["read:a/**", "write:b/c"]);
}

#[test]
fn a_child_is_confined_in_every_respect_and_keeps_its_own_narrower_ones() {
    let mut config = parent(&["read:src/**"], &["read:**"]);
    config.denials = DenialSet::parse(["read:src/key"]).expect("denials");
    config.mode = Mode::AcceptEdits;
    config.approvals = Approvals::AskAlways;
    config.marks = Marks { untrusted: true, private: false };
    config.limits.tokens = Bound::AtMost(1_000);
    config.limits.depth = 2;
    let request = spawned(Config { approvals: Approvals::AskAlways, ..config });
    let mut wide = config_with(vec![]);
    wide.grants = grants(&["read:**", "write:**", "exec:sh"]);
    wide.mode = Mode::Full;
    wide.mark_rule = MarkRule::ShowOnly;
    wide.limits.depth = 99;
    request.confine(&mut wide);
    assert_eq!(held(&wide.grants), held(&grants(&["read:src/**"])));
    assert!(!wide.denials.is_empty());
    assert_eq!(
        (wide.mode, wide.approvals, wide.mark_rule),
        (Mode::AcceptEdits, Approvals::AskAlways, MarkRule::AskAfterAny)
    );
    assert!(wide.marks.untrusted);
    assert_eq!((wide.depth, wide.limits.depth), (1, 2));
    // The parent's own request has used 110 of its tokens.
    assert_eq!(wide.limits.tokens, Bound::AtMost(890));
    let mut narrow = config_with(vec![]);
    narrow.mode = Mode::Plan;
    narrow.approvals = Approvals::Deny;
    narrow.limits.tokens = Bound::AtMost(5);
    narrow.limits.depth = 1;
    request.confine(&mut narrow);
    assert_eq!((narrow.mode, narrow.approvals), (Mode::Plan, Approvals::Deny));
    assert_eq!((narrow.limits.tokens, narrow.limits.depth), (Bound::AtMost(5), 1));
}

#[test]
fn the_stricter_of_two_rules_is_the_stricter_in_either_order() {
    let approvals = [Approvals::Ask, Approvals::AskAlways, Approvals::Deny];
    let rules = [MarkRule::ShowOnly, MarkRule::AskAfterBoth, MarkRule::AskAfterAny];
    for a in 0..3 {
        for b in 0..3 {
            assert_eq!(approvals[a].stricter(approvals[b]), approvals[a.max(b)]);
            assert_eq!(rules[a].stricter(rules[b]), rules[a.max(b)]);
        }
    }
    let check =
        |bound: Bound, other: Option<u64>, expected: Bound| assert_eq!(bound.at_most(other), expected);
    check(Bound::Unbounded, None, Bound::Unbounded);
    check(Bound::Unbounded, Some(3), Bound::AtMost(3));
    check(Bound::AtMost(2), Some(3), Bound::AtMost(2));
    check(Bound::AtMost(4), Some(3), Bound::AtMost(3));
    check(Bound::AtMost(4), None, Bound::AtMost(4));
}

#[test]
fn agents_nest_no_deeper_than_the_root_allows() {
    for (depth, runs) in [(0, true), (1, true), (2, false), (99, false)] {
        let mut config = parent(&[], &[]);
        config.limits.depth = 2;
        config.depth = depth;
        let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
        play.prompt("go");
        assert_eq!(!play.spawned.is_empty(), runs, "depth {depth}");
    }
}

#[test]
fn a_childs_share_is_set_aside_and_settled() {
    let mut config = config_with(vec![agent(&[], 300)]);
    config.models[0].price = Some(Price { input: 1_000_000, output: 0, ..Price::default() });
    config.limits.budget.usd = Some(NanoUsd::new(1_000));
    let (mut play, call, request) = open(config);
    assert_eq!(request.budget, Some(NanoUsd::new(300)));
    play.give(Input::ChildFinished { call, result: finished(120) });
    // A second child may have what is left of the purse and no more.
    play.script = vec![Say::Calls(vec![
        ("helper", r#"{"text":"b"}"#),
        ("helper", r#"{"text":"c"}"#),
        ("helper", r#"{"text":"d"}"#),
    ])]
    .into();
    let effects = play.next_effects();
    let budgets: Vec<Option<u64>> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Spawn { request, .. } => Some(request.budget.map(NanoUsd::value)),
            _ => None,
        })
        .collect();
    // 1,000 less two requests at 100 and the child's 120.
    assert_eq!(budgets, [Some(300), Some(300), Some(80)]);
    assert_eq!(play.run.spent(), NanoUsd::new(320));
    assert_eq!(play.run.usage().total(), 230);
}

#[test]
fn a_child_that_spent_more_than_its_share_has_spent_it_all_the_same() {
    let mut config = config_with(vec![agent(&[], 300)]);
    config.models[0].price = Some(Price::default());
    config.limits.budget.usd = Some(NanoUsd::new(1_000));
    let (mut play, call, _) = open(config);
    play.give(Input::ChildFinished { call, result: finished(5_000) });
    play.play();
    let (spent, limit) = (NanoUsd::new(5_000), NanoUsd::new(1_000));
    assert_eq!(play.endings, [Ending::OverBudget { spent, limit }]);
}

#[test]
fn a_childs_result_counts_once_and_under_no_other_name() {
    let (mut play, call, _) = open(parent(&[], &[]));
    let started = || Input::ChildStarted { call, child: "child-9".into() };
    play.give(started());
    play.give(Input::ChildStarted { call, child: "child-10".into() });
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("not by this door") });
    assert_eq!(play.drain(), []);
    let ignored = play.events.iter().filter(|event| matches!(event, Event::Ignored { .. })).count();
    assert_eq!(ignored, 3);
    play.give(Input::ChildFinished { call, result: finished(5) });
    play.give(Input::ChildFinished { call, result: finished(5) });
    play.play();
    assert_eq!(play.run.spent(), NanoUsd::new(5));
    assert_eq!(play.results(), [(Outcome::Succeeded, "the child is done".to_string())]);
}

#[test]
fn a_child_that_was_stopped_is_paid_for_once_when_its_bill_comes() {
    let (mut play, call, _) = open(parent(&[], &[]));
    play.give(Input::Cancelled { reason: "enough".into() });
    assert_eq!(play.drain(), [Effect::Abort(call.into())]);
    play.give(Input::ChildFinished { call, result: finished(40) });
    play.give(Input::ChildFinished { call, result: finished(40) });
    assert_eq!(play.run.spent(), NanoUsd::new(40));
    assert!(!alloc::format!("{:?}", play.run.transcript()).contains("the child is done"));
}

#[test]
fn a_childs_result_is_checked_like_any_other() {
    let mut play = Play::new(parent(&[], &[]), vec![Say::Call("helper", "{}")]);
    play.child = Box::new(|_| ChildResult::default());
    play.prompt("go");
    assert_eq!(play.results()[0].0, Outcome::Failed);
}

#[test]
fn a_lease_that_ends_is_not_handed_on_and_one_that_lasts_is() {
    for (until, gets) in [(None, &["write:out/**"][..]), (Some(Timestamp::new(1_000)), &[])] {
        let mut config = config_with(vec![agent(&["write:out/**"], 0), tool("act").level(Level::Execute)]);
        config.mode = Mode::Default;
        let mut play = Play::new(config, vec![Say::Call("act", "{}"), Say::Call("helper", "{}")]);
        play.judge = Box::new(move |_| Verdict::Allow { grants: grants(&["write:out/**"]), until });
        play.prompt("go");
        assert_eq!(held(&play.spawned[0].grants), held(&grants(gets)), "{until:?}");
    }
}

#[test]
fn a_child_that_holds_more_than_its_parent_does_now_is_stopped() {
    let check = |change: Input, stopped: bool| {
        let mut config = parent(&["read:src/**"], &["read:**"]);
        config.mode = Mode::AcceptEdits;
        let (mut play, call, _) = open(config);
        play.give(change.clone());
        assert_eq!(play.drain().contains(&Effect::Abort(call.into())), stopped, "{change:?}");
        let outcome = play.results().first().map(|(outcome, _)| *outcome);
        assert_eq!(outcome, stopped.then_some(Outcome::Stopped), "{change:?}");
    };
    check(Input::GrantsChanged(grants(&[])), true);
    check(Input::GrantsChanged(grants(&["read:src/**"])), false);
    check(Input::ModeChanged(Mode::Plan), true);
    check(Input::ModeChanged(Mode::Full), false);
    check(Input::ToolsChanged(vec![]), false);
}

#[test]
fn an_agent_that_takes_too_long_is_stopped_where_its_tool_says_how_long() {
    let mut config = config_with(vec![ToolSpec { timeout_ms: Some(5_000), ..agent(&[], 0) }]);
    config.mode = Mode::Full;
    let (mut play, call, _) = open(config);
    assert_eq!(play.run.poll(), Effect::Wait(Some(Timestamp::new(5_000))));
    play.now = 5_000;
    play.give(Input::TimePassed);
    play.play();
    assert!(play.aborted.contains(&call.into()));
    assert_eq!(play.results()[0].0, Outcome::Stopped);
}

#[test]
fn spawning_is_permitted_like_any_other_call() {
    let mut config = parent(&["read:**"], &["read:**"]);
    config.tools[0].level = Level::Execute;
    config.mode = Mode::Plan;
    let mut play = Play::new(config.clone(), vec![Say::Call("helper", "{}")]);
    play.prompt("go");
    assert!(play.spawned.is_empty());
    assert_eq!(play.results()[0].0, Outcome::Refused);
    // Who is asked sees what the agent would hold.
    config.mode = Mode::Default;
    let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
    play.prompt("go");
    assert_eq!(play.asked[0].hands_on, ["read:**"]);
    assert_eq!(play.spawned.len(), 1);
}
