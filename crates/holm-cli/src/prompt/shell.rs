//! The output of a shell command of `--shell`. The user typed the command, so it runs with their
//! rights and environment, and without a jail. Text of a model must never get here; commands of a
//! model run in `holm-tools/src/shell/`. Time and output are bounded.

use std::{
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::MOST_BYTES;
use crate::exit::{CommandError, CommandExit};

/// How long a command may take; a slower one can write to a file first.
const MOST_TIME: Duration = Duration::from_secs(600);

/// Runs a command and returns its output; its standard error is shown as it comes. If it
/// fails after it printed something, the failure is reported and the output counts: users
/// want failing tests explained.
pub(super) fn output(command: &str, work: &Path, tell: impl Fn(&str)) -> Result<String, CommandError> {
    let failed = |why: String| {
        CommandError::new(CommandExit::Failed, format!("cannot use the output of `{command}`: {why}"))
            .hint("try the command by itself")
    };
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(work).stdin(Stdio::null()).stdout(Stdio::piped());
    // A `holm` in this command is not a child of the evaluation.
    shell.env_remove(holm_eval::EVAL_PARENT);
    let mut child = shell.spawn().map_err(|error| failed(error.to_string()))?;
    let pipe = child.stdout.take().ok_or_else(|| failed("it has no output".into()))?;
    let (done, waits) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        // After a timeout the receiver is gone.
        let _ = done.send(read.map(|_| bytes));
    });
    let ended = waits.recv_timeout(MOST_TIME);
    let is_whole = matches!(&ended, Ok(Ok(bytes)) if bytes.len() as u64 <= MOST_BYTES);
    if !is_whole {
        // It may have ended already.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    let bytes = match ended {
        Err(_) => return Err(failed(format!("it took longer than {} s", MOST_TIME.as_secs()))),
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Ok(Ok(_)) if !is_whole => {
            return Err(failed(format!("it printed more than {} MiB", MOST_BYTES >> 20)));
        }
        Ok(Ok(bytes)) => bytes,
    };
    let text = String::from_utf8(bytes).map_err(|_| failed("its output is not UTF-8 text".into()))?;
    match (status.success(), text.trim().is_empty()) {
        (true, _) => {}
        (false, true) => return Err(failed(format!("it failed without output ({status})"))),
        (false, false) => tell(&format!("`{command}` ended with {status}; its output is used anyway")),
    }
    Ok(text.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests;
