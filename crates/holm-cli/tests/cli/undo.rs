//! Tests `holm undo`: a session that changed files, and a user who wants them back.

use std::{fs, os::unix::fs::MetadataExt as _, sync::Arc};

use holm::{
    grants::Mode,
    kernel::{Block, ModelResult, Reply, StopReason, ToolCall},
    models::ScriptedModel,
    runtime::{Agent, Toolbox},
    store::Store,
};
use holm_testkit::double::Act;
use holm_tools::{
    files::{self, FileToolContext},
    root::WorkspaceRoot,
    undo::UndoStore,
};
use serde_json::{Value, json};

use crate::stage::{MODEL, Ran, Stage};

fn calls(calls: &[(&str, Value)]) -> ModelResult {
    let call = |(at, (name, arguments)): (usize, &(&str, Value))| {
        let (id, name, arguments) = (format!("c{at}"), (*name).to_owned(), arguments.to_string());
        Block::ToolCall(ToolCall { id, name, arguments, replay: None })
    };
    let blocks = calls.iter().enumerate().map(call).collect();
    ModelResult::Replied(Reply { blocks, stop: StopReason::ToolUse, ..Reply::default() })
}

fn says(text: &str) -> ModelResult {
    ModelResult::Replied(Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() })
}

/// A session of two turns: the first changes `a.txt` and makes `made.txt`, the second changes `a.txt` again.
fn session(stage: &Stage) {
    let edit = |old: &str, new: &str| ("edit", json!({ "path": "a.txt", "old": old, "new": new }));
    let script = [
        calls(&[edit("one", "two"), ("write", json!({ "path": "made.txt", "content": "made" }))]),
        calls(&[edit("two", "three")]),
        says("first"),
        calls(&[edit("three", "four")]),
        says("second"),
    ];
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        fs::create_dir_all(stage.data()).unwrap();
        let store = Store::open(stage.data().join("holm.db")).await.unwrap();
        let desk = FileToolContext::new(WorkspaceRoot::open(&stage.work()).unwrap());
        let desk = desk.undo(UndoStore::open(stage.data().join("undo")).unwrap()).unwrap();
        let mut tools = Toolbox::new();
        for tool in files::tools(desk) {
            tools.add_shared(Arc::clone(&tool)).unwrap();
        }
        let grants = ["read:**", "write:**"].map(|grant| grant.parse().unwrap()).into_iter().collect();
        let agent = Agent::builder("scripted/one", ScriptedModel::new(script))
            .tools(tools)
            .grants(grants)
            .mode(Mode::Full)
            .journals(store.clone())
            .blobs(store)
            .build()
            .unwrap();
        let mut session = agent.start_as("changes").await.unwrap();
        assert_eq!(session.prompt("Change it.").await.unwrap().text().unwrap(), "first");
        assert_eq!(session.prompt("Again.").await.unwrap().text().unwrap(), "second");
    });
    assert_eq!(text(stage, "a.txt"), "four");
}

fn text(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.work().join(name)).unwrap()
}

