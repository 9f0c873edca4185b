//! Tests `holm run`: prompts in, answers out.

use holm_testkit::double::Act;

use crate::stage::{KEY, MODEL, Ran, Stage};

#[test]
fn the_answer_is_all_that_a_pipe_gets() {
    let stage = Stage::new([Act::says("Four.")]);
    stage.run(&["-p", "What is 2 + 2?"]).says("Four.\n");
    let request = stage.double.requests().remove(0);
    assert_eq!(request.model(), "gpt-5-mini");
    assert!(request.text().contains("What is 2 + 2?"));
}

#[test]
fn prompts_come_from_flags_and_from_standard_input_in_their_order() {
    let check = |input: &str, args: &[&str], expect: &str| {
        let stage = Stage::new([Act::says("ok")]);
        let ran = stage.holm_with(input, [&["run", "--model", MODEL], args].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let asked = stage.double.requests().remove(0).asked.unwrap();
        let said: Vec<String> = asked.messages.iter().map(holm::kernel::Message::plain_text).collect();
        assert_eq!(said, [expect]);
    };
    check("from the pipe", &[], "from the pipe");
    check("the pipe", &["-p", "first", "-p", "-", "-p", "last"], "first\n\nthe pipe\n\nlast");
    check("not read", &["-p", "only this"], "only this");
}

#[test]
fn without_a_model_a_script_answers_and_says_so() {
    let stage = Stage::new([]).file("a.txt", "x");
    let ran = stage.holm(["run", "-p", "hi", "--grant", "read:**"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.starts_with("I am a scripted stand-in, not a model."), "{}", ran.out);
    insta::assert_snapshot!(ran.err, @"holm: no model is configured, so a scripted stand-in answers; choose one with --model or `holm init --model NAME`");
    // Where nothing answers, nothing is said of who would have.
    stage.holm(["run", "-p", "hi", "--session", "../odd"]).fails(2, "odd");
    let ran = stage.holm(["run", "-p", "hi", "--session", "none", "--resume"]);
    ran.fails(6, "there is no session `none`");
    assert!(!ran.err.contains("script"), "{ran:?}");
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let stage = Stage::new([]).file("notes.txt", "one two three\n");
    stage.holm(["run", "-p", " "]).fails(2, "the prompt is empty\n  hint: say what to do with -p");
    stage.holm_with("", ["run"]).fails(2, "say what to do with -p");
    stage.holm(["tool", "validate", "notes.txt"]).fails(3, "a file with a JSON object such as {\"name\"");
    let mut command = stage.command(["run", "-p", "hi", "--model", "anthropic/claude-sonnet-4-5"]);
    let ran = Ran::of(&command.output().unwrap());
    ran.fails(5, "hint: set ANTHROPIC_API_KEY");
}

#[test]
fn a_tool_runs_when_it_was_granted_and_the_model_sees_its_result() {
    let call = || Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)]);
    let stage = Stage::new([call(), Act::says("Three words.")]).file("notes.txt", "one two three\n");
    stage.run(&["-p", "How many words?", "--grant", "read:notes.txt"]).says("Three words.\n");
    assert!(stage.double.requests()[1].text().contains("one two three"));

    // Without the grant, and without a user to ask, it does not run. The model is told which grant
    // would help.
    let stage = Stage::new([call(), Act::says("I may not look.")]).file("notes.txt", "one two three\n");
    let ran = stage.run(&["-p", "How many words?"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), "I may not look.\n"), "{ran:?}");
    insta::assert_snapshot!(ran.err, @"holm: `read` was denied, because there is no terminal to ask at; allow it with --trust look, or this call alone with --grant read:notes.txt");
    let told = stage.double.requests()[1].text();
    assert!(
        told.contains("denied for this run: read:notes.txt was not granted, and no user can be asked.")
            && !told.contains("one two three"),
        "{told}"
    );
}

