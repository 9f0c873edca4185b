//! Tests what agents may do in a folder: the first question, `holm trust`, `--trust`, and the hint
//! of a denial.

use std::fs;

use holm_testkit::double::{Act, Seen};
use serde_json::json;

use crate::{
    stage::{MODEL, Stage},
    terminal,
};

const CHOICE: &str = "Your choice [1]: ";

/// A model that reads, writes and runs a command.
fn acts() -> Vec<Act> {
    let script = json!({ "script": "cat made.txt" }).to_string();
    vec![
        Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]),
        Act::calls(&[("c2", "write", r#"{"path":"made.txt","content":"made here\n"}"#)]),
        Act::calls(&[("c3", "shell", &script)]),
        Act::says("Done."),
    ]
}

fn stage() -> Stage {
    Stage::new(acts()).file("notes.txt", "one two three\n").unasked()
}

/// Which of the three calls succeeded, by what the model was told.
fn succeeded(stage: &Stage) -> (bool, bool, bool) {
    let told: Vec<String> = stage.double.requests().iter().skip(1).map(Seen::text).collect();
    (
        told[0].contains("one two three"),
        stage.work().join("made.txt").exists(),
        told[2].contains("made here\\n[exit status 0]") || told[2].contains("made here\n[exit status 0]"),
    )
}

#[test]
fn a_level_allows_exactly_what_it_says_without_a_person() {
    for (level, expect) in [
        ("ask", (false, false, false)),
        ("look", (true, false, false)),
        ("edit", (true, true, false)),
        ("jail", (true, true, true)),
    ] {
        let stage = stage();
        stage.run(&["-p", "Go", "--trust", level]);
        assert_eq!(succeeded(&stage), expect, "{level}");
        // The same, chosen once for the folder.
        let chosen = self::stage();
        assert_eq!(chosen.holm(["trust", level]).code, Some(0));
        chosen.run(&["-p", "Go"]);
        assert_eq!(succeeded(&chosen), expect, "{level}");
    }
}

#[test]
fn reading_is_allowed_in_a_folder_of_the_user_and_denied_in_their_home() {
    let stage = stage();
    stage.run(&["-p", "Go"]);
    assert_eq!(succeeded(&stage), (true, false, false));

    let stage = self::stage();
    let mut command = stage.command(["run", "--model", MODEL, "-p", "Go"]);
    command.env("HOME", stage.work()).output().unwrap();
    assert_eq!(succeeded(&stage), (false, false, false));
}

#[test]
fn a_denial_names_the_lowest_level_that_allows_the_call() {
    let stage = stage();
    let ran = stage.run(&["-p", "Go", "--trust", "ask"]);
    for (tool, hint) in [
        ("read", "--trust look, or this call alone with --grant read:notes.txt"),
        ("write", "--trust edit, or this call alone with "),
        ("shell", "--trust jail, or this call alone with "),
    ] {
        let line = ran.err.lines().find(|line| line.contains(&format!("`{tool}` was denied"))).unwrap();
        assert!(line.contains(hint), "{tool}: {line}");
    }
}

#[test]
fn the_first_question_is_asked_once_and_its_answer_is_kept() {
    let stage = stage();
    let line = format!("{} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) = terminal::pressing(&stage, &line, &[CHOICE], &["3\n"]);
    assert_eq!((code, screen.matches(CHOICE).count()), (Some(0), 1), "{screen}");
    assert!(!screen.contains("holm asks"), "{screen}");
    assert_eq!(succeeded(&stage), (true, true, true));
    let shown = stage.holm(["trust"]);
    assert!(shown.out.contains(": jail\n"), "{shown:?}");

    // A second run asks nothing.
    let again = Stage::new(acts()).file("notes.txt", "one two three\n");
    again.trust("jail");
    let (code, screen) = terminal::pressing(&again, &line, &[CHOICE, "[n]o: "], &[]);
    assert!(code == Some(0) && !screen.contains(CHOICE) && !screen.contains("holm asks"), "{screen}");
}

#[test]
fn flags_that_say_what_is_allowed_spare_the_question() {
    for flags in ["--trust look", "--grant read:**", "--mode plan"] {
        let stage = Stage::new([Act::says("Done.")]).unasked();
        let line = format!("{} run --model {MODEL} -p Go {flags}", env!("CARGO_BIN_EXE_holm"));
        let (code, screen) = terminal::pressing(&stage, &line, &[CHOICE], &["1\n"]);
        assert!(code == Some(0) && !screen.contains(CHOICE), "{flags}: {screen}");
    }
}

#[test]
fn an_unclear_answer_is_asked_again_and_then_only_reading_is_allowed() {
    let stage = stage();
    let line = format!("{} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let answers = ["yes\n", "all\n", "4\n", "n\n", "n\n"];
    let (code, screen) = terminal::pressing(&stage, &line, &[CHOICE, "[n]o: "], &answers);
    assert_eq!((code, screen.matches(CHOICE).count()), (Some(0), 3), "{screen}");
    assert_eq!(succeeded(&stage), (true, false, false));
    assert!(stage.holm(["trust"]).out.contains("no level chosen"));
}

#[test]
fn nothing_of_a_project_chooses_a_level() {
    let stage = stage()
        .file("holm.toml", "[trust]\nlevel = \"jail\"\n")
        .file("folders.toml", "[folders]\n\"/\" = \"jail\"\n");
    stage.run(&["-p", "Go"]);
    assert_eq!(succeeded(&stage), (true, false, false));
}

#[test]
fn trust_shows_changes_lists_and_forgets() {
    let stage = stage();
    let folder = stage.work().canonicalize().unwrap();
    assert!(stage.holm(["trust"]).out.starts_with(&format!("{}: no level chosen\n", folder.display())));
    assert!(stage.holm(["trust", "edit"]).out.contains(": edit\n"));
    fs::create_dir(stage.work().join("deep")).unwrap();
    let below = stage.holm(["trust", "--folder", "deep"]);
    assert!(below.out.contains(&format!(": edit, chosen for {}\n", folder.display())), "{below:?}");
    assert_eq!(stage.holm(["trust", "--list"]).out, format!("edit  {}\n", folder.display()));
    let json: serde_json::Value = serde_json::from_str(&stage.holm(["trust", "--json"]).out).unwrap();
    assert_eq!(json["level"], "edit");
    assert!(stage.holm(["trust", "--forget"]).out.contains("no level chosen"));
    assert_eq!(stage.holm(["trust", "--list"]).out, "");
    stage.holm(["trust", "edit", "--folder", "missing"]).fails(6, "missing");
    let shown = stage.holm(["trust", "all"]);
    assert!(
        shown.code == Some(2) && shown.err.contains("possible values: ask, look, edit, jail"),
        "{shown:?}"
    );
}

#[test]
fn a_yes_to_a_family_covers_the_calls_of_that_family_and_no_others() {
    let write = |id: &str, path: &str| {
        Act::calls(&[(id, "write", &json!({ "path": path, "content": "x\n" }).to_string())])
    };
    let acts =
        [write("c1", "src/a.txt"), write("c2", "src/b.txt"), write("c3", "other/c.txt"), Act::says("Done.")];
    let stage = Stage::new(acts);
    stage.trust("look");
    let line = format!("{} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) = terminal::pressing(&stage, &line, &["[n]o: "], &["f\n", "n\n"]);
    assert_eq!((code, screen.matches("[n]o: ").count()), (Some(0), 2), "{screen}");
    assert!(screen.contains("[f] writes under src/ (write:src/**), "), "{screen}");
    let there = |name: &str| stage.work().join(name).exists();
    assert_eq!((there("src/a.txt"), there("src/b.txt"), there("other/c.txt")), (true, true, false));
}

#[test]
fn explain_says_what_would_happen_to_a_call_and_runs_nothing() {
    let stage = Stage::new([]);
    stage.trust("look");
    let write = r#"write {"path":"a.txt","content":"x"}"#;
    let said = stage.holm(["trust", "--explain", write]);
    assert!(
        said.out.contains("Holm would ask you") && said.out.contains("write:a.txt is not granted"),
        "{said:?}"
    );
    assert!(said.out.contains("`holm trust edit` would allow it"), "{said:?}");
    stage.trust("edit");
    let said = stage.holm(["trust", "--explain", write]);
    assert!(
        said.out.contains("it would run without a question") && said.out.contains("write:a.txt"),
        "{said:?}"
    );
    assert!(!stage.work().join("a.txt").exists());
    stage.holm(["trust", "--explain", "nosuch {}"]).fails(6, "nosuch");
    let said = stage.holm(["trust", "--explain", "write {"]);
    assert!(said.out.contains("it would not run"), "{said:?}");
}

#[test]
fn suggest_lists_what_was_approved_and_nothing_wider() {
    let acts = [
        Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]),
        Act::calls(&[("c2", "read", r#"{"path":"other.txt"}"#)]),
        Act::says("Done."),
    ];
    let stage = Stage::new(acts).file("notes.txt", "one\n").file("other.txt", "two\n");
    assert_eq!(stage.holm(["trust", "suggest"]).out, "");
    let line = format!("{} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) = terminal::pressing(&stage, &line, &["[n]o: "], &["y\n", "n\n"]);
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(stage.holm(["trust", "suggest"]).out, "--grant read:notes.txt  # approved once\n");
}
