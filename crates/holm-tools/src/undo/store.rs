//! Stores the undo records and the contents that they need, and removes old ones. It never touches
//! a file of the workspace: `plan.rs` does. A content is on disk before its record, and both before
//! the change; pruning holds the lock alone, so that it never removes a content whose record is
//! still to come.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use holm_grants::FilePath;
use holm_kernel::IdempotencyKey;

use super::{
    RecordedFileState, UndoError, UndoRecord,
    record::{VERSION, digest},
};

/// How long records are kept: users who want to undo a turn want it soon.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Bytes of contents that are kept: a hundred changes of the largest file. Beyond that
/// the oldest go first.
pub const MOST_KEPT: u64 = 4 << 30;

/// Bytes that one process stores before it checks the total size.
const BETWEEN_LOOKS: u64 = 256 << 20;

/// Changes that one call can record; a larger patch is refused elsewhere.
const MOST_OF_A_CALL: u32 = 100_000;

/// The undo records of one user.
#[derive(Debug, Clone)]
pub struct UndoStore {
    folder: PathBuf,
    /// Bytes that were stored since the last check of the total size.
    since: Arc<AtomicU64>,
}

/// A stored record. It can be removed again as long as its change has not happened.
#[derive(Debug)]
pub(crate) struct UndoRecordFile(PathBuf);

