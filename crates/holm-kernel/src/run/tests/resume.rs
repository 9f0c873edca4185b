//! After a crash: what was never begun is asked for again, what is harmless runs again, the rest is unknown.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::postcondition::{Postcondition, Rule};
use holm_guards::skill::extract;

use super::journal::refold;
use super::play::{Play, Say, answered, config, config_with, echo, failure, tool};
use crate::*;

/// The host dies and another one takes over: the run is folded from its facts; nothing else survives.
fn crash(play: &mut Play) -> Vec<Effect> {
    play.run = refold(play);
    play.give(Input::Resumed { host: "another".into() });
    play.drain()
}

fn acting(level: Level, repeat: Repeat) -> ToolSpec {
    ToolSpec { repeat, ..tool("act").level(level) }
}

/// A run whose first reply calls `act`, up to the point at which that is handed out.
fn handed_out(tool: ToolSpec) -> (Play, ToolCallId, ToolRequest) {
    let mut play = Play::new(config_with(vec![tool]), vec![Say::Call("act", "{}")]);
    let effects = play.first_effects();
    let (call, request) = run_tool(&effects).expect("it is handed out");
    (play, call, request)
}

fn run_tool(effects: &[Effect]) -> Option<(ToolCallId, ToolRequest)> {
    effects.iter().find_map(|effect| match effect {
        Effect::RunTool { call, request } => Some((*call, request.clone())),
        _ => None,
    })
}

fn outcome(play: &Play) -> Option<Outcome> {
    play.results().first().map(|(outcome, _)| *outcome)
}

#[test]
fn what_was_never_dispatched_is_handed_out_again_as_if_for_the_first_time() {
    let (mut play, call, first) = handed_out(acting(Level::Execute, Repeat::Once));
    let (again, second) = run_tool(&crash(&mut play)).expect("it is handed out again");
    assert_eq!((call, &first.key, second.again), (again, &second.key, false));
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("did it well") });
    play.play();
    assert_eq!(outcome(&play), Some(Outcome::Succeeded));
}

#[test]
fn what_was_dispatched_runs_again_only_where_that_is_harmless() {
    let check = |level: Level, repeat: Repeat, again: bool| {
        let (mut play, call, first) = handed_out(acting(level, repeat));
        play.give(Input::Dispatched { call });
        let effects = crash(&mut play);
        match run_tool(&effects) {
            Some((_, second)) => {
                assert!(again && second.again, "{level} {repeat:?}");
                assert_eq!(first.key, second.key);
            }
            None => {
                assert!(!again, "{level} {repeat:?}");
                assert_eq!(outcome(&play), Some(Outcome::Unknown));
                assert!(play.results()[0].1.contains("outcome unknown"));
            }
        }
    };
    check(Level::None, Repeat::Once, true);
    check(Level::ReadOnly, Repeat::Once, true);
    check(Level::Write, Repeat::Once, false);
    check(Level::Execute, Repeat::Once, false);
    check(Level::Write, Repeat::Idempotent, true);
    check(Level::Execute, Repeat::Idempotent, true);
}

#[test]
fn the_answer_of_a_call_that_is_settled_as_unknown_comes_too_late() {
    let (mut play, call, _) = handed_out(acting(Level::Execute, Repeat::Once));
    play.give(Input::Dispatched { call });
    crash(&mut play);
    play.give(Input::ToolFinished { call, result: ToolOutput::text("did it well") });
    play.drain();
    assert_eq!(play.events.last(), Some(&Event::Ignored { call: Some(call.into()) }));
    assert_eq!(outcome(&play), Some(Outcome::Unknown));
}

#[test]
fn a_second_crash_before_the_second_dispatch_does_not_forget_the_first_run() {
    let (mut play, call, _) = handed_out(acting(Level::ReadOnly, Repeat::Once));
    play.give(Input::Dispatched { call });
    crash(&mut play);
    let (_, third) = run_tool(&crash(&mut play)).expect("it is handed out again");
    assert!(third.again);
}

#[test]
fn what_may_run_again_is_permitted_again_and_is_unknown_where_it_is_not() {
    let (mut play, call, _) = handed_out(acting(Level::Write, Repeat::Idempotent));
    play.give(Input::Dispatched { call });
    play.give(Input::ModeChanged(Mode::Plan));
    assert_eq!(run_tool(&crash(&mut play)), None);
    assert_eq!(outcome(&play), Some(Outcome::Unknown));
}

#[test]
fn a_quota_counts_a_call_that_runs_again_once() {
    let quota = Quota { calls: Some(1), ..Quota::default() };
    let (mut play, call, _) = handed_out(ToolSpec { quota, ..acting(Level::ReadOnly, Repeat::Once) });
    play.give(Input::Dispatched { call });
    assert!(run_tool(&crash(&mut play)).is_some());
}

