//! Collects all parts of an agent of `holm run` before the agent is assembled: models, tools,
//! helpers, hooks, skills, guidance, secrets and the system prompt. Then it builds the agent.
//!
//! It only puts parts together. Each part is found by its own file: `tools/` and `tool_sources.rs`,
//! `helper_factory.rs`, `hooks.rs`, `skills.rs`, `settings.rs`, `default_prompt/`. Flags and
//! settings are already merged (`commands/run/resolved_settings.rs`), and the session is opened in
//! `commands/run/prepared_run.rs`.
//!
//! The order of the system prompt matters: what differs between sessions comes last, so that
//! providers can cache the rest. A chosen agent that lacks something that its file names is
//! refused, because it would be a different agent. A manager must not get a tool that acts.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm::{
    grants::{FilePath, Level, Mode},
    kernel::{
        Announcements, Approvals, Bound, Config, ENTER_PLAN, EXIT_PLAN, HiddenToolNote, Ladder, Marks,
        ModelSpec, PlanOffer, Prompt, Run, ToolSpec as Declared, name_key,
    },
    runtime::{
        self, Agent, AgentBuilder, BuildError, HandleError, HookSet, SecretRedactor, Session, Toolbox,
    },
    store::Store,
};
use holm_tools::{
    agents::{AgentBuildError, AgentBuildErrorKind, AgentFile, AgentLoader, AgentToolNames},
    catalogue::CatalogueEntry,
    conversation::{TOOL_SEARCH, ToolDisplayPolicy, ToolLookup, plan_tools},
    registry::{RegistryFollower, RegistrySnapshot, ToolRegistry, keep_current},
    root::{LiveGrants, WorkspaceRoot},
    shell::{ApprovalGate, ClosedPlaces, CommandRules, SessionFolderKey, SessionFolders},
    simple_tools,
};

use super::{RunArgs, RunSinks, command_folders::CommandFolders, rules_of, unlisted_tool::unlisted};
use crate::screen::DisplayablePath as _;
use crate::{
    agent_validator::line_naming,
    agents::{self, ToolFilter},
    approve::TerminalApprover,
    checks::JailCheckRunner,
    default_prompt::{CallPermissions, GitState, PermissionNotice, SessionEnvironment, SessionInstructions},
    exe_tree_loader::ExeTreeLoader,
    exit::{CommandError, CommandExit},
    helper_factory::{HelperFactory, HelperTools, is_agent},
    helper_terminal,
    holm_paths::HolmPaths,
    hooks::RunHooks,
    mcp_entries,
    model::ResolvedModel,
    protected_paths::ProtectedPaths,
    screen::TerminalOutput,
    settings::{GuidanceTexts, guides},
    skills::{self, RunSkills},
    tool_sources::{ToolSources, WatchMode, lacks},
    tools::{self, CommandConfinement, OutsideTools},
    withheld_prompts::WithheldPrompts,
    worktrees::HelperWorktrees,
};

/// The parts of an agent.
pub(super) struct AgentParts {
    chosen: ResolvedModel,
    set: tools::BuiltinToolSet,
    stronger: Vec<ModelSpec>,
    store: Store,
    checks: JailCheckRunner,
    /// The folder that relative paths start from.
    workspace: Option<FilePath>,
    secrets: SecretRedactor,
    terminal: TerminalApprover,
    hooks: RunHooks,
    /// The folder of the file tools, if it can be used.
    root: Option<WorkspaceRoot>,
    /// What later grants open.
    live_grants: LiveGrants,
    crew: AgentLoader,
    shelf: ToolSources,
    /// The tools with which the run begins.
    began: Arc<RegistrySnapshot>,
    helping: HelperTools,
    /// Finds tools by search, if there are too many to list.
    lookup: Option<ToolLookup>,
    /// Which tools the chosen agent has.
    only: ToolFilter,
    skills: RunSkills,
    /// What the person and the project tell every agent.
    guides: GuidanceTexts,
    /// Where the session works; none for small models, whose prompts have no room for it.
    environment: Option<SessionEnvironment>,
    /// The folders of commands; none without a shell.
    folders: Option<SessionFolders>,
    /// The tools that the model is not told of: none of their calls could pass, or they are looked up.
    unlisted: Vec<&'static str>,
}

