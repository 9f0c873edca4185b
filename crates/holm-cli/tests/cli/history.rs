//! Tests past sessions: search, export, replay, diff and fork.

use std::fs;

use holm_testkit::double::Act;
use serde_json::Value;

use crate::{
    stage::{MODEL, Ran, Stage},
    terminal,
};

/// A stage with a session about a boat and then about the sea.
fn talked(more: impl IntoIterator<Item = Act>) -> Stage {
    let acts = [Act::says("The boat is red."), Act::says("The sea is blue.")];
    let stage = Stage::new(acts.into_iter().chain(more));
    stage.run(&["-p", "What about the boat?", "--session", "old"]).says("The boat is red.\n");
    stage.run(&["-p", "And the sea?", "--session", "old", "--resume"]).says("The sea is blue.\n");
    stage
}

/// The journal, to the byte.
fn journal(stage: &Stage, session: &str) -> String {
    let ran = stage.holm(["session", "export", session, "--format", "jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    ran.out
}

/// The command with an editor.
fn edited(stage: &Stage, editor: &str, args: &[&str]) -> Ran {
    Ran::of(&stage.command(args).env("EDITOR", editor).output().unwrap())
}

/// The session that a fork said it made.
fn named(ran: &Ran) -> String {
    let said = ran.err.lines().find_map(|line| line.strip_prefix("holm: session "));
    said.unwrap_or_else(|| panic!("{ran:?}")).split(' ').next().unwrap().to_owned()
}

#[test]
fn words_are_found_in_what_was_said() {
    let stage = talked([]);
    let ran = stage.holm(["session", "search", "BOAT", "red"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1), "{ran:?}");
    assert!(ran.out.starts_with("old  ") && ran.out.contains("answer  The boat is red."), "{ran:?}");
    let ran = stage.holm(["session", "search", "the sea", "--json"]);
    let found: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), 2, "{ran:?}");
    assert!(found.iter().all(|hit| hit["run"] == "old"));
    let ran = stage.holm(["session", "search", "nowhere"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", "holm: no matches\n"));
    stage.holm(["session", "search", "ab"]).fails(2, "too short to search for");
}

#[test]
fn a_session_is_written_out_in_three_ways() {
    let stage = talked([]);
    let read = stage.holm(["session", "export", "old"]);
    assert!(read.out.contains("> The boat is red."), "{read:?}");
    assert_eq!(read.out, stage.holm(["session", "show", "old"]).out);
    let object = stage.holm(["session", "export", "old", "--format", "json"]);
    assert_eq!(object.out, stage.holm(["session", "show", "old", "--json"]).out);
    let lines = journal(&stage, "old");
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["chain"].is_string()));

    let file = ["session", "export", "old", "--format", "jsonl", "--out", "old.jsonl"];
    stage.holm(file).says("");
    assert_eq!(fs::read_to_string(stage.work().join("old.jsonl")).unwrap(), lines);
    stage.holm(file).fails(1, "old.jsonl cannot be written: it already exists");
    stage.holm(["session", "export", "none"]).fails(6, "there is no session `none`");
}

#[test]
fn titles_and_tags_are_labels_and_leave_the_journal_alone() {
    let stage = talked([]);
    let before = journal(&stage, "old");
    stage.holm(["session", "edit", "old", "--title", "Colours", "--tag", "sea", "--tag", "red"]).says("");
    let listed = |args: &[&str]| stage.holm([&["session", "list", "--json"], args].concat()).out;
    let found: Value = serde_json::from_str(listed(&["--tag", "sea"]).trim()).unwrap();
    assert_eq!((&found["title"], &found["tags"]), (&"Colours".into(), &serde_json::json!(["red", "sea"])));
    stage.holm(["session", "edit", "old", "--untitled", "--untag", "sea"]).says("");
    assert_eq!(listed(&["--tag", "sea"]), "");
    let found: Value = serde_json::from_str(listed(&[]).trim()).unwrap();
    assert_eq!(found["title"], "What about the boat?");
    stage.holm(["session", "edit", "old", "--title", "a\nb"]).fails(2, "cannot store the title");
    stage.holm(["session", "edit", "none", "--tag", "sea"]).fails(6, "there is no session");
    for label in [&["--title", "Sea"][..], &["--tag", "sea"], &["--erase"]] {
        let args = [&["session", "edit", "old", "-p", "What about the house?"], label].concat();
        stage.holm(args).fails(2, "a changed prompt creates a new session");
    }
    assert_eq!(listed(&["--tag", "sea"]), "");
    assert_eq!(journal(&stage, "old"), before);
}