#[test]
fn yes_answers_for_the_grants_that_it_names_and_no_others() {
    let write =
        |path: &str| Act::calls(&[("c1", "write", &format!(r#"{{"path":"{path}","content":"hello"}}"#))]);
    let stage = Stage::new([write("out.txt"), Act::says("Written.")]);
    stage.run(&["-p", "Write.", "--yes", "write:out.txt"]).says("Written.\n");
    assert_eq!(std::fs::read_to_string(stage.work().join("out.txt")).unwrap(), "hello");

    let stage = Stage::new([write("other.txt"), Act::says("I may not.")]);
    let ran = stage.run(&["-p", "Write.", "--yes", "write:out.txt"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), "I may not.\n"), "{ran:?}");
    insta::assert_snapshot!(ran.err, @"holm: `write` was denied, because there is no terminal to ask at; allow it with --trust edit, or this call alone with --yes write:other.txt");
    assert!(!stage.work().join("other.txt").exists());
}

#[test]
fn a_write_that_was_granted_and_is_asked_about_is_not_said_to_lack_a_grant() {
    let write = Act::calls(&[("c1", "write", r#"{"path":"n.txt","content":"x"}"#)]);
    let stage = Stage::new([write, Act::says("I may not.")]);
    let ran = stage.run(&["-p", "Write.", "--grant", "write:**", "--mode", "default", "--session", "s"]);
    ran.says_without("write", 3, "I may not.\n");
    assert!(ran.err.contains("--trust edit, or this call alone with --yes write:n.txt"), "{}", ran.err);
    let (told, shown) = (stage.double.requests()[1].text(), stage.holm(["session", "show", "s"]).out);
    for text in [told, shown] {
        assert!(text.contains("this mode asks about every write"), "{text}");
        assert!(!text.contains("was not granted"), "{text}");
    }
}

#[test]
fn a_write_that_a_flag_grants_runs_without_a_question_and_only_there() {
    let check = |path: &str, flags: &[&str], is_written: bool| {
        let arguments = format!(r#"{{"path":"{path}","content":"x"}}"#);
        let stage = Stage::new([Act::calls(&[("c1", "write", &arguments)]), Act::says("Done.")]);
        stage.run(&[&["-p", "Write.", "--grant", "write:src/**"], flags].concat());
        assert_eq!(stage.work().join(path).exists(), is_written, "{path} {flags:?}");
    };
    check("src/a.txt", &[], true);
    check("src/a.txt", &["--trust", "look"], true);
    check("src/a.txt", &["--trust", "ask"], true);
    check("other.txt", &[], false);
    check("src/a.txt", &["--mode", "default"], false);
    check("src/a.txt", &["--mode", "plan"], false);
}

#[test]
fn a_link_out_of_the_folder_is_not_followed_although_everything_is_granted() {
    let stage = Stage::new([Act::calls(&[("c1", "read", r#"{"path":"link"}"#)]), Act::says("I cannot.")]);
    std::fs::write(stage.work().join("../outside.txt"), "the planted word").unwrap();
    std::os::unix::fs::symlink("../outside.txt", stage.work().join("link")).unwrap();
    stage.run(&["-p", "Read it.", "--grant", "read:**"]).says("I cannot.\n");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("is a link") && !told.contains("the planted word"), "{told}");
}

#[test]
fn what_a_model_says_is_not_obeyed_by_the_terminal() {
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2Jred\u{202e}txt\u{9b}31m";
    let stage = Stage::new([Act::says(hostile), Act::says(hostile)]);
    let ran = stage.run(&["-p", "hi"]);
    assert!(!ran.out.chars().any(|c| c.is_control() && c != '\n'), "{:?}", ran.out);
    insta::assert_snapshot!(ran.out, @r"\u{1b}]0;owned\u{7}\u{1b}[2Jred\u{202e}txt\u{9b}31m");
    let ran = stage.run(&["-p", "hi", "--json"]);
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

#[test]
fn a_program_gets_one_object_with_everything() {
    let stage = Stage::new([Act::says("Four.")]);
    let ran = stage.run(&["-p", "What is 2 + 2?", "--session", "sum", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["session"], "sum");
    assert_eq!((&found["text"], &found["exit"]), (&"Four.".into(), &0.into()));
    assert_eq!(found["ending"]["answered"]["text"], "Four.");
    assert_eq!((&found["usage"]["input"], &found["usage"]["output"]), (&11.into(), &5.into()));
    assert!(found["spent_nano_usd"].as_u64().is_some_and(|spent| spent > 0), "{found}");
}

#[test]
fn the_key_is_shown_nowhere_and_written_nowhere() {
    let echo = format!("your key is {KEY}");
    let stage =
        Stage::new([Act::says(&echo), Act::calls(&[("c", "read", &format!(r#"{{"path":"{KEY}"}}"#))])]);
    let first = stage.run(&["-p", "hi", "--session", "a", "--output", "stream-json"]);
    let second = stage.run(&["-p", &echo, "--session", "b", "--json"]);
    for ran in [&first, &second] {
        assert!(!ran.out.contains(KEY) && !ran.err.contains(KEY), "{ran:?}");
    }
    let left = stage.left_behind();
    assert!(left.len() > 1_000);
    assert!(!left.windows(KEY.len()).any(|window| window == KEY.as_bytes()));
}

#[test]
fn commands_in_a_home_reach_neither_holms_data_nor_what_shells_obey() {
    let script = "d=.local/share/holm; cat $d/*; echo x > $d/new; rm -rf $d; echo x > .zshenv; echo x > .gitconfig; \
                  echo x >> .bashrc; mkdir -p .config/git; echo x > .config/git/config; cat .env; echo x > free";
    let call = serde_json::json!({"script": script}).to_string();
    let stage = Stage::new([Act::calls(&[("c1", "shell", &call)]), Act::says("Done.")])
        .file(".bashrc", "kept\n")
        .file(".env", "canary-7a1f\n");
    let data = stage.work().join(".local/share/holm");
    let grants = ["read:**", "write:**", "exec:*", "exec:./**"].map(|grant| ["--grant", grant]).concat();
    let mut command =
        stage.command([&["run", "--model", MODEL, "-p", "Go", "--mode", "full"], &grants[..]].concat());
    let ran = Ran::of(&command.env("HOME", stage.work()).env("HOLM_DATA", &data).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = stage.double.requests()[1].text();
    assert!(!told.contains("SQLite format 3") && !told.contains("canary-7a1f"), "{told}");
    assert!(stage.work().join("free").exists(), "{told}");
    assert!(data.join("holm.db").exists() && !data.join("new").exists(), "{told}");
    assert_eq!(std::fs::read_to_string(stage.work().join(".bashrc")).unwrap(), "kept\n", "{told}");
    for name in [".zshenv", ".gitconfig", ".config/git/config"] {
        assert!(!stage.work().join(name).exists(), "{name}: {told}");
    }
}

#[test]
fn a_call_that_was_not_run_is_told_with_its_name_and_the_reason() {
    let acts = [
        Act::calls(&[("c1", "nosuch", r#"{"a":1}"#)]),
        Act::calls(&[("c2", "write", "{}")]),
        Act::calls(&[("c3", "write", r#"{"path":"a.txt","content":"x"}"#)]),
        Act::says("Done."),
    ];
    let stage = Stage::new(acts);
    let mut command =
        stage.command(["run", "--model", MODEL, "-p", "Go.", "--mode", "plan", "--grant", "write:**"]);
    let ran = Ran::of(&command.env_remove("HOLM_QUIET").output().unwrap());
    assert_eq!(ran.out, "Done.\n", "{ran:?}");
    let unrun: Vec<&str> = ran.err.lines().filter(|line| line.contains(": not run: ")).collect();
    assert_eq!(unrun.len(), 3, "{ran:?}");
    assert!(unrun[0].starts_with("· nosuch {\"a\":1}: not run: there is no tool `nosuch`"), "{ran:?}");
    assert!(unrun[1].starts_with("· write {}: not run: ") && unrun[1].contains("path"), "{ran:?}");
    assert!(unrun[2].starts_with("· write {\"") && unrun[2].contains("a.txt"), "{ran:?}");
    assert!(!stage.work().join("a.txt").exists());
}

#[test]
fn a_denial_without_a_person_is_one_line_for_its_flags_and_one_for_the_call() {
    let write = Act::calls(&[("c1", "write", r#"{"path":"a.txt","content":"x"}"#)]);
    let stage = Stage::new([write, Act::says("Done.")]);
    let mut command = stage.command(["run", "--model", MODEL, "-p", "Go.", "--trust", "look"]);
    let ran = Ran::of(&command.env_remove("HOLM_QUIET").output().unwrap());
    let lines: Vec<&str> = ran.err.lines().filter(|line| line.contains("write")).collect();
    let [flags, call] = lines[..] else { panic!("{ran:?}") };
    assert!(flags.starts_with("holm: `write` was denied") && flags.contains("--trust edit"), "{flags}");
    let why = ": not run: denied for this run: write:a.txt was not granted, and no user can be asked";
    assert!(call.starts_with("· write {") && call.ends_with(why), "{call}");
}
