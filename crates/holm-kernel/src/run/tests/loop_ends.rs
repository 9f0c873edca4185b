//! How a group ends and how it continues: votes, steering, follow-ups, hooks, and always one
//! terminal event.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::play::{Play, Say, answered, config, config_with, failure, tool};
use crate::*;

const GO: &str = r#"{"text":"go"}"#;
const STOP: &str = r#"{"text":"stop"}"#;

/// A tool that votes to end the run when it is told so, and one that only advises.
fn voters() -> Config {
    config_with(vec![tool("work"), tool("more"), ToolSpec { vote: Vote::Advisory, ..tool("note") }])
}

fn voting(config: Config, script: Vec<Say>) -> Play {
    let mut play = Play::new(config, script);
    play.tool = Box::new(|request| ToolOutput {
        terminate: request.arguments.contains("stop"),
        ..ToolOutput::text(alloc::format!("{} says {}", request.tool, request.arguments))
    });
    play
}

fn said(play: &Play) -> Vec<(Role, String)> {
    play.run.transcript().iter().map(|message| (message.role, message.plain_text())).collect()
}

fn users(play: &Play) -> Vec<String> {
    said(play).into_iter().filter(|(role, _)| *role == Role::User).map(|(_, text)| text).collect()
}

#[test]
fn a_batch_ends_the_run_when_all_who_have_a_vote_say_so() {
    let check = |calls: &[(&'static str, &'static str)], ends: bool| {
        let mut play = voting(voters(), vec![Say::Calls(calls.to_vec()), Say::Text("on we go")]);
        let ending = play.prompt("go");
        assert_eq!(play.requests.len() == 1, ends, "{calls:?} ended with {ending:?}");
        assert_eq!(ending == answered("on we go"), !ends, "{calls:?}");
    };
    check(&[("work", STOP)], true);
    check(&[("work", STOP), ("more", STOP)], true);
    check(&[("work", STOP), ("more", GO)], false);
    check(&[("work", GO), ("more", STOP)], false);
    // An adviser is not asked, and advisers alone decide nothing.
    check(&[("work", STOP), ("note", GO)], true);
    check(&[("note", STOP)], false);
    // A tool that does not exist has a vote, and so has a call that was not valid.
    check(&[("work", STOP), ("nosuch", STOP)], false);
    check(&[("work", STOP), ("more", r#"{"wrong":"stop"}"#)], false);
}

#[test]
fn a_failed_result_never_votes_to_end() {
    let mut play = Play::new(voters(), vec![Say::Call("work", STOP), Say::Text("on we go")]);
    play.tool = Box::new(|_| ToolOutput { terminate: true, ..ToolOutput::failed("broken") });
    assert_eq!(play.prompt("go"), answered("on we go"));
}

#[test]
fn a_dropped_call_forces_the_run_to_go_on() {
    let mut config = voters();
    config.limits.calls_per_turn = Bound::AtMost(1);
    let script = vec![Say::Calls(vec![("work", STOP), ("more", STOP)]), Say::Text("on we go")];
    assert_eq!(voting(config, script).prompt("go"), answered("on we go"));
}

#[test]
fn a_run_that_its_tools_end_answers_with_the_last_result() {
    let script = vec![Say::Calls(vec![("work", STOP), ("more", STOP)])];
    let ending = voting(voters(), script).prompt("go");
    assert_eq!(ending, answered(r#"more says {"text":"stop"}"#));
}

#[test]
fn a_terminal_tool_of_the_policy_ends_the_run_by_succeeding() {
    let check = |output: ToolOutput, ends: bool| {
        let mut config = voters();
        config.policy.terminal_tools.insert("work".into());
        let mut play = Play::new(config, vec![Say::Call("work", GO), Say::Text("on we go")]);
        play.tool = Box::new(move |_| output.clone());
        play.prompt("go");
        assert_eq!(play.requests.len() == 1, ends);
    };
    check(ToolOutput::text("delivered"), true);
    check(ToolOutput::failed("not delivered"), false);
}

#[test]
fn steering_enters_after_the_results_of_the_batch_and_before_the_next_call() {
    let mut play = Play::new(config(), vec![Say::Calls(vec![("echo", GO), ("echo", STOP)]), Say::Text("ok")]);
    let mut once = true;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::RunTool { .. } if core::mem::take(&mut once) => {
            vec![Input::Steered(Prompt::text("faster")), Input::Steered(Prompt::text("and shorter"))]
        }
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("ok"));
    let roles: Vec<Role> = said(&play).into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User, Role::User, Role::Assistant]);
    assert_eq!(users(&play), ["go", "faster", "and shorter"]);
    assert_eq!(play.run.messages(&play.requests[1].1).len(), 5, "the second request holds both");
}

#[test]
fn steering_that_arrives_during_a_terminating_batch_is_heard() {
    let mut play = voting(voters(), vec![Say::Call("work", STOP), Say::Text("one more thing done")]);
    play.interrupt = Box::new(|effect| match effect {
        Effect::RunTool { .. } => vec![Input::Steered(Prompt::text("one more thing"))],
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("one more thing done"));
    assert_eq!(play.endings.len(), 1);
}

#[test]
fn steering_that_arrives_with_a_plain_answer_is_heard() {
    let mut play = Play::new(config(), vec![Say::Text("first"), Say::Text("second")]);
    let mut once = true;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::CallModel { .. } if core::mem::take(&mut once) => vec![Input::Steered(Prompt::text("wait"))],
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("second"));
}

#[test]
fn follow_ups_restart_a_natural_stop_one_at_a_time_and_in_order() {
    let script = vec![Say::Text("one"), Say::Call("work", STOP), Say::Text("three")];
    let mut play = voting(voters(), script);
    let mut once = true;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::CallModel { .. } if core::mem::take(&mut once) => {
            vec![Input::FollowedUp(Prompt::text("then this")), Input::Prompted(Prompt::text("then that"))]
        }
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("three"));
    assert_eq!(users(&play), ["go", "then this", "then that"]);
    assert_eq!(play.endings.len(), 1, "it was one group");
}

#[test]
fn what_is_said_to_an_idle_run_starts_a_group() {
    for input in [Input::Steered(Prompt::text("hello")), Input::FollowedUp(Prompt::text("hello"))] {
        let mut play = Play::new(config(), vec![Say::Text("hi")]);
        play.give(input);
        play.play();
        assert_eq!(play.endings, [answered("hi")]);
    }
}

#[test]
fn what_waits_when_a_limit_ends_a_group_is_said_after_the_next_prompt() {
    let mut config = config();
    config.limits.wall_ms = Bound::AtMost(10);
    let mut play = Play::new(config, vec![Say::Text("late"), Say::Text("now")]);
    play.hang = Box::new(|effect| matches!(effect, Effect::CallModel { .. }));
    play.give(Input::Prompted(Prompt::text("go")));
    play.give(Input::Steered(Prompt::text("do not forget me")));
    play.now = 10;
    play.give(Input::TimePassed);
    play.play();
    play.hang = Box::new(|_| false);
    play.prompt("again");
    assert_eq!(users(&play), ["go", "again", "do not forget me"]);
}

#[test]
fn a_stop_hook_may_send_the_run_on_and_then_let_it_stop() {
    let mut config = config();
    config.consult.insert(ConsultPoint::Stop);
    let mut play = Play::new(config, vec![Say::Text("first"), Say::Text("second")]);
    let mut once = true;
    play.consult = Box::new(move |question| match question {
        Question::Stop if core::mem::take(&mut once) => {
            Answer::Continue(Prompt::text("are the tests green?"))
        }
        _ => Answer::Nothing,
    });
    assert_eq!(play.prompt("go"), answered("second"));
    assert_eq!(users(&play), ["go", "are the tests green?"]);
}

#[test]
fn what_is_said_while_the_stop_hook_thinks_is_heard() {
    for input in [Input::Steered(Prompt::text("wait")), Input::FollowedUp(Prompt::text("wait"))] {
        let mut config = config();
        config.consult.insert(ConsultPoint::Stop);
        let mut play = Play::new(config, vec![Say::Text("first"), Say::Text("second")]);
        let mut said = Some(input);
        play.interrupt = Box::new(move |effect| match effect {
            Effect::Consult(_) => said.take().into_iter().collect(),
            _ => Vec::new(),
        });
        assert_eq!(play.prompt("go"), answered("second"));
        assert_eq!(users(&play), ["go", "wait"]);
    }
}

/// A configuration and a script for every kind of ending.
fn every_ending() -> Vec<(&'static str, Config, Vec<Say>)> {
    let with = |change: fn(&mut Config)| {
        let mut config = config();
        change(&mut config);
        config
    };
    let refusal = super::play::reply(vec![Block::Text("no".into())], StopReason::Refusal);
    let priced = |config: &mut Config| {
        config.models[0].price = Some(Price { input: 1_000_000, output: 1_000_000, ..Price::default() });
        config.limits.budget.usd = Some(NanoUsd::new(1));
    };
    vec![
        ("answered", config(), vec![Say::Call("echo", GO), Say::Text("4")]),
        ("refused", config(), vec![refusal]),
        (
            "rejected",
            with(|config| config.protocol = Protocol::Text),
            vec![Say::Text("I will look."), Say::Text("Let me look.")],
        ),
        ("looping", config(), (0..4).map(|_| Say::Call("echo", GO)).collect()),
        ("over_budget", with(priced), vec![Say::Call("echo", GO)]),
        ("over_limit", with(|config| config.limits.turns = Bound::AtMost(1)), vec![Say::Call("echo", GO)]),
        ("cancelled", config(), vec![Say::Call("cancel", GO)]),
        ("failed", config(), vec![Say::Call("echo", GO), failure(FailureClass::Auth)]),
    ]
}

#[test]
fn whatever_the_ending_there_is_one_terminal_event_and_the_whole_transcript() {
    for (name, config, script) in every_ending() {
        let mut play = Play::new(config, script);
        if name == "cancelled" {
            play.interrupt = Box::new(|effect| match effect {
                Effect::CallModel { .. } => vec![Input::Cancelled { reason: "enough".into() }],
                _ => Vec::new(),
            });
        }
        let ending = play.prompt("go");
        let text = serde_json::to_string(&ending).expect("an ending");
        assert!(text.starts_with(&alloc::format!("{{\"{name}\":")), "{name} gave {text}");
        let terminal: Vec<usize> = (0..play.events.len())
            .filter(|index| matches!(play.events[*index], Event::GroupEnded { .. }))
            .collect();
        assert_eq!(terminal.len(), 1, "{name}");
        assert_eq!(play.endings.len(), 1, "{name}");
        let Event::GroupEnded { ending: told, last, .. } = &play.events[terminal[0]] else { continue };
        assert_eq!(**told, ending, "{name}");
        assert_eq!(*last, play.run.transcript().last().map(|message| message.id), "{name}");
        assert!(play.run.is_idle(), "{name}");
        assert_eq!(play.run.poll(), Effect::Wait(None), "{name}");
        assert_each_call_is_answered(&play, name);
    }
}

fn assert_each_call_is_answered(play: &Play, name: &str) {
    let mut open: Vec<String> = Vec::new();
    for message in play.run.transcript() {
        assert!(!message.blocks.is_empty(), "{name} has an empty message");
        for block in &message.blocks {
            match block {
                Block::ToolCall(call) => open.push(call.id.clone()),
                Block::ToolResult(result) => open.retain(|id| *id != result.call),
                _ => {}
            }
        }
    }
    assert_eq!(open, [""; 0], "{name} leaves calls unanswered");
}

#[test]
fn after_every_ending_the_next_prompt_is_answered() {
    for (name, config, script) in every_ending() {
        if matches!(name, "over_budget" | "over_limit" | "cancelled") {
            continue;
        }
        let mut play = Play::new(config, script);
        play.prompt("go");
        play.script.clear();
        assert_eq!(play.prompt("and now?"), answered("done"), "{name}");
        assert_eq!(play.endings.len(), 2, "{name}");
    }
}

#[test]
fn a_refusal_without_words_leaves_no_empty_message() {
    let refusal = super::play::reply(Vec::new(), StopReason::Refusal);
    let mut play = Play::new(config(), vec![refusal]);
    assert_eq!(play.prompt("go"), Ending::Refused { reason: String::new() });
    assert_eq!(said(&play), [(Role::User, "go".to_string())]);
}