impl UndoStore {
    /// The records in a folder, which is made if it is not there, for its owner alone. On a disk
    /// that is full or read-only it stays missing, and the first change that needs it fails.
    ///
    /// # Errors
    /// [`UndoError::Store`].
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, UndoError> {
        let this = Self { folder: folder.into(), since: Arc::default() };
        for folder in [this.records(), this.contents()] {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            made.or_else(|error| if is_unwritable(&error) { Ok(()) } else { Err(error) })
                .map_err(|error| failed(&folder, &error))?;
        }
        Ok(this)
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The keys of the calls that have records which were not followed yet, as text.
    ///
    /// # Errors
    /// [`UndoError::Store`].
    pub fn keys(&self) -> Result<BTreeSet<String>, UndoError> {
        let names = self.names()?;
        Ok(names.iter().filter_map(|name| name.split_once('-')).map(|(key, _)| key.to_owned()).collect())
    }

    /// Like [`keys`](Self::keys), only for calls that worked in this folder.
    ///
    /// # Errors
    /// [`UndoError::Store`].
    pub fn keys_in(&self, root: &FilePath) -> Result<BTreeSet<String>, UndoError> {
        let mut keys = BTreeSet::new();
        for name in self.names()? {
            let Some((key, _)) = name.split_once('-') else { continue };
            let is_here = match read(&self.records().join(&name)) {
                Ok(record) => record.root == *root,
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

    /// Removes records that are older than `kept`, contents without a record, and the oldest
    /// contents until at most `most` bytes are left. A record whose content was removed
    /// stays, so that a later change of the file is not taken for its first. Returns the
    /// number of removed records.
    ///
    /// # Errors
    /// [`UndoError::Store`].
    pub fn prune(&self, kept: Duration, most: u64) -> Result<usize, UndoError> {
        let lock = self.lock()?;
        lock.lock().map_err(|error| failed(&self.folder, &error))?;
        self.since.store(0, Ordering::Relaxed);
        let now = SystemTime::now();
        let is_old = |path: &Path| {
            let changed = fs::metadata(path).and_then(|found| found.modified());
            changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > kept))
        };
        let mut removed = 0;
        // Each content by the last record that refers to it.
        let mut used: BTreeMap<String, u64> = BTreeMap::new();
        for entry in Self::entries(&self.records())? {
            if is_old(&entry) {
                fs::remove_file(&entry).map_err(|error| failed(&entry, &error))?;
                removed += 1;
            } else if let Ok(UndoRecord { at, before: RecordedFileState::File { sha256, .. }, .. }) =
                read(&entry)
            {
                let last = used.entry(sha256).or_default();
                *last = at.max(*last);
            }
        }
        self.prune_contents(&used, most)?;
        Ok(removed)
    }

    fn prune_contents(&self, used: &BTreeMap<String, u64>, most: u64) -> Result<(), UndoError> {
        let mut contents = Vec::new();
        for entry in Self::entries(&self.contents())? {
            let name = entry.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // The exclusive lock rules out concurrent writers, so a content without a record
            // is not in use.
            let last = used.get(&name).copied().unwrap_or(0);
            contents.push((last, fs::metadata(&entry).map_or(0, |found| found.len()), entry));
        }
        contents.sort_unstable();
        let mut bytes = contents.iter().fold(0_u64, |sum, (_, size, _)| sum.saturating_add(*size));
        for (last, size, entry) in contents {
            if last == 0 || bytes > most {
                fs::remove_file(&entry).map_err(|error| failed(&entry, &error))?;
                bytes = bytes.saturating_sub(size);
            }
        }
        Ok(())
    }

    /// Writers hold this lock shared, and pruning holds it exclusively. So pruning never removes a
    /// content that was written before its record.
    fn lock(&self) -> Result<File, UndoError> {
        let place = self.folder.join("lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&place);
        file.map_err(|error| failed(&place, &error))
    }

    /// Stores the content that a file is about to lose, and the record. Both are on
    /// disk when this returns.
    pub(crate) fn keep(
        &self,
        key: IdempotencyKey,
        root: &FilePath,
        path: &FilePath,
        before: Option<(&[u8], u32)>,
        after: Option<&[u8]>,
    ) -> Result<UndoRecordFile, UndoError> {
        let size = before.map_or(0, |(bytes, _)| bytes.len() as u64);
        if self.since.fetch_add(size, Ordering::Relaxed) > BETWEEN_LOOKS {
            self.prune(KEPT, MOST_KEPT)?;
        }
        let lock = self.lock()?;
        lock.lock_shared().map_err(|error| failed(&self.folder, &error))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = UndoRecord {
            version: VERSION,
            at: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
            root: root.clone(),
            path: path.clone(),
            before: before
                .map_or(RecordedFileState::Absent, |(bytes, mode)| RecordedFileState::of(bytes, Some(mode))),
            after: after.map_or(RecordedFileState::Absent, |bytes| RecordedFileState::of(bytes, None)),
        };
        if let (RecordedFileState::File { sha256, .. }, Some((bytes, _))) = (&record.before, before) {
            self.keep_content(sha256, bytes)?;
        }
        self.keep_record(key, &record)
    }

    /// The records of a call, with their names, in the order in which they were made.
    pub(super) fn of_call(
        &self,
        names: &BTreeSet<String>,
        key: IdempotencyKey,
    ) -> Result<Vec<(String, UndoRecord)>, UndoError> {
        let start = format!("{key}-");
        let mut found = Vec::new();
        for name in names.iter().filter(|name| name.starts_with(&start)) {
            found.push((name.clone(), read(&self.records().join(name))?));
        }
        Ok(found)
    }

    /// The names of all records that were not followed yet.
    pub(super) fn names(&self) -> Result<BTreeSet<String>, UndoError> {
        let entries = Self::entries(&self.records())?;
        let names = entries.iter().filter_map(|path| path.file_name()).filter_map(|name| name.to_str());
        Ok(names.filter(|name| name.ends_with(".json")).map(str::to_owned).collect())
    }

    /// The bytes of a state, checked against what their name says.
    pub(super) fn content(&self, name: &str, sha256: &str) -> Result<Vec<u8>, UndoError> {
        let damaged = |reason: String| UndoError::Damaged { name: name.to_owned(), reason };
        if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(damaged("it does not name its content".into()));
        }
        let bytes = fs::read(self.contents().join(sha256)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => damaged("its content was deleted to free space".into()),
            _ => damaged(error.to_string()),
        })?;
        if digest(&bytes) != sha256 {
            return Err(damaged("its content was changed afterwards".into()));
        }
        Ok(bytes)
    }

    /// Says that a record was followed: it is not offered again.
    pub(super) fn followed(&self, name: &str) -> Result<(), UndoError> {
        let from = self.records().join(name);
        fs::rename(&from, from.with_extension("undone")).map_err(|error| failed(&from, &error))
    }

    fn keep_content(&self, sha256: &str, bytes: &[u8]) -> Result<(), UndoError> {
        let place = self.contents().join(sha256);
        // Content-addressed: a file of this name has these bytes, unless a crash cut it short.
        if fs::metadata(&place).is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(());
        }
        let draft = draft(&place, bytes)?;
        fs::rename(&draft, &place).map_err(|error| failed(&place, &error))?;
        Self::sync(&self.contents())
    }

