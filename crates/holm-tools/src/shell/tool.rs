//! The two tools: a Bash script, and one program with its arguments. It puts a call together; the
//! declarations are in `arguments.rs`, the jail in `setup.rs`, the run in `child_run.rs`, and the
//! report in `report.rs`. Questions to a person come before, in `approval_gate.rs`. Deny rules are
//! checked here a second time, because in a mode that asks nothing no gate sees the call.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use holm_grants::{CallNeed, GrantSet};
use holm_jail::{Jail, JailEngine, JailError, JailTask, StartStage};
use holm_kernel::{CallAccess, IdempotencyKey, ToolOutput, ToolSpec as Declaration};
use holm_runtime::{BoxFuture, Tool, ToolInvocation};

use super::WorkspaceRecord;
use super::arguments::{self, ArgvArguments, HostGrantSupport, MAX_SECONDS, ScriptArguments};
use super::call::ShellCall;
use super::child_run::{
    ChildRunSettings, GrantedHosts, MAX_STARTS, UngrantedHostPolicy, asks_for_another_look,
};
use super::command_images::CommandImages;
use super::output::OutputRecording;
use super::report::{report, report_read_only};
use super::rules::{CommandRuling, records_in_repository};
use super::script::ShellScript;
use super::setup::ShellSetup;

/// Shells that read what the parser reads, best first.
const SHELLS: [&str; 4] = ["/usr/bin/bash", "/bin/bash", "/usr/bin/sh", "/bin/sh"];

/// Runs scripts; see [`WorkspaceShell::script_tool`](super::WorkspaceShell::script_tool).
#[derive(Debug, Clone)]
pub struct ScriptTool {
    declaration: Declaration,
    setup: Arc<ShellSetup>,
}

/// Runs one program; see [`WorkspaceShell::argv_tool`](super::WorkspaceShell::argv_tool).
#[derive(Debug, Clone)]
pub struct ArgvTool {
    declaration: Declaration,
    setup: Arc<ShellSetup>,
}

/// The command to run, decided before anything is started.
struct CommandRunRequest {
    task: JailTask,
    /// The text of the call, as a person reads it.
    text: String,
    script: ShellScript,
    folder: Option<String>,
    seconds: Option<u64>,
    /// How often it was started in vain.
    starts: u32,
}

impl ScriptTool {
    pub(super) fn new(setup: Arc<ShellSetup>) -> Self {
        let declaration = declared(arguments::script_tool(hosts(&setup)), super::SHELL);
        Self { declaration, setup }
    }
}

impl ArgvTool {
    pub(super) fn new(setup: Arc<ShellSetup>) -> Self {
        let declaration = declared(arguments::argv_tool(hosts(&setup)), super::RUN_PROGRAM);
        Self { declaration, setup }
    }
}

impl Tool for ScriptTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let setup = Arc::clone(&self.setup);
        Box::pin(async move {
            match script_order(&setup, &job) {
                Ok(order) => perform(setup, job, order).await,
                Err(why) => ToolOutput::failed(why),
            }
        })
    }
}

impl Tool for ArgvTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let setup = Arc::clone(&self.setup);
        Box::pin(async move {
            match argv_order(&setup, &job) {
                Ok(order) => perform(setup, job, order).await,
                Err(why) => ToolOutput::failed(why),
            }
        })
    }
}

fn hosts(setup: &ShellSetup) -> HostGrantSupport {
    match (&setup.engine, &setup.connector) {
        (JailEngine::Unconfined, _) => HostGrantSupport::All,
        (JailEngine::Bubblewrap(_) | JailEngine::Landlock, Some(_)) => HostGrantSupport::Granted,
        (JailEngine::Bubblewrap(_) | JailEngine::Landlock, None) => HostGrantSupport::None,
    }
}

/// The templates are constants that a test reads; a tool that could not declare its
/// needs must not run.
fn declared<E>(made: Result<Declaration, E>, name: &str) -> Declaration {
    let broken = || Declaration::new(name, "Cannot be used.", holm_guards::json::Json::from(false));
    made.unwrap_or_else(|_| broken())
}

fn script_order(setup: &ShellSetup, job: &ToolInvocation) -> Result<CommandRunRequest, String> {
    let arguments: ScriptArguments = job.parse().map_err(|error| error.to_string())?;
    let script = match ShellScript::read(&arguments.script) {
        Ok(script) => {
            forbidden(setup.rules.judge(&script))?;
            script
        }
        Err(why) => {
            forbidden(setup.rules.judge_unreadable(why))?;
            ShellScript::of_words(&[])
        }
    };
    let shell = shell_program()?;
    // Bash would otherwise read files of the user's before the script.
    let quiet: &[&str] = if shell.ends_with("bash") { &["--noprofile", "--norc"] } else { &[] };
    let task =
        JailTask::new(shell).args(quiet.iter().copied()).args(["-c", &arguments.script]).joined_output();
    let (text, folder) = (arguments.script, arguments.folder);
    Ok(CommandRunRequest { task, text, script, folder, seconds: arguments.seconds, starts: 0 })
}

