//! Keeps a registry in step with its folders while agents run. Loading a file is done in
//! `folders.rs`; when a file is ready is decided in `pending_files.rs`. Each file has one load at a
//! time, so that a result is always newer than the one before. The watch starts before the first
//! look, so that no change is missed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use notify::EventKind;
use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind};
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};

use super::ToolFolders;
use super::folder_watcher::{FolderSubscription, WatchNotice};
use super::folders::ToolFileOutcome;
use super::pending_files::{FileEventKind, PendingFiles, REST};
use super::read;

/// How often a missing folder is looked for.
const LOST: Duration = Duration::from_secs(1);

/// Folders that are being watched. Dropping it stops the watch; the registry keeps its tools.
#[derive(Debug)]
pub struct FolderWatchHandle {
    task: AbortHandle,
}

/// Why folders cannot be watched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot watch folders on this system: {0}")]
pub struct FolderWatchError(pub String);

impl Drop for FolderWatchHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Loads the present files and starts to watch.
pub(super) async fn start(folders: ToolFolders) -> Result<FolderWatchHandle, FolderWatchError> {
    let (ear, events) = FolderSubscription::new()?;
    let mut watch = FolderWatchTask {
        watched: vec![None; folders.folders.len()],
        folders,
        ear,
        pending: PendingFiles::default(),
        known: BTreeSet::new(),
        looks: JoinSet::new(),
        busy: BTreeMap::new(),
        begun: HashMap::new(),
    };
    // First the watch, then the look: what changes between is seen twice, never missed. What is there
    // already is looked at once: a second load would journal its tools as changed.
    watch.find_folders();
    watch.pending = PendingFiles::default();
    watch.known = watch.folders.folders.iter().flat_map(super::ToolFolder::candidates).collect();
    let asked = watch.folders.again.asked();
    watch.folders.load().await;
    let task = tokio::spawn(watch.run(events, asked));
    Ok(FolderWatchHandle { task: task.abort_handle() })
}

struct FolderWatchTask {
    folders: ToolFolders,
    ear: FolderSubscription,
    /// The folder of each watch: a different one may take its path.
    watched: Vec<Option<FolderIdentity>>,
    pending: PendingFiles,
    /// Files that were loaded, so that unnoticed removals are found.
    known: BTreeSet<PathBuf>,
    looks: JoinSet<ToolFileOutcome>,
    /// Which file each look is at.
    begun: HashMap<tokio::task::Id, PathBuf>,
    /// The files that are being loaded. Each file has one load at a time, so a result is always
    /// newer than the previous one. A file that keeps changing is still loaded now and then.
    busy: BTreeMap<PathBuf, ConcurrentChange>,
}

/// Whether a file has changed while it was being loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConcurrentChange {
    Unchanged,
    Changed,
}