impl AgentParts {
    /// Opens and finds everything. What is missing or not used is told.
    pub(super) async fn assemble(
        args: &RunArgs,
        places: &HolmPaths,
        store: Store,
        chosen: ResolvedModel,
        terminal: TerminalApprover,
        screen: &Arc<TerminalOutput>,
    ) -> anyhow::Result<Self> {
        if let Some(set) = args.tools {
            set.check()?;
        }
        let (chosen, stronger) = args.choose_stronger(chosen)?;
        let kept = ProtectedPaths::find(places)
            .and(args.settled.agent.iter().flat_map(agents::AgentDefinition::starts));
        let kept = kept.granted(args.grant.iter().chain(&args.yes));
        let outside = outside_tools(args, places, &kept, &terminal);
        let (root, live_grants) = (tools::root(places, &kept).ok(), kept.live());
        let native = tools::native(places, &kept, &store, outside.outputs.as_deref());
        let outside = outside.and(native);
        let folders = outside.folders.clone();
        let set = args.tools.unwrap_or_else(|| fitting(chosen.fits, file_of(args), &outside.tools));
        let beyond = if set == tools::BuiltinToolSet::Few { outside.tools.clone() } else { Toolbox::new() };
        let secrets = secrets(&chosen, &outside, places);
        let brought = args.settled.brings.iter().flat_map(|brings| brings.secrets());
        let secrets = brought.fold(secrets, |secrets, (name, value)| secrets.know(name, value));
        let hooks = RunHooks::find(places, confinement(args), screen, &secrets)?;
        let trees = HelperWorktrees::find(places).await;
        let troubled = trees.as_ref().err().map(|why| format!("worktrees are not available: {why}"));
        let skills = RunSkills::find(places, &brought_skills(args));
        let guides = guides(places);
        let told = hooks.notes.iter().chain(&skills.notes).chain(&guides.notes);
        let notes = told.chain(&outside.notes).chain(&troubled);
        notes.for_each(|note| screen.note(&format!("holm: {note}")));
        let talk = conversation_tools(set, &terminal);
        let registry = ToolRegistry::new();
        let crew = AgentLoader::new(HelperFactory {
            registry: registry.clone(),
            card: chosen.card.clone(),
            client: Arc::clone(&chosen.client),
            reach: chosen.reach.clone(),
            mode: args.helpers_mode(),
            store: store.clone(),
            secrets: secrets.clone(),
            talk: talk.clone(),
            person: (set != tools::BuiltinToolSet::Few).then(|| terminal.clone()),
            rules: rules(args),
            confinement: confinement(args),
            trees: trees.unwrap_or_default(),
            places: places.clone(),
            kept,
            set,
            log: args.log.clone(),
        });
        let crew =
            file_of(args).and_then(|file| file.at_once).map_or(crew.clone(), |most| crew.at_most(most));
        let mut own = tools::own(set, outside, places, &rules(args), screen).join(talk.clone());
        let environment = environment(set, args, places, &terminal, !guides.untrusted.is_empty()).await;
        let unlisted = impassable(environment.as_ref());
        let built_in = searchable_names(&own, &[terminal.withheld_tools(), &unlisted].concat());
        if let Some(tool) = skills.tool() {
            own.add_shared(tool)?;
        }
        let (agents, approver) = (Some(crew.clone()), Some(terminal.clone()));
        let watch = WatchMode::Always;
        let shelf = ToolSources::with_agents(registry, agents, approver, places, &own, screen, watch).await?;
        shelf.tell(screen, &beyond);
        let only = chosen_tools(args, &shelf, &crew, places, screen).await;
        add_extra_tools(args, &shelf, places, screen).await;
        can_work(args, &shelf, &beyond, screen)?;
        let began = shelf.snapshot();
        let helping = HelperTools::of(&began);
        let shown = InitialToolList::of(args.tools, set, &built_in);
        let plans = if terminal.can_ask() { plan_tools().to_vec() } else { Vec::new() };
        let lookup = lookup(&began, shown, plans, &helping).filter(|_| only == ToolFilter::All);
        let unlisted = with_callable(unlisted, lookup.is_some(), shown);
        Ok(Self {
            chosen,
            set,
            stronger,
            store,
            checks: JailCheckRunner::new(places, confinement(args)),
            workspace: places.workspace(),
            secrets,
            terminal,
            hooks,
            root,
            live_grants,
            crew,
            shelf,
            began,
            helping,
            lookup,
            only,
            skills,
            guides,
            environment,
            folders,
            unlisted,
        })
    }

