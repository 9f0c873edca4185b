//! Loads the tools of a run from all their sources: Holm's own, those of the user's folders, and
//! those of a trusted project. It keeps them in sync with their folders while a run goes on. The
//! built-in tools are assembled in `tools/`, MCP servers in `mcp_servers.rs`, and the loaders,
//! watching and trust checks are in `holm-tools/src/registry/`.
//!
//! The order of loaders matters: programs come last, because a file that no other loader knows
//! could be a program. Asking a program for its description runs it before the user agreed to
//! anything, so that always happens in a jail. The engine and the jail start only when the first
//! file needs them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use holm::{
    grants::{DenialSet, GrantSet, NeedTemplate},
    models::ProviderKeys,
    runtime::{BoxFuture, SecretRedactor, Toolbox},
};
use holm_jail::{JailEngine, JailLauncher};
use holm_net::{HttpClient, TlsConfig};
use holm_sandbox::{CompilerProgram, OutboundNetwork, Sandbox, SandboxError, SandboxSettings};
use holm_tools::{
    agents::{AgentBuildError, AgentBuildErrorKind, AgentLoader},
    program::ProgramLoader,
    registry::{
        AllowAllGate, FolderWatchHandle, PinFileStore, RegistrySnapshot, ReloadRequester, SourceRank,
        ToolFile, ToolFolder, ToolFolders, ToolLoadError, ToolLoader, ToolOffer, ToolRegistry, ToolSource,
    },
    root::{ProtectionLevel, WorkspaceRoot},
    trust::LinkedPathError,
    wasm::{GuestNetwork, WasmHost, WasmLoader, WasmSettings},
};

use crate::screen::DisplayablePath as _;
use crate::{
    approve::{TerminalApprover, UserPresence},
    folder_state::FolderState,
    helper_terminal,
    holm_paths::{self, HolmPaths},
    mcp_entries::ProjectTrustGate,
    mcp_servers::{McpServerLoader, told_if_slow},
    network_scope::NetworkScope,
    openapi_documents::LazyOpenApiLoader,
    protected_paths::ProtectedPaths,
    screen::TerminalOutput,
};

/// The tools, kept in sync with their folders while this is held.
pub(crate) struct ToolSources {
    registry: ToolRegistry,
    crew: Option<AgentLoader>,
    _watching: Option<FolderWatchHandle>,
}

/// Whether folders are watched after they were loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchMode {
    Once,
    Always,
}

impl ToolSources {
    /// Loads all tools beside the command's own into a registry. `agents` loads agent
    /// files, if given, and servers may ask the given user. Unusable tools are left
    /// out; [`tell`](Self::tell) reports them.
    pub(crate) async fn with_agents(
        registry: ToolRegistry,
        agents: Option<AgentLoader>,
        terminal: Option<TerminalApprover>,
        places: &HolmPaths,
        own: &Toolbox,
        screen: &Arc<TerminalOutput>,
        watch: WatchMode,
    ) -> anyhow::Result<Self> {
        let own: Vec<ToolOffer> = own.iter().map(|tool| ToolOffer::new(Arc::clone(tool))).collect();
        registry.edit(|edit| edit.set(ToolSource::new(SourceRank::BuiltIn, "built in"), own));
        let pins = Arc::new(PinFileStore::new(places.pins()));
        let own_folders = [places.tools(), places.agents()];
        let own_folders = own_folders
            .map(|path| ToolFolder::new(path, SourceRank::User, AllowAllGate).pins(Arc::clone(&pins) as _));
        let theirs =
            [places.project_tools(), places.project_agents()].into_iter().chain(places.brought.clone());
        let theirs =
            theirs.map(|path| ToolFolder::new(path, SourceRank::Project, ProjectTrustGate::new(places)));
        let loader =
            LazyWasmLoader { places: places.clone(), screen: Arc::clone(screen), host: OnceLock::new() };
        let again = ReloadRequester::new();
        let servers = McpServerLoader::new(places, terminal, &again);
        let documents = LazyOpenApiLoader { places: places.clone(), loader: OnceLock::new() };
        let folders =
            ToolFolders::new(&registry).again(&again).loader(servers).loader(documents).loader(loader);
        let folders = own_folders.into_iter().chain(theirs).fold(folders, ToolFolders::folder);
        let crew = agents.clone();
        let folders = match agents {
            Some(agents) => folders.loader(agents),
            None => folders,
        };
        // Last, because a file that no other loader knows could be a program.
        let folders = folders.loader(LazyProgramLoader {
            places: places.clone(),
            screen: Arc::clone(screen),
            programs: OnceLock::new(),
        });
        let watching = match watch {
            WatchMode::Always => match folders.clone().watch().await {
                Ok(watching) => Some(watching),
                Err(error) => {
                    // A machine without file watching still has the current tools.
                    screen.note(&format!("holm: {error}"));
                    folders.load().await;
                    None
                }
            },
            WatchMode::Once => {
                folders.load().await;
                None
            }
        };
        Ok(Self { registry, crew, _watching: watching })
    }

