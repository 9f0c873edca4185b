//! Tests the command at a terminal. `script` from util-linux provides one.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::stage::Stage;

/// Runs the command at a terminal; types the answer as soon as the question stands there. Gives the exit code and the
/// whole screen.
pub(crate) fn holm(stage: &Stage, arguments: &str, question: &str, answer: &str) -> (Option<i32>, String) {
    holm_answering(stage, arguments, question, &[answer])
}

/// As [`holm`], with an answer for each time that the question comes.
pub(crate) fn holm_answering(
    stage: &Stage,
    arguments: &str,
    question: &str,
    answers: &[&str],
) -> (Option<i32>, String) {
    let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_holm"));
    let keys: Vec<String> = answers.iter().map(|answer| format!("{answer}\n")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    pressing(stage, &line, &[question], &keys)
}

/// Runs a command line at a terminal, and presses the next keys each time that one of the questions comes.
pub(crate) fn pressing(
    stage: &Stage,
    line: &str,
    questions: &[&str],
    answers: &[&str],
) -> (Option<i32>, String) {
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-f", "-c", line, "/dev/null"]).current_dir(stage.work()).env_clear();
    stage.dress(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).env("TERM", "dumb");
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("script: {error}; install util-linux (bsdutils)"));
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut seen, mut answers) = (Vec::new(), answers.iter().enumerate().peekable());
    let began = Instant::now();
    let mut piece = [0; 4096];
    loop {
        let count = screen.read(&mut piece).unwrap_or(0);
        if count == 0 {
            break;
        }
        seen.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&seen);
        let asked: usize = questions.iter().map(|question| text.matches(question).count()).sum();
        if let Some((_, answer)) = answers.next_if(|(number, _)| *number < asked) {
            keys.write_all(answer.as_bytes()).and_then(|()| keys.flush()).unwrap();
        }
        assert!(began.elapsed() < Duration::from_secs(180), "{}", String::from_utf8_lossy(&seen));
    }
    (child.wait().unwrap().code(), String::from_utf8_lossy(&seen).into_owned())
}
