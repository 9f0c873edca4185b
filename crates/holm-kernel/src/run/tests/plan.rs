//! Plan mode by the model's choice: in at once, out only with a person's yes.

use alloc::{boxed::Box, string::String, vec, vec::Vec};

use holm_grants::{DenialSet, GrantSet, Level, Mode};

use super::permissions::{question, runs};
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

/// A tool that runs programs, and can do so without changing anything.
fn commands() -> ToolSpec {
    let tool =
        tool("run").level(Level::Execute).needs(["exec:*", "read:**", "write:**", "fetch:https://a.example"]);
    ToolSpec { in_plan: PlanAccess::ReadOnly, ..tool.expect("templates") }
}

fn looking(mode: Mode, grants: &[&str]) -> Config {
    let grants = GrantSet::parse(grants.iter().copied()).expect("grants");
    let mut config = planning(mode);
    config.tools.push(commands());
    Config { grants, plan_offer: PlanOffer::Usable, approvals: Approvals::Deny, ..config }
}

/// Plays the calls, and gives the requests that reached the host.
fn performed(play: &mut Play) -> Vec<ToolRequest> {
    let seen = alloc::rc::Rc::new(core::cell::RefCell::new(Vec::new()));
    let kept = alloc::rc::Rc::clone(&seen);
    play.tool = Box::new(move |request| {
        kept.borrow_mut().push(request.clone());
        ToolOutput::text("out")
    });
    play.prompt("go");
    seen.take()
}

#[test]
fn a_tool_that_can_run_read_only_runs_so_in_plan_mode_and_needs_no_grant_to_write_or_send() {
    let call = || vec![Say::Call("run", r#"{"text":"a"}"#)];
    let mut play = Play::new(looking(Mode::Plan, &["exec:*", "read:**"]), call());
    let requests = performed(&mut play);
    let needs: Vec<String> = requests[0].needs.iter().map(alloc::string::ToString::to_string).collect();
    assert_eq!((requests[0].access, needs), (CallAccess::ReadOnly, vec!["exec:*".into(), "read:**".into()]));

    // Grants of the run to write or to send are not handed on.
    let all = ["exec:*", "read:**", "write:**", "fetch:https://a.example"];
    let mut play = Play::new(looking(Mode::Plan, &all), call());
    let requests = performed(&mut play);
    let held: Vec<String> = requests[0].grants.iter().map(alloc::string::ToString::to_string).collect();
    assert_eq!((requests[0].access, held), (CallAccess::ReadOnly, vec!["read:**".into(), "exec:*".into()]));

    // In another mode it needs all, and gets all.
    let mut play = Play::new(looking(Mode::Full, &["exec:*", "read:**"]), call());
    assert_eq!((performed(&mut play), outcomes(&play)), (vec![], vec![Outcome::Refused]));
    let mut play = Play::new(looking(Mode::Full, &all), call());
    let requests = performed(&mut play);
    assert_eq!((requests[0].access, requests[0].needs.len()), (CallAccess::Full, 4));

    // Programs can change nothing in plan mode, so they need no grant; what they read does.
    let mut play = Play::new(looking(Mode::Plan, &["read:**"]), call());
    assert_eq!((performed(&mut play).len(), outcomes(&play)), (1, vec![Outcome::Succeeded]));
    let mut play = Play::new(looking(Mode::Plan, &["exec:*"]), call());
    assert_eq!((performed(&mut play), outcomes(&play)), (vec![], vec![Outcome::Refused]));
    let config = looking(Mode::Plan, &["read:**"]);
    let denials = DenialSet::parse(["exec:*"]).expect("denials");
    let mut play = Play::new(Config { denials, ..config }, call());
    assert_eq!((performed(&mut play), outcomes(&play)), (vec![], vec![Outcome::Refused]));
}

#[test]
fn a_model_that_begins_to_plan_runs_no_command_that_it_would_have_to_ask_for() {
    let asks = |mode: Mode, grants: &[&str]| {
        let script = vec![Say::Call("enter_plan", "{}"), Say::Call("run", r#"{"text":"a"}"#)];
        let config = Config { approvals: Approvals::Ask, ..looking(mode, grants) };
        let mut play = Play::new(config, script);
        play.judge = Box::new(|_| Verdict::deny("no"));
        performed(&mut play).is_empty()
    };
    let all = ["exec:*", "read:**", "write:**", "fetch:https://a.example"];
    assert!(asks(Mode::Default, &["read:**"]), "programs are not granted");
    assert!(asks(Mode::AcceptEdits, &all), "the mode asks about commands");
    assert!(!asks(Mode::Full, &all));
    let with_tool = ["exec:*", "read:**", "tool:run"];
    assert!(!asks(Mode::AcceptEdits, &with_tool), "the tool is granted");
}

#[test]
fn a_yes_to_a_call_that_was_shown_read_only_does_not_count_after_plan_mode() {
    let config = looking(Mode::Plan, &["exec:*", "write:**", "fetch:https://a.example"]);
    let config = Config { approvals: Approvals::Ask, ..config };
    let mut play = Play::new(config, vec![Say::Call("run", r#"{"text":"a"}"#)]);
    let first = question(&play.first_effects());
    assert_eq!((first.level, first.needs.len()), (Level::ReadOnly, 2), "to start programs and to read");

    play.give(Input::ModeChanged(Mode::Full));
    let second = question(&play.drain());
    assert_ne!(second.call, first.call, "it is asked again");
    assert_eq!((second.level, second.needs.len()), (Level::Execute, 4));
    play.give(Input::Judged { call: first.call, verdict: Verdict::allow() });
    assert!(!runs(&play.drain()));
    play.give(Input::Judged { call: second.call, verdict: Verdict::allow() });
    assert!(runs(&play.drain()));
}

#[test]
fn a_call_that_was_issued_with_more_is_stopped_when_plan_mode_begins() {
    let all = ["exec:*", "read:**", "write:**", "fetch:https://a.example"];
    let mut play = Play::new(looking(Mode::Full, &all), vec![Say::Call("run", r#"{"text":"a"}"#)]);
    let mut is_first = true;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::RunTool { .. } if core::mem::take(&mut is_first) => vec![Input::ModeChanged(Mode::Plan)],
        _ => Vec::new(),
    });
    play.prompt("go");
    assert_eq!(outcomes(&play), [Outcome::Refused], "{:?}", play.results());
    assert_eq!(play.aborted.len(), 1);
}

#[test]
fn plan_mode_offers_what_can_be_used_and_the_rest_returns_in_its_place() {
    let offered = |play: &Play, at: usize| -> Vec<String> {
        play.requests[at].1.tools.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let script = vec![Say::Call("enter_plan", "{}"), Say::Call("exit_plan", PLAN)];
    let mut play = Play::new(Config { approvals: Approvals::Ask, ..looking(Mode::Full, &[]) }, script);
    play.prompt("go");
    assert_eq!(offered(&play, 0), ["enter_plan", "exit_plan", "look", "save", "run"]);
    assert_eq!(offered(&play, 1), ["exit_plan", "look", "run"]);
    assert_eq!(offered(&play, 2), offered(&play, 0));
    assert!(play.results()[0].1.contains("`run` runs read-only"), "{:?}", play.results());

    // Where the user set the mode, the model cannot leave it.
    let mut play = Play::new(looking(Mode::Plan, &[]), vec![Say::Call("save", r#"{"text":"a"}"#)]);
    play.prompt("go");
    assert_eq!(offered(&play, 0), ["look", "run"]);
    assert!(play.results()[0].1.contains("do not try again"), "{:?}", play.results());
}
