//! Finds what prevents an agent file from working with the others, as far as possible without
//! starting anything. It checks two things: delegation cycles, and names of tools or agents that do
//! not exist.
//!
//! It does not read or choose agent files; `agents.rs` does. Building the helpers is the work of
//! `helper_factory.rs`. No program, server or model may start here, because `holm check` and `holm
//! agent list` promise to run nothing. So a name counts as known if a program, a WASM file or a
//! server might provide it.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm::{grants::GrantSet, runtime::Toolbox};
use holm_config::read_plain_text;
use holm_tools::{
    agents::{AgentFile, AgentToolNames},
    files::{self, FileToolContext},
    info,
    root::WorkspaceRoot,
    shell::CommandRules,
};

use crate::{
    approve::{TerminalApprover, UserPresence},
    delegation_graph::{self, DelegationGraph},
    helper_terminal,
    holm_paths::HolmPaths,
    protected_paths::ProtectedPaths,
    screen::TerminalOutput,
    skills,
    tools::{self, BuiltinToolSet, CommandConfinement, OutsideTools},
};

/// The agent files of this folder, and the tool names that they can use.
pub(crate) struct AgentValidator {
    circles: DelegationGraph,
    agents: BTreeSet<String>,
    tools: KnownToolNames,
}

/// A problem that prevents an agent from working, with the line of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentSetupProblem {
    pub(crate) line: usize,
    pub(crate) why: String,
    pub(crate) fix: &'static str,
}

impl fmt::Display for AgentSetupProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}; {}", self.line, self.why, self.fix)
    }
}

impl AgentValidator {
    /// Builds the validator for these agents.
    pub(crate) fn of<'a>(agents: impl IntoIterator<Item = &'a AgentFile>, places: &HolmPaths) -> Self {
        let agents: Vec<&AgentFile> = agents.into_iter().collect();
        Self {
            circles: DelegationGraph::among(agents.iter().copied()),
            agents: agents.iter().map(|agent| agent.name.clone()).collect(),
            tools: KnownToolNames::here(places),
        }
    }

    /// What keeps the agent of this file from working.
    pub(crate) fn flaw(&self, agent: &AgentFile, path: &Path) -> Option<AgentSetupProblem> {
        if let Some(circle) = self.circles.through(&agent.name) {
            let line = line_naming(path, circle.second());
            return Some(AgentSetupProblem { line, why: circle.to_string(), fix: delegation_graph::MEND });
        }
        let named = match &agent.tools {
            AgentToolNames::These(names) => names.as_slice(),
            AgentToolNames::All => &[],
        };
        let is_there = |name: &&String| self.agents.contains(*name) || self.tools.may_have(name);
        let name = named.iter().chain(&agent.manages).find(|name| !is_there(name))?;
        let fix = match name.as_str() {
            "web_search" => "set HOLM_SEARCH, or remove the name from the file",
            _ => "create it, or remove the name from the file",
        };
        let why = format!("no tool or agent is named `{name}`");
        Some(AgentSetupProblem { line: line_naming(path, name), why, fix })
    }
}

/// The line on which the file of an agent names a tool or another agent, from 1.
pub(crate) fn line_naming(path: &Path, name: &str) -> usize {
    let text = read_plain_text(path).unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut key = "";
    for (number, line) in (1..).zip(text.lines()) {
        if number > 1 && line.trim_end() == "---" {
            break;
        }
        let begins = line.starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some((word, _)) = line.split_once(':').filter(|_| begins) {
            key = word.trim_end();
        }
        let names = line.split(|c: char| !is_part(c)).any(|word| word == name);
        if names && matches!(key, "tools" | "manages") {
            return number;
        }
    }
    1
}

/// The names of tools: Holm's own, and whether there are files whose tool names are
/// unknown until they start.
struct KnownToolNames {
    own: BTreeSet<String>,
    /// Whether there are programs or WASM files, which name their tools themselves.
    others: bool,
    /// Whether there are servers: the names of their tools begin with the server's name.
    servers: bool,
}

impl KnownToolNames {
    fn here(places: &HolmPaths) -> Self {
        let screen = Arc::new(TerminalOutput::default());
        let nobody = TerminalApprover::new(GrantSet::new(), UserPresence::Away, Arc::clone(&screen));
        let mut own = BTreeSet::from([skills::TOOL.to_owned()]);
        own.extend(names_of(&helper_terminal::tools(&nobody)));
        let (env, rules) = (|name: &str| std::env::var(name).ok(), CommandRules::default());
        // Only the names are needed, so no jail is set up.
        let outside = OutsideTools::here(
            places,
            &ProtectedPaths::default(),
            rules.clone(),
            CommandConfinement::None,
            None,
            None,
            env,
        );
        let all = tools::own(BuiltinToolSet::All, outside.and(native(places)), places, &rules, &screen);
        let few = tools::own(BuiltinToolSet::Few, OutsideTools::default(), places, &rules, &screen);
        own.extend(names_of(&all).into_iter().chain(names_of(&few)));
        let is = |path: &PathBuf, ending: &str| path.to_string_lossy().ends_with(ending);
        let files: Vec<PathBuf> =
            [places.tools(), places.project_tools()].iter().flat_map(|folder| files_of(folder)).collect();
        let servers = files.iter().any(|path| is(path, ".mcp.json"));
        let others = files.iter().any(|path| !is(path, ".mcp.json") && !is(path, ".md"));
        Self { own, others, servers }
    }

    /// Whether there is a tool of this name, or may be.
    fn may_have(&self, name: &str) -> bool {
        self.others || self.own.contains(name) || (self.servers && name.contains('_'))
    }
}

fn names_of(tools: &Toolbox) -> Vec<String> {
    tools.iter().map(|tool| tool.declaration().name.clone()).collect()
}

fn native(places: &HolmPaths) -> anyhow::Result<Toolbox> {
    let mut tools = Toolbox::new();
    for tool in files::tools(FileToolContext::new(WorkspaceRoot::open(&places.work)?))
        .into_iter()
        .chain(info::tools())
    {
        tools.add_shared(tool)?;
    }
    Ok(tools)
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_file()).collect()
}
