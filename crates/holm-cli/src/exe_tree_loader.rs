//! Adds a project of agents-exe to a run: its helpers and servers become tools of the run. It does
//! not find or parse the project (`agents.rs` and `holm-config/src/agents_exe/` do), and its
//! programs are loaded with all other tool folders in `tool_sources.rs`.
//!
//! A helper of such a project may read and write what its caller may, and has no other grants. Its
//! servers get no variables of the environment, because the user of such a project was never asked. A helper or server
//! that cannot be used becomes a note, not an error of the run. Helpers may call themselves and each
//! other; `holm-tools/src/agents/agent_set.rs` bounds how deep.
//!
//! All servers start at once. A run does not wait long for a slow one: its tools are added when it
//! has answered.

use std::{collections::BTreeSet, path::Path, path::PathBuf, sync::Arc, time::Duration};

use holm::grants::GrantSet;
use holm_config::agents_exe::{ExeServer, ExeTree};
use holm_mcp::{McpServerSpec, McpTransports, RemoteServer, ServerName};
use holm_tools::{
    agents::{
        AgentFile, AgentLimits, AgentLoader, AgentRecursion, AgentToolNames, AgentWorkspace, CallerWaitMode,
    },
    registry::{RegistrySnapshot, SourceRank, ToolOffer, ToolRegistry, ToolSource},
};
use serde_json::json;
use tokio::task::JoinSet;

use crate::screen::DisplayablePath as _;
use crate::{
    agents::{ExeAgentProject, ToolFilter},
    exe_api_tools,
    holm_paths::HolmPaths,
    mcp_servers, skills,
};

/// How long a run waits for servers, as for those of Holm's own form.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a helper asks for. It gets what its caller holds of this: its programs work in the same folder.
const HELPER_GRANTS: [&str; 2] = ["read:**", "write:**"];

/// Adds the helpers and servers of an agents-exe tree to a run.
#[derive(Clone)]
pub(crate) struct ExeTreeLoader {
    pub(crate) registry: ToolRegistry,
    pub(crate) crew: AgentLoader,
    pub(crate) places: HolmPaths,
    pub(crate) exe: Arc<ExeAgentProject>,
}

/// A server of an agent that has answered, or why it cannot be used.
struct StartedServer {
    /// The file of the agent.
    file: PathBuf,
    name: String,
    offers: Result<Vec<ToolOffer>, String>,
}

impl ExeTreeLoader {
    /// Adds servers and helpers, and returns the tools of the top agent with notes for the user.
    /// Programs of its folders are loaded already.
    pub(crate) async fn add(self) -> (ToolFilter, Vec<String>) {
        let mut notes: Vec<String> = self.exe.unsupported.iter().map(ToString::to_string).collect();
        notes.extend(self.exe.tree.unsupported().iter().map(ToString::to_string));
        notes.extend(self.exe.tree.missing().iter().map(ToString::to_string));
        let mut starting = self.start_servers();
        let waited = tokio::time::timeout(PATIENCE, async {
            while let Some(server) = starting.join_next().await {
                notes.extend(server.ok().and_then(|server| self.take_in(server)));
            }
        });
        let (waited, apis) = tokio::join!(waited, self.add_apis());
        let is_slow = waited.is_err();
        notes.extend(apis);
        notes.extend(self.offer_helpers());
        let only = Self::filter_of(&self.exe.tree);
        if is_slow {
            let late = starting.len();
            notes.push(format!(
                "{late} MCP servers have not answered yet; their tools are added when they do"
            ));
            tokio::spawn(self.take_in_late(starting));
        }
        (only, notes)
    }

    /// Starts every server of the tree, each once.
    fn start_servers(&self) -> JoinSet<StartedServer> {
        let mut starting = JoinSet::new();
        let mut known = BTreeSet::new();
        for agent in self.exe.tree.agents() {
            for server in &agent.servers {
                if known.insert((agent.path.clone(), server.name.clone())) {
                    let (server, file, places) = (server.clone(), agent.path.clone(), self.places.clone());
                    starting.spawn(async move {
                        let offers = offers_of(&server, &file, &places).await;
                        StartedServer { file, name: server.name, offers }
                    });
                }
            }
        }
        starting
    }

    /// Adds the tools of OpenAPI toolboxes, and gives notes about them.
    async fn add_apis(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for agent in self.exe.tree.agents() {
            let mut offers = Vec::new();
            for entry in &agent.apis {
                let tools = exe_api_tools::tools(entry, &agent.path, &self.exe.keys, &self.places);
                match tools.await {
                    Ok(tools) => {
                        offers.extend(tools.offers);
                        notes
                            .extend(tools.notes.iter().map(|note| format!("{}: {note}", agent.path.shown())));
                    }
                    Err(why) => {
                        notes.push(format!("{}: an OpenAPI toolbox is not used: {why}", agent.path.shown()));
                    }
                }
            }
            if !offers.is_empty() {
                self.registry.edit(|edit| edit.set(api_source(&agent.path), offers));
            }
        }
        notes
    }

    /// Adds the tools of a server; a note if it cannot be used.
    fn take_in(&self, server: StartedServer) -> Option<String> {
        match server.offers {
            Ok(offers) => {
                self.registry.edit(|edit| edit.set(server_source(&server.name, &server.file), offers));
                None
            }
            Err(why) => {
                Some(format!("{}: the server `{}` is not used: {why}", server.file.shown(), server.name))
            }
        }
    }