fn argv_order(setup: &ShellSetup, job: &ToolInvocation) -> Result<CommandRunRequest, String> {
    let arguments: ArgvArguments = job.parse().map_err(|error| error.to_string())?;
    let words: Vec<String> = std::iter::once(&arguments.program).chain(&arguments.args).cloned().collect();
    let script = ShellScript::of_words(&words);
    forbidden(setup.rules.judge(&script))?;
    let program = if arguments.program.contains('/') {
        let path = setup.workspace.join(&arguments.program);
        path.canonicalize().map_err(|error| format!("{}: {error}", arguments.program))?
    } else {
        setup.program(&arguments.program).map_err(|error| error.to_string())?
    };
    let mut task = program_task(&program, &arguments.program, arguments.args)?.joined_output();
    if let Some(input) = arguments.input {
        task = task.input(input);
    }
    let folder = arguments.folder;
    Ok(CommandRunRequest {
        task,
        text: words.join(" "),
        script,
        folder,
        seconds: arguments.seconds,
        starts: 0,
    })
}

/// The task of a program at a path. A link is started by its name, which tells some programs what
/// to do: that takes a shell, because a jail starts no link.
fn program_task(path: &Path, name: &str, args: Vec<String>) -> Result<JailTask, String> {
    let real = path.canonicalize().map_err(|error| format!("{name}: {error}"))?;
    if real.file_name() == path.file_name() || path.starts_with("/usr") || path.starts_with("/bin") {
        return Ok(JailTask::new(real).args(args));
    }
    let words =
        ["-c".to_owned(), "exec \"$@\"".to_owned(), name.to_owned(), path.to_string_lossy().into_owned()];
    Ok(JailTask::new(shell_program()?).args(words.into_iter().chain(args)))
}

fn shell_program() -> Result<PathBuf, String> {
    let shell = SHELLS.iter().find_map(|shell| Path::new(shell).canonicalize().ok());
    shell.ok_or_else(|| "this machine has no shell; install bash".into())
}

/// Deny rules hold here too: in a mode that asks nothing, no user checks the call.
fn forbidden(ruling: CommandRuling) -> Result<(), String> {
    match ruling {
        CommandRuling::Denied(rule) => Err(format!("denied: the rule `{rule}` forbids it")),
        CommandRuling::Unclear(why) => Err(format!("denied: {why}")),
        CommandRuling::Allowed | CommandRuling::Ask => Ok(()),
    }
}