#[test]
fn a_session_that_is_erased_is_gone() {
    let stage = talked([]);
    let ran = stage.holm(["session", "edit", "old", "--erase"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
    stage.holm(["session", "show", "old"]).fails(6, "there is no session");
    let left = String::from_utf8_lossy(&stage.left_behind()).into_owned();
    assert!(!left.contains("The boat is red."));
    stage.run(&["-p", "Again?", "--session", "old"]).fails(2, "was erased");
}

#[test]
fn a_fork_goes_on_differently_and_leaves_the_old_session_alone() {
    let stage = talked([Act::says("The sky is grey.")]);
    let before = journal(&stage, "old");
    let ran = stage.holm(["session", "fork", "old", "--at", "2", "-p", "And the sky?", "--session", "new"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The sky is grey.\n"), "{ran:?}");
    assert_eq!(ran.err, "holm: session new continues the history of old\n");
    let asked = stage.double.requests()[2].text();
    assert!(asked.contains("The boat is red.") && asked.contains("And the sky?"), "{asked}");
    assert!(!asked.contains("the sea"), "{asked}");
    assert_eq!(journal(&stage, "old"), before);

    let told = stage.holm(["session", "replay", "old"]).out;
    let prompt = told.lines().find(|line| line.ends_with("And the sea?")).unwrap();
    let parts_at: u64 = prompt.split_whitespace().next().unwrap().parse().unwrap();
    let ran = stage.holm(["session", "diff", "old", "new"]);
    assert!(ran.out.contains(&format!("identical up to record {parts_at}, then different")), "{ran:?}");
    for line in ["  assistant  The boat is red.", "- user       And the sea?", "+ user       And the sky?"] {
        assert!(ran.out.lines().any(|told| told == line), "{line}: {}", ran.out);
    }
    let ran = stage.holm(["session", "diff", "old", "new", "--json"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&found["same"], &found["parts_at"]), (&false.into(), &parts_at.into()));
    let ran = stage.holm(["session", "diff", "old", "old"]);
    assert!(ran.out.contains("identical, record by record"), "{ran:?}");
}

#[test]
fn a_fork_in_the_midst_of_work_asks_the_other_thing_and_runs_nothing_twice() {
    let call = Act::calls(&[("c1", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let stage = Stage::new([call, Act::says("Written."), Act::says("As you like.")]);
    let grants = ["--grant", "write:**", "--mode", "accept-edits"];
    stage.run(&[&["-p", "Write it.", "--session", "old"], &grants[..]].concat()).says("Written.\n");
    fs::remove_file(stage.work().join("out.txt")).unwrap();
    // The model's wish to write is the last thing that both have.
    let ran = stage.holm(["run", "--fork", "old", "--at", "2", "-p", "Leave it."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "As you like.\n"), "{ran:?}");
    assert!(!stage.work().join("out.txt").exists());
    let replayed = stage.holm(["session", "replay", &named(&ran)]);
    assert!(replayed.out.contains("user       Leave it."), "{replayed:?}");
}

#[test]
fn a_fork_without_a_prompt_answers_anew_or_waits() {
    let stage = talked([Act::says("The sea is green."), Act::says("It is deep.")]);
    // `run` does again what was under way.
    let ran = stage.holm(["run", "--fork", "old", "--at", "4"]);
    stage.holm(["run", "--fork", "old"]).fails(2, "nothing is running at record 5");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The sea is green.\n"), "{ran:?}");
    // `session fork` makes a session, and says which.
    let ran = stage.holm(["session", "fork", "old", "--session", "waits"]);
    ran.says("waits\n");
    stage.holm(["run", "--session", "waits", "--resume", "-p", "How deep?"]).says("It is deep.\n");
    stage.holm(["session", "fork", "old", "--session", "waits"]).fails(2, "session `waits` already exists");
    stage.holm(["session", "fork", "old", "--at", "99"]).fails(2, "has no record 99; the last one is");
    stage.holm(["session", "fork", "none"]).fails(6, "there is no session `none`");
    stage.holm(["run", "--at", "2", "-p", "x"]).fails(2, "--at needs a session to fork");
}

#[test]
fn a_fork_stays_in_the_folder_and_keeps_what_is_forbidden() {
    let id = Act::calls(&[("c1", "shell", r#"{"script":"id -un > who.txt"}"#)]);
    let stage = Stage::new([Act::says("one"), id, Act::says("I may not.")]);
    stage.run(&["-p", "First.", "--session", "old", "--deny-command", "id"]).says("one\n");
    let elsewhere = tempfile::tempdir().unwrap();
    let ran =
        stage.command(["run", "--fork", "old", "-p", "Who?"]).current_dir(elsewhere.path()).output().unwrap();
    Ran::of(&ran).fails(2, "session `old` works in");
    let grants = ["--mode", "full", "--grant", "exec:*", "--grant", "read:**", "--grant", "write:**"];
    let ran = stage.holm([&["run", "--fork", "old", "-p", "Who?"], &grants[..]].concat());
    assert_eq!(ran.out, "I may not.\n", "{ran:?}");
    assert!(!stage.work().join("who.txt").exists());
}

#[test]
fn a_prompt_is_put_otherwise_in_an_editor_and_history_stays() {
    let stage = talked([Act::says("The sky is grey."), Act::says("The house is white.")]);
    let before = journal(&stage, "old");
    let ran = edited(&stage, "sed -i s/sea/sky/", &["session", "edit", "old"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The sky is grey.\n"), "{ran:?}");
    let asked = stage.double.requests()[2].text();
    assert!(asked.contains("And the sky?") && !asked.contains("And the sea?"), "{asked}");
    let args = ["session", "edit", "old", "--at", "1", "-p", "What about the house?"];
    let ran = stage.holm(args);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "The house is white.\n"), "{ran:?}");
    let asked = stage.double.requests()[3].text();
    assert!(asked.contains("the house") && !asked.contains("boat"), "{asked}");
    assert_eq!(journal(&stage, "old"), before);

    edited(&stage, "true", &["session", "edit", "old"]).fails(2, "the prompt is unchanged");
    edited(&stage, "false", &["session", "edit", "old"]).fails(1, "nothing was done");
    stage.holm(["session", "edit", "old"]).fails(2, "no editor is set");
    stage.holm(["session", "edit", "old", "--at", "2"]).fails(2, "record 2 of session `old` is not a prompt");
}

#[test]
fn a_prompt_is_written_in_an_editor() {
    let stage = Stage::new([Act::says("Good day.")]);
    let ran =
        edited(&stage, "sed -i s/World/Ada/", &["run", "--model", MODEL, "--edit", "-p", "I am the World."]);
    ran.says("Good day.\n");
    assert!(stage.double.requests()[0].text().contains("I am the Ada."));
    edited(&stage, "true", &["run", "--model", MODEL, "--edit"]).fails(2, "the prompt is empty");
    let left = fs::read_dir(stage.data().join("drafts")).unwrap().count();
    assert_eq!(left, 0, "what was written is not left lying about");
}

#[test]
fn a_picture_is_not_lost_on_the_way_through_an_editor() {
    let stage = Stage::new([]);
    fs::write(stage.work().join("dot.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    edited(&stage, "true", &["run", "--model", MODEL, "--edit", "-p", "Look", "--media", "dot.png"])
        .fails(2, "--media does not work with --edit");
    assert!(stage.double.requests().is_empty());
}

#[test]
fn a_plan_is_edited_at_the_terminal_and_asked_about_again() {
    let enter = Act::calls(&[("e", "enter_plan", "{}")]);
    let exit = Act::calls(&[("x", "exit_plan", r#"{"plan":"Write out.txt."}"#)]);
    let stage = Stage::new([enter, exit, Act::says("As you say.")])
        .file("edit.sh", "sed -i s/out.txt/in.txt/ \"$1\"\n");
    let line = format!("EDITOR='sh edit.sh' {} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) = terminal::pressing(&stage, &line, &["[n]o: "], &["e\n", "y\n"]);
    assert_eq!(code, Some(0), "{screen}");
    let (before, after) = screen.split_once("[e]dit it, ").unwrap();
    assert!(before.contains("Write out.txt.") && after.contains("Write in.txt."), "{screen}");
    assert!(screen.contains("As you say."), "{screen}");
    let told = stage.double.requests().last().unwrap().text();
    assert!(told.contains("Carry out this plan") && told.contains("Write in.txt."), "{told}");
}

#[test]
fn a_session_is_gone_through_with_the_keys() {
    let stage = talked([]);
    let line = format!("{} session replay old --step", env!("CARGO_BIN_EXE_holm"));
    let keys = ["n", "\u{1b}[C", "p", "e", "q"];
    let (code, screen) = terminal::pressing(&stage, &line, &["q leave"], &keys);
    assert_eq!(code, Some(0), "{screen}");
    let places: Vec<&str> = screen.lines().filter(|line| line.contains("old  record ")).collect();
    let numbers: Vec<&str> = places.iter().map(|line| line.split_whitespace().nth(2).unwrap()).collect();
    assert_eq!(numbers[..4], ["0", "1", "2", "1"], "{screen}");
    assert!(screen.contains("> assistant  The boat is red."), "{screen}");
    assert!(screen.contains("  assistant  The boat is red."), "{screen}");
}

#[test]
fn without_keys_every_record_is_told_by_its_number() {
    let stage = talked([]);
    let ran = stage.holm(["session", "replay", "old", "--step"]);
    let heads: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("record ")).collect();
    assert!(heads[0].ends_with("the beginning") && heads[1].ends_with("a prompt"), "{ran:?}");
    assert!(heads[2].ends_with("a model's reply"), "{ran:?}");
    let ran = stage.holm(["session", "replay", "old", "--step", "--at", "2"]);
    assert!(ran.out.starts_with("record 2 of "), "{ran:?}");
    stage.holm(["session", "replay", "old", "--step", "--at", "99"]).fails(2, "has no record 99");
    assert_eq!(stage.double.requests().len(), 2, "a replay asks nobody");
}
