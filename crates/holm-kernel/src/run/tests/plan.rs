//! Plan mode by the model's choice: in at once, out only with a person's yes.

use alloc::{boxed::Box, string::String, vec, vec::Vec};

use holm_grants::{GrantSet, Level, Mode};

use super::play::{Play, Say, answered, config_with, tool};
use crate::*;

const PLAN: &str = r#"{"plan":"1. copy 2. check"}"#;

pub(super) fn enter() -> ToolSpec {
    ToolSpec::plan(PlanRole::Enter, "enter_plan", "Only looks from now on.")
}

pub(super) fn exit() -> ToolSpec {
    ToolSpec::plan(PlanRole::Exit, "exit_plan", "Shows the plan to a person.")
}

fn planning(mode: Mode) -> Config {
    let tools = vec![enter(), exit(), tool("look"), tool("save").level(Level::Write)];
    Config { mode, ..config_with(tools) }
}

fn modes(play: &Play) -> Vec<Mode> {
    let changed = play.events.iter().filter_map(|event| match event {
        Event::ModeChanged { mode } => Some(*mode),
        _ => None,
    });
    changed.collect()
}

fn outcomes(play: &Play) -> Vec<Outcome> {
    play.results().into_iter().map(|(outcome, _)| outcome).collect()
}

