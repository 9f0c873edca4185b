//! Tools that reach outside of the process: commands in a jail, and pages and searches of the web.

use std::path::Path;

use holm::runtime::{SecretString, Toolbox};
use holm_jail::{Engine, Launcher};
use holm_net::{Client, Tls};
use holm_tools::{
    fetch::Fetch,
    root::Denies,
    search::{Service, WebSearch},
    shell::{Rules, Shell},
};

use crate::{kept::Kept, places::Places};

/// Names the search service: `brave`, `tavily`, or the address of a `SearXNG` instance.
const SEARCH: &str = "HOLM_SEARCH";
/// The key of the search service.
const SEARCH_KEY: &str = "HOLM_SEARCH_KEY";
/// Variables that commands see, where they are set: what language and time people have.
const SEEN: [&str; 4] = ["LANG", "LC_ALL", "TZ", "USER"];

/// Whether commands are confined in a jail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// The strongest confinement that the machine supports; without any, there
    /// are no command tools.
    Required,
    /// None, because the user asked for it explicitly.
    None,
}

/// The tools, and notes about missing ones.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    pub(crate) tools: Toolbox,
    pub(crate) notes: Vec<String>,
    /// Service keys that the run must treat as secrets.
    pub(crate) keys: Vec<(String, SecretString)>,
}

impl Outside {
    /// All tools that this machine and environment support, without Holm's own data. Protected
    /// files are not written.
    pub(crate) fn here(
        places: &Places,
        kept: &Kept,
        rules: Rules,
        confinement: Confinement,
        env: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut outside = Self::default();
        match shell(places, kept, rules, confinement, &env) {
            Ok(shell) => {
                outside.tools =
                    std::mem::take(&mut outside.tools).with(shell.script_tool()).with(shell.argv_tool());
            }
            Err(why) => outside.notes.push(format!("the shell is not available: {why}")),
        }
        let client = match Tls::platform() {
            Ok(tls) => Client::new(places.bounds.connector(), tls),
            Err(why) => {
                outside.notes.push(format!("fetching is not available: {why}"));
                return outside;
            }
        };
        outside.tools = std::mem::take(&mut outside.tools).with(Fetch::new(client.clone()));
        if let Some(name) = env(SEARCH).filter(|name| !name.is_empty()) {
            let key = env(SEARCH_KEY).filter(|key| !key.is_empty()).map(SecretString::from);
            outside.keys.extend(key.clone().map(|key| ("search".to_owned(), key)));
            match search(client, &name, key) {
                Ok(tool) => outside.tools = std::mem::take(&mut outside.tools).with(tool),
                Err(why) => outside.notes.push(format!("web search is not available: {SEARCH}: {why}")),
            }
        }
        outside
    }
}

impl Outside {
    /// With the tools that work on this machine's files, or a word about why there are none.
    pub(crate) fn and(mut self, native: anyhow::Result<Toolbox>) -> Self {
        match native {
            Ok(native) => self.tools = native.join(self.tools),
            Err(why) => self.notes.push(format!("the file tools are not available: {why}")),
        }
        self
    }
}

fn shell(
    places: &Places,
    kept: &Kept,
    rules: Rules,
    confinement: Confinement,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<Shell, String> {
    let (workspace, data) = (&*places.work, &*places.data);
    let engine = match confinement {
        Confinement::Required => Engine::detect().map_err(|error| error.to_string())?,
        Confinement::None => Engine::Unconfined,
    };
    let shell =
        Shell::new(Launcher::this_executable(), engine, workspace).map_err(|error| error.to_string())?;
    let folders: Vec<_> = env("PATH").iter().flat_map(std::env::split_paths).collect();
    let shell = shell.rules(rules).search(folders).denials(kept.of_commands()).hide(data);
    let mut shell = shell.network(places.bounds.connector());
    let home = env("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    let inside =
        home.filter(|home| workspace.canonicalize().is_ok_and(|workspace| home.starts_with(workspace)));
    if let Some(home) = inside {
        // Kept from being made too, where the person's home is what commands work in.
        shell = Denies::startup().fold(shell, |shell, name| shell.protect(home.join(name)));
    }
    let seen = SEEN.iter().filter_map(|name| env(name).map(|value| (*name, value)));
    Ok(seen.fold(shell, |shell, (name, value)| shell.env(name, value)))
}

fn search(client: Client, name: &str, key: Option<SecretString>) -> Result<WebSearch, String> {
    let service = match name {
        "brave" => Service::brave(),
        "tavily" => Service::tavily(),
        address => Service::searxng(address).map_err(|error| error.to_string())?,
    };
    WebSearch::new(client, service, key).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
