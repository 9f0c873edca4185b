//! A program as a tool: makes the command line, builds the jail with exactly what the call was
//! granted, and starts the program. Arguments become words in `describe/` and `help/`, the process
//! is run by `shell/child_run.rs`, and the output is read in `result.rs`.
//!
//! The file is compared with the trusted content just before it starts. The program's own folder
//! and Holm's folder in the project are never writable.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{AllowanceKind, Allowances, CallNeed, Grant, ProgramPattern};
use holm_guards::json::Json;
use holm_jail::{CaptureOptions, Jail, JailLimits, JailTask};
use holm_kernel::{Outcome, ToolOutput, ToolSpec};
use holm_runtime::{BoxFuture, Tool, ToolInvocation};

use super::interface::ProgramInterface;
use super::loader::ProgramSetup;
use super::result::result;
use crate::authority;
use crate::shell::{
    ChildRunSettings, CommandImages, GrantedHosts, MAX_STARTS, UngrantedHostPolicy, WorkspaceRecord,
    asks_for_another_look, hold,
};
use crate::trust::ContentHash;

/// Holm's own folder in a project: tools, agents, hooks and configuration.
const OWN_FOLDER: &str = ".holm";

/// A program that a model can call; [`ProgramLoader`](super::ProgramLoader) makes them.
#[derive(Debug, Clone)]
pub struct ProgramTool(Arc<ProgramToolState>);

#[derive(Debug)]
struct ProgramToolState {
    setup: Arc<ProgramSetup>,
    declaration: ToolSpec,
    nature: ProgramInterface,
    path: PathBuf,
    hash: ContentHash,
    limits: JailLimits,
    /// Whether its success votes to end the run.
    ends_run: bool,
}

impl ProgramTool {
    pub(super) fn new(
        setup: Arc<ProgramSetup>,
        declaration: ToolSpec,
        nature: ProgramInterface,
        path: PathBuf,
        hash: ContentHash,
        allowed: &Allowances,
    ) -> Self {
        let limits = lowered(setup.limits, allowed);
        let ends_run = false;
        Self(Arc::new(ProgramToolState { setup, declaration, nature, path, hash, limits, ends_run }))
    }

    /// The same tool, whose success is or is not a vote to end the run.
    pub(super) fn ends_run(self, ends_run: bool) -> Self {
        match Arc::try_unwrap(self.0) {
            Ok(state) => Self(Arc::new(ProgramToolState { ends_run, ..state })),
            Err(shared) => Self(shared),
        }
    }
}

impl Tool for ProgramTool {
    fn declaration(&self) -> &ToolSpec {
        &self.0.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let ends_run = inner.ends_run;
            let mut output = inner.call(job).await.unwrap_or_else(ToolOutput::failed);
            output.terminate = ends_run && output.outcome == Outcome::Succeeded;
            output
        })
    }
}

impl ProgramToolState {
    async fn call(self: Arc<Self>, job: ToolInvocation) -> Result<ToolOutput, String> {
        let task = self.task(&job)?;
        let mut starts = 0;
        loop {
            let is_last = starts >= MAX_STARTS;
            if let Some(output) = self.attempt(&job, &task, is_last).await? {
                return Ok(output);
            }
            starts += 1;
        }
    }

    /// Starts it once. Returns `None` if a hidden file was moved at that moment, so that the
    /// start must be retried.
    async fn attempt(
        self: &Arc<Self>,
        job: &ToolInvocation,
        task: &JailTask,
        is_last: bool,
    ) -> Result<Option<ToolOutput>, String> {
        let (held, needs, key) = (Arc::clone(self), Arc::clone(&job.needs), job.key);
        let jail = tokio::task::spawn_blocking(move || {
            let (jail, record) = held.jail(&needs)?;
            let (setup, rules) = (&held.setup, (&held.setup.engine, &held.setup.denials));
            let images = CommandImages::begin(setup.undo.as_ref(), key, &setup.workspace, rules, &record);
            Ok::<_, String>((jail, record, images))
        });
        let (jail, record, images) = jail.await.map_err(|_| "Holm is shutting down")??;
        let jail = jail.env("HOLM_CALL_KEY", job.key.to_string());
        let denials = self.setup.denials.join(&job.denials);
        let errand = ChildRunSettings {
            launcher: &self.setup.launcher,
            engine: &self.setup.engine,
            connector: self.setup.connector.as_ref(),
            denials: &denials,
            hosts: GrantedHosts::of(&job.needs),
            curiosity: UngrantedHostPolicy::Deaf,
            progress: &job.progress,
        };
        let capture = CaptureOptions { keep: 4 << 20, spill: None };
        let stop = job.stop.child_token();
        record.end_by(stop.clone());
        let (outcome, refused) = match errand.run(&jail, task, capture, &stop).await {
            Ok(ended) => ended,
            Err(error) => {
                record.end_unstarted(&error).await;
                drop(tokio::task::spawn_blocking(move || images.finish()).await);
                let is_repeated = asks_for_another_look(&error) && !is_last;
                return if is_repeated { Ok(None) } else { Err(format!("not started: {error}")) };
            }
        };
        let changes = tokio::task::spawn_blocking(move || (record.settle(), images.finish()));
        let (mut changes, mut undo) = changes.await.map_err(|_| "Holm is shutting down")?;
        changes.extend(undo.line.take());
        let mut output = result(&self.nature, &outcome, &refused, &self.setup.workspace, self.limits.wall);
        for change in changes {
            output.text.push_str(&format!("\n[{change}]"));
        }
        undo.note(&mut output);
        Ok(Some(output))
    }

