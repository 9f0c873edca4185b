//! Tests what agents may do in a folder: the first question, `holm trust`, `--trust`, and the hint
//! of a denial.

use std::{fs, path::Path, process::Stdio};

use holm_testkit::double::{Act, Seen};
use serde_json::json;

use crate::{
    chat::{SMALL, leaves, says},
    pty::Pty,
    stage::{MODEL, Ran, Stage},
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

/// The command line of a run in a folder, for a terminal.
fn run_in(folder: &Path) -> String {
    format!("cd {} && {} run --model {MODEL} -p Go", folder.display(), env!("CARGO_BIN_EXE_holm"))
}

/// Runs the command in a folder.
fn holm_in(stage: &Stage, folder: &Path, args: &[&str]) -> Ran {
    Ran::of(&stage.command(args).current_dir(folder).output().unwrap())
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
        ("shell", "--trust jail, or commands like this one with --trust edit --allow-command 'cat made.txt'"),
    ] {
        let line = ran.err.lines().find(|line| line.contains(&format!("`{tool}` was denied"))).unwrap();
        assert!(line.contains(hint), "{tool}: {line}");
    }
}

#[test]
fn the_first_question_is_asked_once_and_its_answer_is_kept() {
    let twice = acts().into_iter().chain(acts());
    let stage = Stage::new(twice).file("notes.txt", "one two three\n").unasked();
    let line = run_in(&stage.work());
    let (code, screen) = terminal::pressing(&stage, &line, &[CHOICE], &["3\n"]);
    assert_eq!((code, screen.matches(CHOICE).count()), (Some(0), 1), "{screen}");
    assert!(screen.contains("and the folders in it") && !screen.contains("holm asks"), "{screen}");
    assert_eq!(succeeded(&stage), (true, true, true));
    let shown = stage.holm(["trust"]);
    assert!(shown.out.contains(": jail\n"), "{shown:?}");

    let (code, screen) = terminal::pressing(&stage, &line, &[CHOICE, "[n]o: "], &[]);
    assert!(code == Some(0) && !screen.contains(CHOICE) && !screen.contains("holm asks"), "{screen}");
    assert_eq!(stage.double.requests().len(), 8, "the second run made its calls: {screen}");
}

#[test]
fn keys_that_were_pressed_before_the_first_question_do_not_answer_it() {
    let stage = Stage::new([Act::says("Done.")]).unasked();
    let line = format!("echo STARTS-SOON; sleep 1; {}", run_in(&stage.work()));
    let (code, screen) = terminal::pressing(&stage, &line, &["STARTS-SOON", CHOICE], &["3\n", "1\n"]);
    assert_eq!((code, screen.matches(CHOICE).count()), (Some(0), 1), "{screen}");
    assert!(stage.holm(["trust"]).out.contains(": look\n"), "{screen}");
}

#[test]
fn an_answer_in_the_home_folder_holds_for_one_run() {
    let stage = stage();
    let line = format!("export HOME={}; {}", stage.work().display(), run_in(&stage.work()));
    let (code, screen) = terminal::pressing(&stage, &line, &[CHOICE], &["3\n"]);
    assert_eq!((code, screen.matches(CHOICE).count()), (Some(0), 1), "{screen}");
    assert!(screen.contains("Your answer holds for this run only"), "{screen}");
    assert_eq!(succeeded(&stage), (true, true, true));
    assert_eq!(stage.holm(["trust", "--list"]).out, "");
}

#[test]
fn a_level_for_the_home_folder_or_a_folder_above_it_needs_its_name() {
    let stage = stage();
    let home = stage.work().canonicalize().unwrap();
    let holm = |folder: &Path, args: &[&str]| {
        let mut command = stage.command(args);
        Ran::of(&command.env("HOME", &home).current_dir(folder).output().unwrap())
    };
    for folder in [&*home, home.parent().unwrap(), Path::new("/")] {
        holm(folder, &["trust", "edit"]).fails(2, "would apply to every folder in ");
    }
    assert_eq!(holm(&home, &["trust", "--list"]).out, "");
    assert_eq!(holm(&home, &["trust", "ask"]).code, Some(0), "asking is always allowed");
    let named = holm(&home, &["trust", "edit", "--folder", "."]);
    assert!(named.code == Some(0) && named.out.contains(": edit\n"), "{named:?}");
}

