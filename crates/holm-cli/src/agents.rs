//! Finds the agents that a user can choose by name: agent files in Holm's format, and projects of
//! agents-exe. It also says which settings an agent brings and which tools it may use.
//!
//! Nothing is run here. The Markdown format is parsed by `holm-tools/src/agents/file.rs`, the JSON
//! format by `holm-config/src/agents_exe/`. `agent_validator.rs` finds problems between agents,
//! `helper_factory.rs` makes helpers, and `exe_tree_loader.rs` adds the helpers and servers of
//! agents-exe to a run.
//!
//! A project's file counts only if the user trusts exactly the bytes that were read, and a link
//! never counts. So hash and content must come from one read of the file.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use holm::wire::services::ServiceTable;
use holm_config::{
    ConfigError, ConfigLayer, ConfigSettings, PromptAlias, ProviderSettings, SettingOrigin, SettingValue,
    agents_exe::{ExeAgent, ExeKeys, ExeProject, ExeTools, ExeTree, UnsupportedFeature},
    read_plain, read_plain_text,
};
use holm_tools::{
    agents::{AgentFile, AgentToolNames},
    registry::{ToolFileGate as _, TrustGate},
    trust::{ContentHash, place},
};

use crate::screen::DisplayablePath as _;
use crate::{
    agent_validator::{AgentSetupProblem, AgentValidator, line_naming},
    default_prompt::DEFAULT_AGENT,
    delegation_graph::{self, DelegationGraph},
    exit::{CommandError, CommandExit},
    holm_paths::{HolmPaths, quoted},
    settings::refused,
};

/// An agent that is defined by a file.
#[derive(Debug, Clone)]
pub(crate) enum AgentDefinition {
    /// A file in Holm's format.
    Native {
        /// The content of the file.
        file: Box<AgentFile>,
        path: PathBuf,
        owner: ConfigLayer,
    },
    /// A project of agents-exe.
    Exe(Box<ExeAgentProject>),
}

/// A project of agents-exe with its keys.
#[derive(Debug, Clone)]
pub(crate) struct ExeAgentProject {
    /// The agent and its helpers.
    pub(crate) tree: ExeTree,
    pub(crate) keys: ExeKeys,
    /// The parts of the project file that Holm does not support.
    pub(crate) unsupported: Vec<UnsupportedFeature>,
}

/// One agent in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentListing {
    /// Its name; the name of its file if the file cannot be read.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Whether the file is in Holm's format or in that of agents-exe.
    pub(crate) form: &'static str,
    /// Its description, or why its file cannot be used.
    pub(crate) about: Result<String, String>,
    /// What prevents it from working with the others.
    pub(crate) flaw: Option<AgentSetupProblem>,
    /// What it lacks, although it works without.
    pub(crate) lacks: Vec<String>,
}

impl AgentDefinition {
    /// Finds an agent by name or file, in order to run it.
    ///
    /// # Errors
    /// As [`find`](Self::find), and if the agent is part of a delegation cycle.
    pub(crate) fn to_work(name: &str, places: &HolmPaths) -> Result<Self, CommandError> {
        let chosen = Self::find(name, places)?;
        if let Self::Native { file, path, .. } = &chosen {
            check_circle(file, path, places)?;
        }
        Ok(chosen)
    }

    /// The agent file that replaces the default agent, if there is one that counts.
    ///
    /// # Errors
    /// Where it takes part in a circle of agents.
    pub(crate) fn in_place_of_default(places: &HolmPaths) -> Result<Option<Self>, CommandError> {
        for (path, owner) in lying(places) {
            let Some((hash, Ok(file))) = native(&path) else { continue };
            if file.name == DEFAULT_AGENT && admitted(&path, &hash, owner, places).is_ok() {
                check_circle(&file, &path, places)?;
                return Ok(Some(Self::Native { file: Box::new(file), path, owner }));
            }
        }
        Ok(None)
    }

