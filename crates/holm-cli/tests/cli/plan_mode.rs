//! Plan mode as a model meets it: which tools it is offered, and what commands can do.

use std::{fs, net::TcpListener};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::stage::{Ran, Stage};

const GRANTS: [&str; 8] =
    ["--grant", "read:**", "--grant", "write:**", "--grant", "exec:*", "--grant", "exec:./**"];

fn shell(script: &str) -> Act {
    Act::calls(&[("c", "shell", &json!({ "script": script }).to_string())])
}

fn run(stage: &Stage, more: &[&str]) -> Ran {
    let ran = stage.run(&[&["-p", "Go."], &GRANTS[..], more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

/// What the model was told after each call.
fn results(stage: &Stage) -> Vec<String> {
    let last = |request: &holm_testkit::double::Seen| {
        let body: Value = serde_json::from_str(&request.text()).unwrap();
        let last = body["input"].as_array().unwrap().last().unwrap();
        last["output"].as_str().unwrap_or_else(|| panic!("{last}")).to_owned()
    };
    stage.double.requests().iter().skip(1).map(last).collect()
}

/// The names of the tools in each request.
fn offers(stage: &Stage) -> Vec<Vec<String>> {
    let names = |request: &holm_testkit::double::Seen| {
        request.asked.as_ref().unwrap().tools.iter().map(|tool| tool.name.clone()).collect()
    };
    stage.double.requests().iter().map(names).collect()
}

#[test]
fn commands_read_the_workspace_and_write_temporary_files_only() {
    let script = "cat note.txt; ./say.sh; echo t > $TMPDIR/t && cat $TMPDIR/t; touch $HOME/h || echo no home; \
                  echo x > new.txt";
    let stage = Stage::new([shell(script), Act::says("Looked.")]).file("note.txt", "the note\n");
    let program = stage.work().join("say.sh");
    fs::write(&program, "#!/bin/sh\necho said\n").unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    run(&stage, &["--mode", "plan"]);
    let result = &results(&stage)[0];
    for part in
        ["the note", "said", "\nt\n", "no home", "Read-only file system", "[plan mode: commands can write"]
    {
        assert!(result.contains(part), "{part}: {result}");
    }
    assert!(!stage.work().join("new.txt").exists());
    assert!(!result.contains("needs the grant"), "no grant would help: {result}");
}

#[test]
fn commands_reach_no_host_although_it_is_granted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let script = format!(
        "echo proxy ${{https_proxy:-none}}; (: </dev/tcp/{}/{}) && echo connected",
        address.ip(),
        address.port()
    );
    let stage = Stage::new([shell(&script), Act::says("Looked.")]);
    run(&stage, &["--mode", "plan", "--grant", "fetch:https://api.example.com"]);
    let result = &results(&stage)[0];
    assert!(result.contains("proxy none") && !result.contains("connected"), "{result}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody came");
}

#[test]
fn tools_that_change_things_are_not_offered_and_a_call_is_denied() {
    let write = Act::calls(&[("w", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let stage = Stage::new([write, shell("true"), Act::says("Looked.")]);
    run(&stage, &["--mode", "plan"]);
    for offer in offers(&stage) {
        let has = |name: &str| offer.iter().any(|tool| tool == name);
        assert!(["read", "grep", "glob", "shell", "run_program"].into_iter().all(has), "{offer:?}");
        assert!(!["write", "edit", "patch", "enter_plan", "exit_plan"].into_iter().any(has), "{offer:?}");
    }
    let result = &results(&stage)[0];
    assert!(result.contains("plan mode is read-only") && result.contains("do not try again"), "{result}");
    assert!(!stage.work().join("out.txt").exists());
}

#[test]
fn without_a_jail_no_command_is_offered_and_none_runs() {
    let stage =
        Stage::new([shell("touch made.txt"), Act::calls(&[("l", "list", "{}")]), Act::says("Looked.")]);
    run(&stage, &["--mode", "plan", "--unconfined"]);
    let offer = &offers(&stage)[0];
    assert!(!offer.iter().any(|name| name == "shell" || name == "run_program"), "{offer:?}");
    assert!(results(&stage)[0].contains("plan mode is read-only"), "{}", results(&stage)[0]);
    assert!(!stage.work().join("made.txt").exists());
}

#[test]
fn the_tools_return_in_their_places_when_the_mode_changes() {
    let stage = Stage::new([Act::says("a"), Act::says("b"), Act::says("c")]);
    run(&stage, &["--session", "s", "--mode", "full"]);
    run(&stage, &["--session", "s", "--resume", "--mode", "plan"]);
    run(&stage, &["--session", "s", "--resume", "--mode", "full"]);
    let offers = offers(&stage);
    assert!(offers[1].len() < offers[0].len(), "{offers:?}");
    let kept: Vec<&String> = offers[0].iter().filter(|name| offers[1].contains(name)).collect();
    assert_eq!(kept, offers[1].iter().collect::<Vec<_>>(), "those that stay keep their order");
    let asked: Vec<_> = stage.double.requests().into_iter().map(|request| request.asked.unwrap()).collect();
    assert_eq!(asked[0].tools, asked[2].tools, "a provider's cache knows them already");
    assert!(asked.iter().all(|asked| asked.system == asked_first(&stage)), "the prompt stays as it was");
}

fn asked_first(stage: &Stage) -> String {
    stage.double.requests()[0].asked.as_ref().unwrap().system.clone()
}

#[test]
fn tools_are_there_after_a_session_that_began_in_plan_mode() {
    let write = Act::calls(&[("w", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let stage = Stage::new([Act::says("a"), write, Act::says("b")]);
    run(&stage, &["--session", "s", "--mode", "plan"]);
    run(&stage, &["--session", "s", "--resume", "--mode", "full"]);
    assert!(!offers(&stage)[0].iter().any(|name| name == "write"));
    assert!(offers(&stage)[1].iter().any(|name| name == "write"), "{:?}", offers(&stage)[1]);
    assert!(stage.work().join("out.txt").exists());
}

#[test]
fn a_model_in_plan_mode_is_told_what_commands_can_do() {
    for (more, line) in [
        (&["--mode", "plan"][..], "Commands can write to $TMPDIR only, and have no network.\n"),
        (&["--mode", "plan", "--unconfined"], "nothing can be changed, and no command can be run.\n"),
    ] {
        let stage = Stage::new([Act::says("a")]);
        run(&stage, more);
        let system = asked_first(&stage);
        assert!(system.contains(line), "{system}");
        assert!(!system.contains("`write:**`"), "{system}");
        assert_eq!(system.contains("`exec:*`"), !more.contains(&"--unconfined"), "{system}");
    }
}
