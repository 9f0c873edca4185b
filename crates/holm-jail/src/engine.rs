//! Chooses the engine that confines a child on this machine, by trying.
//!
//! It only tries and reports: confining is done in `launcher_side/child.rs`, with
//! `launcher_side/bubblewrap.rs` or `launcher_side/rules.rs`. "Unconfined" is never chosen by
//! itself; a caller must name it. Bubblewrap is looked for in folders that only root can write to,
//! since another program of that name could confine nothing. A machine with neither engine gets an
//! error, not a weaker jail.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};

use crate::error::JailError;

/// The trusted places of bubblewrap: folders that only root can write to.
const BUBBLEWRAP: [&str; 3] = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
/// The oldest Landlock that is enough: without truncation (kernel 6.2) a file that may not be
/// written could be emptied.
const LANDLOCK_FLOOR: ABI = ABI::V3;
/// How long a short command may take on a busy machine: too short a time would
/// choose a weaker jail.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait for its error output after it has ended.
const WORDS: Duration = Duration::from_secs(1);
/// The most bytes of a complaint that are read.
const MOST_SAID: u64 = 4096;

/// A way to confine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JailEngine {
    /// Namespaces set up by this program, and seccomp.
    Bubblewrap(PathBuf),
    /// Landlock and seccomp, and a mount namespace if the kernel gives one to every user.
    Landlock,
    /// No confinement: only limits, environment and the sweeping of descendants. Used only if
    /// the caller names it.
    Unconfined,
}

/// What an engine enforces on this machine beyond what every engine enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JailStrength {
    /// Names of files and processes outside are hidden as well.
    Hidden,
    /// Signals and abstract sockets stay inside; names can be seen.
    Scoped,
    /// Only files, network and tracing: a child can signal other processes of the same user.
    Files,
    None,
}

impl JailEngine {
    /// The strongest engine that works here, found by trying. Never [`Self::Unconfined`].
    ///
    /// # Errors
    ///
    /// [`JailError::NoEngine`] with the engines that were tried.
    pub fn detect() -> Result<Self, JailError> {
        let bubblewrap = match Self::bubblewrap() {
            Ok(engine) => return Ok(engine),
            Err(why) => why,
        };
        Self::landlock().map_err(|landlock| JailError::NoEngine { bubblewrap, landlock })
    }

    /// Bubblewrap, if it is installed and may make namespaces.
    ///
    /// # Errors
    ///
    /// Why not, in words.
    pub fn bubblewrap() -> Result<Self, String> {
        let Some(program) = BUBBLEWRAP.iter().map(Path::new).find(|path| path.is_file()) else {
            return Err("is not installed".into());
        };
        let mut command = Command::new(program);
        command
            // `--unshare-all` alone does without a user namespace where there is none for root.
            .args([
                "--unshare-all",
                "--unshare-user",
                "--die-with-parent",
                "--ro-bind",
                "/",
                "/",
                "--proc",
                "/proc",
            ])
            .args(["--", "/bin/sh", "-c", ":"])
            .env_clear();
        match tried(command, PATIENCE) {
            Ok((status, _)) if status.success() => Ok(Self::Bubblewrap(program.to_owned())),
            Ok((_, said)) => Err(format!("fails: {}", said.trim())),
            Err(error) => Err(format!("fails: {error}")),
        }
    }

    /// Landlock, if the kernel has enough of it.
    ///
    /// # Errors
    ///
    /// Why not, in words.
    pub fn landlock() -> Result<Self, String> {
        let made = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(LANDLOCK_FLOOR))
            .and_then(Ruleset::create);
        made.map(|_| Self::Landlock).map_err(|error| format!("is missing or too old: {error}"))
    }

    /// The strength of the engine on this machine.
    #[must_use]
    pub fn strength(&self) -> JailStrength {
        match self {
            Self::Bubblewrap(_) => JailStrength::Hidden,
            Self::Unconfined => JailStrength::None,
            Self::Landlock => {
                let scoped = Ruleset::default()
                    .set_compatibility(CompatLevel::HardRequirement)
                    .scope(Scope::from_all(ABI::V6))
                    .and_then(Ruleset::create);
                if scoped.is_ok() { JailStrength::Scoped } else { JailStrength::Files }
            }
        }
    }
}

/// Runs a command that ends at once. Returns how it ended and what it wrote to standard error.
/// Processes that it left behind may hold its streams open; this function does not wait for them.
fn tried(mut command: Command, patience: Duration) -> io::Result<(ExitStatus, String)> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let (said, hears) = mpsc::channel();
    if let Some(errors) = child.stderr.take() {
        thread::spawn(move || {
            let mut text = Vec::new();
            // Reports as much as could be read.
            let _ = errors.take(MOST_SAID).read_to_end(&mut text);
            let _ = said.send(String::from_utf8_lossy(&text).into_owned());
        });
    }
    let began = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if began.elapsed() < patience => thread::sleep(Duration::from_millis(1)),
            None => {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not end"));
            }
        }
    };
    let said = if status.success() { String::new() } else { hears.recv_timeout(WORDS).unwrap_or_default() };
    Ok((status, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_tried_command_complains_of_is_told() {
        let (status, said) = tried(shell("echo why >&2; exit 3"), PATIENCE).expect("a shell");
        assert_eq!((status.code(), said.as_str()), (Some(3), "why\n"));
    }

    #[test]
    fn a_tried_command_is_not_waited_for_because_somebody_it_left_holds_its_streams() {
        let (_, said) = tried(shell("sleep 20 & echo why >&2; exit 3"), PATIENCE).expect("a shell");
        // The stream is not closed in time, so its content is unknown.
        assert_eq!(said, "");
    }

    #[test]
    fn a_tried_command_that_does_not_end_is_ended() {
        let error = tried(shell("exec sleep 120"), Duration::from_millis(50)).expect_err("it does not end");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
