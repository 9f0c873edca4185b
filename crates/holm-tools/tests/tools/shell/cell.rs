//! A workspace of an ordinary user, a shell in it, and runs of a scripted model that calls it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use holm_grants::{GrantSet, Mode};
use holm_guards::json::Json;
use holm_jail::{JailEngine, JailLauncher};
use holm_kernel::{Approvals, Block, ModelResult, Proposal, Reply, StopReason, ToolCall, Verdict};
use holm_runtime::{Agent, Approver, BoxFuture, JsonLinesFolder, Session, Tool, ToolInvocation, model_fn};
use holm_tools::shell::WorkspaceShell;

/// The id of the user `nobody`.
const NOBODY: u32 = 65_534;
/// What must never be seen.
pub(crate) const CANARY: &str = "canary-51e0";

/// The ways to confine, each of which must hold every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Bubblewrap,
    Landlock,
}

pub(crate) const WAYS: [Way; 2] = [Way::Bubblewrap, Way::Landlock];

/// `work` is the workspace, `home` the home of commands, `out` belongs to the user and to no grant.
pub(crate) struct Cell {
    folder: tempfile::TempDir,
    launcher: JailLauncher,
    engine: JailEngine,
}

impl Cell {
    pub(crate) fn new(way: Way) -> Self {
        Self::with(way, &[])
    }

    /// Landlock on a kernel that does not allow namespaces.
    pub(crate) fn without_namespaces() -> Self {
        const NONE: [&str; 7] =
            ["/usr/bin/bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--"];
        Self::with(Way::Landlock, &NONE)
    }

    fn with(way: Way, before: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("holm-shell-").tempdir_in("/tmp").unwrap();
        give(folder.path());
        for name in ["work", "home", "out", "journals", "outputs"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            give(&folder.path().join(name));
        }
        let program = folder.path().join("launcher");
        fs::copy(env!("CARGO_BIN_EXE_holm-tools-launcher"), &program).unwrap();
        give(&program);
        let engine = match way {
            Way::Bubblewrap => {
                JailEngine::bubblewrap().expect("run scripts/setup test: bubblewrap must work here")
            }
            Way::Landlock => JailEngine::landlock().expect("this kernel must have Landlock"),
        };
        let cell = Self { launcher: launcher(before, &program), folder, engine };
        cell.write("out/secret", CANARY);
        cell
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn launcher(&self) -> JailLauncher {
        self.launcher.clone()
    }

    pub(crate) fn engine(&self) -> JailEngine {
        self.engine.clone()
    }

    /// Writes a file that belongs to the user.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let parent = path.parent().unwrap();
        fs::create_dir_all(parent).unwrap();
        fs::write(&path, text).unwrap();
        for place in path.ancestors().take_while(|place| *place != self.path("")) {
            give(place);
        }
    }

    pub(crate) fn shell(&self) -> WorkspaceShell {
        let shell =
            WorkspaceShell::new(self.launcher.clone(), self.engine.clone(), &self.path("work")).unwrap();
        shell.home(self.path("home")).outputs(self.path("outputs")).env("CELL", self.path(""))
    }

