//! Many servers at once, each on its own: one that hangs or crashes keeps nobody waiting but those who need it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use holm_tools::registry::{Pins, Rank, Registry, Source};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::remote::CHANGED;
use super::{Remote, RemoteError};
use crate::ServerName;

/// How long after a change the list is read: a server that tells of a thousand changes is listened to once.
const CALM: Duration = Duration::from_secs(1);
/// How often a list is read again where the server says nothing about it.
const REFRESH: Duration = Duration::from_secs(5 * 60);
/// The shortest time between two readings that a server can bring about by what it says.
const SHORTEST: Duration = Duration::from_secs(10);
/// How long after a failure a server is tried again; longer each time, as the line itself rests.
const AGAIN: Duration = Duration::from_secs(5);
/// How long at most.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Servers whose tools are kept in a registry for as long as this is held.
pub struct Fleet {
    states: watch::Receiver<BTreeMap<ServerName, Result<usize, String>>>,
    names: Vec<ServerName>,
    _tasks: JoinSet<()>,
}

impl Fleet {
    /// Starts to read the tools of all servers, and returns at once. What is wrong with one is a problem of the registry.
    pub fn start(
        registry: &Registry,
        remotes: impl IntoIterator<Item = Remote>,
        pins: &Arc<dyn Pins>,
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

    /// Waits until every server has answered or failed, or for so long. Gives back those that did neither.
    pub async fn settle(&self, patience: Duration) -> Vec<ServerName> {
        let mut states = self.states.clone();
        let all = self.names.len();
        // Who did not answer in time is in the list below.
        let _ = timeout(patience, states.wait_for(|states| states.len() == all)).await;
        let states = self.states.borrow();
        self.names.iter().filter(|name| !states.contains_key(*name)).cloned().collect()
    }

    /// How each server stands: how many tools it offers, or what is wrong. Those that are still starting are missing.
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
        // An error means that all tasks are gone, and so is the wait.
        drop(states.wait_for(some).await);
    }
}

impl std::fmt::Debug for Fleet {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Fleet").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The source of a server's tools.
fn source(remote: &Remote) -> Source {
    Source::new(Rank::Server, format!("the server {}", remote.name()))
}

/// Keeps a server's tools in the registry, for ever.
async fn keep(
    remote: Remote,
    registry: Registry,
    pins: Arc<dyn Pins>,
    states: watch::Sender<BTreeMap<ServerName, Result<usize, String>>>,
) {
    let mut changes = remote.changes();
    let mut failures = 0_u32;
    loop {
        let wait = match remote.offers(pins.as_ref()).await {
            Ok((offers, listing)) => {
                failures = 0;
                let count = offers.len();
                registry.edit(|edit| {
                    edit.set(source(&remote), offers);
                    // Where nothing is left to hang a note on, the server itself has it.
                    if count == 0 && !listing.changed.is_empty() {
                        edit.report(source(&remote), format!("`{}` {CHANGED}", listing.changed.join("`, `")));
                    }
                });
                states.send_modify(|states| drop(states.insert(remote.name().clone(), Ok(count))));
                listing.fresh_for.unwrap_or(REFRESH).clamp(SHORTEST, REFRESH)
            }
            Err(error) => {
                failures = failures.saturating_add(1);
                told(&registry, &states, &remote, &error);
                AGAIN.saturating_mul(1 << failures.min(6)).min(LONGEST)
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

fn told(
    registry: &Registry,
    states: &watch::Sender<BTreeMap<ServerName, Result<usize, String>>>,
    remote: &Remote,
    error: &RemoteError,
) {
    let text = error.to_string();
    registry.edit(|edit| edit.report(source(remote), text.clone()));
    states.send_modify(|states| drop(states.insert(remote.name().clone(), Err(text))));
}