    /// The loader of agent files, the secrets, and the hooks that check every call.
    pub(super) fn parts(&self) -> (AgentLoader, SecretRedactor, HookSet) {
        (self.crew.clone(), self.secrets.clone(), self.hooks.hooks.clone())
    }

    /// Takes grants that are given during the session.
    pub(super) fn live_grants(&self) -> LiveGrants {
        self.live_grants.clone()
    }

    /// Hears of prompts that hooks withhold.
    pub(super) fn withholding(&self) -> Arc<WithheldPrompts> {
        Arc::clone(&self.hooks.withholding)
    }

    /// Puts the agent together.
    pub(super) fn agent(self, args: &RunArgs, sinks: RunSinks) -> anyhow::Result<(Agent, RunTools)> {
        let (work, can_ask) = (AgentWork::of(args), self.terminal.can_ask());
        let withheld = self.terminal.withheld_tools();
        let tools = RunTools {
            shelf: self.shelf,
            began: self.began,
            lookup: self.lookup,
            only: self.only,
            work,
            withheld,
            unlisted: self.unlisted,
            notice: self.environment.as_ref().map(|environment| environment.permissions.notice()),
            folders: self.folders.map(CommandFolders::new),
        };
        let toolbox = tools.begun();
        only_delegates(args, &toolbox)?;
        let gate = ApprovalGate::new(self.terminal.clone(), rules(args));
        let gate = match self.root {
            Some(root) if confinement(args) == tools::CommandConfinement::Required => {
                gate.hiding(ClosedPlaces::of(&root)).over(root)
            }
            Some(root) => gate.over(root),
            None => gate,
        };
        // The guest of that name replaces any file.
        let gate = if self.set == tools::BuiltinToolSet::Wasm { gate } else { gate.requiring_reads() };
        let taught =
            if toolbox.find(skills::TOOL).is_some() { self.skills.introduction() } else { String::new() };
        let instructions = instructions(args, self.set, &self.chosen.card);
        let marks = Marks { untrusted: !self.guides.untrusted.is_empty(), private: false };
        let environment = self.environment.as_ref().map(SessionEnvironment::block).unwrap_or_default();
        let system = system(args, &instructions.text, &self.crew, self.guides, taught, environment);
        let client = match (self.chosen.fits, self.set) {
            (tools::BuiltinToolSet::Few, tools::BuiltinToolSet::Few) => {
                Arc::new(simple_tools::CheckedModel::new(self.chosen.client))
            }
            _ => self.chosen.client,
        };
        let builder = Agent::builder(self.chosen.card, client)
            .name(called(args))
            .system(system)
            .config(|config| {
                settle(config, args, self.set, &self.helping, can_ask);
                hide(config, withheld, can_ask, args.mode());
                config.system_source = instructions.source;
                config.marks = marks;
                config.workspace = self.workspace;
                config.policy.aliases = holm_tools::aliases();
            })
            .tools(toolbox)
            .mode(args.mode())
            .approvals(Approvals::Ask)
            .secrets(self.secrets)
            .approver(gate.clone())
            .events(gate)
            .events(args.log.clone())
            .journals(self.store.clone())
            .blobs(self.store.clone())
            .checks(self.checks)
            .spawner(self.crew);
        let builder = builder.hooks(self.hooks.hooks);
        let builder = tools.lookup.iter().cloned().fold(builder, AgentBuilder::hook);
        let builder = climbing(args, self.stronger, builder, self.store);
        let builder = sinks.events.into_iter().fold(builder, AgentBuilder::events);
        let builder = sinks.deltas.into_iter().fold(builder, AgentBuilder::deltas);
        Ok((builder.build()?, tools))
    }
}

