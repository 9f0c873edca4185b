//! Loads servers from a tool folder: `<name>.mcp.json` holds one entry, or a whole `mcpServers`
//! object.
//!
//! No server delays a folder. A known server is available at once from the cache, and Holm connects
//! to it when one of its tools is called. A new server is given as long as the fastest server
//! takes, plus a little. Then the folder loads without it, and the server joins when it has
//! answered.
//!
//! Where things are:
//! - `server_watch.rs`: asks one server in the background. `startup.rs`: how long the first load
//!   waits.
//! - `tool_list_cache.rs`: what servers offered the last time.
//!
//! The connection itself is in `client/remote_server.rs`. Which files may be loaded is decided
//! before, by the trust check of the folder (`holm-tools/src/registry/trust_gate.rs`).

mod server_watch;
mod startup;
mod tool_list_cache;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use holm_runtime::BoxFuture;
use holm_tools::registry::{
    LoadResource, PinStatus, PinStore, ReloadRequester, ToolFile, ToolLoadError, ToolLoader, ToolOffer,
};
use holm_tools::trust::ContentHash;

use crate::client::{CHANGED, ServerInventory};
use crate::{McpServerSpec, McpTransports, RemoteServer, ServerName, import};
use server_watch::{ServerWatch, WatchContext};
use startup::{StartupBarrier, StartupWait};

pub use tool_list_cache::ToolListCache;

/// The ending of server files.
const ENDING: &str = ".mcp.json";
/// The largest file. An entry is a few lines long.
const MAX_FILE: usize = 1024 * 1024;

/// Looks up a variable that a file names.
type VariableLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Loads tools from `<name>.mcp.json` files. Clones share one loader.
///
/// The folder's trust check keeps untrusted files away from this loader. A file that was replaced
/// after a person confirmed it starts nothing.
#[derive(Clone)]
pub struct McpLoader {
    means: McpTransports,
    pins: Arc<dyn PinStore>,
    env: VariableLookup,
    known: Option<ToolListCache>,
    again: ReloadRequester,
    start: Arc<StartupBarrier>,
    held: Arc<Mutex<BTreeMap<PathBuf, LoadedServerFile>>>,
}

/// The servers of a file, for one content of the file.
struct LoadedServerFile {
    entry: [u8; 32],
    looks: Vec<Arc<ServerWatch>>,
}