    /// The agent of a name, or of a file, to be shown.
    ///
    /// # Errors
    /// If there is no such agent, if its file is not trusted, or if its file is invalid.
    pub(crate) fn find(name: &str, places: &HolmPaths) -> Result<Self, CommandError> {
        if Path::new(name).extension().is_some_and(|ending| ending == "json") {
            return ExeAgentProject::load(&places.work.join(name), places);
        }
        for (path, owner) in lying(places) {
            let Some((hash, read)) = native(&path) else { continue };
            match read {
                Ok(file) if file.name == name => {
                    admitted(&path, &hash, owner, places)?;
                    return Ok(Self::Native { file: Box::new(file), path, owner });
                }
                Err(why) if stem_of(&path) == name => {
                    let message = format!("{}: {why}", path.shown());
                    return Err(CommandError::new(CommandExit::Usage, message).hint("fix the file"));
                }
                Ok(_) | Err(_) => {}
            }
        }
        let project = exe_project(places).map_err(|error| refused(&error))?;
        for path in &project.agents {
            if foreign(path).is_ok_and(|agent| agent.slug == name) {
                return ExeAgentProject::load(path, places);
            }
        }
        let message = format!("no agent is named `{name}`");
        Err(CommandError::new(CommandExit::Missing, message)
            .hint("`holm agent list` shows the agents; for a file of agents-exe, give its path with .json"))
    }

    /// All agents that can be chosen, Holm's own first.
    pub(crate) fn list(places: &HolmPaths) -> Vec<AgentListing> {
        let mut listed = Vec::new();
        let company = company(places);
        for (path, owner) in lying(places) {
            let Some((hash, read)) = native(&path) else { continue };
            let trusted = admitted(&path, &hash, owner, places).map_err(|trouble| trouble.to_string());
            let flaw = read.as_ref().ok().and_then(|file| company.flaw(file, &path));
            let (name, about) = match read {
                Ok(file) => (file.name, trusted.map(|()| file.description)),
                Err(why) => (stem_of(&path), Err(why)),
            };
            listed.push(AgentListing { name, path, form: "holm", about, flaw, lacks: Vec::new() });
        }
        let project = match exe_project(places) {
            Ok(project) => project,
            Err(error) => {
                // A broken file of another author must not hide the user's own agents.
                let about = Err(refused(&error).to_string());
                let (name, path) = (stem_of(&error.path), error.path);
                let lacks = Vec::new();
                listed.push(AgentListing { name, path, form: "agents-exe", about, flaw: None, lacks });
                return listed;
            }
        };
        listed.extend(project.agents.iter().map(|path| exe_listing(path, places)));
        listed
    }

    /// What the agent says, as a layer of settings, and whose word that is.
    pub(crate) fn says(&self) -> (ConfigSettings, ConfigLayer) {
        match self {
            Self::Native { file, path, owner } => (of_file(file, path, *owner), *owner),
            // Its model and its address are what a person has trusted it for; it grants nothing.
            Self::Exe(exe) => (exe.settings(), ConfigLayer::User),
        }
    }

    /// The folders of tools that come along.
    pub(crate) fn brings(&self) -> Vec<PathBuf> {
        match self {
            Self::Native { .. } => Vec::new(),
            Self::Exe(exe) => {
                let agents = exe.tree.agents().into_iter();
                let mut folders: Vec<PathBuf> = agents
                    .flat_map(|agent| agent.tools.iter().map(|tools| tools.folder().to_owned()))
                    .collect();
                folders.sort();
                folders.dedup();
                folders
            }
        }
    }
}

impl AgentDefinition {
    /// The files that its servers and those of its helpers start with: what
    /// their command lines name.
    pub(crate) fn starts(&self) -> Vec<PathBuf> {
        let Self::Exe(exe) = self else { return Vec::new() };
        let servers = exe.tree.agents().into_iter().flat_map(|agent| &agent.servers);
        let words = servers.flat_map(|server| std::iter::once(&server.executable).chain(&server.args));
        words.map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file()).collect()
    }
}

