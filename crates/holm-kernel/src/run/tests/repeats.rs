//! Loop detection through the whole run: what is a loop is refused and then ended, what is work goes on.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_grants::{Level, Mode};

use super::play::{Play, Say, answered, config, config_with, tool};
use crate::*;

const ARGS: &str = r#"{"text":"x"}"#;

fn unbounded(tools: Vec<ToolSpec>) -> Config {
    let mut config = config_with(tools);
    config.limits.turns = Bound::Unbounded;
    config
}

fn calls(name: &'static str, count: usize) -> Vec<Say> {
    (0..count).map(|_| Say::Call(name, ARGS)).collect()
}

fn outcomes(play: &Play) -> Vec<Outcome> {
    play.results().into_iter().map(|(outcome, _)| outcome).collect()
}

fn seen(play: &Play) -> Vec<(String, u64)> {
    let loops = |event: &Event| match event {
        Event::LoopSeen { tool, times } => Some((tool.to_string(), *times)),
        _ => None,
    };
    play.events.iter().filter_map(loops).collect()
}

fn looping(tool: &str, times: u64) -> Ending {
    Ending::Looping { tool: tool.into(), times }
}

#[test]
fn the_third_equal_call_is_refused_and_the_fourth_ends_the_run() {
    let mut play = Play::new(config(), calls("echo", 9));
    assert_eq!(play.prompt("go"), looping("echo", 4));
    assert_eq!(play.ran.len(), 2);
    assert_eq!(outcomes(&play), [Outcome::Succeeded, Outcome::Succeeded, Outcome::Refused, Outcome::Refused]);
    assert_eq!(seen(&play), [("echo".to_string(), 3), ("echo".to_string(), 4)]);
    assert!(play.results()[2].1.contains("Change your approach or stop"), "{}", play.results()[2].1);
}

#[test]
fn a_model_that_heeds_the_refusal_goes_on() {
    let mut script = calls("echo", 3);
    script.push(Say::Text("another way"));
    assert_eq!(Play::new(config(), script).prompt("go"), answered("another way"));
}

#[test]
fn another_spelling_of_the_arguments_is_the_same_call() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}"#;
    let schema = holm_guards::json::Json::parse(schema).expect("a schema");
    let spellings = [r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#, r#"{"a":"1","b":2}"#, r#"{"b":2,"a":1}"#];
    let script = spellings.map(|arguments| Say::Call("echo", arguments)).into();
    let mut play = Play::new(config_with(vec![ToolSpec { schema, ..tool("echo") }]), script);
    assert_eq!(play.prompt("go"), looping("echo", 4));
}