#[test]
fn an_answer_in_a_folder_of_a_repository_counts_for_the_repository() {
    let stage = Stage::new([Act::says("Done."), Act::says("Done.")]).unasked();
    for name in [".git", "src", "docs"] {
        fs::create_dir(stage.work().join(name)).unwrap();
    }
    let top = stage.work().canonicalize().unwrap();
    let (_, screen) = terminal::pressing(&stage, &run_in(&top.join("src")), &[CHOICE], &["2\n"]);
    assert!(screen.contains(&format!("in {} and the folders in it", top.display())), "{screen}");
    let (code, screen) = terminal::pressing(&stage, &run_in(&top.join("docs")), &[CHOICE], &[]);
    assert!(code == Some(0) && !screen.contains(CHOICE), "{screen}");
    assert_eq!(stage.holm(["trust", "--list"]).out, format!("edit  {}\n", top.display()));
}

#[test]
fn secret_folders_have_no_default_reading_and_no_level() {
    let read = || [Act::calls(&[("c1", "read", r#"{"path":"work_key"}"#)]), Act::says("Done.")];
    let stage = Stage::new(read().into_iter().chain(read())).unasked();
    let folder = stage.work().join(".ssh");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("work_key"), "TOPSECRET").unwrap();
    let run = ["run", "--model", MODEL, "-p", "Go"];
    assert_eq!(holm_in(&stage, &folder, &run).code, Some(3), "the only call is denied");
    // Nor is the level of a folder above it inherited.
    stage.trust("jail");
    assert_eq!(holm_in(&stage, &folder, &run).code, Some(3), "the only call is denied");
    assert!(stage.double.requests().iter().all(|seen| !seen.text().contains("TOPSECRET")));
    for level in ["look", "edit", "jail"] {
        holm_in(&stage, &folder, &[&run[..], &["--trust", level]].concat()).fails(2, "closed to agents");
        holm_in(&stage, &folder, &["trust", level]).fails(2, "closed to agents");
    }
    let shown = holm_in(&stage, &folder, &["trust"]);
    assert!(shown.out.contains("no level chosen\nHolm asks before") && shown.out.contains("deny list"));
}

#[test]
fn a_level_of_a_project_does_not_open_the_folders_that_other_programs_obey() {
    let write = Act::calls(&[("c1", "write", r#"{"path":"tasks.json","content":"{}"}"#)]);
    let stage = Stage::new([write, Act::says("Done.")]);
    stage.trust("edit");
    let folder = stage.work().join(".vscode");
    fs::create_dir(&folder).unwrap();
    holm_in(&stage, &folder, &["run", "--model", MODEL, "-p", "Go"]);
    assert!(!folder.join("tasks.json").exists());
}

#[test]
fn nothing_runs_at_a_level_in_the_data_folder() {
    let stage = Stage::new([]);
    let args = ["run", "--model", MODEL, "-p", "Go", "--trust", "jail"];
    holm_in(&stage, &stage.data(), &args).fails(2, "Holm stores its own files");
    holm_in(&stage, &stage.data(), &["trust", "jail"]).fails(2, "Holm stores its own files");
}

#[test]
fn a_level_sets_the_mode_and_adds_to_the_grants_of_the_users_settings() {
    let settings = "mode = \"full\"\ngrants = [\"read:**\", \"write:**\"]\n";
    let stage = stage();
    let mine = stage.work().join("../mine.toml");
    fs::write(&mine, settings).unwrap();
    stage.trust("ask");
    let holm = |args: &[&str]| Ran::of(&stage.command(args).env("HOLM_CONFIG", &mine).output().unwrap());
    holm(&["run", "--model", MODEL, "-p", "Go"]);
    assert_eq!(succeeded(&stage), (true, false, false), "the mode of the level asks about writes");
    let shown = holm(&["trust"]);
    assert!(shown.out.contains("Your own settings also allow: read:** write:**"), "{shown:?}");
}

#[test]
fn trust_says_which_mode_applies_if_it_is_not_that_of_the_level() {
    let stage = stage();
    let mine = stage.work().join("../mine.toml");
    fs::write(&mine, "mode = \"full\"\ngrants = [\"exec:*\"]\n").unwrap();
    let shown = || Ran::of(&stage.command(["trust"]).env("HOLM_CONFIG", &mine).output().unwrap()).out;
    let said = shown();
    assert!(!said.contains("Holm asks before every"), "{said}");
    let mode = "Mode full (";
    let meaning = "mine.toml:1): what is granted runs without a question, and all else is refused.";
    assert!(
        said.contains("Agents read files here.\n") && said.contains(mode) && said.contains(meaning),
        "{said}"
    );
    stage.trust("look");
    let said = shown();
    assert!(
        !said.contains(mode) && said.contains("Holm asks before every change and every command."),
        "{said}"
    );
}

#[test]
fn a_file_outside_of_the_workspace_is_denied_without_a_question() {
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().canonicalize().unwrap().join("x.txt");
    fs::write(&path, "outside\n").unwrap();
    let call = |more: &str| format!("{{\"path\":{:?}{more}}}", path.to_str().unwrap());
    let (read, write) = (call(""), call(",\"content\":\"x\""));
    let stage =
        Stage::new([Act::calls(&[("c1", "read", &read), ("c2", "write", &write)]), Act::says("Done.")]);
    let ran = stage.run(&["-p", "Go", "--trust", "edit"]);
    assert!(!ran.err.contains("--grant") && !ran.err.contains("--yes"), "{ran:?}");
    let told = stage.double.requests()[1].text();
    assert_eq!(told.matches("is outside the workspace").count(), 2, "{told}");
}

#[test]
fn settings_show_the_reading_that_is_allowed_by_default() {
    let stage = stage();
    let shown = stage.holm(["config", "show", "--origin"]);
    assert_eq!(shown.out, "grants = \"read:**\"  # holm trust\n", "{shown:?}");
}

#[test]
fn levels_that_are_chosen_at_the_same_time_are_all_kept() {
    let stage = stage();
    let names: Vec<String> = (0..12).map(|number| format!("d{number}")).collect();
    names.iter().for_each(|name| fs::create_dir(stage.work().join(name)).unwrap());
    let choose = |name: &String| {
        let mut command = stage.command(["trust", "look", "--folder", name]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = names.iter().map(choose).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(stage.holm(["trust", "--list"]).out.lines().count(), names.len());
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
    let wide = "grants = [\"read:**\", \"write:**\", \"exec:*\", \"exec:./**\", \"tool:shell\"]\n";
    let stage = stage().file("holm.toml", wide);
    let run = |flags: &[&str]| stage.run(&[&["-p", "Go"], flags].concat());
    run(&["--trust-project"]);
    assert_eq!(succeeded(&stage), (true, false, false));

    // Nor does its agent in place of the default one.
    let agent = "---\nname: default\ndescription: Works.\nmode: full\ntools: [read, write, shell]\ngrants:\n  - read:**\n  - write:**\n  \
                 - exec:*\n  - exec:./**\n  - tool:shell\n---\nDo it all.\n";
    let stage = self::stage();
    let folder = stage.work().join(".holm/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("default.md"), agent).unwrap();
    stage.agrees(["tool", "trust", ".holm/agents"]);
    stage.run(&["-p", "Go"]);
    assert!(stage.double.requests()[0].text().contains("Do it all."), "the agent was used");
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
    let said = stage.holm(["trust", "--explain", "nosuch {}"]);
    said.fails(6, "there is no tool `nosuch` here");
    assert!(said.err.contains("`holm tool list`"), "{said:?}");
    let said = stage.holm(["trust", "--explain", "write {"]);
    assert!(said.out.contains("it would not run") && !said.out.contains("not run: not run"), "{said:?}");
    let said = stage.holm(["trust", "--explain", "shell {}"]);
    assert!(said.out.contains("`script` is missing"), "{said:?}");
    let said = stage.holm(["trust", "--explain", "read {}"]);
    let expected = "it would not run: the arguments are invalid: `path` is missing";
    assert!(said.out.contains(expected), "{said:?}");
    stage.holm(["trust", "--explain", "read"]).fails(2, "the arguments of `read` are missing");
}

#[test]
fn explain_understands_the_names_that_models_use_and_prints_json() {
    let stage = Stage::new([]).file(".env", "KEY=planted\n");
    stage.trust("look");
    let json = |call: &str| {
        let said = stage.holm(["trust", "--explain", call, "--json"]);
        serde_json::from_str::<serde_json::Value>(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
    };
    let written = json(r#"Write {"file_path":"a.txt","content":"x"}"#);
    assert_eq!((&written["tool"], &written["decision"]), (&"write".into(), &"asked".into()), "{written}");
    assert_eq!(written["needs"], serde_json::json!(["write:a.txt"]));
    assert_eq!(json(r#"read {"file_path":"a.txt"}"#)["decision"], "runs");
    let command = json(r#"bash {"command":"cat .env"}"#);
    assert_eq!((&command["tool"], &command["decision"]), (&"shell".into(), &"refused".into()), "{command}");
    assert!(command["reasons"][0].as_str().unwrap().contains("`.env` is closed to commands"), "{command}");
    assert_eq!(json(r#"bash {"command":"ls"}"#)["decision"], "asked");
}

#[test]
fn explain_uses_the_deny_list_the_settings_and_the_command_rules() {
    let stage = Stage::new([]);
    stage.trust("jail");
    let mine = stage.work().join("../mine.toml");
    let explain = |settings: &str, call: &str| {
        fs::write(&mine, settings).unwrap();
        let mut command = stage.command(["trust", "--explain", call]);
        Ran::of(&command.env("HOLM_CONFIG", &mine).output().unwrap()).out
    };
    for (settings, call, expected) in [
        ("", r#"read {"path":".env"}"#, "it would not run: read:.env is closed to tools"),
        ("", r#"read {"path":".env.example"}"#, "it would run without a question"),
        ("", r#"read {"path":"/srv/x.txt"}"#, "it would not run: `/srv/x.txt` is outside the workspace"),
        ("", r#"write {"path":".holm/x","content":""}"#, "it would not run: write:.holm/x is closed"),
        (
            "",
            r#"write {"path":".vscode/tasks.json","content":""}"#,
            "opens it: --grant write:.vscode/tasks.json",
        ),
        (
            "grants = [\"write:.vscode/**\"]\n",
            r#"write {"path":".vscode/tasks.json","content":""}"#,
            "it would run without a question",
        ),
        ("", r#"shell {"script":"git push"}"#, "it would run without a question"),
        (
            "[commands]\ndeny = [\"git push\"]\n",
            r#"shell {"script":"git push"}"#,
            "it would not run: the rule `git push` forbids it",
        ),
        ("", r#"shell {"script":"ls"}"#, "which are granted"),
    ] {
        let said = explain(settings, call);
        assert!(said.contains(expected), "{settings}{call}: {said}");
    }
    stage.trust("edit");
    let said = explain("", r#"shell {"script":"ls"}"#);
    assert!(said.contains("Holm asks before every command here"), "{said}");
    let said = explain("[commands]\nallow = [\"ls\"]\n", r#"shell {"script":"ls"}"#);
    assert!(said.contains("it would run without a question"), "{said}");
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

#[test]
fn suggest_names_flags_that_would_have_spared_the_questions() {
    let write = |path: &str| json!({ "path": path, "content": "x\n" }).to_string();
    let acts = || {
        [
            Act::calls(&[("c0", "write", &write("src/**"))]),
            Act::calls(&[("c1", "write", &write("a.txt"))]),
            Act::calls(&[("c2", "shell", r#"{"script":"sh made.sh"}"#)]),
            Act::calls(&[("c3", "shell", r#"{"script":"ls -l"}"#)]),
            Act::says("Done."),
        ]
    };
    let stage = Stage::new(acts().into_iter().chain(acts())).file("made.sh", "true\n");
    stage.trust("look");
    let line = run_in(&stage.work());
    let (code, screen) = terminal::pressing(&stage, &line, &["[n]o: "], &["y\n"; 4]);
    assert_eq!(code, Some(0), "{screen}");
    let said = stage.holm(["trust", "suggest"]);
    assert_eq!(
        said.out, "--allow-command 'sh made.sh'  # approved once\n--yes write:a.txt  # approved once\n",
        "{said:?}"
    );
    let wider = "--allow-command 'ls -l' would cover more than was approved (once): ls -l with any names";
    assert!(said.err.contains(wider), "{said:?}");
    assert!(said.err.contains("no flag covers write:src/**, because"), "{said:?}");
    assert!(said.err.contains("also needs the level `edit`"), "{said:?}");
    // With these flags nothing is asked, so nothing is denied.
    fs::remove_dir_all(stage.work().join("src")).unwrap();
    fs::remove_file(stage.work().join("a.txt")).unwrap();
    let rules = ["--allow-command", "ls -l", "--allow-command", "sh made.sh", "--yes", "write:a.txt"];
    let ran = stage.run(&[&["-p", "Go", "--trust", "edit"], &rules[..]].concat());
    assert!(ran.code == Some(0) && !ran.err.contains("denied"), "{ran:?}");
}

/// What a strong model does: it reads two files in one reply, edits them in the next, and looks at
/// the result.
#[test]
fn one_question_lies_between_holm_in_a_fresh_repository_and_the_first_finished_edit() {
    let edit = |path: &str| json!({ "path": path, "old": "a - b", "new": "a + b" }).to_string();
    let (calc, other) = (edit("calc.py"), edit("other.py"));
    let (read_calc, read_other) = (r#"{"path":"calc.py"}"#, r#"{"path":"other.py"}"#);
    let acts = [
        Act::calls(&[("c1", "read", read_calc), ("c2", "read", read_other)]),
        Act::calls(&[("c3", "edit", &calc), ("c4", "edit", &other)]),
        Act::calls(&[("c5", "read", read_calc)]),
        Act::says("Both files add now."),
    ];
    let text = "def add(a, b):\n    return a - b\n";
    let stage = Stage::new(acts).file("calc.py", text).file("other.py", text).unasked();
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(stage.work()).status();
    assert!(made.unwrap().success());
    // As `holm` alone does it; the model comes from the environment.
    let mut chat = Pty::start(&stage, SMALL, &[], &[("HOLM_MODEL", MODEL)]);
    chat.shows(CHOICE.trim_end());
    chat.types("2\n");
    chat.shows("Type what you want done.");
    says(&mut chat, "Fix the sums.", "Both files add now.");
    let bytes = String::from_utf8_lossy(&leaves(chat)).into_owned();
    assert_eq!((bytes.matches(CHOICE.trim_end()).count(), bytes.contains("holm asks")), (1, false));
    for name in ["calc.py", "other.py"] {
        assert!(fs::read_to_string(stage.work().join(name)).unwrap().contains("a + b"), "{name}");
    }
}

#[test]
fn a_file_that_no_answer_opens_is_denied_without_a_question() {
    let write = json!({ "path": ".vscode/tasks.json", "content": "{}" }).to_string();
    let stage = Stage::new([Act::calls(&[("c1", "write", &write)]), Act::says("Done.")]);
    stage.trust("look");
    let line = format!("{} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let (_, screen) = terminal::pressing(&stage, &line, &["[n]o: "], &["y\n"]);
    assert!(!screen.contains("[n]o: "), "{screen}");
    assert!(screen.contains("is protected, because"), "{screen}");
}
