//! Runs hook commands in a jail. They read their project and write nothing, have no network and see
//! no variable, unless the trusted file asks for more. The scripts that a person reviewed are the
//! ones that run, even if the files changed since. What an exit code means is decided in
//! `reply.rs`; the confinement is `holm-jail`.

use std::{ffi::OsString, path::PathBuf};

use holm_grants::Grant;
use holm_jail::{
    CaptureOptions, CapturedOutput, Jail, JailEnding, JailEngine, JailError, JailLauncher, JailLimits,
    JailNetwork, JailTask,
};
use holm_runtime::BoxFuture;

use super::{HookCommand, HookNetworkAccess, HookOutput, HookRunError, HookRunner, runner::MOST_OUTPUT};

/// The search path of a command: only programs that the system installed.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The variable that names the project's folder to a command.
const PROJECT: &str = "HOLM_PROJECT_DIR";

/// Memory of one command: enough for an interpreter and a linter, not enough to trouble the machine.
const MOST_MEMORY: u64 = 1 << 30;

/// Processes of one command; a shell line starts a few.
const MOST_PROCESSES: u64 = 128;

/// The exit status with which a shell reports that it could not start a command: it is
/// not a program, or does not exist. In that case the guard is missing, which differs
/// from a guard that failed.
const NOT_ALLOWED: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Above this a shell says which signal ended its command.
const BY_SIGNAL: i32 = 128;

/// Runs commands with `sh` in a project's folder, which they can read but not write. They have
/// no network and do not inherit the environment of this process. Only what a trusted file
/// asks for is added.
#[derive(Debug, Clone)]
pub struct JailedRunner {
    launcher: JailLauncher,
    engine: JailEngine,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
    offline: bool,
}

impl JailedRunner {
    /// Runs commands in this folder, which is given without links in its path.
    pub fn within(folder: impl Into<PathBuf>, engine: JailEngine, launcher: JailLauncher) -> Self {
        Self { launcher, engine, folder: folder.into(), environment: Vec::new(), offline: false }
    }

    /// Refuses commands that need the network; what they would have guarded stays blocked.
    #[must_use]
    pub fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// Says which variables there are to be had; a command sees those alone that its file
    /// asks for with `env:`.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.environment.extend(variables);
        self
    }

    async fn attempt(&self, command: HookCommand) -> Result<HookOutput, HookRunError> {
        if self.offline && command.wants.network == HookNetworkAccess::Open {
            let reason = "it asks for an open network, and Holm is offline";
            return Err(HookRunError::NotStarted { reason: reason.into() });
        }
        let limit = command.limit;
        let failed = |error: JailError| HookRunError::NotStarted { reason: error.to_string() };
        let jail = self.jail(&command).map_err(failed)?;
        let shell = std::fs::canonicalize("/bin/sh")
            .map_err(|error| HookRunError::NotStarted { reason: format!("/bin/sh: {error}") })?;
        let task = JailTask::new(shell).args(["-c", &command.line]).input(command.input);
        let job = self.launcher.spawn(&self.engine, &jail, &task).await.map_err(failed)?;
        let outcome = job.finish(CaptureOptions::default()).await;
        match outcome.ending {
            JailEnding::Exited(NOT_ALLOWED | NOT_FOUND) => {
                Err(HookRunError::NotStarted { reason: text(&outcome.stderr).trim().to_owned() })
            }
            JailEnding::Exited(code) if code > BY_SIGNAL => Err(HookRunError::Crashed),
            JailEnding::Exited(code) => {
                Ok(HookOutput { code, stdout: text(&outcome.stdout), stderr: text(&outcome.stderr) })
            }
            JailEnding::TimedOut => Err(HookRunError::Late { limit }),
            JailEnding::OutOfOutput => Err(HookRunError::Flooded),
            JailEnding::Signalled(_)
            | JailEnding::Cancelled
            | JailEnding::OutOfMemory
            | JailEnding::MadeProtected
            | JailEnding::Lost => Err(HookRunError::Crashed),
        }
    }

    fn jail(&self, command: &HookCommand) -> Result<Jail, JailError> {
        let mut grants = command.wants.grants.clone();
        // Writable paths are inside the project, and all of the project may be read.
        grants.extend("read:./".parse::<Grant>());
        let network = match command.wants.network {
            HookNetworkAccess::None => JailNetwork::None,
            HookNetworkAccess::Open => JailNetwork::Open,
        };
        let jail = Jail::from_grants(&self.folder, &grants, self.environment.iter().cloned())?;
        let jail = command.scripts.iter().fold(jail, |jail, (path, bytes)| jail.fix(path, &**bytes));
        Ok(jail
            .exec_system()
            .exec(&self.folder)
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .env(PROJECT, &self.folder)
            .network(network)
            .limits(JailLimits {
                wall: command.limit,
                cpu: command.limit,
                memory: MOST_MEMORY,
                processes: MOST_PROCESSES,
                output: MOST_OUTPUT,
                ..JailLimits::default()
            }))
    }
}

impl HookRunner for JailedRunner {
    fn run(&self, command: HookCommand) -> BoxFuture<'_, Result<HookOutput, HookRunError>> {
        Box::pin(self.attempt(command))
    }
}

fn text(captured: &CapturedOutput) -> String {
    String::from_utf8_lossy(&captured.bytes).into_owned()
}