impl ExeAgentProject {
    fn load(path: &Path, places: &HolmPaths) -> Result<AgentDefinition, CommandError> {
        let admits = |path: &Path, bytes: &[u8]| {
            let gate = TrustGate::new(places.trust(), places.work.clone());
            place(&places.work, path).map_err(|linked| linked.to_string())?;
            gate.admits(path, ContentHash::of(bytes).as_bytes())
                .map_err(|_| "you have not trusted it".to_owned())
        };
        let tree = ExeTree::load(path, &places.work, &admits).map_err(|error| refused(&error))?;
        let project = exe_project(places).map_err(|error| refused(&error))?;
        let beside = path.parent().unwrap_or(Path::new("")).join("agents-exe.keys");
        let file = project.keys.into_iter().chain([beside]).find(|file| file.is_file());
        let keys = file.map(|file| ExeKeys::load(&file)).transpose().map_err(|error| refused(&error))?;
        let keys = keys.unwrap_or_default();
        Ok(AgentDefinition::Exe(Box::new(Self { tree, keys, unsupported: project.unsupported })))
    }

    /// The name of an agent's model: the provider's own name if the address is the provider's, else
    /// one of the agent's.
    pub(crate) fn model(agent: &ExeAgent) -> String {
        let same = |url: &str| url.trim_end_matches('/') == agent.model_url.trim_end_matches('/');
        let services = ServiceTable::stock();
        let known = services.iter().find(|service| same(&service.base_url));
        let provider = known.map_or_else(|| own_provider(agent), |service| service.id.clone());
        format!("{provider}/{}", agent.model_name)
    }

    /// The name of the model of an agent in this tree. An agent with another key than the first one
    /// at the same provider has a provider of its own.
    pub(crate) fn model_of(&self, agent: &ExeAgent) -> String {
        let name = Self::model(agent);
        let provider = provider_of(&name);
        let agents = self.tree.agents();
        let first = agents.into_iter().find(|other| provider_of(&Self::model(other)) == provider);
        if first.is_some_and(|first| first.api_key_id != agent.api_key_id) {
            return format!("{}/{}", own_provider(agent), agent.model_name);
        }
        name
    }

    /// The keys of the tree's agents, by the providers of their models.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (String, &str)> {
        self.tree.agents().into_iter().filter_map(|agent| {
            let provider = provider_of(&self.model_of(agent)).to_owned();
            Some((provider, self.keys.get(&agent.api_key_id)?))
        })
    }

    /// The keys that agents name and that no keys file has. A key in the environment or in Holm's
    /// own store may stand in for them.
    fn missing_keys(&self) -> impl Iterator<Item = String> {
        let agents = self.tree.agents().into_iter();
        let lacking = agents.filter(|agent| self.keys.get(&agent.api_key_id).is_none());
        let mut names: Vec<(&str, String)> = lacking
            .map(|agent| (agent.api_key_id.as_str(), provider_of(&self.model_of(agent)).to_owned()))
            .collect();
        names.sort();
        names.dedup();
        names.into_iter().map(|(id, provider)| {
            format!("no keys file has the key `{id}`; store one with `holm keys add {provider}`")
        })
    }

    fn settings(&self) -> ConfigSettings {
        let main = &self.tree.agent;
        let said = |text: String| Some(at(text, &main.path, ConfigLayer::User));
        let mut settings = ConfigSettings {
            model: said(self.model_of(main)),
            system: said(main.system.clone()),
            ..ConfigSettings::default()
        };
        for agent in self.tree.agents() {
            let provider = provider_of(&self.model_of(agent)).to_owned();
            let base_url = Some(at(agent.model_url.clone(), &agent.path, ConfigLayer::User));
            settings.providers.insert(provider, ProviderSettings { base_url, ..ProviderSettings::default() });
        }
        settings
    }
}

/// The provider of a model's name.
fn provider_of(model: &str) -> &str {
    model.split('/').next().unwrap_or_default()
}

/// The name of a provider that only this agent has, so that no agent gets the key of a provider
/// whose name it took.
fn own_provider(agent: &ExeAgent) -> String {
    format!("exe-{}", agent.slug.replace('/', "-"))
}

