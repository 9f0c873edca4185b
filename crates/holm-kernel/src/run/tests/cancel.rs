//! Cancel is honoured wherever the run stands, and leaves it ready for the next prompt.

use alloc::{boxed::Box, string::String, vec, vec::Vec};

use holm_guards::postcondition::{Postcondition, Rule};

use super::play::{Play, Say, answered, config, config_with, failure, tool};
use crate::*;

const ARGS: &str = r#"{"text":"x"}"#;

fn cancel() -> Input {
    Input::Cancelled { reason: "enough".into() }
}

fn consulting(point: ConsultPoint) -> Config {
    let mut config = config();
    config.consult.insert(point);
    config
}

/// Plays until an effect of the wanted kind is about to be performed, cancels, and performs it all the same: what a
/// slow host then still reports must change nothing.
fn check(what: &str, config: Config, script: Vec<Say>, at: fn(&Effect) -> bool) -> Play {
    let mut play = Play::new(config, script);
    let mut once = true;
    play.interrupt = Box::new(move |effect| match at(effect) {
        true if core::mem::take(&mut once) => vec![cancel()],
        _ => Vec::new(),
    });
    let ending = play.prompt("go");
    assert_eq!(ending, Ending::Cancelled { reason: "enough".into() }, "{what}");
    let endings = play.events.iter().filter(|event| matches!(event, Event::GroupEnded { .. })).count();
    assert_eq!((endings, play.endings.len()), (1, 1), "{what}");
    assert!(play.run.is_idle(), "{what}");
    play.script = vec![Say::Text("back again")].into();
    assert_eq!(play.prompt("and now?"), answered("back again"), "{what}");
    play
}

#[test]
fn cancel_ends_a_run_that_asks_its_hooks() {
    for (point, script) in [
        (ConsultPoint::Tools, Say::Text("4")),
        (ConsultPoint::Model, Say::Text("4")),
        (ConsultPoint::Context, Say::Text("4")),
        (ConsultPoint::Stop, Say::Text("4")),
        (ConsultPoint::PlainAnswer, Say::Text("4")),
        (ConsultPoint::AfterTool, Say::Call("echo", ARGS)),
    ] {
        let is_question = |effect: &Effect| matches!(effect, Effect::Consult(_));
        let play = check("hooks", consulting(point), vec![script], is_question);
        assert_eq!(play.aborted.len(), 1, "{point:?}: the question is withdrawn");
    }
}

#[test]
fn cancel_ends_a_model_call_and_withdraws_its_text() {
    let at = |effect: &Effect| matches!(effect, Effect::CallModel { .. });
    let play = check("calling", config(), vec![Say::Text("too late")], at);
    assert_eq!(play.aborted, [play.requests[0].0]);
    let withdrawn = play.events.iter().any(|event| matches!(event, Event::Withdrawn { .. }));
    assert!(withdrawn, "a streaming text so far does not count");
    assert!(play.run.transcript().iter().all(|message| message.plain_text() != "too late"));
    let notes = play.run.transcript().iter().filter(|message| message.author == Author::Kernel);
    let notes: Vec<String> = notes.map(|message| message.plain_text()).collect();
    assert_eq!(notes, ["[Your answer was stopped here, before it was complete.]"], "the model learns of it");
}

fn dropped(play: &Play) -> Vec<(Queue, Vec<String>)> {
    let events = play.events.iter().filter_map(|event| match event {
        Event::QueueDropped { queue, prompts } => {
            Some((*queue, prompts.iter().map(Prompt::plain_text).collect()))
        }
        _ => None,
    });
    events.collect()
}