impl McpLoader {
    /// Creates a loader with these transports. `env` gives the value of `${NAME}` in a file.
    pub fn new(
        means: McpTransports,
        pins: Arc<dyn PinStore>,
        env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            means,
            pins,
            env: Arc::new(env),
            known: None,
            again: ReloadRequester::new(),
            start: Arc::default(),
            held: Arc::default(),
        }
    }

    /// Caches in this folder what servers offer. Without a cache, each process
    /// asks each server again.
    #[must_use]
    pub fn known(mut self, lists: ToolListCache) -> Self {
        self.known = Some(lists);
        self
    }

    /// Requests another load of a file when its servers answer late or change.
    #[must_use]
    pub fn again(mut self, again: &ReloadRequester) -> Self {
        self.again = again.clone();
        self
    }

    /// Reads the servers of a file, and starts nothing.
    ///
    /// # Errors
    ///
    /// [`ToolLoadError::Refused`] if the file is invalid, with the reason.
    pub fn read(&self, path: &Path, bytes: &[u8]) -> Result<Vec<McpServerSpec>, ToolLoadError> {
        let refused = |reason: String| ToolLoadError::refused(reason);
        if bytes.len() > MAX_FILE {
            return Err(refused(format!("it has more than {MAX_FILE} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| refused("it is not UTF-8 text".into()))?;
        let env = |name: &str| (self.env)(name);
        match import(text, &env) {
            Ok(imported) => match imported.refused.into_iter().next() {
                Some((name, error)) => Err(refused(format!("{name}: {error}"))),
                None => Ok(imported.servers),
            },
            Err(crate::McpImportError::NoServers) => {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let name = ServerName::near(name.strip_suffix(ENDING).unwrap_or(name));
                let name = name.ok_or_else(|| refused("its name is not a valid server name".into()))?;
                let entry = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
                let spec =
                    McpServerSpec::read(name, &entry, &env).map_err(|error| refused(error.to_string()))?;
                Ok(vec![spec])
            }
            Err(error @ crate::McpImportError::Json(_)) => Err(refused(error.to_string())),
        }
    }

    /// Starts watching the servers of a file. The same file content returns the same servers
    /// with their open connections.
    fn looks(&self, found: ToolFile<'_>) -> Result<Vec<Arc<ServerWatch>>, ToolLoadError> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = held.get(found.path).filter(|held| held.entry == *found.sha256) {
            return Ok(same.looks.clone());
        }
        let begin = |spec| {
            Arc::new(ServerWatch::begin(
                RemoteServer::new(spec, self.means.clone()),
                self.watch_context(found),
            ))
        };
        let looks: Vec<Arc<ServerWatch>> =
            self.read(found.path, found.bytes)?.into_iter().map(begin).collect();
        held.insert(found.path.to_owned(), LoadedServerFile { entry: *found.sha256, looks: looks.clone() });
        Ok(looks)
    }

    fn watch_context(&self, found: ToolFile<'_>) -> WatchContext {
        WatchContext {
            path: found.path.to_owned(),
            entry: ContentHash::from_bytes(*found.sha256),
            known: self.known.clone(),
            again: self.again.clone(),
        }
    }

    /// The tools of one server, or why it has none yet.
    async fn offers(
        &self,
        look: &ServerWatch,
        context: &WatchContext,
    ) -> Result<Vec<ToolOffer>, ToolLoadError> {
        let name = look.remote.name();
        let mut waited = StartupWait::NotAtAll;
        let enough = async {
            if !look.was_silent {
                waited = self.start.over().await;
            }
        };
        match look.outcome(enough).await {
            Some(Ok(reading)) => {
                self.start.answered();
                self.offered(look, reading)
            }
            Some(Err(error)) => Err(ToolLoadError::unavailable(error)),
            None => {
                if waited == StartupWait::ToTheEnd {
                    look.give_up(context);
                }
                Err(ToolLoadError::later(format!(
                    "the server {name} has not answered yet, so its tools are missing for now; `holm mcp test {name}` waits for it"
                )))
            }
        }
    }

    fn offered(&self, look: &ServerWatch, reading: ServerInventory) -> Result<Vec<ToolOffer>, ToolLoadError> {
        let remote = &look.remote;
        let (mut own, listing) = remote.offers_of(reading, self.pins.as_ref());
        if own.is_empty() && !listing.changed.is_empty() {
            let (tools, server) = (listing.changed.join("`, `"), remote.name());
            let hint = format!("review it with `holm mcp test {server}`, then `holm mcp confirm {server}`");
            return Err(ToolLoadError::refused(format!("`{tools}` {CHANGED}; {hint}")));
        }
        if let Some(first) = own.first_mut() {
            first.notes.extend(remote.spec().unknown_members());
        }
        Ok(own)
    }
}

impl ToolLoader for McpLoader {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(ENDING))
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            if found.standing == PinStatus::Replaced {
                let file = found.path.file_name().unwrap_or_default().to_string_lossy();
                return Err(ToolLoadError::refused(format!(
                    "it changed since you confirmed it, so it was not started; review it, then run `holm \
                     tool confirm {file}`"
                )));
            }
            let (looks, context) = (self.looks(found)?, self.watch_context(found));
            let asked = looks.iter().map(|look| self.offers(look, &context));
            let (mut offers, mut wrong) = (Vec::new(), Vec::new());
            for asked in futures::future::join_all(asked).await {
                match asked {
                    Ok(own) => offers.extend(own),
                    Err(error) => wrong.push(error),
                }
            }
            // If one of several servers fails, the others keep their tools.
            match (offers.first_mut(), wrong.into_iter()) {
                (Some(first), wrong) => first.notes.extend(wrong.map(|error| error.to_string())),
                (None, mut wrong) => {
                    if let Some(error) = wrong.next() {
                        return Err(error);
                    }
                }
            }
            Ok(offers)
        })
    }

    fn takes(&self) -> LoadResource {
        LoadResource::Patience
    }
}

impl std::fmt::Debug for McpLoader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("McpLoader").field("means", &self.means).finish_non_exhaustive()
    }
}
