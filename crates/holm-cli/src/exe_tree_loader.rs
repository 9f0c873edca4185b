//! Adds a project of agents-exe to a run: its helpers and servers become tools of the run. It does
//! not find or parse the project (`agents.rs` and `holm-config/src/agents_exe/` do), and its
//! programs are loaded with all other tool folders in `tool_sources.rs`.
//!
//! A helper of such a project gets no grants of its own, and its servers get no variables of the
//! environment, because the user of such a project was never asked for either. A helper or server
//! that cannot be used becomes a note, not an error of the run.

use std::path::Path;

use holm_mcp::{McpServerSpec, McpTransports, RemoteServer, ServerName};
use holm_tools::{
    agents::{AgentFile, AgentLimits, AgentLoader, AgentToolNames, AgentWorkspace, CallerWaitMode},
    registry::{RegistrySnapshot, SourceRank, ToolRegistry, ToolSource},
};
use serde_json::json;

use crate::screen::DisplayablePath as _;
use crate::{
    agents::{ExeAgentProject, ToolFilter},
    holm_paths::HolmPaths,
    mcp_servers, skills,
};

/// Adds the helpers and servers of an agents-exe tree to a run.
pub(crate) struct ExeTreeLoader<'a> {
    pub(crate) registry: &'a ToolRegistry,
    pub(crate) crew: &'a AgentLoader,
    pub(crate) places: &'a HolmPaths,
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
}

impl ExeTreeLoader<'_> {
    /// Adds servers and helpers, the lowest first, and returns the tools of the top agent. Programs
    /// of its folders are loaded already.
    pub(crate) async fn add(&mut self, exe: &ExeAgentProject) -> ToolFilter {
        self.notes.extend(exe.unsupported.iter().map(ToString::to_string));
        self.notes.extend(exe.tree.unsupported().iter().map(ToString::to_string));
        self.below(&exe.tree).await
    }

    async fn below(&mut self, tree: &holm_config::agents_exe::ExeTree) -> ToolFilter {
        let mut names = Vec::new();
        for child in &tree.below {
            let only = Box::pin(self.below(child)).await;
            let tools = names_of(&only, &self.registry.snapshot());
            let agent = &child.agent;
            let file = AgentFile {
                name: agent.slug.clone(),
                description: agent.announce.clone(),
                model: Some(ExeAgentProject::model(agent)),
                tools: AgentToolNames::These(tools),
                grants: holm::grants::GrantSet::new(),
                mode: None,
                limits: AgentLimits::default(),
                place: AgentWorkspace::Shared,
                waits: CallerWaitMode::Always,
                system: agent.system.clone(),
                manages: Vec::new(),
                at_once: None,
                ignored: Vec::new(),
            };
            match self.crew.offer(&agent.path, file) {
                Ok(offer) => {
                    self.registry.edit(|edit| edit.set(helper(&agent.path), [offer]));
                    names.push(agent.slug.clone());
                }
                Err(error) => self.notes.push(format!("{}: {error}", agent.path.shown())),
            }
        }
        for server in &tree.agent.servers {
            match self.server(server, &tree.agent.path).await {
                Ok(tools) => names.extend(tools),
                Err(why) => {
                    let path = tree.agent.path.shown();
                    self.notes.push(format!("{path}: the server `{}` is not used: {why}", server.name));
                }
            }
        }
        if !tree.agent.skills.is_empty() {
            names.push(skills::TOOL.to_owned());
        }
        let folders =
            tree.agent.tools.iter().map(|tools| (tools.path.clone(), tools.filter.clone())).collect();
        ToolFilter::These { names, folders }
    }

    /// Starts a server and adds its tools; gives their names.
    async fn server(
        &self,
        server: &holm_config::agents_exe::ExeServer,
        file: &Path,
    ) -> Result<Vec<String>, String> {
        let name = ServerName::near(&server.name).ok_or("its name is not a valid server name")?;
        let entry = json!({ "command": server.executable, "args": server.args });
        // Nothing of the environment is put in: such a project has no way to say that a person saw it.
        let spec = McpServerSpec::read(name, &entry, &|_| None);
        let spec = spec.map_err(|error| error.to_string())?;
        let means: McpTransports = mcp_servers::means(self.places, file)?;
        let remote = RemoteServer::new(spec, means);
        let pins = mcp_servers::pins(self.places, file);
        let (offers, listing) = remote.offers(pins.as_ref()).await.map_err(|error| error.to_string())?;
        if offers.is_empty() && !listing.changed.is_empty() {
            return Err("its tools changed since you first used them".to_owned());
        }
        let names = offers.iter().map(|offer| offer.tool.declaration().name.clone()).collect();
        let source =
            ToolSource::new(SourceRank::Project, format!("server {} of {}", server.name, file.shown()));
        self.registry.edit(|edit| edit.set(source, offers));
        Ok(names)
    }
}

/// The registry source of a helper. It is not the helper's file: a file in a tool folder is checked
/// whenever the folder changes, and removed if it is not a tool.
fn helper(file: &Path) -> ToolSource {
    ToolSource::new(SourceRank::Project, format!("agent {}", file.shown()))
}

/// The names of the tools that an agent has now.
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
        assert_ne!(helper(file), folder.source(file));
    }
}
