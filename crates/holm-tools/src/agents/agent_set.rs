//! Builds agents from files. Each file becomes a helper with the tools and the other helpers that
//! it names. It also defines what a host provides ([`AgentHost`]); the one of the command is
//! `holm-cli/src/helper_factory.rs`.
//!
//! It does not parse files (`file.rs`) and does not watch folders (`loader.rs`). A file that cannot
//! be used is left out and reported, together with every agent that relies on it; all others are
//! made. Cycles and too many levels are refused before anything runs, except among agents that may
//! call themselves ([`AgentRecursion`]): those end at the last level. The grants of a file are only
//! requests, which the runtime limits to those of the parent.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm_grants::GrantSet;
use holm_kernel::{NanoUsd, provider_names};
use holm_runtime::{
    Agent, AgentBuilder, BoxFuture, BuildError, ChildIsolation, HelperAgent, HelperSet, Toolbox, ToolboxError,
};

use super::{AgentFile, AgentRecursion, AgentToolNames, AgentWorkspace, CallerWaitMode};

/// How many levels of agents the files of one folder may have. A task that was delegated this often
/// has been lost. The kernel has a limit of its own for runs.
pub const MOST_DEPTH: usize = 4;

/// How many agents are built below one that may call itself. Agents that all call each other would
/// otherwise be built in every order; what is not built is not offered.
const MOST_BELOW: usize = 32;

/// What a host provides to agents that are defined by files.
pub trait AgentHost: Send + Sync + 'static {
    /// Begins an agent on this model, or on the host's own where none is named.
    ///
    /// # Errors
    /// Why the model is not available, for a person.
    fn begin(&self, model: Option<&str>) -> Result<AgentBuilder, String>;

    /// The tools that there are, working in this folder, or where the host itself works.
    fn tools(&self, folder: Option<&Path>) -> Toolbox;

    /// The tools for the helper of this name. A host overrides this if the user must see which
    /// helper asks. By default, all helpers get the same tools.
    fn tools_of(&self, helper: &str, folder: Option<&Path>) -> Toolbox {
        let _ = helper;
        self.tools(folder)
    }

    /// Tells an agent where it works and what it holds: in this folder, or where the host itself
    /// works. By default, agents are told nothing but their files.
    fn introduce(&self, builder: AgentBuilder, folder: Option<&Path>) -> AgentBuilder {
        let _ = folder;
        builder
    }

    /// Provides separate folders to agents that need one; `None` if this host has no repository.
    fn isolation(&self) -> Option<Arc<dyn ChildIsolation>> {
        None
    }

    /// Why it has none, for a person.
    fn no_isolation(&self) -> String {
        "this folder is not in a git repository".into()
    }

    /// The tool name of the agent of this file, or `None` if the host does not know it. In that
    /// case, if two agents want one name, the later becomes `name_2`.
    fn called(&self, file: &Path) -> Option<String> {
        let _ = file;
        None
    }
}

/// The agents that were built from a set of files.
#[derive(Clone, Default)]
pub struct AgentSet {
    /// The agents that can be called.
    pub helpers: HelperSet,
    /// The errors of the other agents.
    pub faults: Vec<AgentBuildError>,
}

impl AgentSet {
    /// Makes helpers of files. A file that cannot be used is left out and reported, and so is
    /// every agent that relies on it. All others are made. If two files want the same name, the
    /// later one becomes `name_2`.
    pub fn gather(files: impl IntoIterator<Item = AgentFile>, kit: Arc<dyn AgentHost>) -> Self {
        Self::gather_into(HelperSet::new(), files.into_iter().map(Arc::new), kit)
    }

    /// Like [`gather`](Self::gather), in addition to existing helpers.
    pub(super) fn gather_into(
        mut helpers: HelperSet,
        files: impl IntoIterator<Item = Arc<AgentFile>>,
        kit: Arc<dyn AgentHost>,
    ) -> Self {
        let above = HelperSet::beside(&helpers);
        let mut gathering =
            AgentSetBuilder { files: BTreeMap::new(), made: BTreeMap::new(), kit, above, left: MOST_BELOW };
        let mut faults = Vec::new();
        gathering.files.extend(distinct(files).into_iter().map(|file| (file.name.clone(), file)));
        let names: Vec<String> = gathering.files.keys().cloned().collect();
        for name in names {
            gathering.left = MOST_BELOW;
            match gathering.helper(&name, &mut Vec::new()) {
                Ok(helper) => helpers = helpers.with(helper),
                Err(why) => faults.push(AgentBuildError { agent: name, why }),
            }
        }
        Self { helpers, faults }
    }
}

