//! Tests approvals at a terminal.

use holm_testkit::double::Act;

use crate::{
    stage::{MODEL, Stage},
    terminal,
};

/// Runs an agent at a terminal; types the answer as soon as the question stands there.
fn at_a_terminal(stage: &Stage, arguments: &str, answer: &str) -> (Option<i32>, String) {
    terminal::holm(stage, &format!("run --model {MODEL} {arguments}"), "[n]o: ", answer)
}

fn stage() -> Stage {
    let call = |id: &str| Act::calls(&[(id, "read", r#"{"path":"notes.txt"}"#)]);
    Stage::new([call("c1"), Act::says("Done.")]).file("notes.txt", "one two three\n")
}

#[test]
fn a_person_is_asked_inline_and_a_yes_runs_the_call() {
    let stage = stage();
    let (code, screen) = at_a_terminal(&stage, "-p Count", "y");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("holm asks: read "), "{screen}");
    assert!(screen.contains("why        you have not allowed it to read notes.txt"), "{screen}");
    assert!(!screen.contains("read:notes.txt (not granted)"), "needs are folded: {screen}");
    assert!(screen.contains("Done."), "{screen}");
    assert!(stage.double.requests()[1].text().contains("one two three"));
}

#[test]
fn the_details_of_a_question_show_the_grants_and_then_it_is_asked_again() {
    let stage = stage();
    let line = format!("{} run --model {MODEL} -p Count", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) = terminal::pressing(&stage, &line, &["[n]o: "], &["d\n", "y\n"]);
    assert_eq!(code, Some(0), "{screen}");
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}: {screen}"));
    assert!(at("[d]etails, [n]o: ") < at("needs      read:notes.txt (not granted)"), "{screen}");
    assert!(at("(not granted)") < screen.rfind("ne[v]er, [n]o: ").unwrap(), "{screen}");
    assert!(stage.double.requests()[1].text().contains("one two three"));
}

#[test]
fn a_no_is_a_no_and_the_model_is_told() {
    let stage = stage();
    let (code, screen) = at_a_terminal(&stage, "-p Count", "n");
    assert_eq!(code, Some(0), "{screen}");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("the user said no") && !told.contains("one two three"), "{told}");
}

#[test]
fn an_unclear_answer_asks_again_and_in_the_end_is_a_no() {
    let check = |answers: &[&str], expect: &str| {
        let stage = stage();
        let arguments = format!("run --model {MODEL} -p Count");
        let (code, screen) = terminal::holm_answering(&stage, &arguments, "[n]o: ", answers);
        assert_eq!((code, screen.matches("[n]o: ").count()), (Some(0), answers.len()), "{screen}");
        let told = stage.double.requests()[1].text();
        assert!(told.contains(expect), "{answers:?}: {told}");
    };
    check(&["maybe", "y"], "one two three");
    check(&["", "yep", "n"], "the user said no");
    check(&["maybe", "perhaps", "soon"], "gave no clear answer");
}

#[test]
fn nobody_is_asked_about_what_was_granted() {
    let stage = stage();
    let (code, screen) = at_a_terminal(&stage, "-p Count --grant read:**", "");
    assert_eq!(code, Some(0), "{screen}");
    assert!(!screen.contains("holm asks"), "{screen}");
}

#[test]
fn a_question_that_is_longer_than_the_terminal_is_shown_page_by_page() {
    let long = format!("first {}last", "word ".repeat(480));
    let call = format!(r#"{{"content":"{long}","path":"long.txt"}}"#);
    let ask = |answers: &[&str]| {
        let stage = Stage::new([Act::calls(&[("c1", "write", &call)]), Act::says("Done.")]);
        let arguments = format!("run --model {MODEL} -p Write");
        let (code, screen) = terminal::holm_answering(&stage, &arguments, "[n]o: ", answers);
        assert_eq!((code, screen.matches("[n]o: ").count()), (Some(0), answers.len()), "{screen}");
        (screen, stage.work().join("long.txt").exists())
    };
    let (screen, written) = ask(&["y", "y"]);
    let first = screen.find("first word").zip(screen.find("lines 1 to 21 of "));
    assert!(
        first.is_some_and(|(text, count)| text < count),
        "its beginning, then how much is left: {screen}"
    );
    assert!(screen.contains("that was all of it: ") && written, "a yes before the end is not one: {screen}");
    let (_, written) = ask(&["n"]);
    assert!(!written);
}