    /// Reports unusable tools with the reason, and tools whose name another tool has. Agents that
    /// lack only a tool of `beyond`, which this run was not given, have no fault of their own: one
    /// line names them all.
    pub(crate) fn tell(&self, screen: &Arc<TerminalOutput>, beyond: &Toolbox) {
        let mut links = BTreeSet::new();
        for problem in self.snapshot().problems() {
            if !LinkedPathError::is_said_in(&problem.what) {
                screen.note(&format!("holm: {problem}"));
            } else if links.insert(problem.what.clone()) {
                // A link is reported once, regardless of the number of files behind it.
                screen.note(&format!("holm: {}", problem.what));
            }
        }
        for renamed in self.snapshot().renamed().iter().filter(|renamed| renamed.is_collision()) {
            screen.note(&format!("holm: {renamed}"));
        }
        let (lacking, faulty): (Vec<AgentBuildError>, Vec<AgentBuildError>) =
            self.faults(screen).into_iter().partition(|fault| lacks(fault, beyond));
        for fault in faulty {
            screen.note(&format!("holm: {fault}"));
        }
        if !lacking.is_empty() {
            let names: Vec<String> = lacking.into_iter().map(|fault| fault.agent).collect();
            let why = "they need tools that a small model does not get; `--tools all` gives it all tools";
            screen.note(&format!("holm: Holm does not delegate to {}: {why}", names.join(", ")));
        }
    }

    /// The agents that exist and cannot be called. Checked only after everything is loaded: a later
    /// file may contain what an earlier one names.
    pub(crate) fn faults(&self, screen: &Arc<TerminalOutput>) -> Vec<AgentBuildError> {
        let (faults, snapshot) = (self.crew.iter().flat_map(AgentLoader::faults), self.snapshot());
        let faults = faults.filter(|fault| !is_talk(fault, screen));
        faults.map(|fault| of_refused(fault, &snapshot)).collect()
    }

    /// The tools as they are now.
    pub(crate) fn snapshot(&self) -> Arc<RegistrySnapshot> {
        self.registry.snapshot()
    }

    /// The registry, for callers that follow changes.
    pub(crate) fn registry(&self) -> &ToolRegistry {
        &self.registry
    }
}

/// Whether all that an agent misses is a tool of `beyond`.
pub(crate) fn lacks(fault: &AgentBuildError, beyond: &Toolbox) -> bool {
    let AgentBuildErrorKind::NoTool { tool } = &fault.why else { return false };
    beyond.find(tool).is_some()
}

/// The fault of an agent that names another one. If that agent's file exists and was refused, the
/// message does not ask to add it.
fn of_refused(fault: AgentBuildError, snapshot: &RegistrySnapshot) -> AgentBuildError {
    let AgentBuildErrorKind::NoTool { tool } = &fault.why else { return fault };
    let (agent, file) = (tool.clone(), format!("{tool}.md"));
    let is_refused = snapshot.problems().iter().any(|known| Path::new(&known.source.origin).ends_with(&file));
    if is_refused { AgentBuildError { why: AgentBuildErrorKind::Below { agent }, ..fault } } else { fault }
}

/// Whether all that an agent misses is a tool of the conversation, which every run has.
fn is_talk(fault: &AgentBuildError, screen: &Arc<TerminalOutput>) -> bool {
    let AgentBuildErrorKind::NoTool { tool } = &fault.why else { return false };
    let nobody = TerminalApprover::new(GrantSet::new(), UserPresence::Away, Arc::clone(screen));
    helper_terminal::tools(&nobody).find(tool).is_some()
}

/// Loads WASM files; the engine starts with the first one.
struct LazyWasmLoader {
    places: HolmPaths,
    screen: Arc<TerminalOutput>,
    host: OnceLock<Result<WasmHost, String>>,
}

impl ToolLoader for LazyWasmLoader {
    fn claims(&self, path: &Path, head: &[u8]) -> bool {
        WasmLoader::is_wasm(path, head)
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            let host = self.host.get_or_init(|| {
                let settings = settings(&self.places).map_err(|error| error.to_string())?;
                host(&self.places, settings).map_err(|error| format!("{error:#}"))
            });
            let host = host.as_ref().map_err(ToolLoadError::unavailable)?;
            let screen = Arc::clone(&self.screen);
            let tell = move |path: &Path, step: holm_sandbox::CompileProgress| {
                // Ten times a second is for a bar; a line every two seconds is for everybody.
                let tenths = step.elapsed.as_millis() / 100;
                if tenths >= 20 && tenths.is_multiple_of(20) {
                    let (done, most) = (step.elapsed.as_secs(), step.budget.as_secs());
                    screen.note(&format!("holm: compiling {} ({done} s, at most {most} s)", path.shown()));
                }
            };
            WasmLoader::new(host).on_progress(Arc::new(tell)).load(found).await
        })
    }
}

/// Loads programs; the jail is set up with the first one.
struct LazyProgramLoader {
    places: HolmPaths,
    screen: Arc<TerminalOutput>,
    programs: OnceLock<Result<ProgramLoader, String>>,
}