    /// Adds the tools of slow servers as they answer, and offers helpers anew, which may have them.
    async fn take_in_late(self, mut starting: JoinSet<StartedServer>) {
        while let Some(server) = starting.join_next().await {
            let Ok(server) = server else { continue };
            // The run is under way, and the tools of a server that failed are simply not there.
            if self.take_in(server).is_none() {
                self.offer_helpers();
            }
        }
    }

    /// Offers all agents that others call as helpers, and notes those that cannot be used.
    fn offer_helpers(&self) -> Vec<String> {
        let tree = &self.exe.tree;
        let is_helper = |one: &&ExeTree| one.agent.path != tree.agent.path || tree.is_called_below();
        let mut notes = Vec::new();
        for helper in tree.trees().into_iter().filter(is_helper) {
            let path = &helper.agent.path;
            match self.crew.offer(path, self.file_of(helper)) {
                Ok(offer) => {
                    self.registry.edit(|edit| edit.set(helper_source(path), [offer]));
                }
                Err(error) => notes.push(format!("{}: {error}", path.shown())),
            }
        }
        notes
    }

    /// The agent in Holm's form.
    fn file_of(&self, tree: &ExeTree) -> AgentFile {
        let agent = &tree.agent;
        let mut tools = names_of(&Self::filter_of(tree), &self.registry.snapshot());
        tools.extend(tree.helpers().map(str::to_owned));
        tools.sort();
        tools.dedup();
        AgentFile {
            name: agent.slug.clone(),
            description: agent.announce.clone(),
            model: Some(self.exe.model_of(agent)),
            tools: AgentToolNames::These(tools),
            grants: GrantSet::parse(HELPER_GRANTS).unwrap_or_default(),
            mode: None,
            limits: AgentLimits::default(),
            place: AgentWorkspace::Shared,
            waits: CallerWaitMode::Always,
            system: agent.system.clone(),
            manages: Vec::new(),
            at_once: None,
            recursion: AgentRecursion::Bounded,
            ignored: Vec::new(),
        }
    }

    /// The tools that an agent has: its programs, the tools of its servers, and its helpers.
    fn filter_of(tree: &ExeTree) -> ToolFilter {
        let mut names: Vec<String> = tree.helpers().map(str::to_owned).collect();
        if !tree.agent.skills.is_empty() {
            names.push(skills::TOOL.to_owned());
        }
        let servers = tree.agent.servers.iter();
        let servers = servers.map(|server| server_source(&server.name, &tree.agent.path));
        let origins = servers.chain([api_source(&tree.agent.path)]).map(|source| source.origin).collect();
        ToolFilter::These { names, programs: tree.agent.tools.clone(), origins }
    }
}

/// Starts a server and gives its tools.
async fn offers_of(server: &ExeServer, file: &Path, places: &HolmPaths) -> Result<Vec<ToolOffer>, String> {
    let name = ServerName::near(&server.name).ok_or("its name is not a valid server name")?;
    let entry = json!({ "command": server.executable, "args": server.args });
    // Nothing of the environment is put in: such a project has no way to say that a person saw it.
    let spec = McpServerSpec::read(name, &entry, &|_| None);
    let spec = spec.map_err(|error| error.to_string())?;
    let means: McpTransports = mcp_servers::means(places, file)?;
    let remote = RemoteServer::new(spec, means);
    let pins = mcp_servers::pins(places, file);
    let (offers, listing) = remote.offers(pins.as_ref()).await.map_err(|error| error.to_string())?;
    if offers.is_empty() && !listing.changed.is_empty() {
        return Err("its tools changed since you first used them".to_owned());
    }
    Ok(offers)
}

/// The registry source of a server of an agent.
fn server_source(name: &str, file: &Path) -> ToolSource {
    ToolSource::new(SourceRank::Project, format!("server {name} of {}", file.shown()))
}

/// The registry source of the OpenAPI toolboxes of an agent.
fn api_source(file: &Path) -> ToolSource {
    ToolSource::new(SourceRank::Project, format!("APIs of {}", file.shown()))
}

/// The registry source of a helper. It is not the helper's file: a file in a tool folder is checked
/// whenever the folder changes, and removed if it is not a tool.
fn helper_source(file: &Path) -> ToolSource {
    ToolSource::new(SourceRank::Project, format!("agent {}", file.shown()))
}

/// The names of the tools that an agent has now, without its helpers.
fn names_of(only: &ToolFilter, snapshot: &RegistrySnapshot) -> Vec<String> {
    let named = snapshot.tools().map(|(tool, entry)| (tool.declaration().name.clone(), entry.origin.clone()));
    named.filter(|(name, origin)| only.admits(name, origin)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use holm_tools::registry::{AllowAllGate, ToolFolder};

    use super::*;

    #[test]
    fn a_helper_stays_when_the_folder_of_its_file_is_looked_at_again() {
        let file = Path::new("tools/expert.json");
        let folder = ToolFolder::new("tools", SourceRank::Project, AllowAllGate);
        assert_ne!(helper_source(file), folder.source(file));
    }
}
