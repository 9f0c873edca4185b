//! What a model is told first, and what becomes of a run that may do nothing.

use std::fs;

use holm_testkit::double::Act;

use crate::stage::Stage;

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
        "\nNobody can answer questions during this run.".into(),
        "\nMode: default.".into(),
        "\nAllowed: read src/** (`read:src/**`).\n".into(),
    ] {
        assert!(system.contains(&line), "{line}: {system}");
    }
    // The mode asks about programs, and nobody is there.
    assert!(
        !system.contains("exec:git")
            && system.ends_with("such as writing files, running programs, the network."),
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

    // One that did something else has.
    let list = Act::calls(&[("l", "list", "{}")]);
    let stage = Stage::new([list, write(), Act::says("In part.")]);
    stage.run(&["-p", "Write.", "--grant", "read:**"]).says_without("write", 0, "In part.\n");
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
