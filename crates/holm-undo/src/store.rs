//! The archive: stores, finds and names the undo records on disk. It never touches a file of the
//! workspace.
//!
//! The order must stay: a content is on disk before its record, and both before the change. Writers
//! share a lock, and pruning (`prune.rs`) holds it alone, so that it never removes a content whose
//! record is not written yet.
//!
//! Contents are stored in `content_store.rs`, and the form of a record is in `record.rs`. Images
//! around commands are taken in `command_undo.rs`; undoing is done in `restore.rs`.

use std::{
    collections::{BTreeSet, HashMap},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    PathChange, PathState, RecordSource, TreePath, UndoError, UndoRecord, content_store::ContentStore,
    image::Image, path_state::FILE_MODE, record::VERSION, tree_path::hex,
};

/// How long records are kept: users who want to undo a turn want it soon.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Bytes of contents that are kept. Beyond that the oldest go first.
pub const MOST_KEPT: u64 = 4 << 30;

/// Bytes that one process stores before it checks the total size.
const SIZE_CHECK_BYTES: u64 = 256 << 20;

/// Changes that one call can record one by one; a larger patch is refused elsewhere.
const MOST_OF_A_CALL: u32 = 100_000;

/// Is called before every step of an undo that changes something on disk.
pub(crate) type StepHook = Arc<dyn Fn() + Send + Sync>;

/// The undo records of one user.
#[derive(Clone)]
pub struct UndoArchive {
    pub(crate) folder: PathBuf,
    pub(crate) contents: ContentStore,
    /// Bytes that were stored since the last check of the total size.
    pub(crate) since: Arc<AtomicU64>,
    /// The last image of each workspace that this process has worked in.
    pub(crate) images: Arc<Mutex<HashMap<PathBuf, Arc<Image>>>>,
    pub(crate) hook: Option<StepHook>,
}

impl std::fmt::Debug for UndoArchive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UndoArchive").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A stored record. It can be removed again as long as its change has not happened.
#[derive(Debug)]
pub struct RecordFile(PathBuf);

impl RecordFile {
    /// Removes the record, because the change did not happen.
    pub fn forget(self) {
        // A record of a change that did not happen is harmless: its file still has the old content.
        let _ = fs::remove_file(self.0);
    }
}

