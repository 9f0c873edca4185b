//! MCP servers that an editor adds to a session. They start in the jail and use Holm's own network
//! path, like the servers of a project: an editor cannot give them files or a network. Servers from
//! files are in `mcp_entries.rs`; connections are set up in `mcp_servers.rs`.
//!
//! Their entries are taken word for word, and no variable is expanded. They count as the project's
//! and not as the user's, because the author of the project may have written the editor's settings.
//! A server that does not answer in time becomes a note.

use std::{fmt, path::Path, time::Duration};

use agent_client_protocol::v1::schema::{HttpHeader, McpServer};
use futures::future::join_all;
use holm::runtime::{BoxFuture, SecretString};
use holm_mcp::{
    HttpVariant, McpServerSpec, RemoteServer, ServerAddress, ServerEndpoint, ServerName, ServerProgram,
};
use holm_tools::registry::{SourceRank, ToolOffer, ToolRegistry, ToolSource};

use super::editor_user::EditorUser;
use crate::{commands::run::ExtraTools, holm_paths::HolmPaths, mcp_servers, remote_user::RemoteUser as _};

/// How long a server may take to say what its tools are. A session does not wait for one that hangs.
const PATIENCE: Duration = Duration::from_secs(20);

/// The shortest value that is kept from every text as a secret; shorter ones stand in texts by chance.
const SHORTEST_SECRET: usize = 12;

/// The MCP servers that an editor names for a session, and the user whom they may ask.
pub(super) struct EditorMcpServers {
    wanted: Vec<McpServer>,
    asking: EditorUser,
}

impl EditorMcpServers {
    pub(super) fn new(wanted: Vec<McpServer>, asking: EditorUser) -> Self {
        Self { wanted, asking }
    }
}

impl fmt::Debug for EditorMcpServers {
    /// Without what servers are given, which may be keys.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.wanted.iter().map(name)).finish()
    }
}

impl ExtraTools for EditorMcpServers {
    fn add<'a>(&'a self, registry: &'a ToolRegistry, places: &'a HolmPaths) -> BoxFuture<'a, Vec<String>> {
        Box::pin(add(&self.wanted, registry, places, &self.asking))
    }

    fn secrets(&self) -> Vec<(String, SecretString)> {
        secrets(&self.wanted)
    }
}

/// Adds the tools of servers; gives what a person should know of those that are not used.
async fn add(
    wanted: &[McpServer],
    registry: &ToolRegistry,
    places: &HolmPaths,
    asking: &EditorUser,
) -> Vec<String> {
    let all = wanted.iter().map(|server| async {
        let offers = tokio::time::timeout(PATIENCE, offers(server, places, asking)).await;
        let offers = offers.unwrap_or_else(|_| Err(format!("it said nothing for {} s", PATIENCE.as_secs())));
        (name(server), offers)
    });
    let mut notes = Vec::new();
    for (name, offers) in join_all(all).await {
        match offers {
            Ok(offers) => {
                let source = ToolSource::new(SourceRank::Project, format!("mcp {name}"));
                registry.edit(|edit| edit.set(source, offers));
            }
            Err(why) => notes.push(format!("the editor's server `{name}` is not used: {why}")),
        }
    }
    notes
}

/// The secret values of the servers, each with a name.
fn secrets(wanted: &[McpServer]) -> Vec<(String, SecretString)> {
    let headers = |headers: &[HttpHeader]| -> Vec<(String, String)> {
        headers.iter().map(|header| (header.name.clone(), header.value.clone())).collect()
    };
    let values = wanted.iter().flat_map(|server| match server {
        McpServer::Stdio(program) => {
            program.env.iter().map(|set| (set.name.clone(), set.value.clone())).collect::<Vec<_>>()
        }
        McpServer::Http(address) => headers(&address.headers),
        McpServer::Sse(address) => headers(&address.headers),
        _ => Vec::new(),
    });
    let is_path = |value: &str| Path::new(value).is_absolute() && Path::new(value).exists();
    let secret = values.filter(|(_, value)| value.len() >= SHORTEST_SECRET && !is_path(value));
    secret.map(|(name, value)| (name, SecretString::from(value))).collect()
}

fn name(server: &McpServer) -> &str {
    match server {
        McpServer::Stdio(program) => &program.name,
        McpServer::Http(address) => &address.name,
        McpServer::Sse(address) => &address.name,
        _ => "?",
    }
}

/// How a server is reached, word for word: nothing in what an editor says stands for anything else.
fn spec(server: &McpServer) -> Result<McpServerSpec, String> {
    let name = ServerName::near(name(server)).ok_or("its name is not a valid server name")?.to_string();
    let address = |url: &str, headers: &[HttpHeader], http| {
        let mut address = ServerAddress::new(url).map_err(|error| error.to_string())?;
        address.http = http;
        address.headers.extend(headers.iter().map(|header| (header.name.clone(), header.value.clone())));
        let spec = McpServerSpec::address(&name, url).map_err(|error| error.to_string())?;
        Ok(McpServerSpec { reach: ServerEndpoint::Address(address), ..spec })
    };
    match server {
        McpServer::Stdio(given) => {
            let command = given.command.to_str().ok_or("its path is not valid UTF-8")?;
            let program = ServerProgram::new(command).args(given.args.iter().cloned());
            let program = given.env.iter().fold(program, |program, set| program.env(&set.name, &set.value));
            McpServerSpec::program(&name, program).map_err(|error| error.to_string())
        }
        McpServer::Http(given) => address(&given.url, &given.headers, HttpVariant::Newer),
        McpServer::Sse(given) => address(&given.url, &given.headers, HttpVariant::Older),
        _ => Err("unknown server transport".into()),
    }
}

async fn offers(
    server: &McpServer,
    places: &HolmPaths,
    asking: &EditorUser,
) -> Result<Vec<ToolOffer>, String> {
    let spec = spec(server)?;
    // The author of the project may also have written the editor's settings for it.
    let file = places.project_tools().join("editor");
    let means = mcp_servers::given(places, &file)?.asker(EditorMcpAsker(asking.clone()));
    let remote = RemoteServer::new(spec, means);
    let pins = mcp_servers::pins(places, &file);
    let (offers, listing) = remote.offers(pins.as_ref()).await.map_err(|error| error.to_string())?;
    if offers.is_empty() && !listing.changed.is_empty() {
        return Err("its tools changed since you first used them".to_owned());
    }
    Ok(offers)
}

/// Forwards questions of MCP servers to the user of the editor.
struct EditorMcpAsker(EditorUser);

impl holm_mcp::ElicitationHandler for EditorMcpAsker {
    fn ask(&self, question: holm_mcp::ServerQuestion) -> BoxFuture<'static, holm_mcp::ServerAnswer> {
        self.0.fill_in(question)
    }
}

#[cfg(test)]
mod tests;