#[test]
fn turns_are_undone_from_the_last_to_the_first() {
    let stage = Stage::new([]).file("a.txt", "one");
    session(&stage);
    let ran = stage.holm(["undo", "--dry-run"]);
    ran.says("a.txt  would be restored\n");
    assert_eq!(text(&stage, "a.txt"), "four");
    let ran = stage.holm(["undo"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored a.txt\n"), "{ran:?}");
    assert_eq!(ran.err, "holm: turn 2 of session changes: 1 file restored\n");
    assert_eq!(text(&stage, "a.txt"), "three");
    let ran = stage.holm(["undo", "--session", "changes"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored a.txt\nremoved made.txt\n"), "{ran:?}");
    assert_eq!(ran.err, "holm: turn 1 of session changes: 1 file restored, 1 file removed\n");
    assert_eq!(text(&stage, "a.txt"), "one");
    assert!(!stage.work().join("made.txt").exists());
    stage.holm(["undo"]).fails(6, "nothing to undo in this folder");
    stage.holm(["undo", "--session", "changes"]).fails(6, "nothing to undo in session `changes`");
}

#[test]
fn a_file_that_changed_since_is_named_and_given_back_only_when_it_is_forced() {
    let stage = Stage::new([]).file("a.txt", "one");
    session(&stage);
    let ran = stage.holm(["undo", "--turn", "1"]);
    ran.fails(1, "nothing was restored");
    assert!(
        ran.err.contains("holm: a.txt changed since") && ran.err.contains("--force a.txt"),
        "{}",
        ran.err
    );
    assert!(stage.work().join("made.txt").exists(), "the other file of the turn stays too");
    stage.holm(["undo", "--turn", "1", "--force", "other.txt"]).fails(2, "did not change that file");
    stage.holm(["undo", "--turn", "1", "--force", "../a.txt"]).fails(2, "leaves the folder");
    let ran = stage.holm(["undo", "--turn", "1", "--force", "a.txt"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(text(&stage, "a.txt"), "one");
    stage.holm(["undo", "--turn", "1"]).fails(6, "turn 1 of session `changes`");
}

#[test]
fn what_a_run_changed_is_given_back_and_secrets_stay_out_of_its_reach() {
    let read = ("c1", "read", r#"{"path":".env"}"#);
    let edit = ("c2", "edit", r#"{"path":"a.txt","old":"one","new":"two"}"#);
    let stage = Stage::new([Act::calls(&[read, edit]), Act::says("Done.")]).file("a.txt", "one");
    let stage = stage.file(".env", "the planted word");
    let grants = ["--grant", "read:**", "--grant", "write:**", "--mode", "full"];
    stage.run(&[&["-p", "Change it."], grants.as_slice()].concat()).says("Done.\n");
    assert_eq!(text(&stage, "a.txt"), "two");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("hidden from tools") && !told.contains("the planted word"), "{told}");
    let ran = stage.holm(["undo"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored a.txt\n"), "{ran:?}");
    assert_eq!(text(&stage, "a.txt"), "one");
}

#[test]
fn what_is_not_there_is_not_undone() {
    let stage = Stage::new([]);
    stage.holm(["undo"]).fails(6, "no sessions yet");
    stage.holm(["undo", "--session", "none"]).fails(6, "there is no session `none`");
}

#[test]
fn a_folder_is_undone_by_itself_and_another_one_is_named() {
    let write = |id: &str| Act::calls(&[(id, "write", r#"{"path":"new.txt","content":"x"}"#)]);
    let stage = Stage::new([write("c1"), Act::says("One."), write("c2"), Act::says("Two.")]);
    let other = stage.work().join("other");
    fs::create_dir(&other).unwrap();
    let run = |folder: &std::path::Path, session: &str| {
        let args = ["run", "--model", MODEL, "-p", "Write.", "--grant", "write:**", "--mode", "full"];
        let mut command = stage.command(args);
        let ran = Ran::of(&command.args(["--session", session]).current_dir(folder).output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    run(&stage.work(), "here");
    run(&other, "there");
    // The session used last was at work in another folder.
    let ran = stage.holm(["undo"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "removed new.txt\n"), "{ran:?}");
    assert_eq!(ran.err, "holm: turn 1 of session here: 1 file removed\n");
    assert!(other.join("new.txt").exists() && !stage.work().join("new.txt").exists());
    stage.holm(["undo"]).fails(6, "nothing to undo in this folder");
    let place = other.canonicalize().unwrap();
    let ran = stage.holm(["undo", "--session", "there", "--dry-run"]);
    ran.says(&format!("{}/new.txt  would be removed\n", place.display()));
    let ran = stage.holm(["undo", "--session", "there"]);
    assert_eq!((ran.code, ran.out), (Some(0), format!("removed {}/new.txt\n", place.display())));
    assert_eq!(ran.err, format!("holm: turn 1 of session there, in {}: 1 file removed\n", place.display()));
    assert!(!other.join("new.txt").exists());
}

const COMMANDS: [&str; 10] = [
    "--grant",
    "read:**",
    "--grant",
    "write:**",
    "--grant",
    "exec:*",
    "--grant",
    "exec:./**",
    "--mode",
    "full",
];

/// A stage with a workspace, and a model that runs this script in one turn.
fn with_script(script: &str) -> Stage {
    let call = Act::calls(&[("c1", "shell", &json!({ "script": script }).to_string())]);
    let stage = Stage::new([call, Act::says("Done.")]).file("notes.txt", "one\ntwo\n");
    fs::create_dir_all(stage.work().join("src/deep")).unwrap();
    stage
        .file("src/main.rs", "fn main() {}\n")
        .file("src/deep/lib.rs", "// lib\n")
        .file("run.sh", "#!/bin/sh\n")
}

/// Everything in a workspace, with modes, links and contents.
fn listed(stage: &Stage) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![stage.work()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            let content = if data.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if data.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.push((
                path.strip_prefix(stage.work()).unwrap().display().to_string(),
                data.mode(),
                content,
            ));
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_command_removed_and_changed_comes_back_and_goes_again() {
    let script = "rm -rf src; sed -i s/one/ONE/ notes.txt; chmod 755 run.sh; ln -s notes.txt link; mkdir new; echo x > new/x";
    let stage = with_script(script);
    let before = listed(&stage);
    stage.run(&[&["-p", "Clean up."], COMMANDS.as_slice()].concat()).says("Done.\n");
    let after = listed(&stage);
    assert!(!stage.work().join("src").exists() && stage.work().join("new/x").exists());
    let ran = stage.holm(["undo", "--dry-run"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for line in
        ["src/main.rs  would be restored\n", "new/x  would be removed\n", "run.sh  would be restored\n"]
    {
        assert!(ran.out.contains(line), "{ran:?}");
    }
    assert_eq!(listed(&stage), after);
    let ran = stage.holm(["undo"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let note = "4 files restored, 2 files removed, 2 folders restored, 1 folder removed\n";
    assert!(ran.err.contains("turn 1 of session") && ran.err.ends_with(note), "{ran:?}");
    assert_eq!(listed(&stage), before);
    stage.holm(["undo"]).fails(6, "nothing to undo in this folder");
    let ran = stage.holm(["undo", "--redo"]);
    assert!(ran.code == Some(0) && ran.err.contains("the undo of turn 1 of session"), "{ran:?}");
    assert_eq!(listed(&stage), after);
    stage.holm(["undo", "--redo"]).fails(6, "no undo in this folder to take back");
    assert_eq!(stage.holm(["undo"]).code, Some(0));
    assert_eq!(listed(&stage), before);
}

#[test]
fn a_file_that_the_user_changed_after_a_command_is_named_and_nothing_is_restored() {
    let stage = with_script("rm -rf src; sed -i s/one/ONE/ notes.txt");
    stage.run(&[&["-p", "Clean up."], COMMANDS.as_slice()].concat()).says("Done.\n");
    let stage = stage.file("notes.txt", "mine\n");
    let ran = stage.holm(["undo"]);
    ran.fails(1, "nothing was restored");
    assert!(ran.err.contains("notes.txt changed since") && ran.err.contains("--force notes.txt"), "{ran:?}");
    assert!(!stage.work().join("src").exists());
    let ran = stage.holm(["undo", "--force", "notes.txt"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        (text(&stage, "notes.txt"), text(&stage, "src/deep/lib.rs")),
        ("one\ntwo\n".into(), "// lib\n".into())
    );
}

#[test]
fn a_command_says_what_its_undo_does_not_restore_and_secrets_are_not_copied() {
    let stage = with_script("rm -rf node_modules; echo more >> notes.txt").file(".env", "the planted word");
    fs::create_dir(stage.work().join("node_modules")).unwrap();
    fs::write(stage.work().join("node_modules/x.js"), "x").unwrap();
    stage.run(&[&["-p", "Clean up."], COMMANDS.as_slice()].concat()).says("Done.\n");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("undo does not restore node_modules (build output)"), "{told}");
    let contents = fs::read_dir(stage.data().join("undo/contents")).unwrap();
    let contents: Vec<Vec<u8>> = contents.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(contents.contains(&b"one\ntwo\n".to_vec()) && !contents.contains(&b"the planted word".to_vec()));
    let ran = stage.holm(["undo"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored notes.txt\n"), "{ran:?}");
}

#[test]
fn the_journal_names_the_record_of_a_command_by_its_digest() {
    let stage = with_script("rm -r src; echo more >> notes.txt; echo new > new.txt");
    let args = ["-p", "Clean up.", "--session", "s"];
    stage.run(&[args.as_slice(), COMMANDS.as_slice()].concat()).says("Done.\n");
    let records = fs::read_dir(stage.data().join("undo/records")).unwrap();
    let records: Vec<_> = records.map(|entry| entry.unwrap().path()).collect();
    let [record] = records.as_slice() else { panic!("one record for each command: {records:?}") };
    let digest = std::process::Command::new("sha256sum").arg(record).output().unwrap();
    let digest = String::from_utf8(digest.stdout[..64].to_vec()).unwrap();
    let journal = stage.holm(["session", "export", "s", "--format", "jsonl"]).out;
    let named = format!(r#""record":"{digest}""#);
    assert!(journal.contains(&named) && journal.contains(r#""deleted":4"#), "{named} in {journal}");
    let told = stage.double.requests()[1].text();
    assert!(!told.contains(&digest), "no model pays for it: {told}");
}

/// What is noted on standard error about a conversation that stays.
fn stays(session: &str) -> String {
    format!(
        "holm: the conversation is unchanged; to continue it from there: holm session fork {session} --at "
    )
}

#[test]
fn the_files_of_several_turns_go_back_at_once_and_come_again() {
    let stage = Stage::new([]).file("a.txt", "one");
    session(&stage);
    let shown = stage.holm(["session", "show", "changes"]).out;
    assert!(shown.contains("## Prompt 1\n") && shown.contains("## Prompt 2\n"), "{shown}");
    let ran = stage.holm(["undo", "--from", "1", "--dry-run"]);
    let would = "a.txt  would be restored, +1 −1\nmade.txt  would be removed, +0 −1\n";
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), would), "{ran:?}");
    assert!(ran.err.contains(&stays("changes")), "{ran:?}");
    assert_eq!(text(&stage, "a.txt"), "four");
    let ran = stage.holm(["undo", "--from", "1"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored a.txt\nremoved made.txt\n"), "{ran:?}");
    let note = "holm: turns 1 to 2 of session changes: 1 file restored, 1 file removed\n";
    assert!(ran.err.starts_with(note), "{ran:?}");
    assert_eq!(text(&stage, "a.txt"), "one");
    let ran = stage.holm(["undo", "--redo"]);
    assert!(ran.err.starts_with("holm: the undo of turns 1 to 2 of session changes"), "{ran:?}");
    assert_eq!((text(&stage, "a.txt"), text(&stage, "made.txt")), ("four".into(), "made".into()));
    let ran = stage.holm(["undo", "--from", "2"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored a.txt\n"), "{ran:?}");
    assert_eq!(text(&stage, "a.txt"), "three");
    stage.holm(["undo", "--from", "3"]).fails(2, "session `changes` has no prompt 3; it has 2");
    stage.holm(["undo", "--from", "1", "--turn", "1"]).fails(2, "cannot be used with");
}

#[test]
fn a_rewind_leaves_what_somebody_else_changed_and_restores_the_rest() {
    let stage = with_script("rm -rf src; sed -i s/one/ONE/ notes.txt");
    stage.run(&[&["-p", "Clean up.", "--session", "s"], COMMANDS.as_slice()].concat()).says("Done.\n");
    let stage = stage.file("notes.txt", "mine\n");
    let ran = stage.holm(["undo", "--from", "1", "--dry-run"]);
    let left = "holm: notes.txt changed since and would be left; --force notes.txt restores it too\n";
    assert!(ran.code == Some(0) && ran.err.contains(left), "{ran:?}");
    assert!(!ran.out.contains("notes.txt") && ran.out.contains("src/main.rs  would be restored, +1 −0\n"));
    let ran = stage.holm(["undo", "--from", "1"]);
    let left = "holm: notes.txt changed since and was left; --force notes.txt restores it too\n";
    assert!(ran.code == Some(0) && ran.err.contains(left), "{ran:?}");
    assert_eq!(
        (text(&stage, "notes.txt"), text(&stage, "src/deep/lib.rs")),
        ("mine\n".into(), "// lib\n".into())
    );
    // It can still be restored.
    let ran = stage.holm(["undo", "--from", "1", "--force", "notes.txt"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "restored notes.txt\n"), "{ran:?}");
    assert_eq!(text(&stage, "notes.txt"), "one\ntwo\n");
}

#[test]
fn a_rewind_names_what_is_not_covered() {
    let stage = with_script("rm -rf node_modules; echo more >> notes.txt");
    fs::create_dir(stage.work().join("node_modules")).unwrap();
    fs::write(stage.work().join("node_modules/x.js"), "x").unwrap();
    stage.run(&[&["-p", "Clean up."], COMMANDS.as_slice()].concat()).says("Done.\n");
    let ran = stage.holm(["undo", "--from", "1", "--dry-run"]);
    assert!(ran.err.contains("holm: not restored: node_modules (build output)\n"), "{ran:?}");
}

#[test]
fn a_fork_takes_back_what_the_session_before_it_did() {
    let write = |id: &str, text: &str| {
        Act::calls(&[(id, "write", &json!({ "path": "a.txt", "content": text }).to_string())])
    };
    let acts = [write("c1", "two"), Act::says("One."), write("c2", "three"), Act::says("Two.")];
    let stage = Stage::new(acts);
    let grants = ["--grant", "read:**", "--grant", "write:**", "--mode", "full"];
    stage.run(&[&["-p", "First.", "--session", "old"], grants.as_slice()].concat()).says("One.\n");
    stage.run(&["-p", "Second.", "--session", "old", "--resume"]).says("Two.\n");
    // The record before the second prompt, as the preview names it.
    let ran = stage.holm(["undo", "--from", "2", "--session", "old"]);
    let at = ran.err.split(" --at ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(text(&stage, "a.txt"), "two");
    stage.agrees(["session", "fork", "old", "--at", at.as_str(), "--session", "new"]);
    let shown = stage.holm(["session", "show", "new"]).out;
    assert!(shown.contains("First.") && !shown.contains("Second."), "{shown}");
    let ran = stage.holm(["undo", "--from", "1", "--session", "new"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "removed a.txt\n"), "{ran:?}");
    assert!(!stage.work().join("a.txt").exists());
}
