//! The interface that runs a command, and the ways in which its run can end. It contains no code
//! that starts a process; `jailed_runner.rs` does. A runner must end everything that it started
//! when the time is up, and bound the output.

use std::{path::PathBuf, sync::Arc, time::Duration};

use holm_runtime::BoxFuture;

use super::HookPermissionRequest;

/// Bytes of a command's output that are read, both streams together. A hook prints a line
/// or a small object.
pub const MOST_OUTPUT: u64 = 64 * 1024;

/// Runs commands with limits for time and output, and leaves no process behind. `JailedRunner` is
/// the implementation for projects.
pub trait HookRunner: Send + Sync {
    /// Runs one command to its end, or ends it and everything that it started when its time is up.
    fn run(&self, command: HookCommand) -> BoxFuture<'_, Result<HookOutput, HookRunError>>;
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// The line, for a shell.
    pub line: String,
    pub input: String,
    /// How long it may take.
    pub limit: Duration,
    /// The permissions that its file asks for and that a person has seen.
    pub wants: HookPermissionRequest,
    /// The scripts that it names, as a person has seen them. These contents are run, even if the
    /// files have changed since.
    pub scripts: Vec<(PathBuf, Arc<[u8]>)>,
}

/// The result of a command that has exited by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A command was not started or did not exit by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookRunError {
    /// It could not be started.
    #[error("cannot start the hook ({reason})")]
    NotStarted {
        /// What the system says.
        reason: String,
    },
    /// A script that it names is not the trusted one, or was never trusted.
    #[error(
        "the hook's script {} changed since you trusted it, so the calls it guards are denied; review it, \
        then run `holm hooks trust`",
        path.display()
    )]
    Changed {
        /// Which, below the project.
        path: PathBuf,
    },
    /// It took too long and was ended.
    #[error("the hook took longer than {} ms and was stopped", limit.as_millis())]
    Late {
        /// How long it had.
        limit: Duration,
    },
    /// It printed too much and was ended.
    #[error("the hook printed more than {MOST_OUTPUT} bytes and was stopped")]
    Flooded,
    /// A signal ended it, or it took too much memory.
    #[error("the hook crashed")]
    Crashed,
}