/// The same agents, each under a unique name.
pub(super) fn distinct(files: impl IntoIterator<Item = Arc<AgentFile>>) -> Vec<Arc<AgentFile>> {
    let files: Vec<Arc<AgentFile>> = files.into_iter().collect();
    let names = provider_names(files.iter().map(|file| file.name.as_str()));
    files.into_iter().zip(names).map(|(file, name)| under(file, name)).collect()
}

/// The agent under another name.
pub(super) fn under(file: Arc<AgentFile>, name: String) -> Arc<AgentFile> {
    if file.name == name {
        return file;
    }
    Arc::new(AgentFile { name, ..(*file).clone() })
}

/// Builds agents and remembers the ones that are already built.
struct AgentSetBuilder {
    files: BTreeMap<String, Arc<AgentFile>>,
    made: BTreeMap<String, Result<HelperAgent, AgentBuildErrorKind>>,
    kit: Arc<dyn AgentHost>,
    /// The helpers whose children are visible, with the children of all levels below.
    above: HelperSet,
    /// How many more agents are built below one that may call itself.
    left: usize,
}

impl AgentSetBuilder {
    /// The helper of a name; `above` lists the agents that are being built and wait for it.
    fn helper(&mut self, name: &str, above: &mut Vec<String>) -> Result<HelperAgent, AgentBuildErrorKind> {
        let repeats = self.files.get(name).is_some_and(|file| file.recursion == AgentRecursion::Bounded);
        if !repeats && above.iter().any(|waiting| waiting == name) {
            let from = above.iter().skip_while(|waiting| *waiting != name);
            let circle = from.cloned().chain([name.to_owned()]).collect();
            return Err(AgentBuildErrorKind::Circle { circle });
        }
        if above.len() >= MOST_DEPTH || (repeats && self.left == 0) {
            return Err(AgentBuildErrorKind::TooDeep { chain: above.clone() });
        }
        self.left = self.left.saturating_sub(1);
        // The allowed depth depends on the caller, so only agents built without
        // a caller are remembered.
        if let Some(made) = self.made.get(name).filter(|_| above.is_empty()) {
            return made.clone();
        }
        let Some(file) = self.files.get(name).cloned() else {
            return Err(AgentBuildErrorKind::NoTool { tool: name.to_owned() });
        };
        above.push(name.to_owned());
        let made = self.make(&file, above);
        above.pop();
        if above.is_empty() {
            self.made.insert(name.to_owned(), made.clone());
        }
        made
    }

    fn make(
        &mut self,
        file: &Arc<AgentFile>,
        above: &mut Vec<String>,
    ) -> Result<HelperAgent, AgentBuildErrorKind> {
        let mut helpers = HelperSet::beside(&self.above);
        let available = self.kit.tools(None);
        if let AgentToolNames::These(names) = &file.tools {
            for name in names.iter().filter(|name| available.find(name).is_none()) {
                match self.helper(name, above) {
                    Ok(below) => helpers = helpers.with(below),
                    Err(AgentBuildErrorKind::TooDeep { .. }) if file.recursion == AgentRecursion::Bounded => {
                    }
                    Err(why) => return Err(why.above(name)),
                }
            }
        }
        for name in &file.manages {
            if available.find(name).is_some() && !self.files.contains_key(name) {
                return Err(AgentBuildErrorKind::NoAgent { tool: name.clone() });
            }
            let below = self.helper(name, above).map_err(|why| why.above(name))?;
            helpers = helpers.with(below);
        }
        if let Some(most) = file.at_once {
            helpers = helpers.at_most(most);
        }
        let plan = AgentBlueprint { file: Arc::clone(file), helpers, kit: Arc::clone(&self.kit) };
        plan.helper()
    }
}

/// The parts from which an agent is built.
struct AgentBlueprint {
    file: Arc<AgentFile>,
    helpers: HelperSet,
    kit: Arc<dyn AgentHost>,
}

impl AgentBlueprint {
    fn helper(self) -> Result<HelperAgent, AgentBuildErrorKind> {
        let file = Arc::clone(&self.file);
        let (name, description, asked) = (file.name.clone(), file.description.clone(), self.asked());
        // Built once here even if every call builds its own agent, so that errors are reported
        // before the first call.
        let agent =
            self.agent(None).map_err(|error| AgentBuildErrorKind::NotMade { reason: error.to_string() })?;
        let helper = match file.place {
            AgentWorkspace::Shared => HelperAgent::new(name, description, agent),
            AgentWorkspace::Worktree => {
                let none = || AgentBuildErrorKind::NoRepository { why: self.kit.no_isolation() };
                let isolation = HostIsolation(self.kit.isolation().ok_or_else(none)?);
                HelperAgent::isolated(name, description, isolation, move |folder| self.agent(Some(folder)))
            }
        };
        Ok(dressed(helper, &file, asked))
    }

