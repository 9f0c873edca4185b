//! Connects to many servers at once, each independently. A server that hangs or crashes delays only
//! the calls that need it.
//!
//! One server is in `remote_server.rs`. Servers from a tool folder are kept in
//! `loader/server_watch.rs` instead. Only tools whose pin is confirmed get into the registry.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use holm_tools::registry::{PinStore, SourceRank, ToolRegistry, ToolSource};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::refresh_schedule::{CALM, RefreshSchedule};
use super::remote_server::CHANGED;
use super::{RemoteServer, RemoteServerError};
use crate::ServerName;

/// Servers whose tools stay in a registry for as long as this value lives.
pub struct ServerSet {
    states: watch::Receiver<BTreeMap<ServerName, Result<usize, String>>>,
    names: Vec<ServerName>,
    _tasks: JoinSet<()>,
}

impl ServerSet {
    /// Starts reading the tools of all servers and returns at once. A problem with a server is
    /// reported in the registry.
    pub fn start(
        registry: &ToolRegistry,
        remotes: impl IntoIterator<Item = RemoteServer>,
        pins: &Arc<dyn PinStore>,
    ) -> Self {
        let (sender, states) = watch::channel(BTreeMap::new());
        let mut tasks = JoinSet::new();
        let mut names = Vec::new();
        for remote in remotes {
            names.push(remote.name().clone());
            let source = source(&remote);
            registry.edit(|edit| edit.report(source, "is still starting"));
            tasks.spawn(keep(remote, registry.clone(), Arc::clone(pins), sender.clone()));
        }
        Self { states, names, _tasks: tasks }
    }

    /// Waits until every server has answered or failed, but no longer than `patience`. Returns the
    /// servers that did neither.
    pub async fn settle(&self, patience: Duration) -> Vec<ServerName> {
        let mut states = self.states.clone();
        let all = self.names.len();
        // The list below names the servers that did not answer in time.
        let _ = timeout(patience, states.wait_for(|states| states.len() == all)).await;
        let states = self.states.borrow();
        self.names.iter().filter(|name| !states.contains_key(*name)).cloned().collect()
    }

    /// The state of each server: the number of its tools, or its error. Servers that are
    /// still starting are missing.
    #[must_use]
    pub fn states(&self) -> BTreeMap<ServerName, Result<usize, String>> {
        self.states.borrow().clone()
    }

    /// Waits until at least one server has answered, or all have failed.
    pub async fn first(&self) {
        let mut states = self.states.clone();
        let all = self.names.len();
        let some = |states: &BTreeMap<ServerName, Result<usize, String>>| {
            states.values().any(Result::is_ok) || states.len() == all
        };
        // An error means that all tasks have ended, so there is nothing left to wait for.
        drop(states.wait_for(some).await);
    }
}

impl std::fmt::Debug for ServerSet {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ServerSet").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The source of a server's tools.
fn source(remote: &RemoteServer) -> ToolSource {
    ToolSource::new(SourceRank::Server, format!("the server {}", remote.name()))
}

/// Keeps a server's tools in the registry up to date, without end.
async fn keep(
    remote: RemoteServer,
    registry: ToolRegistry,
    pins: Arc<dyn PinStore>,
    states: watch::Sender<BTreeMap<ServerName, Result<usize, String>>>,
) {
    let mut changes = remote.changes();
    let mut pace = RefreshSchedule::default();
    loop {
        let wait = match remote.offers(pins.as_ref()).await {
            Ok((offers, listing)) => {
                let count = offers.len();
                registry.edit(|edit| {
                    edit.set(source(&remote), offers);
                    // If the server has no tool left to carry the note, the server itself carries
                    // it.
                    if count == 0 && !listing.changed.is_empty() {
                        edit.report(source(&remote), format!("`{}` {CHANGED}", listing.changed.join("`, `")));
                    }
                });
                states.send_modify(|states| drop(states.insert(remote.name().clone(), Ok(count))));
                pace.read(listing.fresh_for)
            }
            Err(error) => {
                report_failure(&registry, &states, &remote, &error);
                pace.failed()
            }
        };
        tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
                sleep(CALM).await;
                changes.mark_unchanged();
            }
            () = sleep(wait) => {}
        }
    }
}

fn report_failure(
    registry: &ToolRegistry,
    states: &watch::Sender<BTreeMap<ServerName, Result<usize, String>>>,
    remote: &RemoteServer,
    error: &RemoteServerError,
) {
    let text = error.to_string();
    registry.edit(|edit| edit.report(source(remote), text.clone()));
    states.send_modify(|states| drop(states.insert(remote.name().clone(), Err(text))));
}