#[test]
fn entering_narrows_at_once_and_leaving_restores_the_mode_from_before() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Full] {
        let script = vec![
            Say::Call("enter_plan", "{}"),
            Say::Call("save", r#"{"text":"a"}"#),
            Say::Call("look", r#"{"text":"b"}"#),
            Say::Call("exit_plan", PLAN),
            Say::Call("save", r#"{"text":"c"}"#),
        ];
        let mut play = Play::new(planning(mode), script);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!((modes(&play), play.run.mode()), (vec![Mode::Plan, mode], mode));
        use Outcome::{Refused, Succeeded};
        assert_eq!(outcomes(&play), [Succeeded, Refused, Succeeded, Succeeded, Succeeded]);
        assert_eq!(play.ran, ["look", "save"], "the kernel carries out the two itself");
        let asked = play.asked.iter().find(|proposal| proposal.tool == "exit_plan").expect("asked");
        assert_eq!(asked.reasons, [AskReason::LeavesPlan]);
        assert!(asked.arguments.contains("1. copy 2. check"));
    }
}

#[test]
fn plan_mode_holds_for_the_calls_after_it_and_for_none_before_it() {
    let save = ("save", r#"{"text":"a"}"#);
    let enter = ("enter_plan", "{}");
    for (calls, mode, ran) in [
        (vec![save, enter], Mode::Full, &["save"][..]),
        (vec![enter, save], Mode::Full, &[]),
        (vec![save, enter, ("save", r#"{"text":"b"}"#)], Mode::Full, &["save"]),
        (vec![save, enter], Mode::Default, &["save"]),
        // Somebody was asked already; the question is taken back.
        (vec![enter, save], Mode::Default, &[]),
        (vec![("look", "{}"), enter, save], Mode::Default, &["look"]),
    ] {
        let mut play = Play::new(planning(mode), vec![Say::Calls(calls.clone())]);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(
            (&play.ran[..], play.run.mode()),
            (&ran.iter().map(|name| String::from(*name)).collect::<Vec<_>>()[..], Mode::Plan),
            "{calls:?} in {mode}"
        );
    }
}

#[test]
fn a_refused_plan_is_told_with_its_reason_and_plan_mode_holds() {
    let script = vec![Say::Call("enter_plan", "{}"), Say::Call("exit_plan", PLAN), Say::Call("save", "{}")];
    let mut play = Play::new(planning(Mode::Full), script);
    play.judge = Box::new(|_| Verdict::deny("step 2 is missing"));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.run.mode(), Mode::Plan);
    let told = &play.results()[1];
    assert!(told.0 == Outcome::Refused && told.1.contains("step 2 is missing"), "{told:?}");
    assert!(play.ran.is_empty());
    // A better plan may be approved later.
    play.judge = Box::new(|_| Verdict::allow());
    play.script.extend([Say::Call("exit_plan", r#"{"plan":"1. copy 2. check 3. tell"}"#)]);
    play.prompt("go on");
    assert_eq!(play.run.mode(), Mode::Full);
}

#[test]
fn neither_a_grant_nor_an_earlier_yes_nor_full_mode_leaves_plan_mode() {
    let always = GrantSet::parse(["tool:exit_plan"]).expect("grants");
    let mut config = planning(Mode::Full);
    config.grants = always.clone();
    let round = |plan: &'static str| [Say::Call("enter_plan", "{}"), Say::Call("exit_plan", plan)];
    let script = round(PLAN).into_iter().chain(round(r#"{"plan":"another"}"#)).collect();
    let mut play = Play::new(config, script);
    play.judge = Box::new(move |_| Verdict::Allow { grants: always.clone(), until: None });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.asked.len(), 2, "each plan is asked about");
}

#[test]
fn where_nobody_is_asked_plan_mode_is_not_left() {
    let config = Config { approvals: Approvals::Deny, ..planning(Mode::Full) };
    let mut play = Play::new(config, vec![Say::Call("enter_plan", "{}"), Say::Call("exit_plan", PLAN)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!((play.run.mode(), play.asked.len()), (Mode::Plan, 0));
}

#[test]
fn plan_mode_that_came_from_outside_is_only_left_from_outside() {
    let mut play =
        Play::new(planning(Mode::Plan), vec![Say::Call("enter_plan", "{}"), Say::Call("exit_plan", PLAN)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!((play.run.mode(), play.asked.len(), modes(&play).len()), (Mode::Plan, 0, 0));
    assert!(play.results()[1].1.contains("only the user can end it"), "{:?}", play.results());

    // Also when a person chose it after the model did.
    let mut play = Play::new(planning(Mode::Full), vec![Say::Call("enter_plan", "{}")]);
    play.prompt("go");
    play.give(Input::ModeChanged(Mode::Plan));
    play.script.extend([Say::Call("exit_plan", PLAN)]);
    play.prompt("go on");
    assert_eq!((play.run.mode(), play.asked.len()), (Mode::Plan, 0));
}

#[test]
fn a_person_who_changes_the_mode_has_the_last_word() {
    let mut play = Play::new(planning(Mode::Full), vec![Say::Call("enter_plan", "{}")]);
    play.prompt("go");
    play.give(Input::ModeChanged(Mode::Default));
    play.script.extend([Say::Call("exit_plan", PLAN)]);
    play.prompt("go on");
    assert_eq!(play.run.mode(), Mode::Default, "what the model left does not come back");
    assert!(play.results()[1].1.contains("not in plan mode"), "{:?}", play.results());
}

#[test]
fn two_plans_in_one_reply_are_two_questions_and_the_second_comes_too_late() {
    let both = vec![("exit_plan", PLAN), ("exit_plan", r#"{"plan":"another"}"#)];
    let mut play = Play::new(planning(Mode::Full), vec![Say::Call("enter_plan", "{}"), Say::Calls(both)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(outcomes(&play), [Outcome::Succeeded, Outcome::Succeeded, Outcome::Refused]);
    assert_eq!(play.run.mode(), Mode::Full);
}

#[test]
fn the_children_of_a_run_in_plan_mode_stay_in_plan_mode() {
    let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::ZERO, tokens: 0 };
    let mut config = planning(Mode::Full);
    config.tools.push(ToolSpec { kind, ..tool("helper") });
    let script = vec![Say::Call("enter_plan", "{}"), Say::Call("helper", "{}")];
    let mut play = Play::new(config, script);
    assert_eq!(play.prompt("go"), answered("done"));
    let request = play.spawned.remove(0);
    let mut child = planning(Mode::Full);
    request.confine(&mut child);
    assert_eq!(child.mode, Mode::Plan);
    let mut play = Play::new(child, vec![Say::Call("exit_plan", PLAN)]);
    play.prompt("go");
    assert_eq!((play.run.mode(), play.asked.len()), (Mode::Plan, 0), "and cannot leave it");
}

#[test]
fn a_child_from_plan_mode_is_held_to_it_when_it_goes_on_under_a_wider_mode() {
    let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::ZERO, tokens: 0 };
    let mut config = planning(Mode::Plan);
    config.tools.push(ToolSpec { kind, ..tool("helper") });
    let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
    assert!(matches!(play.first_effects()[..], [Effect::Spawn { .. }]));
    play.give(Input::ModeChanged(Mode::Full));
    play.give(Input::Resumed { host: String::from("another") });
    let effects = play.drain();
    let [Effect::Spawn { request, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(request.mode, Mode::Plan);
}

#[test]
fn plan_mode_and_its_way_back_outlive_a_crash() {
    let mut play = Play::new(planning(Mode::AcceptEdits), vec![Say::Call("enter_plan", "{}")]);
    play.prompt("go");
    play.script.extend([Say::Call("exit_plan", PLAN)]);
    let mut asked = 0;
    play.hang = Box::new(move |effect| {
        let hangs = matches!(effect, Effect::Judge(_)) && asked == 0;
        asked += u64::from(hangs);
        hangs
    });
    play.give(Input::Prompted(Prompt::text("go on")));
    play.play();
    assert_eq!(play.run.mode(), Mode::Plan);
    play.give(Input::Resumed { host: String::from("another") });
    play.play();
    assert_eq!((play.run.mode(), play.endings.len()), (Mode::AcceptEdits, 2));
}