    /// The grants that its file names, and the right to call the agents below it.
    fn asked(&self) -> GrantSet {
        let below = self.helpers.declarations();
        asked(&self.file, below.iter().map(|tool| &*tool.name))
    }

    fn agent(&self, folder: Option<&Path>) -> Result<Agent, BuildError> {
        let file = &self.file;
        let flawed = |reason| ToolboxError::Flawed { name: file.name.clone(), reason };
        let all = self.kit.tools_of(&file.name, folder);
        let tools = match &file.tools {
            AgentToolNames::All => all,
            AgentToolNames::These(names) => {
                let mut tools = Toolbox::new();
                for tool in names.iter().filter_map(|name| all.find(name)) {
                    tools.add_shared(Arc::clone(tool))?;
                }
                tools
            }
        };
        let builder = self.kit.begin(file.model.as_deref()).map_err(flawed)?;
        let builder = self.kit.introduce(builder, folder);
        let builder = builder.name(file.name.clone()).system(file.system.clone()).tools(tools);
        let builder = if file.manages.is_empty() {
            builder.helpers(self.helpers.clone())
        } else {
            builder.manages(self.helpers.clone())
        };
        let builder = builder.config(|config| {
            config.grants.extend(file.grants.iter().cloned());
            file.limits.narrow(&mut config.limits);
            config.policy.aliases = crate::aliases();
            if let Some(mode) = file.mode {
                config.mode = mode;
            }
        });
        builder.build()
    }
}

/// The grants that an agent asks for, with the right to call the agents below it.
pub(super) fn asked<'a>(file: &AgentFile, below: impl IntoIterator<Item = &'a str>) -> GrantSet {
    let mut asked = file.grants.clone();
    asked.extend(below.into_iter().filter_map(|name| format!("spawn:{name}").parse().ok()));
    asked
}

/// A helper with everything that its file says of how it is called.
pub(super) fn dressed(helper: HelperAgent, file: &AgentFile, asked: GrantSet) -> HelperAgent {
    let (spend, tokens) = (file.limits.spend.unwrap_or(NanoUsd::ZERO), file.limits.tokens.unwrap_or(0));
    let helper = helper.grants(asked).reserve(spend).reserve_tokens(tokens);
    match file.waits {
        CallerWaitMode::Always => helper,
        CallerWaitMode::AsAsked => helper.background(),
    }
}

/// Adapts the host's shared isolation to the [`ChildIsolation`] that a helper owns.
struct HostIsolation(Arc<dyn ChildIsolation>);

impl ChildIsolation for HostIsolation {
    fn enter<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<PathBuf, String>> {
        self.0.enter(child)
    }

    fn leave<'a>(&'a self, child: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        self.0.leave(child)
    }

    fn abandon(&self, child: &str) {
        self.0.abandon(child);
    }
}

/// The agent of a file cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent `{agent}` cannot be used: {why}")]
pub struct AgentBuildError {
    pub agent: String,
    pub why: AgentBuildErrorKind,
}

/// Why the agent of a file cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentBuildErrorKind {
    /// Agents hand work on in a circle.
    #[error("agents delegate in a cycle: {}; remove one of them from the other's `tools` or `manages`", .circle.join(" -> "))]
    Circle {
        /// The agents of the circle in order; the first is repeated at the end.
        circle: Vec<String>,
    },
    /// There are too many levels of agents.
    #[error("agents are nested more than {MOST_DEPTH} levels deep: {}", .chain.join(" -> "))]
    TooDeep {
        /// The chain of agents, each delegating to the next.
        chain: Vec<String>,
    },
    /// There is no tool or agent of this name.
    #[error("no tool or agent is named `{tool}`; create it, or remove the name from the file")]
    NoTool { tool: String },
    /// An agent that it relies on cannot be used.
    #[error("it delegates to `{agent}`, which cannot be used")]
    Below { agent: String },
    /// It manages a tool that is not an agent.
    #[error("`{tool}` is a tool, and a manager delegates only to agents; remove it from `manages`")]
    NoAgent { tool: String },
    /// It needs a worktree, and the host has no repository.
    #[error("it needs a worktree, but {why}")]
    NoRepository { why: String },
    /// The runtime does not make it.
    #[error("{reason}")]
    NotMade { reason: String },
}

impl AgentBuildErrorKind {
    /// The problem that this one causes for an agent that needs `agent`.
    fn above(self, agent: &str) -> Self {
        match self {
            Self::Circle { .. } | Self::TooDeep { .. } | Self::NoTool { .. } => self,
            Self::NoAgent { .. } | Self::Below { .. } | Self::NoRepository { .. } | Self::NotMade { .. } => {
                Self::Below { agent: agent.to_owned() }
            }
        }
    }
}
