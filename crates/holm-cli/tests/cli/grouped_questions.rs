//! Tests questions about several calls of one reply: at the terminal they are one question.

use holm_testkit::double::Act;
use serde_json::json;

use crate::{
    stage::{MODEL, Stage},
    terminal,
};

/// A model that writes three files under `src/` in one reply.
fn stage() -> Stage {
    let write = |name: &str| json!({ "path": format!("src/{name}"), "content": "x\n" }).to_string();
    let [a, b, c] = ["a.txt", "b.txt", "c.txt"].map(write);
    let acts = vec![
        Act::calls(&[("c1", "write", &a), ("c2", "write", &b), ("c3", "write", &c)]),
        Act::says("Done."),
    ];
    Stage::new(acts)
}

fn line() -> String {
    format!("{} run --model {MODEL} -p Go --trust look", env!("CARGO_BIN_EXE_holm"))
}

/// The questions that were asked, and the files that were written.
fn ran(stage: &Stage, answers: &[&str]) -> (usize, Vec<bool>, String) {
    let prompts = ["[n]o: ", "[n]o to all: "];
    let (code, screen) = terminal::pressing(stage, &line(), &prompts, answers);
    assert_eq!(code, Some(0), "{screen}");
    let written = ["a.txt", "b.txt", "c.txt"].map(|name| stage.work().join("src").join(name).exists());
    (prompts.iter().map(|prompt| screen.matches(prompt).count()).sum(), written.to_vec(), screen)
}

#[test]
fn the_calls_of_one_reply_are_one_question() {
    let stage = stage();
    let (questions, written, screen) = ran(&stage, &["y\n"]);
    assert_eq!((questions, written), (1, vec![true; 3]), "{screen}");
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}: {screen}"));
    let order = [at("asks about 3 calls"), at("1. write src/a.txt?"), at("2. write src/b.txt?")];
    assert!(order.is_sorted() && at("3. write src/c.txt?") > order[2], "{screen}");
    let (questions, written, screen) = ran(&self::stage(), &["n\n"]);
    assert_eq!((questions, written), (1, vec![false; 3]), "{screen}");
}

#[test]
fn the_calls_of_one_reply_can_be_answered_one_by_one() {
    let (questions, written, screen) = ran(&stage(), &["o\n", "y\n", "n\n", "y\n"]);
    assert_eq!((questions, written), (4, vec![true, false, true]), "{screen}");
}

#[test]
fn each_denied_call_of_a_reply_is_named_by_its_file() {
    let (_, _, screen) = ran(&stage(), &["o\n", "n\n", "n\n", "y\n"]);
    for path in ["src/a.txt", "src/b.txt"] {
        assert!(screen.contains(&format!("  write {path}: denied, the user said no")), "{screen}");
    }
    assert!(!screen.contains("write: not run"), "once is enough: {screen}");
}

#[test]
fn an_answer_for_a_family_ends_the_questions_that_it_covers() {
    let (questions, written, screen) = ran(&stage(), &["o\n", "f\n"]);
    assert_eq!((questions, written), (2, vec![true; 3]), "{screen}");
    let (questions, written, screen) = ran(&stage(), &["f\n"]);
    assert_eq!((questions, written), (1, vec![true; 3]), "{screen}");
    assert!(screen.contains("[f] writes under src/ (write:src/**)"), "{screen}");
}

#[test]
fn always_for_a_write_covers_every_later_write_of_that_file() {
    let write = |text: &str| json!({ "path": "src/a.txt", "content": text }).to_string();
    let (first, second) = (write("one\n"), write("two\n"));
    let other = json!({ "path": "src/b.txt", "content": "x" }).to_string();
    let read = r#"{"path":"src/a.txt"}"#;
    let stage = Stage::new([
        Act::calls(&[("c1", "write", &first)]),
        Act::calls(&[("c2", "read", read)]),
        Act::calls(&[("c3", "write", &second)]),
        Act::calls(&[("c4", "write", &other)]),
        Act::says("Done."),
    ]);
    let (code, screen) = terminal::pressing(&stage, &line(), &["[n]o: "], &["a\n", "n\n"]);
    assert_eq!((code, screen.matches("[n]o: ").count()), (Some(0), 2), "{screen}");
    assert!(screen.contains("for every later call write:src/a.txt"), "{screen}");
    assert_eq!(std::fs::read_to_string(stage.work().join("src/a.txt")).unwrap(), "two\n");
    assert!(!stage.work().join("src/b.txt").exists());
}

/// A model that runs commands, each in a reply of its own.
fn commands(scripts: &[&str]) -> Stage {
    let calls = scripts.iter().map(|script| {
        let arguments = json!({ "script": script }).to_string();
        Act::calls(&[("c", "shell", &arguments)])
    });
    Stage::new(calls.chain([Act::says("Done.")]).collect::<Vec<_>>())
}

#[test]
fn always_for_a_command_covers_its_repetitions_where_nothing_is_granted() {
    let prompts = ["[n]o: "];
    for (scripts, answer, questions) in [
        (["ls *.txt", "ls *.txt"], "a\n", 1),
        (["git status", "git status --short"], "p\n", 1),
        (["ls", "ls -la"], "p\n", 1),
        (["git log", "git log --format=%H"], "p\n", 1),
        (["ls *.txt", "ls *.txt"], "y\n", 2),
    ] {
        let stage = commands(&scripts);
        let (code, screen) = terminal::pressing(&stage, &line(), &prompts, &[answer; 2]);
        assert_eq!((code, screen.matches(prompts[0]).count()), (Some(0), questions), "{answer}: {screen}");
    }
}

/// The words of a command line, some of them in single quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn the_flags_of_a_hint_let_the_command_run() {
    for (script, covers) in [
        ("echo ran > made.txt", "or every command with "),
        ("touch made.txt", "or commands like this one with "),
        ("sh made.sh", "or this command alone with "),
    ] {
        let stage = || commands(&[script]).file("made.sh", "echo ran > made.txt\n");
        let denied = stage().run(&["-p", "Go", "--trust", "look"]);
        let (_, hint) = denied.err.split_once(covers).unwrap_or_else(|| panic!("{script}: {denied:?}"));
        let flags = words(hint.lines().next().unwrap());
        // A hint that names a level takes the place of the level.
        let level = if flags.iter().any(|flag| flag == "--trust") { "" } else { "--trust look" };
        let line = words("-p Go").into_iter().chain(words(level)).chain(flags);
        let stage = stage();
        let ran = stage.run(&line.collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>());
        assert!(stage.work().join("made.txt").exists(), "{script}: {ran:?}");
    }
}