/// The agent in a file in Holm's format, and the hash of exactly those bytes. `None` if the
/// file is something else.
fn native(path: &Path) -> Option<(ContentHash, Result<AgentFile, String>)> {
    let bytes = match read_plain(path) {
        Ok(bytes) => bytes,
        Err(error) => return Some((ContentHash::of(b""), Err(error.to_string()))),
    };
    let text = String::from_utf8_lossy(&bytes);
    let read = || AgentFile::parse(&text).map_err(|error| error.to_string());
    is_meant(path, &text).then(|| (ContentHash::of(&bytes), read()))
}

/// Whether a Markdown file is meant as an agent: it has front matter, or it is in a folder of
/// agents and is not a README.
pub(crate) fn is_meant(path: &Path, text: &str) -> bool {
    let lies_among_agents = path.parent().is_some_and(|folder| folder.ends_with("agents"));
    let is_readme = stem_of(path).eq_ignore_ascii_case("readme");
    text.trim_start_matches('\u{feff}').starts_with("---") || (lies_among_agents && !is_readme)
}

/// An agent of agents-exe in a list: loaded as a run would load it, with all that it lacks.
fn exe_listing(path: &Path, places: &HolmPaths) -> AgentListing {
    let read = foreign(path);
    let name = read.as_ref().map_or_else(|_| stem_of(path), |agent| agent.slug.clone());
    let (mut about, mut lacks) =
        (read.map(|agent| agent.announce).map_err(|error| error.to_string()), Vec::new());
    match ExeAgentProject::load(path, places) {
        Ok(AgentDefinition::Exe(exe)) => {
            lacks.extend(exe.tree.missing().iter().map(ToString::to_string));
            lacks.extend(exe.tree.unsupported().iter().map(ToString::to_string));
            lacks.extend(exe.missing_keys());
        }
        Ok(AgentDefinition::Native { .. }) => {}
        Err(trouble) => about = about.and(Err(trouble.to_string())),
    }
    AgentListing { name, path: path.to_owned(), form: "agents-exe", about, flaw: None, lacks }
}

/// Reads an agent of agents-exe. A file that cannot be read counts as empty, which is
/// not a valid agent.
fn foreign(path: &Path) -> Result<ExeAgent, ConfigError> {
    ExeAgent::parse(&read_plain_text(path).unwrap_or_default(), path)
}

/// What a file is called that has no name of its own.
fn stem_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The Markdown files of a folder, by name.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    files.sort();
    files
}

/// Where agents of Holm's form lie, and whose they are.
fn folders(places: &HolmPaths) -> [(PathBuf, ConfigLayer); 4] {
    [
        (places.agents(), ConfigLayer::User),
        (places.tools(), ConfigLayer::User),
        (places.project_agents(), ConfigLayer::Project),
        (places.project_tools(), ConfigLayer::Project),
    ]
}

/// The files that may be agents of Holm's form, and whose they are.
fn lying(places: &HolmPaths) -> impl Iterator<Item = (PathBuf, ConfigLayer)> {
    let folders = folders(places).into_iter();
    folders.flat_map(|(folder, owner)| files_of(&folder).into_iter().map(move |path| (path, owner)))
}

/// The trusted agents. An agent that is not trusted is neither available as a helper nor in
/// the way of another.
fn trusted(places: &HolmPaths) -> Vec<AgentFile> {
    let trusted = lying(places).filter_map(|(path, owner)| {
        let (hash, read) = native(&path)?;
        admitted(&path, &hash, owner, places).ok()?;
        read.ok()
    });
    trusted.collect()
}

/// Those agents, with the tools that they can name.
pub(crate) fn company(places: &HolmPaths) -> AgentValidator {
    AgentValidator::of(&trusted(places), places)
}