/// The tools that reach outside, with the folders of the session that is resumed.
fn outside_tools(
    args: &RunArgs,
    places: &HolmPaths,
    kept: &ProtectedPaths,
    terminal: &TerminalApprover,
) -> OutsideTools {
    let env = |name: &str| std::env::var(name).ok();
    let session = args.resumed_session().map(|id| SessionFolderKey::of(&places.data, id));
    let (agreed, session) = (terminal.unattended(), session.as_ref());
    let outside = OutsideTools::here(places, kept, rules(args), confinement(args), agreed, session, env);
    outside.after_killed_commands(places)
}

/// The tools that fit the model, unless the chosen agent names others: then it gets
/// only what it names.
fn fitting(fits: tools::BuiltinToolSet, file: Option<&AgentFile>, native: &Toolbox) -> tools::BuiltinToolSet {
    let Some(AgentToolNames::These(names)) = file.map(|file| &file.tools) else { return fits };
    // The date is among the few too.
    let is_beyond =
        |name: &String| native.find(name).is_some() && !simple_tools::ANSWERING.contains(&name.as_str());
    if fits == tools::BuiltinToolSet::Few && names.iter().any(is_beyond) {
        tools::BuiltinToolSet::All
    } else {
        fits
    }
}

/// The file of the chosen agent, where it is one of Holm's form.
fn file_of(args: &RunArgs) -> Option<&AgentFile> {
    match &args.settled.agent {
        Some(agents::AgentDefinition::Native { file, .. }) => Some(file),
        Some(agents::AgentDefinition::Exe(_)) | None => None,
    }
}

/// What the chosen agent may do itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentWork {
    /// It uses its tools without restriction.
    Any,
    /// It only delegates work to other agents.
    Delegates,
}

impl AgentWork {
    fn of(args: &RunArgs) -> Self {
        let manages = file_of(args).is_some_and(|file| !file.manages.is_empty());
        if manages { Self::Delegates } else { Self::Any }
    }

    /// The tools that it may have. A tool that acts may be added later, under a name
    /// in the agent's file.
    fn bounds(self, tools: Toolbox) -> Toolbox {
        match self {
            Self::Any => tools,
            Self::Delegates => {
                let mut left = Toolbox::new();
                for tool in tools.iter().filter(|tool| !acts(tool.declaration())) {
                    // Names of a toolbox are unique.
                    let _ = left.add_shared(Arc::clone(tool));
                }
                left
            }
        }
    }
}

/// Whether a tool does something itself.
fn acts(tool: &Declared) -> bool {
    tool.level > Level::None && !is_agent(tool)
}

/// Refuses a manager that has a tool of its own that acts, or whose managed agents are missing. The
/// same rule applies to a manager that is a helper.
fn only_delegates(args: &RunArgs, toolbox: &Toolbox) -> Result<(), CommandError> {
    let Some(file) = file_of(args).filter(|file| !file.manages.is_empty()) else { return Ok(()) };
    let refused = |why: String| {
        Err(CommandError::new(CommandExit::Usage, format!("the agent `{}` cannot be used: {why}", file.name)))
    };
    if let Some(tool) = toolbox.iter().map(|tool| tool.declaration()).find(|tool| acts(tool)) {
        return refused(BuildError::ManagerActs { name: tool.name.clone() }.to_string());
    }
    for name in &file.manages {
        let tool = name.clone();
        match toolbox.find(name) {
            Some(found) if is_agent(found.declaration()) => {}
            Some(_) => return refused(AgentBuildErrorKind::NoAgent { tool }.to_string()),
            None => return refused(AgentBuildErrorKind::NoTool { tool }.to_string()),
        }
    }
    Ok(())
}

