//! Folders of tools, and how each of their files is loaded: read, asked about at the gate, given to
//! the first loader that claims it. Watching is done in `watch.rs`, reading in `read.rs`, trust in
//! `trust_gate.rs`; the kinds of tools implement `loader.rs`.
//!
//! A file is loaded only from the bytes that were hashed and admitted. Files of one load are taken
//! in the order of their paths, so that names do not depend on speed. If a new version is broken,
//! the old tool stays; if it is refused, the tool goes.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::list::flaw;
use super::read::{self, HEAD, ToolFileContent, ToolFileReadError};
use super::{
    FolderWatchError, FolderWatchHandle, LoadResource, NoPinStore, PinStatus, PinStore, ReloadRequester,
    SourceRank, ToolFile, ToolFileGate, ToolLoader, ToolOffer, ToolRegistry, ToolSidecar, ToolSource,
    gated_tool::ToolAdmission, load_turn::LoadTurn, watch,
};
use crate::openapi::is_openapi_file;

/// A folder of tools.
#[derive(Clone)]
pub struct ToolFolder {
    pub(super) path: PathBuf,
    pub(super) rank: SourceRank,
    gate: Arc<dyn ToolFileGate>,
    pins: Arc<dyn PinStore>,
}

impl ToolFolder {
    /// A folder, and the gate that decides which of its files may be used. The gate is asked when a
    /// file is loaded, and again at each call.
    pub fn new(path: impl Into<PathBuf>, rank: SourceRank, gate: impl ToolFileGate + 'static) -> Self {
        Self { path: path.into(), rank, gate: Arc::new(gate), pins: Arc::new(NoPinStore) }
    }

    /// Says which code was confirmed.
    #[must_use]
    pub fn pins(mut self, pins: Arc<dyn PinStore>) -> Self {
        self.pins = pins;
        self
    }

    /// The source of a file of this folder in the registry.
    #[must_use]
    pub fn source(&self, path: &Path) -> ToolSource {
        ToolSource::new(self.rank, path.display().to_string())
    }

    /// The files that could be tools, in order.
    pub(super) fn candidates(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| read::is_candidate(path)).collect();
        paths.sort();
        paths
    }
}

impl fmt::Debug for ToolFolder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolFolder")
            .field("path", &self.path)
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}

/// Fills a registry from folders, once or continuously.
///
/// Tool files lie directly in a folder. Subfolders, hidden files and partial copies are skipped. A
/// link is refused, because it could lead to a file that a tool may write.
#[derive(Clone)]
pub struct ToolFolders {
    pub(super) registry: ToolRegistry,
    pub(super) folders: Vec<ToolFolder>,
    pub(super) again: ReloadRequester,
    loaders: Vec<Arc<dyn ToolLoader>>,
    /// Loading takes processors: more at once would only make each slower.
    places: Arc<Semaphore>,
}

