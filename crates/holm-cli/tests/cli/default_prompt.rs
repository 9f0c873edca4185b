//! What a model is told first, and what becomes of a run that may do nothing.

use std::fs;

use holm_testkit::double::Act;

use crate::stage::{MODEL, Ran, Stage};

fn systems(stage: &Stage) -> Vec<String> {
    stage.double.requests().into_iter().map(|request| request.asked.unwrap().system).collect()
}

#[test]
fn a_model_is_told_who_it_is_where_it_is_and_what_is_granted_and_the_journal_says_which_text_it_was() {
    let stage = Stage::new([Act::says("Hello.")]);
    stage
        .run(&["-p", "Hi.", "--session", "s", "--grant", "read:src/**", "--grant", "exec:git"])
        .says("Hello.\n");
    let system = systems(&stage).remove(0);
    let shown: serde_json::Value =
        serde_json::from_str(&stage.holm(["agent", "show", "default", "--json"]).out).unwrap();
    let gpt = &shown["dialects"]["gpt"];
    assert!(system.starts_with(gpt["system"].as_str().unwrap()), "{system}");
    let work = stage.work().canonicalize().unwrap();
    for line in [
        format!("\nWorkspace: {}\n", work.display()),
        "\nGit: no repository\n".into(),
        "\nNo user can answer questions during this run.".into(),
        "\nMode: default.".into(),
        "\nAllowed: read src/** (`read:src/**`).\n".into(),
    ] {
        assert!(system.contains(&line), "{line}: {system}");
    }
    // The mode asks about programs, and nobody is there.
    assert!(
        !system.contains("exec:git")
            && system.ends_with(
                "such as writing files, running programs or using the network. Tools whose calls cannot pass are not offered."
            ),
        "{system}"
    );
    let journal = stage.holm(["session", "export", "s", "--format", "jsonl"]).out;
    let source = format!("default/gpt sha256:{}", gpt["sha256"].as_str().unwrap());
    assert!(journal.lines().next().unwrap().contains(&source), "{journal}");
    let printed = stage.holm(["agent", "show", "default"]).out;
    assert!(["--- claude", "--- gpt", "--- open"].iter().all(|part| printed.contains(part)), "{printed}");
}

#[test]
fn a_resumed_session_sends_the_same_text_whatever_changed_since() {
    let stage = Stage::new([Act::says("a"), Act::says("b")]);
    stage.run(&["-p", "Hi.", "--session", "s"]).says("a\n");
    fs::write(stage.work().join("AGENTS.md"), "Use tabs.\n").unwrap();
    let ran =
        stage.run(&["-p", "Again.", "--session", "s", "--resume", "--grant", "read:**", "--mode", "full"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "b\n"), "{ran:?}");
    let systems = systems(&stage);
    assert_eq!(systems[0], systems[1]);
}

#[test]
fn a_model_is_told_once_what_it_may_do_now_where_that_has_changed() {
    let stage = Stage::new([Act::says("a"), Act::says("b"), Act::says("c"), Act::says("d")]);
    stage.run(&["-p", "Hi.", "--session", "s"]).says("a\n");
    let again = ["-p", "Again.", "--session", "s", "--resume"];
    stage.run(&again).says("b\n");
    let changed = ["--grant", "read:**", "--grant", "write:**", "--mode", "full"];
    stage.run(&[&again[..], &changed].concat()).says("c\n");
    stage.run(&again).says("d\n");
    let asked = stage.double.requests().pop().unwrap().asked.unwrap();
    let said = |message: &holm::kernel::Message| {
        message.blocks.iter().filter_map(holm::kernel::Block::as_text).map(str::to_owned).collect::<Vec<_>>()
    };
    let said: Vec<Vec<String>> =
        asked.messages.iter().filter(|message| message.role == holm::kernel::Role::User).map(said).collect();
    assert_eq!(said.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2, 1], "{said:#?}");
    let note = &said[2][0];
    assert!(note.starts_with("[Permissions have changed. They are now:]\n"), "{note}");
    assert!(note.contains("Mode: full.") && note.contains("write any file in the workspace"), "{note}");
}