    /// The exact words and the standard input of a call.
    fn task(&self, job: &ToolInvocation) -> Result<JailTask, String> {
        let arguments = Json::parse(&job.arguments).map_err(|error| error.to_string())?;
        Ok(match &self.nature {
            ProgramInterface::Described(program) => {
                let call = program.call(&arguments).map_err(|error| error.to_string())?;
                JailTask::new(&self.path).args(call.argv).input(call.stdin)
            }
            ProgramInterface::Helped(description) => {
                let words = description.plan.argv(&arguments).map_err(|error| error.to_string())?;
                JailTask::new(&self.path).args(words)
            }
        })
    }

    /// The jail of a call: the program, the system's programs, and what the call was granted.
    ///
    /// The file is compared with the trusted content just before it is started. No attacker in our
    /// model can write to a tool folder in between. No tool may write there, and the only other
    /// writer is the person.
    fn jail(&self, needs: &[CallNeed]) -> Result<(Jail, WorkspaceRecord), String> {
        let bytes = std::fs::read(&self.path).map_err(|error| format!("{}: {error}", self.path.display()))?;
        if ContentHash::of(&bytes) != self.hash {
            return Err("the program changed after it was described; trust it again to use it".into());
        }
        let mut grants = authority::grants(needs);
        // The system's programs may always be started, because scripts need them.
        let named: Vec<Grant> = grants
            .iter()
            .filter(|grant| matches!(grant, Grant::Exec(ProgramPattern::Name(_))))
            .cloned()
            .collect();
        // A file that does not exist cannot be opened for a jail; reading it fails in the program.
        let missing = grants.iter().filter(|grant| is_missing(grant, &self.setup.workspace)).cloned();
        for grant in named.into_iter().chain(missing.collect::<Vec<Grant>>()) {
            grants.remove(&grant);
        }
        let environment = std::env::vars_os();
        let jail = Jail::from_grants(&self.setup.workspace, &grants, environment)
            .map_err(|error| error.to_string())?;
        let (jail, record) = hold(jail, &self.setup.workspace, &grants, &self.setup.denials);
        // A program must not start in a folder of which it may see nothing.
        let sees = grants.iter().any(|grant| matches!(grant, Grant::Read(_)));
        Ok((self.settled(if sees { jail } else { jail.cwd("/") }), record))
    }

    fn settled(&self, jail: Jail) -> Jail {
        let jail = jail
            .read(&self.path)
            .exec(&self.path)
            .exec_system()
            .protect(self.path.parent().unwrap_or(Path::new("/")))
            .protect(self.setup.workspace.join(OWN_FOLDER))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("NO_COLOR", "1")
            .limits(self.limits);
        let jail = self.setup.hidden.iter().fold(jail, |jail, folder| without(jail, folder, &self.path));
        self.setup.env.iter().fold(jail, |jail, (name, value)| jail.env(name, value))
    }
}

/// Whether a grant is to read one file that does not exist.
fn is_missing(grant: &Grant, workspace: &Path) -> bool {
    let Grant::Read(pattern) = grant else { return false };
    let path = pattern.to_string();
    let is_one = !path.contains(['*', '[', ']']) && !path.ends_with('/');
    is_one && workspace.join(path).symlink_metadata().is_err()
}

/// Hides a folder from a program. A program inside the folder sees the folder read-only,
/// without its other entries.
fn without(jail: Jail, folder: &Path, program: &Path) -> Jail {
    if !program.starts_with(folder) {
        return jail.hide(folder);
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|entry| !program.starts_with(entry)).fold(jail.protect(folder), Jail::hide)
}

/// The limits of a host, lowered by those of a sidecar.
fn lowered(limits: JailLimits, allowed: &Allowances) -> JailLimits {
    let wall = allowed.limit(AllowanceKind::Time).map_or(limits.wall, Duration::from_millis);
    JailLimits {
        wall: limits.wall.min(wall),
        memory: allowed.limit(AllowanceKind::Mem).map_or(limits.memory, |memory| limits.memory.min(memory)),
        output: allowed
            .limit(AllowanceKind::Output)
            .map_or(limits.output, |output| limits.output.min(output)),
        ..limits
    }
}