    /// Runs a program as the user, outside of any jail.
    pub(crate) fn outside(&self, program: &str, args: &[&str]) {
        let output = as_user(Command::new(program))
            .args(args)
            .current_dir(self.path("work"))
            .env("HOME", self.path("home"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A session of a model that makes these calls, one a turn, under an approver.
    pub(crate) async fn session(
        &self,
        shell: &WorkspaceShell,
        mode: Mode,
        grants: &[&str],
        approver: impl Approver + 'static,
        calls: impl IntoIterator<Item = Step>,
    ) -> (Session, Seen) {
        let seen = Seen::default();
        let steps: Mutex<VecDeque<Step>> = Mutex::new(calls.into_iter().collect());
        let watched = seen.clone();
        let called: Mutex<Option<(&'static str, Json)>> = Mutex::new(None);
        let model = model_fn(move |ask| {
            let blocks = ask.messages.last().map(|message| message.blocks.clone()).unwrap_or_default();
            let told: Vec<&str> = blocks
                .iter()
                .map(|block| match block {
                    Block::ToolResult(result) => result.text.as_str(),
                    other => other.as_text().unwrap_or_default(),
                })
                .collect();
            let told = told.join("\n");
            let mut called = called.lock().unwrap();
            let next = match (steps.lock().unwrap().pop_front(), called.take()) {
                (Some(Step::Heed), Some((tool, arguments))) => heeding(tool, &arguments, &told),
                (next, _) => next.unwrap_or(Step::Say("done")),
            };
            if let Step::Call(tool, arguments) = &next {
                *called = Some((tool, arguments.clone()));
            }
            watched.0.lock().unwrap().push(told);
            Box::pin(async move { next.result() })
        });
        let agent = Agent::builder("test/shell", model)
            .tool(shell.script_tool())
            .tool(shell.argv_tool())
            .mode(mode)
            .approvals(Approvals::Ask)
            .grants(GrantSet::parse(grants.iter().copied()).unwrap())
            .approver(approver)
            .journals(JsonLinesFolder::new(self.path("journals")).unwrap())
            .build()
            .unwrap();
        (agent.start_as("run").await.unwrap(), seen)
    }

    /// The run's journal as text.
    pub(crate) fn journal(&self) -> String {
        let files = fs::read_dir(self.path("journals")).unwrap().flatten();
        files.filter_map(|file| fs::read_to_string(file.path()).ok()).collect()
    }

    /// Runs a script with all that it asks for, outside of any run.
    pub(crate) async fn sh(&self, shell: &WorkspaceShell, script: &str) -> holm_kernel::ToolOutput {
        let arguments = Json::object([("script", script.into())]);
        run(&shell.script_tool(), &arguments).await
    }
}

/// Waits until something holds, for longer than any machine takes.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Runs a call with everything that it needs.
pub(crate) async fn run(tool: &dyn Tool, arguments: &Json) -> holm_kernel::ToolOutput {
    tool.run(job(tool, arguments)).await
}

/// A job that was allowed all that it needs.
pub(crate) fn job(tool: &dyn Tool, arguments: &Json) -> ToolInvocation {
    let texts = |name: &str| -> Vec<String> {
        match arguments.get(name) {
            Some(Json::String(text)) => vec![text.clone()],
            Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    let mut needs = Vec::new();
    for template in &tool.declaration().needs {
        let held: Vec<(String, Vec<String>)> =
            template.arguments().map(|name| (name.to_owned(), texts(name))).collect();
        let of = |name: &str| -> Vec<&str> {
            held.iter()
                .filter(|(one, _)| one == name)
                .flat_map(|(_, texts)| texts.iter().map(String::as_str))
                .collect()
        };
        needs.extend(template.needs(of).unwrap());
    }
    let mut job = ToolInvocation::alone(arguments.canonical());
    job.needs = needs.into();
    job
}

/// What the model does next.
pub(crate) enum Step {
    Call(&'static str, Json),
    Say(&'static str),
    /// Does what the last result says: calls again with what was missing, or is done where nothing was.
    Heed,
}

/// The same call with everything that the result says to add.
fn heeding(tool: &'static str, arguments: &Json, told: &str) -> Step {
    let mut more = arguments.clone();
    let hints = told.split("call again with \"").skip(1).filter_map(|hint| hint.split_once("\" added to \""));
    let hints: Vec<(String, String)> = hints
        .filter_map(|(value, rest)| Some((rest.split('"').next()?.to_owned(), value.to_owned())))
        .collect();
    if hints.is_empty() {
        return Step::Say("done");
    }
    for (name, value) in hints {
        let Json::Object(members) = &mut more else { break };
        let mut list = members.get(&name).and_then(Json::as_array).map(<[Json]>::to_vec).unwrap_or_default();
        list.push(Json::from(value));
        members.insert(name, Json::from(list));
    }
    Step::Call(tool, more)
}

impl Step {
    /// Runs a script, with more arguments.
    pub(crate) fn sh(script: &str, more: &[(&str, &[&str])]) -> Self {
        let list =
            |items: &[&str]| Json::from(items.iter().map(|item| Json::from(*item)).collect::<Vec<_>>());
        let more = more.iter().map(|(name, items)| (*name, list(items)));
        Self::Call("shell", Json::object([("script", Json::from(script))].into_iter().chain(more)))
    }

    fn result(self) -> ModelResult {
        ModelResult::Replied(match self {
            Self::Heed => Reply::default(),
            Self::Say(text) => Reply { blocks: vec![Block::Text(text.into())], ..Reply::default() },
            Self::Call(tool, arguments) => Reply {
                blocks: vec![Block::ToolCall(ToolCall {
                    id: "c".into(),
                    name: tool.into(),
                    arguments: arguments.canonical(),
                    replay: None,
                })],
                stop: StopReason::ToolUse,
                ..Reply::default()
            },
        })
    }
}

/// What the model was shown last, before each of its turns.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    pub(crate) fn turn(&self, at: usize) -> String {
        self.0.lock().unwrap().get(at).cloned().unwrap_or_default()
    }
}

/// Says yes to everything once, and keeps the questions.
#[derive(Clone, Default)]
pub(crate) struct Yes(pub(crate) Arc<Mutex<Vec<Proposal>>>);

impl Approver for Yes {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        self.0.lock().unwrap().push(proposal);
        Box::pin(async { Verdict::allow() })
    }
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The program as the user starts it.
pub(crate) fn as_user(program: Command) -> Command {
    if !is_root() {
        return program;
    }
    let mut command = Command::new("/usr/bin/setpriv");
    command.args(drop_rights()).arg(program.get_program());
    command
}

/// Makes a path the user's.
pub(crate) fn give(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    if is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

fn drop_rights() -> [OsString; 4] {
    [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".into(), "--".into()]
        .map(Into::into)
}

fn launcher(before: &[&str], program: &Path) -> JailLauncher {
    let mut words: Vec<OsString> = Vec::new();
    if is_root() {
        words.push("/usr/bin/setpriv".into());
        words.extend(drop_rights());
    }
    words.extend(before.iter().map(Into::into));
    words.push(program.into());
    let first = words.remove(0);
    JailLauncher::with_args(first, words)
}
