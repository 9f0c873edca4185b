//! Tests files that an attacker plants in a project: links to files that are trusted elsewhere, and
//! code in place of reviewed code. Links are not followed, and changed code is not started.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use holm_testkit::double::Act;
use serde_json::json;

use crate::stage::{MODEL, Ran, Stage};

/// The message that a person gets of each link.
const NEVER: &str = "is a link; links are never trusted";

/// Puts a server into a project: its entry, and beside that the script that the entry names by a relative path.
fn put_server(stage: &Stage) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../holm-mcp/tests/servers/server.py");
    fs::copy(script, stage.work().join("srv.py")).unwrap();
    fs::create_dir_all(stage.work().join(".holm/tools")).unwrap();
    let entry = json!({
        "command": "/usr/bin/python3", "args": ["srv.py", "ok"], "grants": ["read:./"], "era": "handshake",
    });
    fs::write(stage.work().join(".holm/tools/srv.mcp.json"), entry.to_string()).unwrap();
}

/// Another project, with a script of the same name.
fn other(stage: &Stage) -> PathBuf {
    let other = stage.work().join("../other");
    fs::create_dir_all(&other).unwrap();
    if stage.work().join("srv.py").is_file() {
        fs::copy(stage.work().join("srv.py"), other.join("srv.py")).unwrap();
    }
    other
}

fn within(stage: &Stage, folder: &Path, args: &[&str]) -> Ran {
    Ran::of(&stage.command(args).current_dir(folder).output().unwrap())
}

#[test]
fn a_trusted_server_starts_in_its_own_project_and_in_none_that_links_to_it() {
    let stage = Stage::new([]);
    put_server(&stage);
    stage.agrees(["tool", "trust"]);
    let tested = stage.holm(["mcp", "test", "srv"]);
    assert!(tested.code == Some(0) && tested.out.contains("srv_echo"), "{tested:?}");
    let other = other(&stage);
    for (link, target) in [(".holm", "../work/.holm"), (".holm/tools", "../../work/.holm/tools")] {
        if link != ".holm" {
            fs::remove_file(other.join(".holm")).unwrap();
            fs::create_dir(other.join(".holm")).unwrap();
        }
        symlink(target, other.join(link)).unwrap();
        within(&stage, &other, &["mcp", "test", "srv"]).fails(3, NEVER);
        let listed = within(&stage, &other, &["tool", "list"]);
        assert!(listed.code == Some(0) && !listed.out.contains("srv_echo"), "{link}: {listed:?}");
        assert_eq!(listed.err.matches(NEVER).count(), 1, "{link}: {listed:?}");
        within(&stage, &other, &["tool", "trust"]).fails(3, NEVER);
    }
    // What a command of a run could have made: a folder of the same project that links to its own files.
    let below = stage.work().join("sub");
    fs::create_dir(&below).unwrap();
    fs::copy(stage.work().join("srv.py"), below.join("srv.py")).unwrap();
    symlink("../.holm", below.join(".holm")).unwrap();
    within(&stage, &below, &["mcp", "test", "srv"]).fails(3, NEVER);
}