/// Refuses a chosen agent that lacks something that its file names, because it would be a different
/// agent without it. Tools that a small model is not given are not a fault of the file.
fn can_work(
    args: &RunArgs,
    shelf: &ToolSources,
    beyond: &Toolbox,
    screen: &Arc<TerminalOutput>,
) -> Result<(), CommandError> {
    let Some(agents::AgentDefinition::Native { path, .. }) = &args.settled.agent else { return Ok(()) };
    let snapshot = shelf.snapshot();
    // Another file may have its name, and then it is called otherwise.
    let own = snapshot.tools().find(|(_, entry)| Path::new(&entry.origin) == path);
    let Some((tool, _)) = own else { return Ok(()) };
    let is_own = |fault: &AgentBuildError| fault.agent == tool.declaration().name && !lacks(fault, beyond);
    let Some(fault) = shelf.faults(screen).into_iter().find(is_own) else { return Ok(()) };
    let (AgentBuildErrorKind::NoTool { tool: name } | AgentBuildErrorKind::Below { agent: name }) =
        &fault.why
    else {
        return Ok(());
    };
    let line = line_naming(path, name);
    Err(CommandError::new(CommandExit::Usage, format!("{}:{line}: {fault}", path.shown())))
}

/// What the agent is called: as the one that was chosen, so that people see who used what.
fn called(args: &RunArgs) -> String {
    match &args.settled.agent {
        Some(agents::AgentDefinition::Native { file, .. }) => file.name.clone(),
        Some(agents::AgentDefinition::Exe(exe)) => exe.tree.agent.slug.clone(),
        None => "holm".into(),
    }
}

/// What a model has shown on this machine, from the journals of its sessions.
pub(super) async fn shown_before(store: &Store, model: &str) -> Option<String> {
    let known = store.model_ledger(None).await.ok()?;
    let own = known.iter().filter(|standing| standing.model == model);
    let (tasks, answered) = own.fold((0_u64, 0_u64), |(tasks, answered), standing| {
        (tasks + standing.score.tasks, answered + standing.score.successes)
    });
    (tasks > 0).then(|| {
        format!("{model} answered {answered} of its {tasks} earlier tasks; `holm model ledger` shows details")
    })
}

/// The tools of a run, which may change while it runs.
pub(crate) struct RunTools {
    shelf: ToolSources,
    began: Arc<RegistrySnapshot>,
    lookup: Option<ToolLookup>,
    only: ToolFilter,
    work: AgentWork,
    /// The tools that need a person who is not there.
    withheld: &'static [&'static str],
    /// The tools that the model is not told of.
    unlisted: Vec<&'static str>,
    /// None where the model is told nothing about its permissions.
    notice: Option<PermissionNotice>,
    /// The folders of commands; none without a shell.
    folders: Option<CommandFolders>,
}

impl RunTools {
    /// A prompt for a session, with a note where its permissions have changed or files are gone.
    pub(crate) fn prompt(&self, prompt: Prompt, run: &Run) -> Prompt {
        let prompt = match &self.notice {
            Some(notice) => notice.before(prompt, run),
            None => prompt,
        };
        match &self.folders {
            Some(folders) => folders.before(prompt),
            None => prompt,
        }
    }

    /// Keeps the folders of commands for this session.
    pub(crate) fn keep_folders(&self, places: &HolmPaths, session: &Session) {
        if let Some(folders) = &self.folders {
            folders.keep(places, session);
        }
    }

    /// The tools with which the run begins.
    pub(crate) fn begun(&self) -> Toolbox {
        let tools = without(self.withheld, &given(self.lookup.as_ref(), &self.only, &self.began));
        unlisted(&self.unlisted, tools)
    }

    /// All tools, as they come and go.
    pub(crate) fn registry(&self) -> &ToolRegistry {
        self.shelf.registry()
    }

    /// Tells the run of tools that come and go.
    pub(crate) fn follow(&self, session: &Session) -> RegistryFollower {
        self.follow_beside(session, Toolbox::new())
    }

    /// As [`follow`](Self::follow), for a run with other tools beside these. If two have the same
    /// name, these keep it.
    fn follow_beside(&self, session: &Session, others: Toolbox) -> RegistryFollower {
        let (lookup, only, work) = (self.lookup.clone(), self.only.clone(), self.work);
        let (withheld, impassable) = (self.withheld, self.unlisted.clone());
        let pick = move |snapshot: &RegistrySnapshot| {
            let own = without(withheld, &given(lookup.as_ref(), &only, snapshot));
            beside(work.bounds(unlisted(&impassable, own)), &others)
        };
        keep_current(self.shelf.registry(), &self.began, session.handle(), pick)
    }

