use alloc::{string::ToString, vec};

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