#[test]
fn cancel_drops_what_waits_to_be_said_and_says_what_it_was() {
    let mut play = Play::new(config(), vec![Say::Text("too late")]);
    play.give(Input::Prompted(Prompt::text("go")));
    play.give(Input::Steered(Prompt::text("faster")));
    play.give(Input::FollowedUp(Prompt::text("then deploy")));
    play.give(Input::FollowedUp(Prompt::text("then tell everybody")));
    play.give(cancel());
    play.play();
    let follow_ups = vec![String::from("then deploy"), String::from("then tell everybody")];
    let steering = vec![String::from("faster")];
    assert_eq!(dropped(&play), [(Queue::Steering, steering), (Queue::FollowUp, follow_ups)]);
    play.script = vec![Say::Text("noon")].into();
    assert_eq!(play.prompt("what is the time?"), answered("noon"));
    assert_eq!(play.endings.len(), 2, "nothing that was said before the cancel is heard");
}

#[test]
fn cancel_drops_what_a_group_left_behind_that_ended_by_itself() {
    let mut play = Play::new(config(), vec![failure(FailureClass::Auth)]);
    play.give(Input::Prompted(Prompt::text("go")));
    play.give(Input::FollowedUp(Prompt::text("then deploy")));
    play.play();
    assert!(matches!(play.endings[..], [Ending::Failed { .. }]));
    play.give(cancel());
    play.play();
    assert_eq!(dropped(&play), [(Queue::FollowUp, vec![String::from("then deploy")])]);
    assert_eq!(play.endings.len(), 1, "there was nothing else to stop");
}

#[test]
fn cancel_ends_a_pause_between_tries() {
    let mut play = Play::new(config(), vec![failure(FailureClass::Server)]);
    play.first_effects();
    assert!(matches!(play.run.poll(), Effect::Wait(Some(_))), "it waits for its next try");
    play.give(cancel());
    play.play();
    assert_eq!(play.endings, [Ending::Cancelled { reason: "enough".into() }]);
    assert_eq!(play.run.poll(), Effect::Wait(None), "the pause is no longer armed");
}

#[test]
fn cancel_ends_a_summary() {
    let mut config = config();
    config.context.default_window = 1_500;
    config.context.keep_turns = 1;
    let long = "many words of an answer that is not short ".repeat(30).leak();
    let mut play = Play::new(config, (0..9).map(|_| Say::Text(long)).collect());
    let mut summaries = 0;
    for _ in 0..6 {
        play.give(Input::Prompted(Prompt::text("tell me more")));
        loop {
            let effects = play.drain();
            let asked = effects.iter().any(|effect| matches!(effect, Effect::Summarise { .. }));
            if asked {
                summaries += 1;
                play.give(cancel());
            }
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                play.perform(effect);
            }
        }
        if summaries > 0 {
            break;
        }
    }
    assert_eq!(summaries, 1, "a summary was asked for");
    assert_eq!(play.endings.last(), Some(&Ending::Cancelled { reason: "enough".into() }));
    assert!(play.run.is_idle());
    assert!(!play.aborted.is_empty());
}

#[test]
fn cancel_ends_a_question_to_a_person_and_takes_the_question_back() {
    let mut config = config();
    config.approvals = Approvals::AskAlways;
    let at = |effect: &Effect| matches!(effect, Effect::Judge(_));
    let play = check("judging", config, vec![Say::Call("echo", ARGS)], at);
    assert_eq!(play.ran, [""; 0], "a yes that comes too late runs nothing");
    assert_eq!(play.aborted, [play.asked[0].call]);
    assert_eq!(play.results()[0].0, Outcome::Refused);
}

#[test]
fn cancel_before_the_dispatch_means_that_the_call_never_ran() {
    let at = |effect: &Effect| matches!(effect, Effect::RunTool { .. });
    let play = check("issued", config(), vec![Say::Call("echo", ARGS)], at);
    assert_eq!(play.results()[0].0, Outcome::Refused);
}