#[test]
fn a_changed_result_is_no_repeat() {
    let mut play = Play::new(unbounded(vec![tool("echo")]), calls("echo", 30));
    let mut count = 0;
    play.tool = Box::new(move |_| {
        count += 1;
        ToolOutput::text(format!("{count} jobs are left"))
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran.len(), 30);
}

#[test]
fn failures_count_like_other_results() {
    let mut play = Play::new(config(), calls("echo", 9));
    play.tool = Box::new(|_| ToolOutput::failed("no such file"));
    assert_eq!(play.prompt("go"), looping("echo", 4));
}

#[test]
fn edit_and_test_and_edit_and_test_is_work() {
    let tools = vec![tool("edit").level(Level::Write), tool("test").level(Level::Execute), tool("read")];
    let mut script = Vec::new();
    for round in 0..20 {
        let edit: &'static str = format!(r#"{{"text":"attempt {round}"}}"#).leak();
        script.extend([Say::Call("read", ARGS), Say::Call("edit", edit), Say::Call("test", ARGS)]);
    }
    let mut play = Play::new(unbounded(tools), script);
    play.tool = Box::new(|request| match &*request.tool {
        "test" => ToolOutput::failed("1 test failed"),
        _ => ToolOutput::text("done as asked"),
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran.len(), 60);
    assert_eq!(seen(&play), []);
}

#[test]
fn an_edit_that_failed_changed_nothing() {
    let tools = vec![tool("edit").level(Level::Write), tool("test")];
    let mut script = Vec::new();
    for round in 0..9 {
        let edit: &'static str = format!(r#"{{"text":"attempt {round}"}}"#).leak();
        script.extend([Say::Call("edit", edit), Say::Call("test", ARGS)]);
    }
    let mut play = Play::new(unbounded(tools), script);
    play.tool = Box::new(|request| match &*request.tool {
        "edit" => ToolOutput::failed("no match"),
        _ => ToolOutput::text("1 test failed"),
    });
    assert_eq!(play.prompt("go"), looping("test", 4));
}

#[test]
fn the_same_change_with_the_same_result_is_a_loop_too() {
    let mut play = Play::new(config_with(vec![tool("save").level(Level::Write)]), calls("save", 9));
    assert_eq!(play.prompt("go"), looping("save", 4));
    assert_eq!(play.ran.len(), 2);
}

#[test]
fn cycles_of_two_and_three_calls_are_loops() {
    for names in [vec!["a", "b"], vec!["a", "b", "c"]] {
        let tools = names.iter().map(|name| tool(name)).collect();
        let script = names.iter().cycle().take(30).map(|name| Say::Call(name, ARGS)).collect();
        let mut play = Play::new(unbounded(tools), script);
        let ending = play.prompt("go");
        assert!(matches!(ending, Ending::Looping { .. }), "{names:?}: {ending:?}");
        assert_eq!(play.ran.len(), names.len() * 2, "{names:?}: the third round is refused");
    }
}

#[test]
fn a_call_whose_result_flips_to_and_fro_is_a_cycle() {
    let mut play = Play::new(unbounded(vec![tool("toggle")]), calls("toggle", 30));
    let mut on = false;
    play.tool = Box::new(move |_| {
        on = !on;
        ToolOutput::text(if on { "it is on now" } else { "it is off now" })
    });
    let ending = play.prompt("go");
    assert!(matches!(ending, Ending::Looping { .. }), "{ending:?}");
    assert_eq!(play.ran.len(), 4);
}

#[test]
fn polling_may_go_on() {
    let poll = ToolSpec { exemption: Exemption::Polling, ..tool("status") };
    let mut play = Play::new(unbounded(vec![poll]), calls("status", 40));
    play.tool = Box::new(|_| ToolOutput::text("still running"));
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran.len(), 40);
    assert_eq!(seen(&play), []);
}

#[test]
fn turns_that_bring_nothing_new_are_answered_once_and_then_end_the_run() {
    let known: Vec<&'static str> =
        (0..20).map(|index| &*format!(r#"{{"text":"file {index}"}}"#).leak()).collect();
    let script = known.iter().cycle().take(90).map(|arguments| Say::Call("echo", arguments)).collect();
    let mut play = Play::new(unbounded(vec![tool("echo")]), script);
    assert_eq!(play.prompt("go"), looping("", 13));
    assert_eq!(play.requests.len(), 20 + 13);
    let told = play.run.transcript().iter().filter(|message| {
        message.role == Role::User && message.plain_text().starts_with("The last 12 turns made no progress.")
    });
    assert_eq!(told.count(), 1);
}

#[test]
fn something_new_after_the_warning_lets_the_run_go_on() {
    let known: Vec<&'static str> =
        (0..20).map(|index| &*format!(r#"{{"text":"file {index}"}}"#).leak()).collect();
    let mut script: Vec<Say> =
        known.iter().cycle().take(32).map(|arguments| Say::Call("echo", arguments)).collect();
    script.push(Say::Call("echo", r#"{"text":"something new"}"#));
    script.push(Say::Text("found it"));
    assert_eq!(Play::new(unbounded(vec![tool("echo")]), script).prompt("go"), answered("found it"));
}

#[test]
fn a_call_that_can_never_run_is_a_loop_like_any_other() {
    let check = |name: &'static str, arguments: &'static str| {
        let script = (0..50).map(|_| Say::Call(name, arguments)).collect();
        let mut play = Play::new(unbounded(vec![tool("echo")]), script);
        assert_eq!(play.prompt("go"), looping(name, 4), "{arguments}");
        assert_eq!(play.ran, [""; 0]);
    };
    check("nosuch", ARGS);
    check("echo", r#"{"wrong":1}"#);
    check("echo", "{broken");
}

#[test]
fn ever_new_ways_of_being_wrong_are_no_progress() {
    let script = (0..90).map(|index| Say::Call("echo", format!(r#"{{"wrong":{index}}}"#).leak())).collect();
    let mut play = Play::new(unbounded(vec![tool("echo")]), script);
    assert_eq!(play.prompt("go"), looping("", 13));
}

#[test]
fn a_person_is_not_asked_a_third_time_about_what_was_denied_twice() {
    let mut config = unbounded(vec![tool("echo")]);
    config.approvals = Approvals::AskAlways;
    let mut play = Play::new(config, calls("echo", 9));
    play.judge = Box::new(|_| Verdict::deny("no"));
    assert_eq!(play.prompt("go"), looping("echo", 4));
    assert_eq!(play.asked.len(), 2);
}

#[test]
fn what_was_denied_may_be_tried_again_when_the_rules_have_changed() {
    let mut config = unbounded(vec![tool("edit").level(Level::Write)]);
    config.mode = Mode::Plan;
    let mut play = Play::new(config, calls("edit", 3));
    let mut turns = 0;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::CallModel { .. } => {
            turns += 1;
            if turns == 3 { vec![Input::ModeChanged(Mode::Full)] } else { Vec::new() }
        }
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(outcomes(&play), [Outcome::Refused, Outcome::Refused, Outcome::Succeeded]);
}

#[test]
fn what_a_person_asks_for_again_is_no_loop() {
    let mut play = Play::new(config(), calls("echo", 3));
    let mut turns = 0;
    play.interrupt = Box::new(move |effect| match effect {
        Effect::RunTool { .. } => {
            turns += 1;
            if turns == 2 { vec![Input::Steered(Prompt::text("look once more"))] } else { Vec::new() }
        }
        _ => Vec::new(),
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran.len(), 3);
    play.script = calls("echo", 2).into();
    assert_eq!(play.prompt("again"), answered("done"), "and a new prompt begins anew");
    assert_eq!(play.ran.len(), 5);
}

#[test]
fn a_call_that_always_takes_too_long_is_a_loop() {
    let mut play = Play::new(unbounded(vec![tool("echo")]), calls("echo", 9));
    play.hang = Box::new(|effect| matches!(effect, Effect::RunTool { .. }));
    assert_eq!(play.prompt("go"), looping("echo", 4));
    assert_eq!(play.aborted.len(), 2);
}

#[test]
fn equal_calls_of_one_reply_are_run_twice_at_the_most() {
    let mut play = Play::new(config(), vec![Say::Calls(vec![("echo", ARGS); 5])]);
    assert_eq!(play.prompt("go"), answered("done"), "the model is told before it is stopped");
    assert_eq!(play.ran.len(), 2);
    assert_eq!(outcomes(&play)[2..], [Outcome::Refused; 3]);
}

#[test]
fn equal_changes_of_one_reply_are_work() {
    let mut play = Play::new(
        config_with(vec![tool("press").level(Level::Write)]),
        vec![Say::Calls(vec![("press", ARGS); 4])],
    );
    play.prompt("go");
    assert_eq!(play.ran.len(), 4);
}

#[test]
fn a_look_after_each_change_of_one_reply_is_work() {
    let tools = vec![tool("press").level(Level::Write), tool("look")];
    let mut config = config_with(tools);
    config.batch = BatchOrder::Sequential;
    let reply = vec![("look", ARGS), ("press", ARGS), ("look", ARGS), ("press", ARGS), ("look", ARGS)];
    let mut play = Play::new(config, vec![Say::Calls(reply)]);
    play.prompt("go");
    assert_eq!(play.ran.len(), 5);
}

#[test]
fn a_skill_asked_for_again_and_again_is_a_loop() {
    let skill = ToolSpec::skill(holm_guards::skill::extract());
    let arguments = r#"{"text":"write to a@example.com","target":"email"}"#;
    let mut script = Vec::new();
    for _ in 0..2 {
        script.extend([Say::Call("extract", arguments), Say::Text(r#"{"email":["a@example.com"]}"#)]);
    }
    script.extend([Say::Call("extract", arguments), Say::Call("extract", arguments)]);
    let mut play = Play::new(unbounded(vec![skill]), script);
    assert_eq!(play.prompt("go"), looping("extract", 4));
    let skills = play.requests.iter().filter(|(_, request)| request.purpose == Purpose::Skill).count();
    assert_eq!(skills, 2, "the third is refused");
}
