//! Tests the small local model through the command: real, offline, without a key.

use std::{path::PathBuf, process::Command};

use crate::stage::{Ran, Stage};

/// The folder to which set-up brings the model.
pub(crate) fn models() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("HOLM_MODELS").unwrap_or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        cache.unwrap_or_default().join("holm/models")
    });
    let file = folder.join("SmolLM2-135M-Instruct.Q4_1.gguf");
    assert!(file.is_file(), "{} is missing; run scripts/setup model", file.display());
    folder
}

fn holm(stage: &Stage, args: &[&str]) -> Ran {
    let mut command: Command = stage.command(args);
    command.env_remove(crate::stage::TOOLS);
    Ran::of(&command.env("HOLM_MODELS", models()).output().unwrap())
}

#[test]
fn the_models_on_this_machine_are_listed() {
    let ran = holm(&Stage::new([]), &["model", "list"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let line = ran.out.lines().find(|line| line.starts_with("local/smollm2  ")).unwrap();
    assert!(line.contains("model") && line.contains("8192 tokens of context"), "{line}");
}

#[test]
fn a_run_without_a_choice_uses_the_small_model_and_says_so() {
    let stage = Stage::new([]);
    let ran = holm(&stage, &["run", "-p", "Say hello.", "--turns", "2"]);
    assert!(ran.err.contains("Holm uses the small local one"), "{ran:?}");
    assert!(matches!(ran.code, Some(0 | 3 | 4)), "a small model may fail, but not otherwise: {ran:?}");
}

#[test]
fn the_small_model_chooses_among_its_few_tools_alone() {
    let stage = Stage::new([]).file("notes.txt", "one\ntwo\nthree\n");
    let ran =
        holm(&stage, &["run", "-p", "How many lines does notes.txt have?", "--grant", "read:**", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("notes.txt has 3 lines"), "{ran:?}");
}

#[test]
fn what_a_tool_found_is_not_stated_as_the_answer_to_another_question() {
    let stage = Stage::new([]).file("notes.txt", "one\n").file("zebra.txt", "two\n");
    let ran = holm(&stage, &["run", "-p", "Which of the files here is the newest?", "--grant", "read:**"]);
    let lists = ran.out.contains("zebra.txt") || ran.out.contains("notes.txt");
    assert!(!lists || ran.out.starts_with("I am not sure that this answers the question."), "{ran:?}");
}

#[test]
fn addresses_are_copied_out_of_a_text() {
    let text = "Write to Ann <ann@b.example>.";
    let ran = holm(
        &Stage::new([]),
        &["extract", "--text", text, "--target", "email", "--model", "local/smollm2-base"],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(matches!(ran.out.trim(), r#"{"email":["ann@b.example"]}"# | r#"{"email":[]}"#), "{ran:?}");
    let ran = holm(&Stage::new([]), &["extract", "--text", "Nothing here.", "--target", "email"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), r#"{"email":[]}"#), "{ran:?}");
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let stage = Stage::new([]).file("broken.gguf", "no model");
    holm(&stage, &["model", "test", "local/nobody"]).fails(6, "local/nobody is not on this machine");
    holm(&stage, &["model", "test", "local/./broken.gguf"]).fails(6, "not a GGUF file");
    holm(&stage, &["extract", "--text", "x", "--target", "colour"]).fails(2, "colour");
}

#[test]
fn a_prompt_longer_than_the_context_is_a_limit_and_no_crash() {
    let stage = Stage::new([]).file("long.txt", &"harbour ship rope ".repeat(12_000));
    let mut command = stage.command(["run", "--offline", "--output", "stream-json"]);
    command.env_remove(crate::stage::TOOLS);
    command.stdin(std::fs::File::open(stage.work().join("long.txt")).unwrap());
    let ran = Ran::of(&command.env("HOLM_MODELS", models()).output().unwrap());
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    let last = ran.out.lines().last().unwrap();
    assert!(last.contains(r#""over_limit":{"limit":"context_window""#), "{last}");
}

#[test]
fn what_the_small_model_has_shown_here_is_told_the_next_time() {
    let stage = Stage::new([]).file("notes.txt", "one\ntwo\n");
    let ask = || holm(&stage, &["run", "-p", "How many lines does notes.txt have?", "--grant", "read:**"]);
    let first = ask();
    assert!(!first.err.contains("holm model ledger"), "{first:?}");
    let told = |ran: &Ran| ran.err.contains("of its 1 earlier tasks; `holm model ledger` shows details");
    let second = ask();
    assert!(told(&second), "{second:?}");
}

#[test]
fn an_agent_that_names_tools_has_them_with_a_small_model_too() {
    let stage = Stage::new([]).file("notes.txt", "one\n");
    assert_eq!(holm(&stage, &["agent", "new", "counter"]).code, Some(0));
    let asked = ["-p", "What is in notes.txt?", "--turns", "2"];
    let ran = holm(&stage, &[&["run", "--session", "one", "--agent", "counter"][..], &asked].concat());
    assert!(matches!(ran.code, Some(0 | 3 | 4)), "a small model may fail, but not otherwise: {ran:?}");
    assert!(!ran.err.contains("there is no tool"), "{ran:?}");
    let journal = holm(&stage, &["session", "export", "one", "--format", "jsonl"]).out;
    let first: serde_json::Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    let tools = first["input"]["started"]["config"]["tools"].as_array().unwrap();
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(has("read") && has("grep") && !has("write") && !has("read_file"), "{journal}");
    // As a helper it would have none of its tools, which is no fault of its file.
    let plain = holm(&stage, &["run", "-p", "Say hello.", "--turns", "2"]);
    assert!(plain.err.contains("Holm does not delegate to counter: "), "{plain:?}");
    assert!(!plain.err.contains("there is no tool"), "{plain:?}");
}

#[test]
fn names_can_be_calibrated_where_a_grammar_holds_them() {
    let stage = Stage::new([]).file("notes.txt", "one\ntwo\n");
    let args = ["run", "--calibrated", "-p", "How many lines does notes.txt have?", "--grant", "read:**"];
    let ran = holm(&stage, &args);
    assert!(matches!(ran.code, Some(0 | 3 | 4)), "a small model may fail, but not otherwise: {ran:?}");
    holm(&stage, &["run", "-p", "x", "--calibrated", "--no-grammar"]).fails(2, "--no-grammar");
    let helped = holm(&stage, &["model", "--help"]);
    assert!(helped.code == Some(0) && helped.out.contains("--calibrated"), "{helped:?}");
}

#[test]
fn the_adapter_is_listed_and_can_be_left_out() {
    let stage = Stage::new([]);
    let listed = holm(&stage, &["model", "list"]);
    assert!(listed.out.lines().any(|line| line.contains("  adapter ")), "{listed:?}");
    for (flags, model) in
        [(&[][..], r#""model":"local/smollm2""#), (&["--no-adapter"], r#""model":"local/smollm2-base""#)]
    {
        let args = ["run", "-p", "Hello.", "--turns", "1", "--output", "stream-json", "--no-grammar"];
        let ran = holm(&stage, &[&args, flags].concat());
        assert!(ran.out.contains(model), "{ran:?}");
    }
}
