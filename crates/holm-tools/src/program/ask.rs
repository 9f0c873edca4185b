//! Asks a program to describe itself, in a jail without any grant.

use std::path::Path;

use holm_jail::{Capture, Ending, Jail, Limits, Outcome, Task};

use super::loader::Setup;
use crate::describe::{self, DESCRIBE, DescribeError};
use crate::help::{self, Description, Question};

/// The most that is read of an answer; the readers take less.
const MAX_ANSWER: u64 = 2 << 20;
/// The most subcommands that are asked for help, one process each.
const MAX_QUESTIONS: usize = 64;

/// How a program described itself.
#[derive(Debug, Clone)]
pub(super) enum Nature {
    /// It speaks the describe/run protocol.
    Described(describe::Program),
    /// It has a help text.
    Helped(Box<Description>),
}

/// Asks a program; the words of an error are for the person whose program it is.
pub(super) async fn ask(setup: &Setup, path: &Path, name: &str) -> Result<Nature, String> {
    let described = answer(setup, path, &[DESCRIBE.to_owned()]).await?;
    let protocol = match (&described.ending, described.stdout.is_whole()) {
        (Ending::Exited(0), true) => describe::Program::parse(name, &described.stdout.bytes),
        _ => describe::Program::parse(name, b""),
    };
    let flaw = match protocol {
        Ok(program) => return Ok(Nature::Described(program)),
        Err(flaw) => flaw,
    };
    if described.ending == Ending::TimedOut {
        return Err(format!("`{DESCRIBE}` took longer than {} ms", setup.patience.as_millis()));
    }
    let long = answer(setup, path, &["--help".to_owned()]).await?;
    let program = help::Program::named(name);
    match Description::read(&program, None, Some(spoken(&long))) {
        Ok(mut description) => {
            deepen(setup, path, name, &mut description).await;
            Ok(Nature::Helped(Box::new(description)))
        }
        Err(not_help) => Err(neither(&flaw, &described, &not_help.to_string())),
    }
}

/// Asks for the help of subcommands, level by level. A subcommand that does
/// not answer stays undescribed.
async fn deepen(setup: &Setup, path: &Path, name: &str, description: &mut Description) {
    let mut asked = 0;
    let mut silent: Vec<Vec<String>> = Vec::new();
    loop {
        let open: Vec<Question> =
            description.questions().into_iter().filter(|question| !silent.contains(&question.path)).collect();
        let Some(question) = open.into_iter().next() else { return };
        asked += 1;
        if asked > MAX_QUESTIONS {
            return;
        }
        let program = help::Program::at(name, question.path.iter().map(String::as_str));
        let mut found = false;
        for words in &question.attempts {
            let Ok(outcome) = answer(setup, path, words).await else { return };
            if let Ok(inner) = Description::read(&program, None, Some(spoken(&outcome))) {
                found = description.attach(&question.path, &inner).is_ok();
                break;
            }
        }
        if !found {
            silent.push(question.path);
        }
    }
}

/// Runs the program with these words, in a jail where it can read only itself and the system.
async fn answer(setup: &Setup, path: &Path, words: &[String]) -> Result<Outcome, String> {
    let limits = Limits { wall: setup.patience, output: MAX_ANSWER, memory: 1 << 30, ..Limits::default() };
    let jail = Jail::new()
        .read(path)
        .exec(path)
        .exec_system()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LANG", "C.UTF-8")
        .env("TERM", "dumb")
        // Wide, so that help texts are not wrapped.
        .env("COLUMNS", "200")
        .env("NO_COLOR", "1")
        .limits(limits);
    let task = Task::new(path).args(words);
    let job = setup.launcher.spawn(&setup.engine, &jail, &task).await.map_err(|error| error.to_string())?;
    Ok(job.finish(Capture { keep: usize::try_from(MAX_ANSWER).unwrap_or(usize::MAX), spill: None }).await)
}

/// Where a program prints its help: standard output, or the other where that stays empty.
fn spoken(outcome: &Outcome) -> &[u8] {
    let out = &outcome.stdout.bytes;
    if out.iter().all(u8::is_ascii_whitespace) { &outcome.stderr.bytes } else { out }
}

/// One message that lists what was tried.
fn neither(flaw: &DescribeError, described: &Outcome, not_help: &str) -> String {
    let first = match described.ending {
        Ending::Exited(0) => flaw.flaw.to_string(),
        Ending::Exited(code) => format!("`{DESCRIBE}` ended with status {code}"),
        Ending::Signalled(signal) => format!("`{DESCRIBE}` was ended by signal {signal}"),
        Ending::OutOfOutput => format!("`{DESCRIBE}` printed too much"),
        Ending::TimedOut | Ending::Cancelled | Ending::OutOfMemory | Ending::MadeProtected | Ending::Lost => {
            format!("`{DESCRIBE}` did not end")
        }
    };
    format!("it says not what it is: {first}; and `--help`: {not_help}")
}