#[test]
fn a_person_is_asked_again_and_an_answer_to_the_dead_host_does_not_count() {
    let config = Config { mode: Mode::Default, ..config_with(vec![acting(Level::Execute, Repeat::Once)]) };
    let mut play = Play::new(config, vec![Say::Call("act", "{}")]);
    let asked = |effects: &[Effect]| match effects {
        [Effect::Judge(proposal)] => (**proposal).clone(),
        other => panic!("{other:?}"),
    };
    let first = asked(&play.first_effects());
    let second = asked(&crash(&mut play));
    assert_eq!((&first.digest, first.tool_call), (&second.digest, second.tool_call));
    play.give(Input::Judged { call: first.call, verdict: Verdict::allow() });
    assert_eq!(play.drain(), []);
    play.give(Input::Judged { call: second.call, verdict: Verdict::allow() });
    assert!(run_tool(&play.drain()).is_some());
}

#[test]
fn a_child_is_started_again_or_gone_on_with() {
    let kind = ToolKind::Agent { grants: GrantSet::default(), reserve: NanoUsd::new(300), tokens: 0 };
    let config = config_with(vec![ToolSpec { kind, ..tool("helper") }]);
    let spawn = |effects: &[Effect]| match effects {
        [Effect::Spawn { call, request }] => (*call, (**request).clone()),
        other => panic!("{other:?}"),
    };
    let mut play = Play::new(config, vec![Say::Call("helper", "{}")]);
    let (call, first) = spawn(&play.first_effects());
    let (_, second) = spawn(&crash(&mut play));
    assert_eq!((second.resume.as_deref(), &first.key, first.budget), (None, &second.key, second.budget));
    play.give(Input::ChildStarted { call, child: "child-7".into() });
    let (_, third) = spawn(&crash(&mut play));
    assert_eq!((third.resume.as_deref(), &first.key), (Some("child-7"), &third.key));
    play.give(Input::ChildFinished {
        call,
        result: ChildResult { output: ToolOutput::text("child done"), ..ChildResult::default() },
    });
    play.play();
    assert_eq!(outcome(&play), Some(Outcome::Succeeded));
}

#[test]
fn a_skill_is_asked_again_and_has_no_more_tries_than_before() {
    let arguments = r#"{"target":"email","text":"Write to ann@holm.example."}"#;
    let mut play =
        Play::new(config_with(vec![ToolSpec::skill(extract())]), vec![Say::Call("extract", arguments)]);
    let request = |effects: &[Effect]| match effects {
        [Effect::CallModel { call, .. }] => *call,
        other => panic!("{other:?}"),
    };
    let bad = |call| {
        let reply = Reply { blocks: vec![Block::Text("no idea".into())], ..Reply::default() };
        Input::ModelFinished { call, result: ModelResult::Replied(reply) }
    };
    let first = request(&play.first_effects());
    let again = request(&crash(&mut play));
    assert_ne!(first, again);
    play.give(bad(again));
    play.drain();
    let last = request(&crash(&mut play));
    play.give(bad(last));
    play.drain();
    assert_eq!(outcome(&play), Some(Outcome::Failed));
}

#[test]
fn a_result_that_waits_for_hooks_or_checks_is_not_lost_and_the_tool_does_not_run_again() {
    let promise =
        Postcondition::new("holds", Rule::Executable { command: "verify".into(), arguments: vec![] });
    let tool = ToolSpec { postconditions: vec![promise], ..acting(Level::Execute, Repeat::Once) };
    let config = Config { consult: [ConsultPoint::AfterTool].into(), ..config_with(vec![tool]) };
    let mut play = Play::new(config, vec![Say::Call("act", "{}")]);
    let (call, _) = run_tool(&play.first_effects()).expect("it is handed out");
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("did it well") });
    let consult = |effects: &[Effect]| match effects {
        [Effect::Consult(consultation)] => consultation.call,
        other => panic!("{other:?}"),
    };
    let first = consult(&play.drain());
    let second = consult(&crash(&mut play));
    play.give(Input::Consulted { call: first, answer: Answer::Output(ToolOutput::text("late")) });
    assert_eq!(play.drain(), []);
    play.give(Input::Consulted { call: second, answer: Answer::Nothing });
    let check = |effects: &[Effect]| match effects {
        [Effect::Check { call, .. }] => *call,
        other => panic!("{other:?}"),
    };
    check(&play.drain());
    let again = check(&crash(&mut play));
    play.give(Input::Checked { call: again, ruling: CheckRuling::Passed });
    play.play();
    assert_eq!(play.results(), [(Outcome::Succeeded, "did it well".to_string())]);
}

#[test]
fn a_model_call_is_made_again_and_what_was_streamed_is_withdrawn() {
    let mut play = Play::new(config(), vec![]);
    play.give(Input::Prompted(Prompt::text("go")));
    let [Effect::CallModel { call, .. }] = play.drain()[..] else { panic!("a call") };
    let [Effect::CallModel { call: again, .. }] = crash(&mut play)[..] else { panic!("a call again") };
    assert_ne!(call, again);
    assert!(play.events.contains(&Event::Withdrawn { call }));
    assert!(play.events.contains(&Event::RunResumed { host: "another".into() }));
}