#[test]
fn cancel_stops_what_runs_and_refuses_what_waits() {
    let mut config = config_with(vec![tool("a"), tool("b")]);
    config.batch = BatchOrder::Sequential;
    let mut play = Play::new(config, vec![Say::Calls(vec![("a", ARGS), ("b", ARGS)])]);
    let effects = play.first_effects();
    let Some(Effect::RunTool { call, .. }) = effects.first() else { panic!("{effects:?}") };
    play.give(Input::Dispatched { call: *call });
    play.give(cancel());
    let after = play.drain();
    assert_eq!(after, [Effect::Abort((*call).into())]);
    let outcomes: Vec<Outcome> = play.results().into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Outcome::Stopped, Outcome::Refused]);
    assert_eq!(play.endings, [Ending::Cancelled { reason: "enough".into() }]);
}

#[test]
fn cancel_keeps_the_results_that_were_there() {
    let mut play =
        Play::new(config_with(vec![tool("a"), tool("b")]), vec![Say::Calls(vec![("a", ARGS), ("b", ARGS)])]);
    let effects = play.first_effects();
    let Some(Effect::RunTool { call, .. }) = effects.first() else { panic!("{effects:?}") };
    play.give(Input::Dispatched { call: *call });
    play.give(Input::ToolFinished { call: *call, result: ToolOutput::text("kept result") });
    play.give(cancel());
    play.drain();
    assert_eq!(play.results()[0], (Outcome::Succeeded, String::from("kept result")));
    assert_eq!(play.results()[1].0, Outcome::Refused);
}

#[test]
fn cancel_ends_a_child_and_stops_it() {
    let agent = ToolSpec {
        kind: ToolKind::Agent { grants: Default::default(), reserve: NanoUsd::ZERO, tokens: 0 },
        ..tool("helper")
    };
    let at = |effect: &Effect| matches!(effect, Effect::Spawn { .. });
    let play = check("child", config_with(vec![agent]), vec![Say::Call("helper", ARGS)], at);
    assert_eq!(play.aborted.len(), 1);
    assert_eq!(play.results()[0].0, Outcome::Stopped);
}

#[test]
fn cancel_ends_a_skill_under_way() {
    let skill = ToolSpec::skill(holm_guards::skill::extract());
    let arguments = r#"{"text":"write to a@example.com","target":"email"}"#;
    let mut play = Play::new(config_with(vec![skill]), vec![Say::Call("extract", arguments)]);
    let effects = play.first_effects();
    let Some(Effect::CallModel { call, .. }) = effects.first() else { panic!("{effects:?}") };
    play.give(cancel());
    assert_eq!(play.drain(), [Effect::Abort((*call).into())]);
    assert_eq!(play.endings.len(), 1);
    assert_eq!(play.results().len(), 1);
}

#[test]
fn cancel_ends_a_check_under_way() {
    let tests = Rule::Executable { command: "tests".into(), arguments: Vec::new() };
    let checked = ToolSpec { postconditions: vec![Postcondition::new("tests pass", tests)], ..tool("build") };
    let at = |effect: &Effect| matches!(effect, Effect::Check { .. });
    let play = check("checking", config_with(vec![checked]), vec![Say::Call("build", ARGS)], at);
    assert_eq!(play.aborted.len(), 1);
    assert_eq!(play.results()[0].0, Outcome::Stopped);
}

#[test]
fn cancel_of_an_idle_run_is_a_record_and_nothing_more() {
    let mut play = Play::new(config(), vec![Say::Text("4")]);
    play.give(cancel());
    play.drain();
    assert_eq!(play.events.last(), Some(&Event::Ignored { call: None }));
    play.prompt("go");
    play.give(cancel());
    play.drain();
    assert_eq!(play.endings, [answered("4")]);
}

#[test]
fn cancel_twice_is_cancel_once() {
    let mut play = Play::new(config(), vec![Say::Text("4")]);
    play.give(Input::Prompted(Prompt::text("go")));
    play.give(cancel());
    play.give(cancel());
    play.drain();
    assert_eq!(play.endings.len(), 1);
}
