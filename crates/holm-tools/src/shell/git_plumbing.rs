//! Calls plumbing commands of git in a repository that a command may have written to, so that git
//! runs nothing but itself.
//!
//! The configuration and the hooks of such a repository cannot be written by commands. They are the
//! user's, and are overridden all the same. Files by which a command could change what git reads are
//! ignored: replaced objects, grafts, and caches of the history. Time and output of a call are
//! bounded. What is asked of git is decided in `git_history_check.rs`; `worktree/git.rs` calls git
//! for the worktrees of children.

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::worktree::{SETTINGS, VARIABLES};

/// The longest time for all calls about one repository.
const MAX_TIME: Duration = Duration::from_secs(30);
/// The most bytes that one call may print.
const MAX_OUTPUT_BYTES: u64 = 256 * 1024 * 1024;

/// Settings beyond those of every quiet call: what a command could have written is not used.
const MORE_SETTINGS: [(&str, &str); 5] = [
    ("core.commitGraph", "false"),
    ("core.multiPackIndex", "false"),
    ("core.untrackedCache", "keep"),
    ("core.splitIndex", "false"),
    ("core.filesRefLockTimeout", "1000"),
];

/// Variables beyond those of every quiet call.
const MORE_VARIABLES: [(&str, &str); 2] = [("GIT_NO_REPLACE_OBJECTS", "1"), ("GIT_GRAFT_FILE", "/dev/null")];

/// Why a call of git brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum GitPlumbingError {
    #[error("git is not installed")]
    NotInstalled,
    #[error("git could not be started")]
    NotStarted,
    #[error("it took too long")]
    TooLong,
    #[error("there is too much of it")]
    TooMuch,
    #[error("git failed: {0}")]
    Failed(String),
}

/// Git in one repository, until the time for it is over.
#[derive(Debug)]
pub(super) struct GitPlumbing {
    program: PathBuf,
    search: OsString,
    common: PathBuf,
    work_tree: PathBuf,
    end: Instant,
}

impl GitPlumbing {
    /// Git for a repository. No program beneath a folder that commands may write is started.
    pub(super) fn new(common: &Path, work_tree: &Path, roots: &[PathBuf]) -> Result<Self, GitPlumbingError> {
        let folders: Vec<PathBuf> =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let is_trusted =
            |folder: &&PathBuf| folder.is_absolute() && !roots.iter().any(|root| folder.starts_with(root));
        let folders: Vec<&PathBuf> = folders.iter().filter(is_trusted).collect();
        let program = folders.iter().map(|folder| folder.join("git")).find(|program| program.is_file());
        let program = program.ok_or(GitPlumbingError::NotInstalled)?;
        let search = std::env::join_paths(folders).map_err(|_| GitPlumbingError::NotInstalled)?;
        let work_tree = if work_tree.is_dir() { work_tree } else { common };
        Ok(Self {
            program,
            search,
            common: common.to_owned(),
            work_tree: work_tree.to_owned(),
            end: Instant::now() + MAX_TIME,
        })
    }

    /// Runs git in the repository with this input, and returns its output.
    pub(super) fn run(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>, GitPlumbingError> {
        self.run_in(&self.common, args.iter().map(OsStr::new), input)
    }

    /// Runs git with the git folder of one work tree.
    pub(super) fn run_in<'a>(
        &self,
        own: &Path,
        args: impl IntoIterator<Item = &'a OsStr>,
        input: &[u8],
    ) -> Result<Vec<u8>, GitPlumbingError> {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(VARIABLES).envs(MORE_VARIABLES).env("PATH", &self.search);
        let settings: Vec<(&str, &str)> = SETTINGS.iter().chain(&MORE_SETTINGS).copied().collect();
        for (number, (key, value)) in settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        command.env("GIT_CONFIG_COUNT", settings.len().to_string());
        // With a named folder git looks for no other, and asks for no owner.
        command.env("GIT_DIR", own).env("GIT_WORK_TREE", &self.work_tree).current_dir(&self.work_tree);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|_| GitPlumbingError::NotStarted)?;
        let outcome = self.finish(&mut child, input.to_vec());
        let _ = child.kill();
        let _ = child.wait();
        outcome
    }

    fn finish(&self, child: &mut Child, input: Vec<u8>) -> Result<Vec<u8>, GitPlumbingError> {
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(GitPlumbingError::NotStarted);
        };
        // It ends when git has read everything or is gone.
        thread::spawn(move || drop(stdin.write_all(&input)));
        let (output, errors) = (reader(stdout), reader(stderr));
        let wait = |from: &Receiver<Option<Vec<u8>>>| {
            let left = self.end.saturating_duration_since(Instant::now());
            from.recv_timeout(left).map_err(|_| GitPlumbingError::TooLong)?.ok_or(GitPlumbingError::TooMuch)
        };
        let output = wait(&output)?;
        let errors = wait(&errors)?;
        let status = child.wait().map_err(|_| GitPlumbingError::NotStarted)?;
        if status.success() {
            return Ok(output);
        }
        let text = String::from_utf8_lossy(&errors);
        Err(GitPlumbingError::Failed(text.lines().next().unwrap_or_default().to_owned()))
    }
}

/// Reads everything on a thread of its own; `None` if it is too much.
fn reader(mut from: impl std::io::Read + Send + 'static) -> Receiver<Option<Vec<u8>>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = from.by_ref().take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes);
        let is_whole = read.is_ok() && bytes.len() as u64 <= MAX_OUTPUT_BYTES;
        drop(send.send(is_whole.then_some(bytes)));
    });
    receive
}