    /// Gives the run other tools beside these, and tells it of those that come and go.
    pub(crate) fn lend(&self, session: &Session, others: Toolbox) -> Result<RegistryFollower, HandleError> {
        if !others.is_empty() {
            session.handle().change_tools(beside(self.begun(), &others))?;
        }
        Ok(self.follow_beside(session, others))
    }
}

/// The tools with which a model talks to the user. A small model would talk about its tools
/// instead of using them.
fn conversation_tools(set: tools::BuiltinToolSet, terminal: &TerminalApprover) -> Toolbox {
    if set == tools::BuiltinToolSet::Few { Toolbox::new() } else { helper_terminal::tools(terminal) }
}

/// The names of the built-in tools that a search may find: tools that are withheld are not among them.
fn searchable_names(tools: &Toolbox, withheld: &[&str]) -> Vec<String> {
    let names = tools.declarations().into_iter().map(|tool| tool.name);
    names.filter(|name| !withheld.contains(&name.as_str())).collect()
}

/// These tools, without those that are withheld.
fn without(withheld: &[&str], tools: &Toolbox) -> Toolbox {
    let fits = |name: &str| !withheld.contains(&name);
    tools.iter().filter(|tool| fits(&tool.declaration().name)).fold(Toolbox::new(), |mut left, tool| {
        // Names of a toolbox are unique.
        let _ = left.add_shared(Arc::clone(tool));
        left
    })
}

/// Tools with others behind them; a taken name stays with the first tool, and so does one
/// that could be taken for it.
fn beside(mut tools: Toolbox, others: &Toolbox) -> Toolbox {
    let taken: BTreeSet<String> = tools.iter().map(|tool| name_key(&tool.declaration().name)).collect();
    for tool in others.iter().filter(|tool| !taken.contains(&name_key(&tool.declaration().name))) {
        let _ = tools.add_shared(Arc::clone(tool));
    }
    tools
}

/// The secrets of a run: keys, and values that server entries take from the environment.
fn secrets(chosen: &ResolvedModel, outside: &OutsideTools, places: &HolmPaths) -> SecretRedactor {
    let secrets = chosen.reach.keys().told_to(SecretRedactor::new());
    let secrets = outside.keys.iter().fold(secrets, |secrets, (name, key)| secrets.know(name, key.clone()));
    mcp_entries::told_to(secrets, places)
}

fn given(lookup: Option<&ToolLookup>, only: &ToolFilter, snapshot: &RegistrySnapshot) -> Toolbox {
    if *only == ToolFilter::All {
        return lookup.map_or_else(|| snapshot.toolbox(), |lookup| lookup.of_snapshot(snapshot));
    }
    let mut tools = Toolbox::new();
    let fits = |(tool, entry): &(&Arc<dyn runtime::Tool>, &CatalogueEntry)| {
        only.admits(&tool.declaration().name, &entry.origin)
    };
    for (tool, _) in snapshot.tools().filter(fits) {
        // Names of a snapshot are unique.
        let _ = tools.add_shared(Arc::clone(tool));
    }
    tools
}

/// The folders of skills that the chosen agent names.
fn brought_skills(args: &RunArgs) -> Vec<PathBuf> {
    match &args.settled.agent {
        Some(agents::AgentDefinition::Exe(exe)) => {
            exe.tree.agents().iter().flat_map(|agent| agent.skills.clone()).collect()
        }
        Some(agents::AgentDefinition::Native { .. }) | None => Vec::new(),
    }
}

/// Which tools the chosen agent has; helpers and servers that it brings are added first.
async fn chosen_tools(
    args: &RunArgs,
    shelf: &ToolSources,
    crew: &AgentLoader,
    places: &HolmPaths,
    screen: &Arc<TerminalOutput>,
) -> ToolFilter {
    match &args.settled.agent {
        None => ToolFilter::All,
        Some(agents::AgentDefinition::Native { file, .. }) => ToolFilter::of(file),
        Some(agents::AgentDefinition::Exe(exe)) => {
            let (registry, crew) = (shelf.registry().clone(), crew.clone());
            let exe = Arc::new((**exe).clone());
            let (only, notes) = ExeTreeLoader { registry, crew, places: places.clone(), exe }.add().await;
            notes.iter().for_each(|note| screen.note(&format!("holm: {note}")));
            only
        }
    }
}