impl ToolFolders {
    /// No folder and no loader yet.
    #[must_use]
    pub fn new(registry: &ToolRegistry) -> Self {
        let places = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            registry: registry.clone(),
            folders: Vec::new(),
            again: ReloadRequester::new(),
            loaders: Vec::new(),
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// Adds a kind of tools; the first that claims a file gets it.
    #[must_use]
    pub fn loader(mut self, loader: impl ToolLoader + 'static) -> Self {
        self.loaders.push(Arc::new(loader));
        self
    }

    /// Lets loaders request a reload of a file while the folders are watched.
    #[must_use]
    pub fn again(mut self, again: &ReloadRequester) -> Self {
        self.again = again.clone();
        self
    }

    /// Adds a folder. It need not be there yet.
    #[must_use]
    pub fn folder(mut self, folder: ToolFolder) -> Self {
        self.folders.push(folder);
        self
    }

    /// Loads the present files. All become visible at once, when the last one is ready.
    pub async fn load(&self) {
        let mut looks = tokio::task::JoinSet::new();
        let mut begun = HashMap::new();
        let mut last = LoadTurn::free();
        for (place, folder) in self.folders.iter().enumerate() {
            for path in folder.candidates() {
                let next = last.next();
                let (this, turn) = (self.clone(), std::mem::replace(&mut last, next));
                // In order, so that the file whose turn it is never waits for a permit behind files
                // that wait for it.
                let permit = Arc::clone(&self.places).acquire_owned().await.ok();
                let file = path.clone();
                let look = looks
                    .spawn(async move { this.look_in_turn(place, &file, LoadPermit { turn, permit }).await });
                begun.insert(look.id(), folder.source(&path));
            }
        }
        let mut seen = Vec::with_capacity(begun.len());
        while let Some(done) = looks.join_next_with_id().await {
            let (id, what) = match done {
                Ok((id, what)) => (id, what),
                Err(error) => (error.id(), ToolFileOutcome::panicked()),
            };
            seen.extend(begun.remove(&id).map(|source| (source, what)));
        }
        self.registry.edit(|edit| {
            for (source, what) in seen {
                what.apply(source, edit);
            }
        });
    }

    /// Loads the present files and keeps watching until the result is dropped.
    ///
    /// # Errors
    ///
    /// If the system does not allow watching.
    pub async fn watch(self) -> Result<FolderWatchHandle, FolderWatchError> {
        watch::start(self).await
    }

    /// Looks at one file.
    pub(super) async fn look(&self, place: usize, path: &Path) -> ToolFileOutcome {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.places).acquire_owned().await.ok();
        self.look_in_turn(place, path, LoadPermit { turn: LoadTurn::free(), permit }).await
    }

    async fn look_in_turn(&self, place: usize, path: &Path, mut leave: LoadPermit) -> ToolFileOutcome {
        let Some(folder) = self.folders.get(place) else { return ToolFileOutcome::Nothing };
        let opened = self.open(folder, path).await;
        leave.turn.come().await;
        let opened = match opened {
            Ok(opened) => opened,
            Err(seen) => return seen,
        };
        match opened.load(folder, path, leave).await {
            ToolFileOutcome::Tools(offers) => ToolFileOutcome::Tools(
                offers.into_iter().map(|offer| opened.admission.guard(offer)).collect(),
            ),
            seen @ (ToolFileOutcome::Nothing
            | ToolFileOutcome::Refused(_)
            | ToolFileOutcome::Broken(_)
            | ToolFileOutcome::Moving) => seen,
        }
    }

    /// Reads a file, finds who loads it and asks whether it may be loaded.
    async fn open(&self, folder: &ToolFolder, path: &Path) -> Result<AdmittedFile, ToolFileOutcome> {
        let read = {
            let path = path.to_owned();
            tokio::task::spawn_blocking(move || read::whole(&path).map(|whole| (whole, read::sidecar(&path))))
        };
        let (whole, sidecar) = match read.await {
            Ok(Ok(read)) => read,
            Ok(Err(ToolFileReadError::Gone | ToolFileReadError::NotAFile)) => {
                return Err(ToolFileOutcome::Nothing);
            }
            Ok(Err(ToolFileReadError::Moving)) => return Err(ToolFileOutcome::Moving),
            Ok(Err(error)) => return Err(ToolFileOutcome::Broken(error.to_string())),
            Err(_) => return Err(ToolFileOutcome::Moving),
        };
        let head = whole.bytes.get(..HEAD.min(whole.bytes.len())).unwrap_or_default();
        let loader =
            self.loaders.iter().find(|loader| loader.claims(path, head)).ok_or(ToolFileOutcome::Nothing)?;
        let sidecar = match sidecar {
            Ok(sidecar) => sidecar,
            Err(ToolFileReadError::Moving) => return Err(ToolFileOutcome::Moving),
            Err(error) => return Err(ToolFileOutcome::Broken(error.to_string())),
        };
        if sidecar.as_ref().is_some_and(|(sidecar, _)| sidecar.api.is_some()) && !is_openapi_file(path) {
            let why = "the table [api] of its sidecar is only for OpenAPI documents";
            return Err(ToolFileOutcome::Broken(why.to_owned()));
        }
        let mut files = vec![(path.to_owned(), whole.sha256)];
        files.extend(sidecar.as_ref().map(|(_, hash)| (read::sidecar_path(path), *hash)));
        let admission = ToolAdmission::new(&folder.gate, files);
        admission.ask().map_err(ToolFileOutcome::Refused)?;
        let sidecar = sidecar.map(|(sidecar, _)| sidecar);
        Ok(AdmittedFile { loader: Arc::clone(loader), whole, sidecar, admission })
    }
}

