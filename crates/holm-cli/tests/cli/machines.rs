//! Tests output for programs: every command that lists or shows something writes only JSON to
//! standard output.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};

use holm_testkit::double::Act;
use serde_json::{Value, json};

use crate::stage::{Ran, Stage};

/// A project's hooks, which were not reviewed.
const HOOKS: &str =
    r#"{"hooks":{"PreToolUse":[{"matcher":"shell","hooks":[{"type":"command","command":"./check.sh"}]}]}}"#;

#[test]
fn what_a_program_may_read_is_json_and_nothing_else() {
    let call = Act::calls(&[("c1", "list", r#"{"path":"."}"#)]);
    let write = Act::calls(&[("c2", "write", r#"{"path":"new.txt","content":"x"}"#)]);
    let stage = Stage::new([call, Act::says("Done."), Act::says("Again."), write, Act::says("Written.")]);
    stage.run(&["-p", "What is here?", "--session", "one", "--grant", "read:**"]).says("Done.\n");
    stage.run(&["-p", "And now?", "--session", "two"]).says("Again.\n");
    let writes = ["-p", "Write.", "--session", "three", "--grant", "write:**", "--mode", "full"];
    stage.run(&writes).says("Written.\n");
    fs::write(
        stage.work().join("servers.json"),
        r#"{"mcpServers":{"far":{"url":"https://far.example/mcp"}}}"#,
    )
    .unwrap();
    assert_eq!(stage.holm(["mcp", "add", "time", "--url", "https://time.example/mcp"]).code, Some(0));
    assert_eq!(stage.holm(["job", "add", "nightly", "report", "--cron", "0 3 * * *"]).code, Some(0));
    for (line, at_least) in [
        ("session list --json", 2),
        ("session show one --json", 1),
        ("session search here --json", 1),
        ("session replay one --json", 1),
        ("session diff one two --json", 1),
        ("session export one --format json", 1),
        ("log one", 1),
        ("tool list --json", 1),
        ("agent list --json", 0),
        ("skill list --json", 0),
        ("keys list --json", 1),
        ("mcp list --json", 1),
        ("job list --json", 1),
        ("job show nightly --json", 1),
        ("job log nightly --json", 0),
        ("config show --json", 0),
        ("config schema", 1),
        ("paths --json", 1),
        ("doctor --json", 1),
        ("check --json", 0),
        ("model ledger --json", 0),
        ("describe", 1),
        ("undo --dry-run --json", 1),
        ("undo --json", 1),
        ("import servers.json --json --project", 1),
        ("hooks list --json", 0),
    ] {
        let ran = stage.holm(line.split(' '));
        // What the doctor finds is the machine's affair.
        assert!(ran.code == Some(0) || line.starts_with("doctor"), "{line}: {ran:?}");
        let values = serde_json::Deserializer::from_str(&ran.out).into_iter::<Value>();
        let values: Vec<Value> =
            values.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{line}: {error}: {ran:?}"));
        assert!(values.len() >= at_least, "{line}: {ran:?}");
    }
}

#[test]
fn what_a_turn_changed_and_how_it_was_undone_is_told_to_a_program() {
    let write = Act::calls(&[("c1", "write", r#"{"path":"new.txt","content":"x"}"#)]);
    let stage = Stage::new([write, Act::says("Written.")]);
    let run = ["-p", "Write.", "--session", "one", "--grant", "write:**", "--mode", "full"];
    stage.run(&run).says("Written.\n");
    let folder = stage.work().canonicalize().unwrap().display().to_string();
    for (line, state) in [("undo --dry-run --json", "ready"), ("undo --json", "done")] {
        let ran = stage.holm(line.split(' '));
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        let told: Value =
            serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{line}: {error}: {ran:?}"));
        assert!(told["folder"].as_str().unwrap().starts_with(&folder), "{line}: {told}");
        let expect = json!({
            "session": "one", "turn": 1, "folder": told["folder"], "path": "new.txt", "change": "removed", "state": state,
        });
        assert_eq!(told, expect, "{line}");
    }
    assert!(!stage.work().join("new.txt").exists());
}

#[test]
fn what_was_taken_over_and_what_was_left_is_told_to_a_program() {
    let servers = r#"{"mcpServers":{"far":{"url":"https://far.example/mcp"}}}"#;
    let stage = Stage::new([]).file("servers.json", servers);
    let import = || stage.holm(["import", "servers.json", "--json", "--project"]);
    let told = |ran: &Ran| -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        ran.out.lines().map(read).collect()
    };
    let ran = import();
    let written = stage.data().canonicalize().unwrap().join("tools/far.mcp.json");
    let summary = json!({ "summary": { "taken": { "servers": 1 }, "changed": 0, "left": 0 } });
    assert_eq!((ran.code, told(&ran)), (Some(0), vec![json!({ "written": written }), summary]));
    let ran = import();
    assert_eq!((ran.code, &told(&ran)[0]["left"]), (Some(3), &json!("the server `far`")), "{ran:?}");
}

#[test]
fn hooks_and_how_they_stand_are_told_to_a_program() {
    let stage = Stage::new([]);
    let none = stage.holm(["hooks", "list", "--json"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""), "{none:?}");
    fs::create_dir(stage.work().join(".holm")).unwrap();
    fs::write(stage.work().join(".holm/hooks.json"), HOOKS).unwrap();
    let standing = |expect: &str| {
        let ran = stage.holm(["hooks", "list", "--json"]);
        let told: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert_eq!((told["owner"].as_str(), told["standing"].as_str()), (Some("project"), Some(expect)));
        assert_eq!(told["asks"][0], "runs `./check.sh` at PreToolUse for `shell`");
    };
    standing("new");
    stage.agrees(["hooks", "trust"]);
    standing("trusted");
    fs::write(stage.work().join(".holm/hooks.json"), format!("{HOOKS}\n")).unwrap();
    standing("changed");
}

#[test]
fn a_name_that_is_no_text_is_told_as_well_as_it_can_be() {
    let stage = Stage::new([]);
    let folder = stage.work().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: x\ndescription: Does x.\n---\nDo x.\n").unwrap();
    let ran = Ran::of(&stage.command(["skill", "validate", "--json"]).arg(&folder).output().unwrap());
    let told: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert!(told["path"].as_str().unwrap().ends_with("caf\u{fffd}/SKILL.md"), "{told}");
}
