//! Approvals at a terminal. `script` from util-linux provides one.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use holm_testkit::double::Act;

use crate::stage::{MODEL, Stage};

/// Runs the command at a terminal; types the answer as soon as the question stands there. Gives the exit code and the
/// whole screen.
fn at_a_terminal(stage: &Stage, arguments: &str, answer: &str) -> (Option<i32>, String) {
    let line = format!("{} run --model {MODEL} {arguments}", env!("CARGO_BIN_EXE_holm"));
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-f", "-c", &line, "/dev/null"]).current_dir(stage.work()).env_clear();
    stage.dress(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).env("TERM", "dumb");
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("script: {error}; install util-linux (bsdutils)"));
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut seen, mut asked) = (Vec::new(), false);
    let began = Instant::now();
    let mut piece = [0; 4096];
    loop {
        let count = screen.read(&mut piece).unwrap_or(0);
        if count == 0 {
            break;
        }
        seen.extend_from_slice(&piece[..count]);
        if !asked && String::from_utf8_lossy(&seen).contains("[n]o: ") {
            asked = true;
            writeln!(keys, "{answer}").unwrap();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{}", String::from_utf8_lossy(&seen));
    }
    (child.wait().unwrap().code(), String::from_utf8_lossy(&seen).into_owned())
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
    assert!(screen.contains("holm asks: may `read` run?"), "{screen}");
    assert!(screen.contains("read:notes.txt (not granted)"), "{screen}");
    assert!(screen.contains("Done."), "{screen}");
    assert!(stage.double.requests()[1].text().contains("one two three"));
}

#[test]
fn anything_but_a_yes_is_a_no_and_the_model_is_told() {
    let stage = stage();
    let (code, screen) = at_a_terminal(&stage, "-p Count", "maybe");
    assert_eq!(code, Some(0), "{screen}");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("the person at the terminal said no") && !told.contains("one two three"), "{told}");
}

#[test]
fn nobody_is_asked_about_what_was_granted() {
    let stage = stage();
    let (code, screen) = at_a_terminal(&stage, "-p Count --grant read:**", "");
    assert_eq!(code, Some(0), "{screen}");
    assert!(!screen.contains("holm asks"), "{screen}");
}