/// What a load waits for before it begins, and holds until it ends.
struct LoadPermit {
    turn: LoadTurn,
    /// The semaphore is never closed, so there always is one.
    permit: Option<OwnedSemaphorePermit>,
}

/// A file that may be loaded, and its loader.
struct AdmittedFile {
    loader: Arc<dyn ToolLoader>,
    whole: ToolFileContent,
    sidecar: Option<ToolSidecar>,
    admission: ToolAdmission,
}

impl AdmittedFile {
    async fn load(&self, folder: &ToolFolder, path: &Path, leave: LoadPermit) -> ToolFileOutcome {
        let name = path.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        // The first code at a path is pinned only after it has become a tool. So a user who
        // repairs a file that never worked is not asked to confirm it. A confirmation that a
        // person gives meanwhile is kept.
        let known = folder.pins.knows(path);
        let standing = || folder.pins.standing(path, &self.whole.sha256);
        let found = ToolFile {
            path,
            name: &name,
            bytes: &self.whole.bytes,
            file: &self.whole.file,
            sha256: &self.whole.sha256,
            sidecar: self.sidecar.as_ref(),
            standing: if known { standing() } else { PinStatus::Confirmed },
        };
        let loading = self.loader.load(found);
        // The names are fixed by now; slow work may continue while the others load.
        drop(leave.turn);
        let permit = leave.permit.filter(|_| self.loader.takes() == LoadResource::Processors);
        let loaded = loading.await;
        drop(permit);
        match loaded {
            Ok(_) if !known && standing() == PinStatus::Replaced => {
                ToolFileOutcome::Broken("its code changed while it was loaded, so it is left out".into())
            }
            Ok(offers) => ToolFileOutcome::Tools(offers),
            Err(error) => ToolFileOutcome::Broken(error.to_string()),
        }
    }
}

impl fmt::Debug for ToolFolders {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolFolders").field("folders", &self.folders).finish_non_exhaustive()
    }
}

/// The outcome of loading a file.
#[derive(Debug)]
pub(super) enum ToolFileOutcome {
    /// It is these tools now.
    Tools(Vec<ToolOffer>),
    /// The file is not a tool.
    Nothing,
    /// The file may not be used, and neither may its earlier version.
    Refused(String),
    /// There is something that cannot be used.
    Broken(String),
    /// It was not at rest.
    Moving,
}

impl ToolFileOutcome {
    /// The loader panicked on this file.
    pub(super) fn panicked() -> Self {
        Self::Broken("its loader panicked; this is a bug in Holm, not in the file".to_owned())
    }

    pub(super) fn apply(self, source: ToolSource, edit: &mut super::RegistryEdit<'_>) {
        match self.with_flaws_told() {
            Self::Tools(offers) => edit.set(source, offers),
            Self::Nothing => edit.remove(&source),
            Self::Refused(why) => {
                edit.remove(&source);
                edit.report(source, why);
            }
            Self::Broken(why) if edit.offers(&source) => {
                edit.report(source, format!("the new version cannot be used, so the old one stays: {why}"));
            }
            Self::Broken(why) => edit.report(source, why),
            Self::Moving => {}
        }
    }

    /// If no run could use any of the tools, the file counts as broken.
    fn with_flaws_told(self) -> Self {
        let Self::Tools(offers) = &self else { return self };
        let flaws: Vec<String> = offers.iter().filter_map(|offer| flaw(&offer.tool)).collect();
        if flaws.is_empty() || flaws.len() < offers.len() {
            return self;
        }
        Self::Broken(flaws.join("; "))
    }
}
