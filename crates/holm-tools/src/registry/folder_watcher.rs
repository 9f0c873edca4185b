//! One file watcher for the whole process, because the system limits the watchers per user, and a
//! server has thousands of sessions that watch the same few folders. It only forwards events:
//! which file is ready is decided in `pending_files.rs`, and what happens then in `watch.rs`. The
//! thread that reports events must never take the watcher's lock, because the watcher waits for
//! that thread.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::FolderWatchError;

/// The shared watcher, which exists as long as it has a listener.
static SHARED: Mutex<Weak<FolderWatcher>> = Mutex::new(Weak::new());

/// A message to a listener.
#[derive(Debug, Clone)]
pub(super) enum WatchNotice {
    /// A file has changed. The paths use the name that the listener gave to the folder.
    Changed(Event),
    /// Events may have been lost, so anything may have changed.
    Missed,
}

/// A subscription to the changes of folders. Dropping it ends the subscription.
pub(super) struct FolderSubscription {
    lookout: Arc<FolderWatcher>,
    number: u64,
    sender: mpsc::UnboundedSender<WatchNotice>,
    /// The canonical path of each folder, by the path that the subscriber gave.
    folders: BTreeMap<PathBuf, PathBuf>,
}

impl FolderSubscription {
    /// A subscription without folders.
    pub(super) fn new() -> Result<(Self, mpsc::UnboundedReceiver<WatchNotice>), FolderWatchError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let lookout = FolderWatcher::shared()?;
        let (sender, heard) = mpsc::unbounded_channel();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Ok((Self { lookout, number, sender, folders: BTreeMap::new() }, heard))
    }

    /// Subscribes to a folder; returns whether it could be watched.
    pub(super) fn watch(&mut self, folder: &Path) -> bool {
        self.unwatch(folder);
        // Canonical, because the system reports a folder under one path only, even if it is watched
        // under two.
        let Ok(real) = std::fs::canonicalize(folder) else { return false };
        let (named, sender) = (folder.to_owned(), self.sender.clone());
        let joined = self.lookout.join(&real, FolderListener { number: self.number, named, sender });
        if joined {
            self.folders.insert(folder.to_owned(), real);
        }
        joined
    }

    /// Ends the subscription to a folder.
    pub(super) fn unwatch(&mut self, folder: &Path) {
        if let Some(real) = self.folders.remove(folder) {
            self.lookout.leave(&real, self.number, folder);
        }
    }
}

impl Drop for FolderSubscription {
    fn drop(&mut self) {
        for (named, real) in std::mem::take(&mut self.folders) {
            self.lookout.leave(&real, self.number, &named);
        }
    }
}

/// One listener of a folder.
struct FolderListener {
    number: u64,
    /// The path by which the subscriber knows the folder.
    named: PathBuf,
    sender: mpsc::UnboundedSender<WatchNotice>,
}

/// The listeners of each folder.
type FolderListeners = HashMap<PathBuf, Vec<FolderListener>>;

struct FolderWatcher {
    /// Locked while a listener is added or removed. The thread that reports changes never locks it,
    /// because the watcher waits for that thread.
    watcher: Mutex<RecommendedWatcher>,
    listeners: Arc<Mutex<FolderListeners>>,
}

impl FolderWatcher {
    fn shared() -> Result<Arc<Self>, FolderWatchError> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lookout) = shared.upgrade() {
            return Ok(lookout);
        }
        let listeners = Arc::<Mutex<FolderListeners>>::default();
        let told = Arc::clone(&listeners);
        let watcher =
            notify::recommended_watcher(move |event: notify::Result<Event>| pass_on(event, &lock(&told)));
        let watcher = Mutex::new(watcher.map_err(|error| FolderWatchError(error.to_string()))?);
        let lookout = Arc::new(Self { watcher, listeners });
        *shared = Arc::downgrade(&lookout);
        Ok(lookout)
    }

    fn join(&self, folder: &Path, listener: FolderListener) -> bool {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, named) = (listener.number, listener.named.clone());
        // The listener is added before the watch starts, so that no event is missed in between.
        lock(&self.listeners).entry(folder.to_owned()).or_default().push(listener);
        // Also if the path is already watched: the folder may have been replaced since.
        if watcher.watch(folder, RecursiveMode::NonRecursive).is_ok() {
            return true;
        }
        self.strike(folder, number, &named);
        false
    }

    fn leave(&self, folder: &Path, number: u64, named: &Path) {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        if self.strike(folder, number, named) == RemainingListeners::Nobody {
            // Fails if the folder was deleted, which ended the watch.
            let _ = watcher.unwatch(folder);
        }
    }

    fn strike(&self, folder: &Path, number: u64, named: &Path) -> RemainingListeners {
        let mut listeners = lock(&self.listeners);
        let Some(known) = listeners.get_mut(folder) else { return RemainingListeners::Nobody };
        known.retain(|known| known.number != number || known.named != *named);
        if !known.is_empty() {
            return RemainingListeners::Somebody;
        }
        listeners.remove(folder);
        RemainingListeners::Nobody
    }
}

/// Whether a folder still has listeners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RemainingListeners {
    Nobody,
    Somebody,
}

/// No change here can be left incomplete, so a poisoned lock is safe to use.
fn lock(listeners: &Mutex<FolderListeners>) -> MutexGuard<'_, FolderListeners> {
    listeners.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an event means that a file has changed. Reads are ignored: each new session reads
/// the folders, and reporting that to all others would cost more than the reads.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// Sends an event to all listeners of its folder.
fn pass_on(event: notify::Result<Event>, listeners: &FolderListeners) {
    let Some(event) = event.ok().filter(|event| !event.need_rescan()) else {
        for listener in listeners.values().flatten() {
            // A listener that was just dropped does not need the message.
            let _ = listener.sender.send(WatchNotice::Missed);
        }
        return;
    };
    if !is_change(event.kind) {
        return;
    }
    let mut meant: BTreeMap<u64, (&FolderListener, Vec<PathBuf>)> = BTreeMap::new();
    for path in &event.paths {
        for listener in listeners.get(path).into_iter().flatten() {
            let (_, paths) = meant.entry(listener.number).or_insert_with(|| (listener, Vec::new()));
            paths.push(listener.named.clone());
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
        for listener in listeners.get(folder).into_iter().flatten() {
            let (_, paths) = meant.entry(listener.number).or_insert_with(|| (listener, Vec::new()));
            paths.push(listener.named.join(name));
        }
    }
    for (listener, paths) in meant.into_values() {
        let _ = listener.sender.send(WatchNotice::Changed(Event { paths, ..event.clone() }));
    }
}
