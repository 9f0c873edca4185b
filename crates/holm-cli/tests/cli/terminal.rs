//! The command at a terminal. `script` from util-linux provides one.

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
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-f", "-c", &line, "/dev/null"]).current_dir(stage.work()).env_clear();
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
        let asked = String::from_utf8_lossy(&seen).matches(question).count();
        if let Some((_, answer)) = answers.next_if(|(number, _)| *number < asked) {
            writeln!(keys, "{answer}").unwrap();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{}", String::from_utf8_lossy(&seen));
    }
    (child.wait().unwrap().code(), String::from_utf8_lossy(&seen).into_owned())
}
