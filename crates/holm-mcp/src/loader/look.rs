//! A server that is looked at beside everything else: nobody waits for it longer than they want to.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use holm_tools::registry::Again;
use holm_tools::trust::ContentHash;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::known::{KnownLists, Memory};
use crate::client::{CALM, Pace, Reading, Remote, RemoteError};

/// What a look came to so far; none if it has not come to anything.
pub(super) type Outcome = Option<Result<Reading, String>>;

/// A server of a file, with what is known of it now and from now on. Dropped, nobody looks any more; its tools still work.
pub(super) struct Look {
    pub(super) remote: Remote,
    /// Whether it was too slow before, so that waiting for it is no use.
    pub(super) was_silent: bool,
    found: watch::Receiver<Outcome>,
    shown: Arc<Mutex<Option<Outcome>>>,
    task: AbortHandle,
}

/// Where an entry was found, and who wants to know of its server.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) entry: ContentHash,
    pub(super) known: Option<KnownLists>,
    pub(super) again: Again,
}

impl Look {
    /// Begins to look, or takes what is remembered and waits until somebody needs the server.
    pub(super) fn begin(remote: Remote, place: Place) -> Self {
        let memory = place.known.as_ref().and_then(|known| known.find(remote.name(), &place.entry));
        let was_silent = memory == Some(Memory::Silent);
        let remembered = match memory {
            Some(Memory::Listed(reading)) => Some(Ok(reading)),
            Some(Memory::Silent) | None => None,
        };
        let (sender, found) = watch::channel(remembered);
        let shown = Arc::default();
        let keeper = Keeper { remote: remote.clone(), place, sender, shown: Arc::clone(&shown) };
        let task = tokio::spawn(keeper.keep()).abort_handle();
        Self { remote, was_silent, found, shown, task }
    }

    /// What is known once `enough` has come, or before.
    pub(super) async fn outcome(&self, enough: impl Future<Output = ()>) -> Outcome {
        let mut found = self.found.clone();
        tokio::select! {
            biased;
            // An error means that nobody looks any more: there is no more to come than what is there.
            _ = found.wait_for(Option::is_some) => {}
            () = enough => {}
        }
        // Under the lock, so that what comes now is either in this answer or asks for another look.
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.found.borrow().clone();
        *shown = Some(outcome.clone());
        outcome
    }

    /// Remembers that it is no use to wait for it.
    pub(super) fn give_up(&self, place: &Place) {
        if let Some(known) = &place.known {
            known.silent(self.remote.name(), &place.entry);
        }
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Keeps what is known of a server up to date.
struct Keeper {
    remote: Remote,
    place: Place,
    sender: watch::Sender<Outcome>,
    /// What the registry was given, if it was given anything.
    shown: Arc<Mutex<Option<Outcome>>>,
}

impl Keeper {
    async fn keep(self) {
        let (mut changes, mut openings) = (self.remote.changes(), self.remote.openings());
        let mut pace = Pace::default();
        let mut wait = None;
        let mut remembered = self.sender.borrow().is_some();
        loop {
            if !remembered {
                let read = self.remote.reading().await;
                // The line that this opened is no news.
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
                // Somebody needed it: what was remembered is compared with what is there.
                opened = openings.changed() => {
                    if opened.is_err() {
                        return;
                    }
                }
                () = sleep(wait.unwrap_or_default()), if wait.is_some() => {
                    // A line that nobody needed any more is not opened to learn that nothing has changed.
                    remembered = self.has_answered() && !self.remote.is_up().await;
                }
            }
        }
    }

    fn has_answered(&self) -> bool {
        matches!(&*self.sender.borrow(), Some(Ok(_)))
    }

    fn publish(&self, read: Result<Reading, RemoteError>) {
        let outcome = match read {
            Ok(reading) => {
                if let Some(known) = &self.place.known {
                    known.keep(self.remote.name(), &self.place.entry, &reading);
                }
                Ok(reading)
            }
            // One that has answered before is still there for its next call.
            Err(_) if self.has_answered() => return,
            Err(error) => Err(error.to_string()),
        };
        self.sender.send_replace(Some(outcome.clone()));
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref().is_some_and(|shown| *shown != Some(outcome)) {
            self.place.again.look(&self.place.path);
        }
    }
}