async fn perform(setup: Arc<ShellSetup>, job: ToolInvocation, order: CommandRunRequest) -> ToolOutput {
    let (needs, standing, access) = (Arc::clone(&job.needs), Arc::clone(&job.grants), job.access);
    if access == CallAccess::ReadOnly && setup.engine == JailEngine::Unconfined {
        return ToolOutput::failed("not run: without a jail, no command can be kept from making changes");
    }
    let (folder, held, key) = (order.folder.clone(), Arc::clone(&setup), job.key);
    if let Some(closed) = setup.closed_places(&job.denials)
        && let Some(why) = closed.refusal(&order.script, folder.as_deref().unwrap_or("."))
    {
        return ToolOutput::failed(format!("not run: {why}"));
    }
    let git = records_in_repository(&order.script);
    let jail = tokio::task::spawn_blocking(move || {
        let needs = if git { held.with_repository(&needs, &standing) } else { needs };
        let confined = confined(&held, (&needs, &standing, access), folder.as_deref(), order.seconds);
        confined.map(|(jail, record)| {
            let images = images(&held, key, access, &record);
            (jail, record, images)
        })
    })
    .await;
    let (jail, record, images) = match jail {
        Ok(Ok(confined)) => confined,
        Ok(Err(why)) => return ToolOutput::failed(why),
        Err(_) => return ToolOutput::failed("Holm is shutting down"),
    };
    if job.stop.is_cancelled() {
        record.dismiss();
        images.cancel();
        return ToolOutput::failed("stopped before it started");
    }
    let denials = setup.denials.join(&job.denials);
    let errand = ChildRunSettings {
        launcher: &setup.launcher,
        engine: &setup.engine,
        connector: setup.connector.as_ref(),
        denials: &denials,
        hosts: match access {
            CallAccess::Full => GrantedHosts::of(&job.needs).and(&job.grants),
            CallAccess::ReadOnly => GrantedHosts::default(),
        },
        curiosity: match access {
            // What a command asks for is then known and not guessed.
            CallAccess::Full => UngrantedHostPolicy::Hears,
            CallAccess::ReadOnly => UngrantedHostPolicy::Deaf,
        },
        progress: &job.progress,
    };
    let recording = OutputRecording::new(setup.outputs.clone());
    let stop = job.stop.child_token();
    record.end_by(stop.clone());
    let (outcome, refused) = match errand.run(&jail, &order.task, recording.capture(), &stop).await {
        Ok(ended) => ended,
        Err(error) => {
            record.end_unstarted(&error).await;
            end_unstarted(images, &error).await;
            if !asks_for_another_look(&error) || order.starts >= MAX_STARTS {
                return ToolOutput::failed(format!("not started: {error}"));
            }
            let order = CommandRunRequest { starts: order.starts.saturating_add(1), ..order };
            return Box::pin(perform(setup, job, order)).await;
        }
    };
    let folder = setup.workspace.join(order.folder.as_deref().unwrap_or("."));
    let call = ShellCall::new(order.text, folder, order.script, Arc::clone(&job.grants));
    let call = call.within(wall(&setup, order.seconds));
    // It looks for programs and folders on the disk.
    let told = tokio::task::spawn_blocking(move || {
        let mut changes = record.settle();
        changes.extend(setup.temporary.bound());
        let mut undo = images.finish();
        changes.extend(undo.line.take());
        let text = recording.shown(|text| job.progress.redact(text).into_owned());
        let closed = setup.closed_places(&job.denials);
        changes.extend(closed.map(|closed| call.closed_names(&closed, outcome.ending)).unwrap_or_default());
        let mut output = match access {
            CallAccess::Full => report(&setup, &call, text, &outcome, &refused, &changes),
            CallAccess::ReadOnly => report_read_only(&setup, &call, text, &outcome, &changes),
        };
        undo.note(&mut output);
        output
    })
    .await;
    told.unwrap_or_else(|_| ToolOutput::failed("Holm is shutting down"))
}

/// The image before a command; none for one that can only look.
fn images(
    setup: &ShellSetup,
    key: IdempotencyKey,
    access: CallAccess,
    record: &WorkspaceRecord,
) -> CommandImages {
    let undo = setup.undo.as_ref().filter(|_| access == CallAccess::Full);
    CommandImages::begin(undo, key, &setup.workspace, (&setup.engine, &setup.denials), record)
}

/// Ends the images after a start that failed. If the message about the start was
/// lost, something may have run.
async fn end_unstarted(images: CommandImages, error: &JailError) {
    match error {
        JailError::Start { stage, .. } if *stage != StartStage::Order => images.cancel(),
        _ => drop(tokio::task::spawn_blocking(move || images.finish()).await),
    }
}

/// The jail of one call, in the folder that the call names, and the record of the files
/// where it may write.
fn confined(
    setup: &ShellSetup,
    (needs, standing, access): (&[CallNeed], &GrantSet, CallAccess),
    folder: Option<&str>,
    seconds: Option<u64>,
) -> Result<(Jail, WorkspaceRecord), String> {
    let (jail, record) = setup.jail(needs, standing, access).map_err(|error| error.to_string())?;
    let folder = inside(&setup.workspace, folder.unwrap_or("."))?;
    let limits = holm_jail::JailLimits { wall: wall(setup, seconds), ..setup.limits };
    Ok((jail.cwd(folder).limits(limits), record))
}

/// How long a command may take.
fn wall(setup: &ShellSetup, seconds: Option<u64>) -> Duration {
    seconds.map_or(setup.limits.wall, |seconds| Duration::from_secs(seconds.clamp(1, MAX_SECONDS)))
}

/// A folder in the workspace. The command starts there, but the folder opens nothing: only grants
/// allow reading and writing.
fn inside(workspace: &Path, folder: &str) -> Result<PathBuf, String> {
    let refused = || format!("the folder {folder:?} is not in the workspace; give one that is");
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    // Programs print absolute paths, so models give them back.
    let named = Path::new(folder);
    let named = named.strip_prefix(workspace).unwrap_or(named);
    if !named.components().all(plain) {
        return Err(refused());
    }
    let real =
        workspace.join(named).canonicalize().map_err(|error| format!("the folder {folder:?}: {error}"))?;
    if real.starts_with(workspace) && real.is_dir() { Ok(real) } else { Err(refused()) }
}