/// The tools that a model is shown from the beginning; with the one that finds others they are ten.
const SHOWN: [&str; 9] = ["read", "grep", "glob", "write", "edit", "patch", "shell", "todo", "ask_user"];

/// Tools that are not shown and can be called all the same: models know them from other programs.
const CALLABLE: [&str; 1] = ["list"];

/// Which of the command's own tools are shown from the beginning.
#[derive(Debug, Clone, Copy)]
enum InitialToolList<'a> {
    /// Those of [`SHOWN`] among these.
    Few(&'a [String]),
    /// All of the command's tools.
    All,
}

impl<'a> InitialToolList<'a> {
    /// A model that chooses from a set of its own sees all of it: what the user asked for, or the
    /// few tools of a small model.
    const fn of(
        asked: Option<tools::BuiltinToolSet>,
        set: tools::BuiltinToolSet,
        built_in: &'a [String],
    ) -> Self {
        match (asked, set) {
            (Some(_), _) | (None, tools::BuiltinToolSet::Few) => Self::All,
            (None, _) => Self::Few(built_in),
        }
    }
}

/// Looks up the tools that are not shown: of the command's own all but a few, and once there are
/// many also those of the user. Helpers are always shown.
fn lookup(
    began: &RegistrySnapshot,
    shown: InitialToolList<'_>,
    plans: Vec<Declared>,
    helping: &HelperTools,
) -> Option<ToolLookup> {
    let showing = ToolDisplayPolicy::default().always(SHOWN).always(helping.names.iter().cloned());
    let showing = match shown {
        InitialToolList::All => showing,
        InitialToolList::Few(built_in) => {
            let is_hidden = |name: &&String| !SHOWN.contains(&name.as_str());
            showing.on_demand(built_in.iter().filter(is_hidden).cloned()).callable(CALLABLE).of_run(plans)
        }
    };
    let lookup = ToolLookup::new(showing);
    // Without anything to look up, a run is spared a question before every model call.
    let needed = lookup.of_snapshot(began).find(TOOL_SEARCH).is_some();
    needed.then_some(lookup)
}

/// The tools that are not listed: those of which no call could pass, and those that are looked up and
/// can be called without it.
fn with_callable(
    impassable: Vec<&'static str>,
    has_lookup: bool,
    shown: InitialToolList<'_>,
) -> Vec<&'static str> {
    let is_few = matches!(shown, InitialToolList::Few(_));
    impassable.into_iter().chain(CALLABLE.into_iter().filter(|_| has_lookup && is_few)).collect()
}

/// Adds the tools that a client brings with its session.
async fn add_extra_tools(args: &RunArgs, shelf: &ToolSources, places: &HolmPaths, screen: &TerminalOutput) {
    let Some(brings) = &args.settled.brings else { return };
    let notes = brings.add(shelf.registry(), places).await;
    notes.iter().for_each(|note| screen.note(&format!("holm: {note}")));
}

/// What the model is told to be: by the person, by the agent that was chosen, or by default.
fn instructions(args: &RunArgs, set: tools::BuiltinToolSet, card: &ModelSpec) -> SessionInstructions {
    match (&args.system, &args.settled.agent) {
        (Some(text), Some(_)) => SessionInstructions::named(&format!("agent {}", called(args)), text),
        (Some(text), None) => SessionInstructions::named("given", text),
        (None, _) if set == tools::BuiltinToolSet::Few => {
            SessionInstructions { text: String::new(), source: String::new() }
        }
        (None, _) => SessionInstructions::default_for(card),
    }
}