impl ToolLoader for LazyProgramLoader {
    fn claims(&self, path: &Path, head: &[u8]) -> bool {
        ProgramLoader::is_program(path, head)
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            let programs = self.programs.get_or_init(|| {
                // Also if commands run unconfined: asking a program for its description runs it
                // before the user has agreed.
                let engine = JailEngine::detect().map_err(|error| error.to_string())?;
                let programs = ProgramLoader::new(JailLauncher::this_executable(), engine, &self.places.work);
                let network = self.places.bounds.connector();
                let kept = ProtectedPaths::find(&self.places);
                let programs = programs.denials(kept.of_commands()).hide(&self.places.data).network(network);
                // Programs of agents-exe are started in the project and have no way to say so.
                let reads: NeedTemplate = "read:**".parse().map_err(|_| "`read:**` is not a need")?;
                let folders = self.places.brought.iter().cloned();
                let programs =
                    folders.fold(programs, |programs, folder| programs.usual_need(folder, reads.clone()));
                Ok(match holm_paths::command_undo(&self.places) {
                    Some(undo) => programs.undo(undo),
                    None => programs,
                })
            });
            let programs = programs.as_ref().map_err(ToolLoadError::unavailable)?;
            told_if_slow(found.path, &self.screen, programs.load(found)).await
        })
    }
}

/// What there is that could be granted to a sandboxed tool, here.
pub(crate) fn settings(places: &HolmPaths) -> anyhow::Result<WasmSettings> {
    let outbound: Option<Arc<dyn OutboundNetwork>> = match places.bounds {
        NetworkScope::Anywhere => {
            let client = HttpClient::new(places.bounds.connector(), TlsConfig::platform()?);
            Some(Arc::new(GuestNetwork::new(client)))
        }
        // Guests open sockets of their own, so they get none at all.
        NetworkScope::ThisMachine => None,
    };
    Ok(WasmSettings {
        workspace: Some(places.work.clone()),
        denials: denials(places)?,
        outbound,
        secrets: ProviderKeys::from_environment().told_to(SecretRedactor::new()),
        environment: environment(),
        ..WasmSettings::default()
    })
}

/// The variables that are text. Others have no name or value that a grant or a guest could say.
fn environment() -> Vec<(String, String)> {
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text).collect()
}

/// A WASM host with these settings, on the sandbox of this process. It compiles with this program
/// and stores the code in the data folder.
pub(crate) fn host(places: &HolmPaths, settings: WasmSettings) -> anyhow::Result<WasmHost> {
    let sandbox = shared(places.code(), |cache| {
        let compiler = CompilerProgram::itself()?;
        let made = |cache| {
            Sandbox::new(SandboxSettings { cache, ..SandboxSettings::with_compiler(compiler.clone()) })
        };
        let is_writable = matches!(FolderState::of(&cache), FolderState::Writable { .. });
        match made(Some(cache)) {
            // Code that cannot be stored is compiled each time.
            Err(SandboxError::Cache { .. }) if !is_writable => Ok(made(None)?),
            sandbox => Ok(sandbox?),
        }
    })?;
    Ok(WasmHost::new(sandbox, settings))
}

/// One sandbox for each folder of compiled code, created on first use. An engine with its threads
/// and memory is large, and code is compiled for one engine, so tools of all kinds and sessions
/// share it. Sharing gives no permissions: each host has its own settings for its guests.
fn shared(cache: PathBuf, make: impl FnOnce(PathBuf) -> anyhow::Result<Sandbox>) -> anyhow::Result<Sandbox> {
    static ALL: Mutex<BTreeMap<PathBuf, Sandbox>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sandbox) = all.get(&cache) {
        return Ok(sandbox.clone());
    }
    let sandbox = make(cache.clone())?;
    all.insert(cache, sandbox.clone());
    Ok(sandbox)
}

/// What no tool may touch: the usual names, as for all other tools, and the data folder, by
/// any path. The worktree of a helper is inside the data folder; in that case everything
/// beside the worktrees is protected.
fn denials(places: &HolmPaths) -> anyhow::Result<DenialSet> {
    let root = WorkspaceRoot::open(&places.work)?.protect(&places.data, ProtectionLevel::Everything)?;
    let mut denials = ProtectedPaths::find(places).over(root)?.denials()?;
    let is_worktree = places.work.starts_with(places.data.join("worktrees"));
    if places.work.starts_with(&places.data) && !is_worktree {
        denials.insert("path:**".parse()?);
    }
    let kept = if is_worktree {
        let entries = std::fs::read_dir(&places.data)?.map(|entry| entry.map(|entry| entry.path()));
        let entries: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
        entries.into_iter().filter(|path| !places.work.starts_with(path)).collect()
    } else {
        vec![places.data.clone()]
    };
    for path in kept {
        let exact = holm::grants::AccessRequest::new(holm::grants::GrantKind::Read, &path.to_string_lossy())?;
        let exact = holm::grants::Grant::exactly(&exact)?.to_string();
        let rule = format!("path:{}/", exact.trim_start_matches("read:").trim_end_matches('/'));
        denials.insert(rule.parse()?);
    }
    Ok(denials)
}

#[cfg(test)]
mod tests;