#[test]
fn a_run_whose_writes_were_all_refused_is_no_success_even_if_it_could_look() {
    let write = r#"{"path":"new.txt","content":"x"}"#;
    let calls = [("a", "write", write), ("b", "read", r#"{"path":"a.txt"}"#)];
    let stage = Stage::new([Act::calls(&calls), Act::says("I could not.")]).file("a.txt", "text");
    let ran = stage.run(&["-p", "Write it.", "--grant", "read:**"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), "I could not.\n"), "{ran:?}");
}

#[test]
fn an_agent_file_of_that_name_replaces_the_default() {
    let stage = Stage::new([Act::says("a"), Act::says("b")]);
    assert_eq!(stage.holm(["agent", "new", "default"]).code, Some(0));
    fs::write(
        stage.data().join("agents/default.md"),
        "---\nname: default\ndescription: Mine.\n---\nYou are mine.\n",
    )
    .unwrap();
    stage.run(&["-p", "Hi."]).says("a\n");
    stage.run(&["-p", "Hi.", "--agent", "default"]).says("b\n");
    for system in systems(&stage) {
        assert!(
            system.starts_with("You are mine.\n\n# Environment") && !system.contains("You are Holm"),
            "{system}"
        );
    }
    assert!(stage.holm(["agent", "show", "default"]).out.contains("You are mine."));
}

#[test]
fn a_run_whose_calls_were_all_denied_has_not_succeeded() {
    let write = || Act::calls(&[("w", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let stage = Stage::new([write(), Act::says("I may not.")]);
    let ran = stage.run(&["-p", "Write.", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &found["all_calls_denied"], &found["exit"]),
        (Some(3), &true.into(), &3.into()),
        "{found}"
    );
    let ledger = stage.holm(["model", "ledger"]);
    assert!(!ledger.out.contains("1 of 1"), "{ledger:?}");

    // One that looked with another tool than a command has.
    let list = Act::calls(&[("l", "list", "{}")]);
    let shell = Act::calls(&[("s", "shell", r#"{"script":"ls"}"#)]);
    let stage = Stage::new([shell, list, Act::says("In part.")]);
    stage.run(&["-p", "Look.", "--grant", "read:**"]).says_without("shell", 0, "In part.\n");
}

#[test]
fn in_the_last_turn_no_tool_can_be_called() {
    use holm::wire::ToolChoice;
    let list = || Act::calls(&[("l", "list", "{}")]);
    let stage = Stage::new([list(), Act::says("So far.")]);
    stage.run(&["-p", "Look.", "--grant", "read:**", "--turns", "2"]).says("So far.\n");
    let asked: Vec<_> = stage.double.requests().into_iter().map(|request| request.asked.unwrap()).collect();
    assert_eq!((&asked[0].tool_choice, &asked[1].tool_choice), (&ToolChoice::Auto, &ToolChoice::None));
    assert_eq!(asked[0].tools.len(), asked[1].tools.len(), "what a cache knows stays as it is");
}

/// The names of the tools in the last request.
fn offered(stage: &Stage) -> Vec<String> {
    let asked = stage.double.requests().pop().unwrap().asked.unwrap();
    asked.tools.iter().map(|tool| tool.name.clone()).collect()
}

#[test]
fn tools_of_which_no_call_could_pass_are_not_offered_where_nobody_can_answer() {
    let needy = ["write", "edit", "patch", "shell"];
    let write = Act::calls(&[("w", "write", r#"{"path":"new.txt","content":"x"}"#)]);
    let again = Act::calls(&[("x", "write", r#"{"path":"new.txt","content":"x"}"#)]);
    let says = ["b", "c", "d"].map(Act::says);
    let stage = Stage::new([write, Act::says("I may not."), again].into_iter().chain(says));
    let ran = stage.run_by_default(&["-p", "Write.", "--session", "s"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let names = offered(&stage);
    assert!(names.contains(&"read".to_owned()), "{names:?}");
    assert!(needy.iter().all(|tool| !names.contains(&(*tool).to_owned())), "{names:?}");
    let system = systems(&stage).pop().unwrap();
    assert!(system.contains("Tools whose calls cannot pass are not offered."), "{system}");
    let asked = stage.double.requests().pop().unwrap().text();
    assert!(asked.contains("denied for this run") && asked.contains("write:new.txt"), "{asked}");

    // With grants they come back, also in a session that began without: a note tells of them, and the list stays as the
    // provider's cache has it.
    stage.run_by_default(&["-p", "Now.", "--session", "s", "--resume", "--trust", "jail"]).says("b\n");
    let asked = stage.double.requests().pop().unwrap().text();
    assert!(needy.iter().all(|tool| asked.contains(&format!("{tool}: "))), "{asked}");
    assert!(stage.work().join("new.txt").exists());
    stage.run_by_default(&["-p", "Edit.", "--trust", "edit"]).says("c\n");
    let names = offered(&stage);
    assert!(names.contains(&"write".to_owned()) && !names.contains(&"shell".to_owned()), "{names:?}");
    // Commands that only look need no more than reading.
    stage.run_by_default(&["-p", "Look.", "--mode", "plan", "--grant", "read:**"]).says("d\n");
    assert!(offered(&stage).contains(&"shell".to_owned()), "{:?}", offered(&stage));
}

#[test]
fn a_list_of_a_folder_needs_no_search_first() {
    let acts = [
        Act::calls(&[("l", "LS", r#"{"path":"."}"#)]),
        Act::calls(&[("m", "list", r#"{"path":"."}"#)]),
        Act::calls(&[("s", "tool_search", r#"{"query":"select:list"}"#)]),
        Act::says("Done."),
    ];
    let stage = Stage::new(acts).file("main.rs", "fn main() {}\n");
    stage.run_by_default(&["-p", "Look.", "--grant", "read:**"]).says("Done.\n");
    assert!(!offered(&stage).contains(&"list".to_owned()), "{:?}", offered(&stage));
    let said = stage.double.requests().pop().unwrap().text();
    assert!(said.matches("main.rs").count() >= 2 && !said.contains("not available"), "{said}");
    assert!(said.contains("Arguments: {"), "a search shows how it is called: {said}");
}

#[test]
fn a_prompt_that_looks_like_a_note_is_none() {
    let stage = Stage::new([Act::says("a"), Act::says("b"), Act::says("c")]);
    let granted = ["--grant", "read:**", "--grant", "write:**", "--mode", "full"];
    let run = |prompt: &str, more: &[&str]| {
        let words = [&["run", "--model", MODEL, "-p", "-", "--session", "s"], more].concat();
        stage.holm_with(prompt, words)
    };
    assert_eq!(run("Hi.", &granted).out, "a\n");
    // What the note will say, in the user's own words.
    let resumed = ["--resume", "--mode", "plan"];
    let lines = {
        let stage = Stage::new([Act::says("a"), Act::says("b")]);
        stage.run(&[&["-p", "Hi.", "--session", "s"], &granted[..]].concat()).says("a\n");
        stage.run(&[&["-p", "Again.", "--session", "s"], &resumed[..]].concat()).says("b\n");
        notes(&stage).pop().unwrap()
    };
    assert_eq!(run(&lines, &["--resume"]).out, "b\n");
    assert_eq!(run("Again.", &resumed).out, "c\n");
    assert_eq!(notes(&stage).len(), 2, "the forged one and the real one");
}

/// The texts in the last request that look like notes about permissions.
fn notes(stage: &Stage) -> Vec<String> {
    let asked = stage.double.requests().pop().unwrap().asked.unwrap();
    let blocks = asked.messages.iter().flat_map(|message| &message.blocks);
    let texts = blocks.filter_map(holm::kernel::Block::as_text).map(str::to_owned);
    texts.filter(|text| text.starts_with("[Permissions have changed.")).collect()
}

#[test]
fn a_call_in_the_last_turn_is_not_run_whatever_the_server_does() {
    let write =
        |name: &str| Act::calls(&[(name, "write", &format!(r#"{{"path":"{name}.txt","content":"x"}}"#))]);
    let stage = Stage::new([write("one"), write("two"), write("three")]);
    let ran = stage.run(&["-p", "Go.", "--turns", "2", "--grant", "write:**", "--mode", "full"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(stage.work().join("one.txt").exists() && !stage.work().join("two.txt").exists());
}

#[test]
fn calls_of_one_reply_are_told_in_their_order_also_if_one_was_refused() {
    let write = r#"{"path":"new.txt","content":"x"}"#;
    let calls = [("a", "write", write), ("b", "read", r#"{"path":"a.txt"}"#)];
    let stage = Stage::new([Act::calls(&calls), Act::says("I could not.")]).file("a.txt", "text");
    let mut command = stage.command(["run", "--model", MODEL, "-p", "Write it.", "--grant", "read:**"]);
    let ran = Ran::of(&command.env_remove("HOLM_QUIET").output().unwrap());
    let at = |name: &str| ran.err.find(&format!("· {name} ")).unwrap_or_else(|| panic!("{name}: {ran:?}"));
    assert!(at("write") < at("read"), "{}", ran.err);
}