/// Where a session that begins now works. One that is resumed keeps what it was told first; a small
/// model is told nothing.
async fn environment(
    set: tools::BuiltinToolSet,
    args: &RunArgs,
    places: &HolmPaths,
    terminal: &TerminalApprover,
    has_untrusted_text: bool,
) -> Option<SessionEnvironment> {
    if set == tools::BuiltinToolSet::Few {
        return None;
    }
    let git = if args.resume { GitState::None } else { GitState::of(&places.work).await };
    let permissions = CallPermissions {
        grants: args.granted(),
        yes: terminal.agreed().clone(),
        mode: args.mode(),
        can_ask: terminal.can_ask(),
        confined: !args.unconfined,
        marked: has_untrusted_text,
    };
    Some(SessionEnvironment::now(places.work.clone(), git, permissions))
}

/// The tools of which no call could pass.
fn impassable(environment: Option<&SessionEnvironment>) -> Vec<&'static str> {
    environment.map(|known| known.permissions.impassable_tools()).unwrap_or_default()
}

/// The system prompt: what stays the same comes first, and what each session has of its own last,
/// so that a provider's cache serves as much of it as it can.
fn system(
    args: &RunArgs,
    instructions: &str,
    crew: &AgentLoader,
    guides: GuidanceTexts,
    taught: String,
    environment: String,
) -> String {
    // An agent that was chosen knows its helpers by its file.
    let helpers = if args.settled.agent.is_none() { crew.introduction() } else { String::new() };
    let parts =
        [instructions.to_owned(), helpers, taught].into_iter().chain(guides.trusted).chain(guides.untrusted);
    let said: Vec<String> = parts.chain([environment]).filter(|part| !part.is_empty()).collect();
    said.join("\n\n")
}

/// Model turns of a run that neither a person nor a budget bounds.
const UNATTENDED_TURNS: u64 = 200;

fn settle(
    config: &mut Config,
    args: &RunArgs,
    set: tools::BuiltinToolSet,
    helping: &HelperTools,
    can_ask: bool,
) {
    config.grants = args.grant.iter().cloned().chain(helping.callings()).collect();
    // A plan is left by a person's yes, so without a person none is entered.
    let plans = if set == tools::BuiltinToolSet::Few || !can_ask {
        Vec::new()
    } else {
        plan_tools().into_iter().collect()
    };
    // The registry gives their names to no other tool.
    config.tools.extend(plans.into_iter().chain(helping.status.clone()));
    config.policy.announcements = Announcements::Corrected;
    config.plan_offer = PlanOffer::Usable;
    config.limits.budget.usd = args.budget;
    config.limits.turns = match args.turns {
        Some(turns) => Bound::AtMost(turns),
        None if can_ask || args.budget.is_some() => Bound::Unbounded,
        None => Bound::AtMost(UNATTENDED_TURNS),
    };
}

/// Says why tools that need a person are not there, for models that call them anyway.
fn hide(config: &mut Config, withheld: &[&str], can_ask: bool, mode: Mode) {
    let message = "No user can answer during this run. Decide yourself, and say what you assumed.";
    let note = |name: &&str| ((*name).to_owned(), HiddenToolNote { message: message.into() });
    config.policy.hidden.extend(withheld.iter().map(note));
    if !can_ask {
        config.policy.hidden.extend([ENTER_PLAN, EXIT_PLAN].map(|name| {
            let message = if mode == Mode::Plan {
                "Plan mode stays on, because no user can approve a plan in this run. Answer with the plan."
            } else {
                "There is no plan mode in this run, because no user can approve a plan. Do the task."
            };
            (name.to_owned(), HiddenToolNote { message: message.into() })
        }));
    }
}

pub(super) fn confinement(args: &RunArgs) -> CommandConfinement {
    if args.unconfined { CommandConfinement::None } else { CommandConfinement::Required }
}

fn rules(args: &RunArgs) -> CommandRules {
    rules_of(&args.allow_command, &args.deny_command)
}

/// Lets the run climb, where stronger models or a kind of task were named.
fn climbing(args: &RunArgs, stronger: Vec<ModelSpec>, builder: AgentBuilder, store: Store) -> AgentBuilder {
    if stronger.is_empty() && args.kind.is_none() {
        return builder;
    }
    let ladder = Ladder::of_kind(args.kind.as_deref().unwrap_or_default());
    stronger.into_iter().fold(builder, AgentBuilder::fallback).ladder(ladder).ledger(store)
}

#[cfg(test)]
mod tests;