    fn keep_record(&self, key: IdempotencyKey, record: &UndoRecord) -> Result<UndoRecordFile, UndoError> {
        let text = serde_json::to_vec(record)
            .map_err(|error| UndoError::Damaged { name: key.to_string(), reason: error.to_string() })?;
        let draft = draft(&self.records().join(key.to_string()), &text)?;
        let place = self.name_record(key, &draft);
        // Its other name is the record now; without one it is not kept.
        fs::remove_file(&draft).map_err(|error| failed(&draft, &error))?;
        let place = place?;
        Self::sync(&self.records())?;
        Ok(UndoRecordFile(place))
    }

    /// Gives a whole record the next free name of its call.
    fn name_record(&self, key: IdempotencyKey, draft: &Path) -> Result<PathBuf, UndoError> {
        for number in 0..MOST_OF_A_CALL {
            let place = self.records().join(format!("{key}-{number:06}.json"));
            if place.exists() || place.with_extension("undone").exists() {
                continue;
            }
            match fs::hard_link(draft, &place) {
                Ok(()) => return Ok(place),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&place, &error)),
            }
        }
        Err(UndoError::Damaged { name: key.to_string(), reason: "the call has too many changes".into() })
    }

    fn sync(folder: &Path) -> Result<(), UndoError> {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(folder, &error))
    }

    fn entries(folder: &Path) -> Result<Vec<PathBuf>, UndoError> {
        let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            entries => entries,
        };
        let entries = entries.map_err(|error| failed(folder, &error))?;
        Ok(entries.iter().map(fs::DirEntry::path).collect())
    }

    fn records(&self) -> PathBuf {
        self.folder.join("records")
    }

    fn contents(&self) -> PathBuf {
        self.folder.join("before")
    }
}

impl UndoRecordFile {
    /// Takes the record back: the change did not happen.
    pub(crate) fn forget(self) {
        // A record of a change that did not happen is harmless: its file still has the old content.
        let _ = fs::remove_file(self.0);
    }
}

/// Writes and syncs a file beside a path, so that the path never names a partial file.
fn draft(place: &Path, bytes: &[u8]) -> Result<PathBuf, UndoError> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| failed(place, &io::Error::other(error.to_string())))?;
    let draft = place.with_extension(format!("{:016x}.tmp", u64::from_le_bytes(random)));
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
    let written = file.and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|error| failed(place, &error))?;
    Ok(draft)
}

fn read(place: &Path) -> Result<UndoRecord, UndoError> {
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let damaged = |reason: String| UndoError::Damaged { name: name.clone(), reason };
    let text = fs::read(place).map_err(|error| damaged(error.to_string()))?;
    let record: UndoRecord = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    if record.version != VERSION {
        return Err(damaged(format!("its version is {}; this Holm supports {VERSION}", record.version)));
    }
    Ok(record)
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

fn failed(place: &Path, error: &io::Error) -> UndoError {
    UndoError::Store { place: place.display().to_string(), reason: error.to_string() }
}
