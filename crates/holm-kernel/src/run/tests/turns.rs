use alloc::{string::ToString, vec, vec::Vec};

use super::play::{Play, Say, answered, config, failure};
use crate::*;

#[test]
fn a_plain_answer_ends_the_group() {
    let mut play = Play::new(config(), vec![Say::Text("4")]);
    assert_eq!(play.prompt("2 + 2?"), answered("4"));
    assert!(play.run.is_idle());
    assert!(matches!(play.events.last(), Some(Event::GroupEnded { .. })));
}

#[test]
fn a_tool_call_runs_and_its_result_reaches_the_model() {
    let mut play = Play::new(config(), vec![Say::Call("echo", r#"{"text":"hi"}"#), Say::Text("done")]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran, ["echo"]);
    assert_eq!(play.results(), [(Outcome::Succeeded, r#"out of {"text":"hi"}"#.to_string())]);
    assert_eq!(play.requests.len(), 2);
}

#[test]
fn a_transient_failure_is_tried_again_after_a_pause() {
    let script = vec![failure(FailureClass::Server), Say::Text("ok")];
    let mut play = Play::new(config(), script);
    assert_eq!(play.prompt("go"), answered("ok"));
    assert!(play.now >= 375, "the pause was {} ms", play.now);
}

#[test]
fn a_tool_whose_need_names_an_argument_that_its_schema_lacks_cannot_be_used() {
    for need in ["read:{file}", "read:{file?}", "read:{file=.}"] {
        let mut config = config();
        config.tools[0].needs = vec![need.parse().expect("a template")];
        let mut play = Play::new(config, vec![Say::Call("echo", "{}")]);
        play.prompt("go");
        let flaw = |event: &Event| matches!(event, Event::ToolFlawed { usable: false, .. });
        assert!(play.events.iter().any(flaw), "{need}");
        assert!(play.ran.is_empty() && play.asked.is_empty(), "{need}");
    }
}

#[test]
fn what_is_wrong_with_a_tool_is_reported_when_it_is_registered() {
    let mut config = config();
    config.tools[0].needs = vec!["read:{file}".parse().expect("a template")];
    config.tools.push(ToolSpec::new("has space", "", super::play::text_schema()));
    let mut play = Play::new(config, vec![Say::Text("ok")]);
    play.prompt("go");
    let flawed: Vec<_> = play
        .events
        .iter()
        .filter_map(|event| match event {
            Event::ToolFlawed { problems, .. } => Some(problems.join("\n")),
            _ => None,
        })
        .collect();
    assert_eq!(flawed.len(), 2);
    assert!(flawed[0].contains("`file`") && flawed[1].contains("has_space"), "{flawed:?}");
}