/// A project's file counts once a person has looked at what it holds.
fn admitted(
    path: &Path,
    hash: &ContentHash,
    owner: ConfigLayer,
    places: &HolmPaths,
) -> Result<(), CommandError> {
    if owner != ConfigLayer::Project {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    place(&places.work, path)
        .map_err(|linked| CommandError::new(CommandExit::NoAnswer, linked.to_string()))?;
    let gate = TrustGate::new(places.trust(), places.work.clone());
    gate.admits(path, hash.as_bytes()).map_err(|_| {
        let message = format!("{}: you have not trusted it", path.shown());
        let command = places.typed(&format!("tool trust {}", quoted(&folder.to_string_lossy())));
        CommandError::new(CommandExit::NoAnswer, message)
            .hint(format!("`{command}` shows it and asks whether you trust it"))
    })
}

/// Refuses a chosen agent that is part of a cycle. A helper would be left out silently; a chosen
/// agent would not be the same agent without the helpers that it names.
fn check_circle(file: &AgentFile, path: &Path, places: &HolmPaths) -> Result<(), CommandError> {
    let others = trusted(places);
    let Some(circle) = DelegationGraph::among([file].into_iter().chain(&others)).through(&file.name) else {
        return Ok(());
    };
    let line = line_naming(path, circle.second());
    Err(CommandError::new(CommandExit::Usage, format!("{}:{line}: {circle}", path.shown()))
        .hint(delegation_graph::MEND))
}

/// The aliases of the agents-exe project of this folder, once the user has trusted its file.
/// Returns an error for an alias of a file that is not trusted.
pub(crate) fn exe_aliases(
    places: &HolmPaths,
    name: &str,
) -> Result<BTreeMap<String, PromptAlias>, CommandError> {
    let project = exe_project(places).map_err(|error| refused(&error))?;
    let Some(cfg) = project.cfg.filter(|_| !project.aliases.is_empty()) else { return Ok(BTreeMap::new()) };
    let hash = ContentHash::of(&read_plain(&cfg).unwrap_or_default());
    match admitted(&cfg, &hash, ConfigLayer::Project, places) {
        Ok(()) => Ok(project.aliases),
        Err(trouble) if project.aliases.contains_key(name) => Err(trouble),
        Err(_) => Ok(BTreeMap::new()),
    }
}

/// The project of agents-exe that this folder belongs to.
fn exe_project(places: &HolmPaths) -> Result<ExeProject, ConfigError> {
    ExeProject::find(&places.work, |name| std::env::var(name).ok())
}

fn of_file(file: &AgentFile, path: &Path, layer: ConfigLayer) -> ConfigSettings {
    let grants = file.grants.iter().map(|grant| at(grant.clone(), path, layer)).collect::<Vec<_>>();
    ConfigSettings {
        model: file.model.clone().map(|model| at(model, path, layer)),
        system: Some(at(file.system.clone(), path, layer)),
        mode: file.mode.map(|mode| at(mode, path, layer)),
        grants: (!grants.is_empty()).then_some(grants),
        turns: file.limits.turns.map(|turns| at(turns, path, layer)),
        budget: file.limits.spend.map(|spend| at(spend, path, layer)),
        ..ConfigSettings::default()
    }
}

fn at<T>(value: T, path: &Path, layer: ConfigLayer) -> SettingValue<T> {
    SettingValue { value, origin: SettingOrigin::File { layer, path: path.to_owned(), line: 1 } }
}

/// Which of all tools a chosen agent has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum ToolFilter {
    #[default]
    All,
    /// The tools with these names, and the tools from these places.
    These {
        names: Vec<String>,
        /// The programs of an agent of agents-exe.
        programs: Vec<ExeTools>,
        /// The origins of tools, such as a server.
        origins: Vec<String>,
    },
}

impl ToolFilter {
    /// The names in a file in Holm's format: its tools, and the agents that it manages, which
    /// are tools to it.
    pub(crate) fn of(file: &AgentFile) -> Self {
        match &file.tools {
            AgentToolNames::All => Self::All,
            AgentToolNames::These(names) => Self::These {
                names: names.iter().chain(&file.manages).cloned().collect(),
                programs: Vec::new(),
                origins: Vec::new(),
            },
        }
    }

    /// Whether a tool of this name and origin is among them.
    pub(crate) fn admits(&self, name: &str, origin: &str) -> bool {
        match self {
            Self::All => true,
            Self::These { names, programs, origins } => {
                names.iter().any(|known| known == name)
                    || origins.iter().any(|known| known == origin)
                    || programs.iter().any(|programs| programs.has(Path::new(origin)))
            }
        }
    }
}
