//! Tests a manager that is a file: it can only delegate, and its helpers share its budget.

use std::{fs, sync::Arc};

use holm_testkit::double::{Act, Seen};

use crate::{
    delegation::{Executors, PARTS, manager},
    served::Served,
    stage::Stage,
};

const MANAGER: &str = "---\nname: manager\ndescription: Looks into things.\nmanages: [executor]\nat_once: 2\n\
    limits:\n  spend: 0.50usd\n---\nYou are the manager.\n";

const EXECUTOR: &str = "---\nname: executor\ndescription: Looks into one part.\nlimits:\n  turns: 2\n  spend: 0.05usd\n\
    ---\nYou are the executor.\n";

#[test]
fn a_manager_delegates_hands_out_again_what_failed_and_cites_all() {
    let executors = Arc::new(Executors::default());
    let asked = Arc::clone(&executors);
    let stage = Stage::answering(move |seen: &Seen| {
        let (system, body) = (&seen.asked.as_ref().unwrap().system, seen.text());
        if system.contains("You are the manager.") {
            return manager(&body);
        }
        if !system.contains("You are the executor.") {
            if body.contains("From part-a") {
                return Act::says("All four were looked into.");
            }
            return Act::calls(&[("m", "manager", r#"{"task":"Look into all four parts."}"#)]);
        }
        asked.answer(&body)
    });
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    fs::write(stage.data().join("tools/manager.md"), MANAGER).unwrap();
    fs::write(stage.data().join("tools/executor.md"), EXECUTOR).unwrap();
    stage.run(&["-p", "Look into it.", "--budget", "1"]).says("All four were looked into.\n");
    assert_eq!(executors.peak(), 2, "two at once and no more");
    let requests = stage.double.requests();
    let asked: Vec<_> = requests.iter().filter_map(|request| request.asked.as_ref()).collect();
    let manages = asked.iter().find(|asked| asked.system.contains("You are the manager.")).unwrap();
    let tools: Vec<&str> = manages.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(tools, ["executor"], "it can only delegate");
    let told = requests.last().unwrap().text();
    for part in PARTS {
        assert!(told.contains(part), "{part}: {told}");
    }
    let sessions = stage.holm(["session", "list", "--json"]).out;
    assert_eq!(sessions.lines().count(), 7, "the run, the manager, four executors and one again: {sessions}");
}

#[test]
fn a_manager_with_a_tool_that_acts_is_named_and_not_used() {
    let stage = Stage::new([]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let manager = MANAGER.replace("at_once: 2", "tools: [write]");
    fs::write(stage.data().join("tools/manager.md"), manager).unwrap();
    fs::write(stage.data().join("tools/executor.md"), EXECUTOR).unwrap();
    let ran = stage.holm(["tool", "list", "--tools", "native"]);
    let expect = "manager.md: a manager only delegates and cannot have the tool `write`; give it to a helper";
    assert!(ran.err.contains(expect), "{ran:?}");
    assert!(!ran.out.lines().any(|line| line.starts_with("manager ")), "{ran:?}");
}

/// A provider for whom the manager is the agent that was chosen, and a helper that has looked.
fn managed() -> Stage {
    let stage = Stage::answering(|seen: &Seen| {
        let (system, body) = (&seen.asked.as_ref().unwrap().system, seen.text());
        match (system.contains("You are the manager."), body.contains("finding of part-a")) {
            (true, false) => Act::calls(&[("x", "executor", r#"{"task":"part-a"}"#)]),
            (true, true) => Act::says("From part-a."),
            (false, _) => Act::says("finding of part-a"),
        }
    });
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    fs::create_dir_all(stage.data().join("agents")).unwrap();
    fs::write(stage.data().join("agents/manager.md"), MANAGER).unwrap();
    fs::write(stage.data().join("agents/executor.md"), EXECUTOR).unwrap();
    stage
}

/// What the manager was offered.
fn offered(stage: &Stage) -> Vec<String> {
    let requests = stage.double.requests();
    let mut asked = requests.iter().filter_map(|request| request.asked.as_ref());
    let manager = asked.find(|asked| asked.system.contains("You are the manager.")).unwrap();
    manager.tools.iter().map(|tool| tool.name.clone()).collect()
}

#[test]
fn a_manager_that_is_chosen_has_those_whom_it_manages() {
    let stage = managed();
    stage.run(&["--agent", "manager", "-p", "Look into it."]).says("From part-a.\n");
    let names = offered(&stage);
    assert!(names.contains(&"executor".into()), "{names:?}");
    assert!(!names.contains(&"read".into()) && !names.contains(&"manager".into()), "{names:?}");
    let shown = stage.holm(["agent", "show", "manager", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(shown["manages"], serde_json::json!(["executor"]));
}

#[test]
fn a_manager_of_a_server_has_those_whom_it_manages() {
    let stage = managed();
    let served = Served::start(&stage, &[]);
    let new = serde_json::json!({ "id": "one", "agent": "manager", "prompt": "Look into it." });
    let made = served.post("/api/sessions", &new);
    assert_eq!(made.status, 201, "{made:?}");
    served.wait("one");
    let names = offered(&stage);
    assert!(names.contains(&"executor".into()), "{names:?}");
    let told = served.get("/api/sessions/one/replay").body;
    assert!(told.contains("From part-a.") && !told.contains("there is no tool"), "{told}");
}

/// Checks that a manager with this file cannot be chosen, and that no model is asked.
#[track_caller]
fn refused(file: &str, expect: &str) {
    let stage = managed();
    fs::write(stage.data().join("agents/manager.md"), file).unwrap();
    let ran = stage.run(&["--agent", "manager", "-p", "Look into it."]);
    ran.fails_after_notes(2, expect);
    assert!(stage.double.requests().is_empty());
}

#[test]
fn a_manager_with_a_tool_that_acts_cannot_be_chosen() {
    let acting = MANAGER.replace("at_once: 2", "tools: [write]");
    refused(&acting, "a manager only delegates and cannot have the tool `write`");
}

#[test]
fn a_manager_of_somebody_who_is_not_there_cannot_be_chosen() {
    let lost = MANAGER.replace("[executor]", "[executor, nobody]");
    refused(&lost, "the agent `manager` cannot be used: no tool or agent is named `nobody`");
}
