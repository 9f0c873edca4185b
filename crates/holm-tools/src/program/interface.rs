//! Asks a program to describe itself, in a jail without any grant. Answers are read in `describe/`
//! and `help/`. This runs code before a user has approved anything, so the jail must stay as small
//! as it is: the program itself and the system's programs, with limits on time and output.

use std::path::Path;

use holm_jail::{CaptureOptions, Jail, JailEnding, JailLimits, JailOutcome, JailTask};

use super::loader::ProgramSetup;
use crate::describe::{self, DESCRIBE, DescriptionError};
use crate::help::{self, HelpDescription, HelpQuery};

/// The most that is read of an answer; the readers take less.
const MAX_ANSWER: u64 = 2 << 20;
/// The most subcommands that are asked for help, one process each.
const MAX_QUESTIONS: usize = 64;

/// How a program described itself.
#[derive(Debug, Clone)]
pub(super) enum ProgramInterface {
    /// It speaks the describe/run protocol.
    Described(describe::ProgramDescription),
    /// It has a help text.
    Helped(Box<HelpDescription>),
}

/// Asks a program; the words of an error are for the person whose program it is.
pub(super) async fn ask(setup: &ProgramSetup, path: &Path, name: &str) -> Result<ProgramInterface, String> {
    let described = answer(setup, path, &[DESCRIBE.to_owned()]).await?;
    let protocol = match (&described.ending, described.stdout.is_whole()) {
        (JailEnding::Exited(0), true) => describe::ProgramDescription::parse(name, &described.stdout.bytes),
        _ => describe::ProgramDescription::parse(name, b""),
    };
    let flaw = match protocol {
        Ok(program) => return Ok(ProgramInterface::Described(program)),
        Err(flaw) => flaw,
    };
    if described.ending == JailEnding::TimedOut {
        return Err(format!("`{DESCRIBE}` took longer than {} ms", setup.patience.as_millis()));
    }
    let long = answer(setup, path, &["--help".to_owned()]).await?;
    let program = help::HelpProgram::named(name);
    match HelpDescription::read(&program, None, Some(spoken(&long))) {
        Ok(mut description) => {
            deepen(setup, path, name, &mut description).await;
            Ok(ProgramInterface::Helped(Box::new(description)))
        }
        Err(not_help) => Err(neither(&flaw, &described, &not_help.to_string())),
    }
}

/// Asks for the help of subcommands, level by level. A subcommand that does
/// not answer stays undescribed.
async fn deepen(setup: &ProgramSetup, path: &Path, name: &str, description: &mut HelpDescription) {
    let mut asked = 0;
    let mut silent: Vec<Vec<String>> = Vec::new();
    loop {
        let open: Vec<HelpQuery> =
            description.questions().into_iter().filter(|question| !silent.contains(&question.path)).collect();
        let Some(question) = open.into_iter().next() else { return };
        asked += 1;
        if asked > MAX_QUESTIONS {
            return;
        }
        let program = help::HelpProgram::at(name, question.path.iter().map(String::as_str));
        let mut found = false;
        for words in &question.attempts {
            let Ok(outcome) = answer(setup, path, words).await else { return };
            if let Ok(inner) = HelpDescription::read(&program, None, Some(spoken(&outcome))) {
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
async fn answer(setup: &ProgramSetup, path: &Path, words: &[String]) -> Result<JailOutcome, String> {
    let limits =
        JailLimits { wall: setup.patience, output: MAX_ANSWER, memory: 1 << 30, ..JailLimits::default() };
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
    let task = JailTask::new(path).args(words);
    let job = setup.launcher.spawn(&setup.engine, &jail, &task).await.map_err(|error| error.to_string())?;
    Ok(job
        .finish(CaptureOptions { keep: usize::try_from(MAX_ANSWER).unwrap_or(usize::MAX), spill: None })
        .await)
}

/// Where a program prints its help: standard output, or the other where that stays empty.
fn spoken(outcome: &JailOutcome) -> &[u8] {
    let out = &outcome.stdout.bytes;
    if out.iter().all(u8::is_ascii_whitespace) { &outcome.stderr.bytes } else { out }
}

/// One message that lists what was tried.
fn neither(flaw: &DescriptionError, described: &JailOutcome, not_help: &str) -> String {
    let first = match described.ending {
        JailEnding::Exited(0) => flaw.flaw.to_string(),
        JailEnding::Exited(code) => format!("`{DESCRIBE}` ended with status {code}"),
        JailEnding::Signalled(signal) => format!("`{DESCRIBE}` was killed by signal {signal}"),
        JailEnding::OutOfOutput => format!("`{DESCRIBE}` printed too much"),
        JailEnding::TimedOut
        | JailEnding::Cancelled
        | JailEnding::OutOfMemory
        | JailEnding::MadeProtected
        | JailEnding::Lost => {
            format!("`{DESCRIBE}` did not end")
        }
    };
    format!("it does not describe itself: {first}; and `--help`: {not_help}")
}