impl UndoArchive {
    /// The records in a folder, which is made if it is not there, for its owner alone. On a disk
    /// that is full or read-only it stays missing, and the first change that needs it fails.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, UndoError> {
        let folder = folder.into();
        let contents = ContentStore::new(folder.join("contents"));
        let (since, images) = (Arc::default(), Arc::default());
        let this = Self { folder, contents, since, images, hook: None };
        let folders = ["records", "contents", "images", "pending", "operations"];
        for folder in folders.map(|name| this.folder.join(name)) {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            made.or_else(|error| if is_unwritable(&error) { Ok(()) } else { Err(error) })
                .map_err(|error| UndoError::store(&folder, &error))?;
        }
        Ok(this)
    }

    /// Calls this before every step of an undo that changes something on disk: for tests that end
    /// the process at each of them.
    #[must_use]
    pub fn before_steps(mut self, hook: impl Fn() + Send + Sync + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The keys of the calls that have records which were not undone yet.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn keys(&self) -> Result<BTreeSet<String>, UndoError> {
        let names = self.names()?;
        Ok(names.iter().filter_map(|name| name.split_once('-')).map(|(key, _)| key.to_owned()).collect())
    }

    /// Like [`keys`](Self::keys), only for calls that worked in this folder.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn keys_in(&self, root: &Path) -> Result<BTreeSet<String>, UndoError> {
        let mut keys = BTreeSet::new();
        for name in self.names()? {
            let Some((key, _)) = name.split_once('-') else { continue };
            let is_here = match read(&self.records().join(&name)) {
                Ok(record) => record.root == root,
                // The root of a damaged record is unknown, so it counts here. Undoing it
                // then reports the damage.
                Err(_) => true,
            };
            if is_here {
                keys.insert(key.to_owned());
            }
        }
        Ok(keys)
    }

    /// Stores the content that a file is about to lose, and the record. Both are
    /// on disk when this returns.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn keep(
        &self,
        key: &str,
        root: &Path,
        path: TreePath,
        before: Option<(&[u8], u32)>,
        after: Option<&[u8]>,
    ) -> Result<RecordFile, UndoError> {
        self.count(before.map_or(0, |(bytes, _)| bytes.len() as u64))?;
        let _lock = self.shared_lock()?;
        let mut batch = self.contents.small_batch();
        let before = match before {
            Some((bytes, mode)) => {
                let sha256 = hex(&batch.add(bytes)?);
                PathState::File { sha256, bytes: bytes.len() as u64, mode: Some(mode & FILE_MODE) }
            }
            None => PathState::Absent,
        };
        batch.end()?;
        let after = after.map_or(PathState::Absent, |bytes| PathState::File {
            sha256: hex(&<sha2::Sha256 as sha2::Digest>::digest(bytes)),
            bytes: bytes.len() as u64,
            mode: None,
        });
        let changes = vec![PathChange { path, before, after }];
        let (root, source, hard_links) = (root.to_owned(), RecordSource::FileTool, Vec::new());
        let record = UndoRecord { version: VERSION, at: now(), root, source, changes, hard_links };
        self.keep_record(key, &record).map(|(place, _)| RecordFile(place))
    }

    /// Counts bytes that are stored, and checks the total size now and then.
    pub(crate) fn count(&self, bytes: u64) -> Result<(), UndoError> {
        if self.since.fetch_add(bytes, Ordering::Relaxed) > SIZE_CHECK_BYTES {
            self.prune(KEPT, MOST_KEPT)?;
        }
        Ok(())
    }

    /// The records of a call, with their names, in the order in which they were made.
    pub(crate) fn of_call(
        &self,
        names: &BTreeSet<String>,
        key: &str,
    ) -> Result<Vec<(String, UndoRecord)>, UndoError> {
        let start = format!("{key}-");
        let mut found = Vec::new();
        for name in names.iter().filter(|name| name.starts_with(&start)) {
            found.push((name.clone(), read(&self.records().join(name))?));
        }
        Ok(found)
    }

    /// The names of all records that were not undone yet.
    pub(crate) fn names(&self) -> Result<BTreeSet<String>, UndoError> {
        let entries = entries(&self.records())?;
        let names = entries.iter().filter_map(|path| path.file_name()).filter_map(|name| name.to_str());
        Ok(names.filter(|name| name.ends_with(".json")).map(str::to_owned).collect())
    }

    /// Marks a record as undone, so that it is not offered again. A record that is marked already stays.
    pub(crate) fn set_undone(&self, name: &str) -> Result<(), UndoError> {
        let from = self.records().join(name);
        self.rename(&from, &from.with_extension("undone"))
    }

    /// Marks a record as not undone, because its undo was reverted. It is offered again.
    pub(crate) fn set_done(&self, name: &str) -> Result<(), UndoError> {
        let to = self.records().join(name);
        self.rename(&to.with_extension("undone"), &to)
    }

    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), UndoError> {
        self.step();
        match fs::rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed.map_err(|error| UndoError::store(from, &error)),
        }
    }

    /// Stores a record, and returns its file and the digest of its bytes.
    pub(crate) fn keep_record(&self, key: &str, record: &UndoRecord) -> Result<(PathBuf, String), UndoError> {
        let text = serde_json::to_vec(record).map_err(|error| UndoError::damaged(key, error))?;
        let draft = draft(&self.records().join(key), &text, true)?;
        let place = self.name_record(key, &draft);
        // The hard link is the record now. Without one, nothing is stored.
        fs::remove_file(&draft).map_err(|error| UndoError::store(&draft, &error))?;
        let place = place?;
        sync(&self.records())?;
        Ok((place, hex(&<sha2::Sha256 as sha2::Digest>::digest(&text))))
    }

    /// Gives a whole record the next free name of its call.
    fn name_record(&self, key: &str, draft: &Path) -> Result<PathBuf, UndoError> {
        for number in 0..MOST_OF_A_CALL {
            let place = self.records().join(format!("{key}-{number:06}.json"));
            if place.exists() || place.with_extension("undone").exists() {
                continue;
            }
            match fs::hard_link(draft, &place) {
                Ok(()) => return Ok(place),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(UndoError::store(&place, &error)),
            }
        }
        Err(UndoError::damaged(key, "the call has too many changes"))
    }

    /// Writers hold this lock shared, and pruning holds it alone. So pruning never removes a content
    /// that was written before its record.
    pub(crate) fn shared_lock(&self) -> Result<File, UndoError> {
        let lock = self.lock_file("lock")?;
        lock.lock_shared().map_err(|error| UndoError::store(&self.folder, &error))?;
        Ok(lock)
    }

    pub(crate) fn lock_file(&self, name: &str) -> Result<File, UndoError> {
        let place = self.folder.join(name);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&place);
        file.map_err(|error| UndoError::store(&place, &error))
    }

    pub(crate) fn step(&self) {
        if let Some(hook) = &self.hook {
            hook();
        }
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.folder.join("records")
    }
}

/// In nanoseconds since 1970, in UTC.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Writes a file beside a path, so that the path never names a partial file.
pub(crate) fn draft(place: &Path, bytes: &[u8], is_synced: bool) -> Result<PathBuf, UndoError> {
    let failed = |error: io::Error| UndoError::store(place, &error);
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| failed(io::Error::other(error.to_string())))?;
    let draft = place.with_extension(format!("{}.tmp", hex(&random)));
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| if is_synced { file.sync_all() } else { Ok(()) });
    written.map_err(failed)?;
    Ok(draft)
}

/// Writes a file by a draft that is renamed.
pub(crate) fn replace(place: &Path, bytes: &[u8], is_synced: bool) -> Result<(), UndoError> {
    let draft = draft(place, bytes, is_synced)?;
    fs::rename(&draft, place).map_err(|error| UndoError::store(place, &error))
}

pub(crate) fn sync(folder: &Path) -> Result<(), UndoError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| UndoError::store(folder, &error))
}

pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, UndoError> {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries,
    };
    let entries = entries.map_err(|error| UndoError::store(folder, &error))?;
    Ok(entries.iter().map(fs::DirEntry::path).collect())
}

pub(crate) fn read(place: &Path) -> Result<UndoRecord, UndoError> {
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = fs::read(place).map_err(|error| UndoError::damaged(&name, error))?;
    let version = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).ok()?["version"].as_u64();
    let record: UndoRecord = serde_json::from_slice(&text).map_err(|error| match version(&text) {
        Some(found) if found != u64::from(VERSION) => other_version(&name, found),
        _ => UndoError::damaged(&name, error),
    })?;
    if record.version != VERSION {
        return Err(other_version(&name, u64::from(record.version)));
    }
    Ok(record)
}

fn other_version(name: &str, found: u64) -> UndoError {
    UndoError::damaged(name, format!("its version is {found}; this version of Holm supports {VERSION}"))
}

fn is_unwritable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
    )
}
