//! Arguments are repaired and validated before any hook or person sees the call; an invalid call
//! never runs.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use holm_guards::json::Json;

use super::play::{Play, Say, answered, config_with, tool};
use crate::*;

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1},
        "deep": {"type": "boolean"}
    },
    "required": ["path"],
    "additionalProperties": false
}"#;

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

fn reader(schema: &str) -> ToolSpec {
    ToolSpec { schema: json(schema), ..tool("read") }
}

/// Every call is shown to a hook, so that the tests see what hooks see.
fn watched(tools: Vec<ToolSpec>) -> Config {
    Config { approvals: Approvals::AskAlways, ..config_with(tools) }
}

#[test]
fn arguments_that_have_one_meaning_are_mended_before_any_hook_sees_them() {
    let check = |schema: &str, arguments: &'static str, canonical: &str, mended: bool| {
        let mut play = Play::new(watched(vec![reader(schema)]), vec![Say::Call("read", arguments)]);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(play.ran, ["read"], "{arguments}");
        assert_eq!(play.asked[0].arguments, canonical);
        let fixes = play.events.iter().find_map(|event| match event {
            Event::CallProposed { fixes, arguments, .. } => {
                assert_eq!(&**arguments, canonical);
                Some(fixes.len())
            }
            _ => None,
        });
        assert_eq!(fixes.map(|count| count > 0), Some(mended), "{arguments}");
    };
    check(SCHEMA, r#"{ "path" : "a", "count": 2 }"#, r#"{"count":2,"path":"a"}"#, false);
    check(SCHEMA, r#"{"path":"a","count":null}"#, r#"{"path":"a"}"#, true);
    check(SCHEMA, r#"{"path":"a","count":"50"}"#, r#"{"count":50,"path":"a"}"#, true);
    check(SCHEMA, r#"{"path":"a","deep":"true"}"#, r#"{"deep":true,"path":"a"}"#, true);
    check(r#"{"type":"object"}"#, "", "{}", true);
    let union = r#"{"oneOf":[
        {"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
        {"type":"object","properties":{"kind":{"const":"box"},"w":{"type":"number"}},"required":["kind","w"]}
    ]}"#;
    check(union, r#"{"circle":{"r":2}}"#, r#"{"kind":"circle","r":2}"#, true);
}

#[test]
fn arguments_that_are_not_valid_become_an_error_result_that_says_how_to_do_better() {
    let check = |arguments: &'static str, parts: &[&str]| {
        let script = vec![Say::Call("read", arguments), Say::Call("read", r#"{"path":"a"}"#)];
        let mut play = Play::new(watched(vec![reader(SCHEMA)]), script);
        assert_eq!(play.prompt("go"), answered("done"), "{arguments}");
        let (outcome, text) = &play.results()[0];
        assert_eq!(*outcome, Outcome::Refused, "{arguments}");
        for part in parts {
            assert!(text.contains(part), "{arguments} gave {text}");
        }
        assert_eq!(play.asked.len(), 1, "no hook sees {arguments}");
        assert_eq!(play.ran, ["read"], "only the corrected call runs");
        let proposed = play.events.iter().filter(|event| matches!(event, Event::CallProposed { .. })).count();
        assert_eq!(proposed, 1, "what is not valid was never proposed");
    };
    check("{}", &["`path` is missing"]);
    check(r#"{"path":"a","count":0}"#, &["count"]);
    check(r#"{"path":"a","count":"many"}"#, &["count", "integer"]);
    check(r#"{"path":"a","colour":"red"}"#, &["colour"]);
    check(r#"{"path":["a","b"]}"#, &["path", "string"]);
    check(r#"{"path":"a""#, &["line 1", "column"]);
    check("not json at all", &["line 1"]);
    check("[1,2]", &["object"]);
}

#[test]
fn hostile_arguments_are_refused_and_the_run_goes_on() {
    let deep: &'static str = "[".repeat(100_000).leak();
    let wide: &'static str = format!(r#"{{"path":"{}"}}"#, "\\u0000".repeat(2_000)).leak();
    let big: &'static str = r#"{"path":"a","count":1e400000000}"#;
    for arguments in [deep, big, "{\"path\":\"\\ud800\"}", "\u{feff}{}", "{\"path\":\"a\",\"path\":1}"] {
        let mut play = Play::new(watched(vec![reader(SCHEMA)]), vec![Say::Call("read", arguments)]);
        assert_eq!(play.prompt("go"), answered("done"));
        assert_eq!(play.results().len(), 1);
        assert!(play.results()[0].1.len() < 10_000, "the answer stays short");
    }
    let mut play = Play::new(watched(vec![reader(SCHEMA)]), vec![Say::Call("read", wide)]);
    assert_eq!(play.prompt("go"), answered("done"));
    assert!(!play.asked[0].arguments.contains('\0'), "a person sees no control characters");
}

#[test]
fn a_rewrite_goes_through_validation_again() {
    let mut play = Play::new(watched(vec![reader(SCHEMA)]), vec![Say::Call("read", r#"{"path":"a"}"#)]);
    play.judge = Box::new(|proposal| match proposal.arguments.contains("safe") {
        true => Verdict::allow(),
        false => Verdict::Rewrite { arguments: r#"{"path":"safe","count":"3"}"#.into() },
    });
    play.tool = Box::new(|request| ToolOutput::text(format!("read {}", request.arguments)));
    play.prompt("go");
    assert_eq!(play.results(), [(Outcome::Succeeded, r#"read {"count":3,"path":"safe"}"#.to_string())]);
    assert_eq!(play.asked.len(), 2, "what is rewritten is shown again");
}

#[test]
fn a_rewrite_that_is_not_valid_is_refused() {
    let mut play = Play::new(watched(vec![reader(SCHEMA)]), vec![Say::Call("read", r#"{"path":"a"}"#)]);
    play.judge = Box::new(|_| Verdict::Rewrite { arguments: r#"{"path":7}"#.replace('7', "[]") });
    play.prompt("go");
    assert_eq!(play.ran, [""; 0]);
    assert_eq!(play.results()[0].0, Outcome::Refused);
}

#[test]
fn hooks_cannot_rewrite_a_call_for_ever() {
    let mut play = Play::new(watched(vec![reader(SCHEMA)]), vec![Say::Call("read", r#"{"path":"a"}"#)]);
    play.judge = Box::new(|proposal| Verdict::Rewrite {
        arguments: format!(r#"{{"path":"{}"}}"#, "a".repeat(proposal.arguments.len())),
    });
    assert_eq!(play.prompt("go"), answered("done"));
    assert_eq!(play.ran, [""; 0]);
    assert!(play.results()[0].1.contains("rewritten too many times"));
}

fn flaws(events: &[Event]) -> Vec<(String, bool)> {
    let flaw = |event: &Event| match event {
        Event::ToolFlawed { tool, usable, problems } => {
            assert!(!problems.is_empty());
            Some((tool.to_string(), *usable))
        }
        _ => None,
    };
    events.iter().filter_map(flaw).collect()
}

#[test]
fn what_a_schema_demands_and_nobody_checks_is_told_when_the_tool_is_registered() {
    let gap = ToolSpec { schema: json(r#"{"type":"object","fits":"nicely"}"#), ..tool("gap") };
    let broken = ToolSpec { schema: json(r#"{"type":"no such type"}"#), ..tool("broken") };
    let mut play = Play::new(config_with(vec![tool("fine"), gap.clone(), broken.clone()]), Vec::new());
    play.drain();
    assert_eq!(flaws(&play.events), [("gap".to_string(), true), ("broken".to_string(), false)]);
    play.events.clear();
    play.give(Input::ToolsChanged(vec![broken]));
    play.drain();
    assert_eq!(flaws(&play.events), [("broken".to_string(), false)]);
}

#[test]
fn a_tool_that_cannot_be_checked_at_all_is_not_offered_and_not_run() {
    let broken = ToolSpec { schema: json(r#"{"type":"no such type"}"#), ..tool("broken") };
    let mut play = Play::new(config_with(vec![tool("fine"), broken]), vec![Say::Call("broken", "{}")]);
    assert_eq!(play.prompt("go"), answered("done"));
    let offered: Vec<&str> = play.requests[0].1.tools.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["fine"]);
    assert_eq!(play.ran, [""; 0]);
    assert!(play.results()[0].1.starts_with("the tool cannot be used: "));
}

#[test]
fn the_transcript_keeps_what_the_model_wrote_and_the_tool_gets_what_was_meant() {
    let written = r#"{"path":"a","count":"50"}"#;
    let mut play = Play::new(config_with(vec![reader(SCHEMA)]), vec![Say::Call("read", written)]);
    play.prompt("go");
    let call = play.run.transcript()[1].tool_calls().next().cloned().expect("the call");
    assert_eq!(call.arguments, written);
    assert_eq!(play.results()[0].1, r#"out of {"count":50,"path":"a"}"#);
}