#[test]
fn a_pause_goes_on_to_its_end() {
    let mut play = Play::new(config(), vec![failure(FailureClass::Server), Say::Text("ok")]);
    play.give(Input::Prompted(Prompt::text("go")));
    for effect in play.drain() {
        play.perform(effect);
    }
    play.drain();
    let Effect::Wait(Some(until)) = play.run.poll() else { panic!("it waits") };
    assert_eq!(crash(&mut play), []);
    assert_eq!(play.run.poll(), Effect::Wait(Some(until)));
    play.play();
    assert_eq!(play.endings, [answered("ok")]);
}

#[test]
fn a_question_to_the_hooks_is_asked_again() {
    for point in [ConsultPoint::Tools, ConsultPoint::Model, ConsultPoint::Context, ConsultPoint::Stop] {
        let mut play = Play::new(Config { consult: [point].into(), ..config() }, vec![]);
        play.give(Input::Prompted(Prompt::text("go")));
        let mut effects = play.drain();
        if point == ConsultPoint::Stop {
            play.perform(effects.remove(0));
            effects = play.drain();
        }
        let [Effect::Consult(first)] = &effects[..] else { panic!("{effects:?}") };
        let again = crash(&mut play);
        let [Effect::Consult(second)] = &again[..] else { panic!("{again:?}") };
        assert_eq!(first, second, "{point:?}");
        play.give(Input::Consulted { call: second.call, answer: Answer::Nothing });
        play.play();
        assert_eq!(play.endings, [answered("done")], "{point:?}");
    }
}

#[test]
fn a_run_that_waits_for_a_prompt_only_says_that_it_is_back() {
    let mut play = Play::new(config(), vec![]);
    play.prompt("go");
    assert_eq!(crash(&mut play), []);
    assert_eq!(play.prompt("again"), answered("done"));
}

#[test]
fn nothing_that_waited_to_be_said_is_lost() {
    let (mut play, call, _) = handed_out(acting(Level::ReadOnly, Repeat::Once));
    play.give(Input::Steered(Prompt::text("steer")));
    play.give(Input::FollowedUp(Prompt::text("follow")));
    crash(&mut play);
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("did it well") });
    play.play();
    let said: Vec<String> = play
        .run
        .transcript()
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.plain_text())
        .collect();
    assert_eq!(said, ["go", "steer", "follow"]);
}

#[test]
fn a_crash_at_any_point_loses_no_message_and_repeats_no_side_effect() {
    // `write` must run once at the most; `echo` may run again.
    let tools = || vec![echo(), acting(Level::Write, Repeat::Once)];
    let script = || {
        vec![
            Say::Calls(vec![("echo", "{}"), ("act", "{}")]),
            Say::Call("act", r#"{"text":"b"}"#),
            Say::Text("end"),
        ]
    };
    let mut whole = Play::new(config_with(tools()), script());
    whole.prompt("go");
    for cut in 1..whole.log.len() {
        let mut play = Play::new(config_with(tools()), vec![]);
        for (now, input) in &whole.log[..cut] {
            play.now = *now;
            play.give(input.clone());
        }
        play.drain();
        let dispatched: Vec<ToolCallId> = whole.log[..cut]
            .iter()
            .filter_map(|(_, input)| match input {
                Input::Dispatched { call } => Some(*call),
                _ => None,
            })
            .collect();
        for effect in crash(&mut play) {
            if let Effect::RunTool { call, request } = &effect {
                let harmless = &*request.tool == "echo";
                assert!(harmless || !dispatched.contains(call), "record {cut} runs {call} twice");
            }
            play.perform(effect);
        }
        play.play();
        assert_eq!(play.run.transcript().first().map(|message| message.plain_text()), Some("go".to_string()));
        assert!(play.run.is_idle(), "record {cut}");
        let calls: usize = play.run.transcript().iter().map(|message| message.tool_calls().count()).sum();
        assert_eq!(calls, play.results().len(), "record {cut}: every call is answered once");
    }
}

#[test]
fn a_hand_over_is_the_same_as_a_crash() {
    let (mut play, call, first) = handed_out(acting(Level::Execute, Repeat::Once));
    // The same process goes on: no folding in between.
    play.give(Input::Resumed { host: "the same".into() });
    let (again, second) = run_tool(&play.drain()).expect("it is handed out again");
    assert_eq!((call, first.key), (again, second.key));
    play.tool = Box::new(|_| ToolOutput::text("did it well"));
    play.give(Input::Dispatched { call });
    play.give(Input::ToolFinished { call, result: ToolOutput::text("did it well") });
    play.play();
    assert_eq!(outcome(&play), Some(Outcome::Succeeded));
}