impl FolderWatchTask {
    async fn run(
        mut self,
        mut events: mpsc::UnboundedReceiver<WatchNotice>,
        mut asked: watch::Receiver<BTreeSet<PathBuf>>,
    ) {
        let mut lost = tokio::time::interval(LOST);
        loop {
            let due = self.pending.next().map(tokio::time::Instant::from_std);
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.heard(event),
                    None => return,
                },
                () = sleep_until(due) => self.look(),
                // The folders keep the sender alive, so this never ends.
                Ok(()) = asked.changed() => self.asked(),
                Some(done) = self.looks.join_next_with_id(), if !self.looks.is_empty() => self.seen(done),
                _ = lost.tick() => self.find_folders(),
            }
        }
    }

    /// Watches existing folders that are not watched yet, or that were replaced since.
    fn find_folders(&mut self) {
        for place in 0..self.folders.folders.len() {
            let Some(path) = self.folders.folders.get(place).map(|folder| folder.path.clone()) else {
                continue;
            };
            let Some(watched) = self.watched.get_mut(place) else { continue };
            let there = FolderIdentity::of(&path);
            if there == *watched {
                continue;
            }
            if watched.is_some() {
                self.ear.unwatch(&path);
            }
            let begins = there.filter(|_| self.ear.watch(&path));
            let changed = *watched != begins;
            *watched = begins;
            if changed {
                self.rescan();
            }
        }
    }

    /// Marks these folders as unwatched. The system's watch of a path ends when any folder
    /// is removed that it ever watched there. This happens even if another folder has
    /// taken its place since.
    fn lose(&mut self, gone: &[PathBuf]) {
        for (folder, watched) in self.folders.folders.iter().zip(&mut self.watched) {
            if gone.contains(&folder.path) && watched.take().is_some() {
                self.ear.unwatch(&folder.path);
            }
        }
        self.rescan();
    }

    /// Checks all files again.
    fn rescan(&mut self) {
        let now = Instant::now();
        let files = self.folders.folders.iter().flat_map(super::ToolFolder::candidates);
        for path in files.chain(self.known.iter().cloned()).collect::<BTreeSet<_>>() {
            self.pending.touch(&path, FileEventKind::Finished, now);
        }
    }

    /// Loads the files that a loader requested.
    fn asked(&mut self) {
        let now = Instant::now();
        for path in self.folders.again.take() {
            self.pending.touch(&path, FileEventKind::Finished, now);
        }
    }

    fn heard(&mut self, heard: WatchNotice) {
        let WatchNotice::Changed(event) = heard else { return self.rescan() };
        if event.paths.iter().any(|path| self.folders.folders.iter().any(|folder| folder.path == *path)) {
            // The event is about a folder itself: it may be gone or replaced.
            if matches!(event.kind, EventKind::Remove(_)) {
                self.lose(&event.paths);
            }
            self.find_folders();
        }
        let now = Instant::now();
        for path in &event.paths {
            if let Some(touch) = touch(event.kind, path) {
                for file in self.meant(path) {
                    self.pending.touch(&file, touch, now);
                }
            }
        }
    }

    /// The tools that a changed file affects: itself, or those of which it is the sidecar.
    fn meant(&self, path: &Path) -> Vec<PathBuf> {
        if path.extension().is_some_and(|ending| ending == "toml") {
            let files = self.folders.folders.iter().flat_map(super::ToolFolder::candidates);
            return files.filter(|file| read::sidecar_path(file) == path).collect();
        }
        if read::is_candidate(path) && self.place(path).is_some() {
            vec![path.to_owned()]
        } else {
            Vec::new()
        }
    }

    fn place(&self, path: &Path) -> Option<usize> {
        let folder = path.parent()?;
        self.folders.folders.iter().position(|known| known.path == folder)
    }

    /// Loads the files that are ready.
    fn look(&mut self) {
        for path in self.pending.take(Instant::now()) {
            let Some(place) = self.place(&path) else { continue };
            if let Some(meanwhile) = self.busy.get_mut(&path) {
                *meanwhile = ConcurrentChange::Changed;
                continue;
            }
            self.busy.insert(path.clone(), ConcurrentChange::Unchanged);
            self.known.insert(path.clone());
            let (folders, file) = (self.folders.clone(), path.clone());
            let look = self.looks.spawn(async move { folders.look(place, &file).await });
            self.begun.insert(look.id(), path);
        }
    }

    fn seen(&mut self, done: Result<(tokio::task::Id, ToolFileOutcome), tokio::task::JoinError>) {
        let (id, seen) = match done {
            Ok((id, seen)) => (id, seen),
            Err(error) => (error.id(), ToolFileOutcome::panicked()),
        };
        let Some(path) = self.begun.remove(&id) else { return };
        let now = Instant::now();
        if self.busy.remove(&path) == Some(ConcurrentChange::Changed) {
            self.pending.touch(&path, FileEventKind::Finished, now);
        }
        if matches!(seen, ToolFileOutcome::Moving) {
            return self.pending.again(&path, now);
        }
        let Some(folder) = self.place(&path).and_then(|place| self.folders.folders.get(place)) else {
            return;
        };
        let source = folder.source(&path);
        self.folders.registry.edit(|edit| seen.apply(source, edit));
    }
}

/// Identifies the folder at a path, so that a replacement is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FolderIdentity {
    device: u64,
    number: u64,
}

impl FolderIdentity {
    fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
        #[cfg(unix)]
        let (device, number) = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (device, number) = (metadata.len(), 0);
        Some(Self { device, number })
    }
}

/// The meaning of an event for a file.
fn touch(kind: EventKind, path: &Path) -> Option<FileEventKind> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Remove(_) => {
            Some(FileEventKind::Finished)
        }
        EventKind::Access(_) | EventKind::Create(CreateKind::Folder) => None,
        // A file that was moved here or away is whole.
        EventKind::Modify(ModifyKind::Name(_)) => Some(FileEventKind::Finished),
        EventKind::Modify(ModifyKind::Metadata(_)) => Some(FileEventKind::Noticed),
        // A second name for an old file brings no closing with it.
        EventKind::Create(_) if read::rests_for(path, REST) => Some(FileEventKind::Finished),
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Any | EventKind::Other => {
            Some(FileEventKind::Written)
        }
    }
}

async fn sleep_until(due: Option<tokio::time::Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}