#[test]
fn a_folder_elsewhere_is_trusted_by_whichever_way_it_is_named() {
    let stage = Stage::new([]);
    let elsewhere = stage.work().join("../elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("one.sh"), "#!/bin/sh\n").unwrap();
    symlink("elsewhere", stage.work().join("../way")).unwrap();
    stage.agrees(["tool", "trust", "../way"]);
    let again = stage.holm(["tool", "trust", "../elsewhere"]);
    assert!(again.code == Some(0) && again.err.contains("nothing new to trust"), "{again:?}");
    // Within the project a link is one.
    symlink("../elsewhere", stage.work().join("tools")).unwrap();
    stage.holm(["tool", "trust", "tools"]).fails(3, NEVER);
}

#[test]
fn what_a_project_says_and_brings_is_not_heard_through_links() {
    let stage = Stage::new([Act::says("a"), Act::says("b")]).file("AGENTS.md", "Use tabs, never spaces.\n");
    let stage = stage.file("holm.toml", "system = \"From the project.\"\n");
    let skills = stage.work().join(".holm/skills/greet");
    fs::create_dir_all(&skills).unwrap();
    let text = "---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n";
    fs::write(skills.join("SKILL.md"), text).unwrap();
    assert_eq!(stage.holm(["agent", "new", "tallykeeper", "--project"]).code, Some(0));
    for words in
        [&["config", "trust"][..], &["tool", "trust", ".holm/skills"], &["tool", "trust", ".holm/agents"]]
    {
        stage.agrees(words);
    }
    let ran = stage.run(&["-p", "Hi."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "a\n"), "{ran:?}");
    let planted = ["Use tabs", "From the project.", "Greets people."];
    let heard = stage.double.requests()[0].text();
    assert!(planted.iter().all(|word| heard.contains(word)), "{heard}");

    let other = other(&stage);
    fs::create_dir(other.join(".holm")).unwrap();
    for link in ["AGENTS.md", "holm.toml", ".holm/skills", ".holm/agents"] {
        symlink(stage.work().join(link), other.join(link)).unwrap();
    }
    let ran = within(&stage, &other, &["run", "--model", MODEL, "-p", "Hi."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "b\n"), "{ran:?}");
    let heard = stage.double.requests()[1].text();
    assert!(!planted.iter().any(|word| heard.contains(word)) && !heard.contains("tallykeeper"), "{heard}");
    for link in ["AGENTS.md", "holm.toml", ".holm/skills"] {
        assert!(ran.err.contains(&format!("{link} {NEVER}")), "{link}: {ran:?}");
    }
    within(&stage, &other, &["run", "--model", MODEL, "--agent", "tallykeeper", "-p", "x"])
        .fails_after_notes(3, NEVER);
    let trusted = within(&stage, &other, &["config", "trust"]);
    assert!(trusted.code == Some(0) && trusted.err.matches(NEVER).count() == 2, "{trusted:?}");
    assert!(!trusted.out.contains("Use tabs"), "{trusted:?}");
}

#[test]
fn a_server_whose_script_has_changed_starts_nothing_until_a_person_looks_again() {
    let stage = Stage::new([]);
    put_server(&stage);
    let shown = stage.holm(["tool", "trust"]);
    assert!(
        shown.out.contains("/srv.py (") && shown.out.contains("  srv.mcp.json is started with it"),
        "{shown:?}"
    );
    stage.agrees(["tool", "trust"]);
    assert_eq!(stage.holm(["mcp", "test", "srv"]).code, Some(0));
    assert!(stage.holm(["tool", "list"]).out.contains("srv_echo"));

    let script = stage.work().join("srv.py");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("{text}\n# Another line.\n")).unwrap();
    let told = "srv.py, which starts it, changed since you trusted it; review it, then run `holm tool trust`";
    stage.holm(["mcp", "test", "srv"]).fails(3, told);
    let checked = stage.holm(["check"]);
    assert!(checked.code == Some(2) && checked.out.contains("bad  server "), "{checked:?}");
    assert!(checked.out.contains(told), "{checked:?}");
    let listed = stage.holm(["tool", "list"]);
    assert!(!listed.out.contains("srv_echo") && listed.err.matches(told).count() == 1, "{listed:?}");
    let call = ["tool", "execute", "srv_echo", r#"{"word":"ahoy"}"#, "--mode", "full"];
    let called = stage.holm(call);
    assert!(called.code != Some(0) && !called.out.contains("ahoy"), "{called:?}");

    stage.agrees(["tool", "trust"]);
    assert_eq!(stage.holm(call).out.trim(), r#"{"word": "ahoy"}"#);
    let gone = stage.holm(["tool", "distrust"]);
    assert!(gone.out.contains("no longer trusted: ") && gone.out.contains("/srv.py\n"), "{gone:?}");
    stage.holm(["mcp", "test", "srv"]).fails(3, "you have not trusted it");
}

#[test]
fn a_module_that_appears_under_a_name_of_the_command_line_starts_nothing() {
    let stage = Stage::new([]);
    put_server(&stage);
    fs::create_dir(stage.work().join("server")).unwrap();
    fs::rename(stage.work().join("srv.py"), stage.work().join("server/__main__.py")).unwrap();
    let entry = json!({
        "command": "/usr/bin/python3", "args": ["-m", "server", "ok"], "grants": ["read:./"], "era": "handshake",
    });
    fs::write(stage.work().join(".holm/tools/srv.mcp.json"), entry.to_string()).unwrap();
    stage.agrees(["tool", "trust"]);
    let tested = stage.holm(["mcp", "test", "srv"]);
    assert!(tested.code == Some(0) && tested.out.contains("srv_echo"), "{tested:?}");
    for planted in ["server.py", "server/__init__.py"] {
        fs::write(stage.work().join(planted), "raise SystemExit(7)\n").unwrap();
        let told = format!("{planted}, which starts it, is not trusted");
        stage.holm(["mcp", "test", "srv"]).fails(3, &told);
        fs::remove_file(stage.work().join(planted)).unwrap();
    }
}

#[test]
fn an_own_server_that_finds_its_code_in_the_folder_starts_with_a_note() {
    let stage = Stage::new([]);
    put_server(&stage);
    fs::remove_dir_all(stage.work().join(".holm")).unwrap();
    let add = ["mcp", "add", "srv", "--grant", "read:./", "--", "/usr/bin/python3", "srv.py", "ok"];
    assert_eq!(stage.holm(add).code, Some(0));
    assert_eq!(stage.holm(["mcp", "test", "srv"]).code, Some(0), "so that it is known");
    let listed = stage.holm(["tool", "list"]);
    assert!(listed.out.contains("srv_echo"), "{listed:?}");
    assert!(listed.err.contains("srv.py, because the entry has no absolute path"), "{listed:?}");
}
