//! Asks a server for its tools in the background. Each caller waits no longer than it chooses.
//!
//! The request itself is in `client/remote_server.rs`. A result that arrives after a load causes
//! another load, so that no server is forgotten.
//!
//! How often it asks is decided in `client/refresh_schedule.rs`, and lists are cached in
//! `tool_list_cache.rs`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use holm_tools::registry::ReloadRequester;
use holm_tools::trust::ContentHash;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::tool_list_cache::{ListCacheEntry, ToolListCache};
use crate::client::{CALM, RefreshSchedule, RemoteServer, RemoteServerError, ServerInventory};

/// The result so far; `None` if there is no result yet.
pub(super) type WatchOutcome = Option<Result<ServerInventory, String>>;

/// A server from a file, and what is known about it. Dropping it stops the background task; the
/// server's tools keep working.
pub(super) struct ServerWatch {
    pub(super) remote: RemoteServer,
    /// Whether the server was too slow earlier, so that waiting for it is useless.
    pub(super) was_silent: bool,
    found: watch::Receiver<WatchOutcome>,
    shown: Arc<Mutex<Option<WatchOutcome>>>,
    task: AbortHandle,
}

/// Where an entry was found, and how to request another load of its file.
#[derive(Clone)]
pub(super) struct WatchContext {
    pub(super) path: PathBuf,
    pub(super) entry: ContentHash,
    pub(super) known: Option<ToolListCache>,
    pub(super) again: ReloadRequester,
}

impl ServerWatch {
    /// Starts asking the server. If a cached list exists, uses that and waits until a
    /// call needs the server.
    pub(super) fn begin(remote: RemoteServer, context: WatchContext) -> Self {
        let memory = context.known.as_ref().and_then(|known| known.find(remote.name(), &context.entry));
        let was_silent = memory == Some(ListCacheEntry::Silent);
        let remembered = match memory {
            Some(ListCacheEntry::Listed(reading)) => Some(Ok(reading)),
            Some(ListCacheEntry::Silent) | None => None,
        };
        let (sender, found) = watch::channel(remembered);
        let shown = Arc::default();
        let keeper = WatchTask { remote: remote.clone(), context, sender, shown: Arc::clone(&shown) };
        let task = tokio::spawn(keeper.keep()).abort_handle();
        Self { remote, was_silent, found, shown, task }
    }

    /// Returns the result as soon as there is one, or when `enough` completes.
    pub(super) async fn outcome(&self, enough: impl Future<Output = ()>) -> WatchOutcome {
        let mut found = self.found.clone();
        tokio::select! {
            biased;
            // An error means that the background task has ended, so no newer result will come.
            _ = found.wait_for(Option::is_some) => {}
            () = enough => {}
        }
        // This holds the lock, so that a result that arrives now is either in this answer or causes
        // another load.
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.found.borrow().clone();
        *shown = Some(outcome.clone());
        outcome
    }

    /// Records that waiting for the server is useless.
    pub(super) fn give_up(&self, context: &WatchContext) {
        if let Some(known) = &context.known {
            known.silent(self.remote.name(), &context.entry);
        }
    }
}

impl Drop for ServerWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The background task that keeps the result up to date.
struct WatchTask {
    remote: RemoteServer,
    context: WatchContext,
    sender: watch::Sender<WatchOutcome>,
    /// The result that the registry received, if it received any.
    shown: Arc<Mutex<Option<WatchOutcome>>>,
}

impl WatchTask {
    async fn keep(self) {
        let (mut changes, mut openings) = (self.remote.changes(), self.remote.openings());
        let mut pace = RefreshSchedule::default();
        let mut wait = None;
        let mut remembered = self.sender.borrow().is_some();
        loop {
            if !remembered {
                let read = self.remote.reading().await;
                // The connection that this task opened itself is not a change.
                openings.borrow_and_update();
                wait = Some(match &read {
                    Ok(reading) => pace.read(reading.listing.fresh_for),
                    Err(_) => pace.failed(),
                });
                self.publish(read);
            }
            remembered = false;
            tokio::select! {
                changed = changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    sleep(CALM).await;
                    changes.mark_unchanged();
                }
                // A call needed the server, so its list is compared with the cached one.
                opened = openings.changed() => {
                    if opened.is_err() {
                        return;
                    }
                }
                () = sleep(wait.unwrap_or_default()), if wait.is_some() => {
                    // Do not open an unused connection only to learn that nothing has changed.
                    remembered = self.has_answered() && !self.remote.is_up().await;
                }
            }
        }
    }

    fn has_answered(&self) -> bool {
        matches!(&*self.sender.borrow(), Some(Ok(_)))
    }

    fn publish(&self, read: Result<ServerInventory, RemoteServerError>) {
        let outcome = match read {
            Ok(reading) => {
                if let Some(known) = &self.context.known {
                    known.keep(self.remote.name(), &self.context.entry, &reading);
                }
                Ok(reading)
            }
            // A server that has answered before stays available for its next call.
            Err(_) if self.has_answered() => return,
            Err(error) => Err(error.to_string()),
        };
        self.sender.send_replace(Some(outcome.clone()));
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref().is_some_and(|shown| *shown != Some(outcome)) {
            self.context.again.look(&self.context.path);
        }
    }
}
