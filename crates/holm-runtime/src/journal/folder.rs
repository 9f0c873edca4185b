//! Stores journals as files in a folder, which can be read with a text editor.
//!
//! It creates, locks, opens and reads the files; appending to one is in `journal/jsonl.rs`. A line
//! that a crash left unfinished is cut when a journal is opened, because it had no effects yet. Any
//! other damage is refused and nothing is cut: it may have had effects. The folder is synced when a
//! file is created, because a journal that disappears has lost everything. Databases are in
//! `holm-store`.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use holm_kernel::journal::{self, JournalFault, JournalTail, MAX_LINE_BYTES, Snapshot};

use super::{
    Journal, JournalLines, JournalStorageError, JournalStore, JsonLinesJournal, OpenedJournal,
    check_run_name,
    jsonl::{SyncFailure, read_snapshot},
};
use crate::{
    BoxFuture,
    private_files::{owner_only, owner_only_folder},
};

/// One file per run, `NAME.jsonl`, locked by the process that drives the run.
///
/// A last line that a crash left unfinished is cut off when the journal is opened: it had no
/// effects yet. Any other damage is refused, and nothing is cut without a person's decision. After
/// a failed sync, every later one through this folder and its clones is refused.
///
/// A long journal has a snapshot next to it, `NAME.snapshot`: the state at one of its records.
/// Opening the journal then reads only the lines after that record. The snapshot is a cache;
/// deleting a journal deletes it too.
///
/// ```
/// use holm_runtime::{JournalStore, JsonLinesFolder};
///
/// # let path = tempfile::tempdir()?;
/// # let path = path.path();
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let journals = JsonLinesFolder::new(path)?;
/// let _journal = journals.create("run-1").await?;
/// assert!(path.join("run-1.jsonl").exists());
/// # Ok::<(), holm_runtime::JournalStorageError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct JsonLinesFolder {
    folder: PathBuf,
    pub(super) failure: SyncFailure,
}

impl JsonLinesFolder {
    /// Uses a folder, and creates it if necessary.
    ///
    /// # Errors
    /// [`JournalStorageError::System`] if it cannot be created.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, JournalStorageError> {
        let folder = folder.into();
        owner_only_folder(&folder)?;
        Ok(Self { folder, failure: SyncFailure::default() })
    }

    /// The names of the runs that have a file here, in order.
    ///
    /// # Errors
    /// [`JournalStorageError::Unreadable`] if the folder cannot be read.
    pub fn runs(&self) -> Result<Vec<String>, JournalStorageError> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| unreadable(&error))? {
            let name = entry.map_err(|error| unreadable(&error))?.file_name();
            let run = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            runs.extend(run.filter(|run| check_run_name(run).is_ok()).map(String::from));
        }
        runs.sort_unstable();
        Ok(runs)
    }

    fn path(&self, run: &str) -> Result<PathBuf, JournalStorageError> {
        check_run_name(run)?;
        Ok(self.folder.join(format!("{run}.jsonl")))
    }
}

impl JournalStore for JsonLinesFolder {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        Box::pin(async move {
            let (path, folder, run) = (self.path(run)?, self.folder.clone(), run.to_owned());
            let kept = snapshot_path(&path);
            let file = off_the_loop(move || begin(&path, &folder, &run)).await?;
            Ok(Box::new(JsonLinesJournal::on(file, self.failure.clone()).with_snapshots(kept, 0))
                as Box<dyn Journal>)
        })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        Box::pin(async move {
            let (path, run) = (self.path(run)?, run.to_owned());
            let kept = snapshot_path(&path);
            let LockedJournalFile { snapshot, text, rest, file, length } =
                off_the_loop(move || take_over(&path, &run)).await?;
            let rest = rest.map(|rest| Box::new(rest) as Box<dyn JournalLines>);
            let journal = JsonLinesJournal::on(file, self.failure.clone()).with_snapshots(kept, length);
            Ok(OpenedJournal { snapshot, text, rest, journal: Box::new(journal) })
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        Box::pin(async move {
            let (path, run) = (self.path(run)?, run.to_owned());
            off_the_loop(move || fs::read(path).map_err(|error| missing(&error, &run))).await
        })
    }

    fn read_lines<'a>(
        &'a self,
        run: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn JournalLines>, JournalStorageError>> {
        Box::pin(async move {
            let (path, run) = (self.path(run)?, run.to_owned());
            let file = off_the_loop(move || File::open(path).map_err(|error| missing(&error, &run))).await?;
            Ok(Box::new(FileLineReader::new(file)) as Box<dyn JournalLines>)
        })
    }
}

/// How much of a file is read at once.
const AT_ONCE: u64 = 1 << 20;

/// Reads a file, some lines at a time.
struct FileLineReader {
    file: Option<File>,
    /// The beginning of a line whose end was not read yet.
    held: Vec<u8>,
    /// A failed read. It is repeated, because a reader that continues must not mistake the
    /// rest for the end.
    failed: Option<JournalStorageError>,
}

impl FileLineReader {
    fn new(file: File) -> Self {
        Self { file: Some(file), held: Vec::new(), failed: None }
    }

    /// The next lines. What follows the last line end comes last; the caller decides whether
    /// it is a record.
    fn read(&mut self) -> Result<Option<Vec<u8>>, JournalStorageError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let read = self.read_on();
        self.failed = read.as_ref().err().cloned();
        read
    }

    fn read_on(&mut self) -> Result<Option<Vec<u8>>, JournalStorageError> {
        let mut text = std::mem::take(&mut self.held);
        while let Some(file) = &mut self.file {
            let read =
                file.by_ref().take(AT_ONCE).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
            if read == 0 {
                self.file = None;
                break;
            }
            if let Some(end) = text.iter().rposition(|byte| *byte == b'\n') {
                self.held = text.split_off(end + 1);
                break;
            }
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }
}

impl JournalLines for FileLineReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, JournalStorageError>> {
        Box::pin(async move {
            let mut lines = Self {
                file: self.file.take(),
                held: std::mem::take(&mut self.held),
                failed: self.failed.clone(),
            };
            let (lines, read) = off_the_loop(move || {
                let read = lines.read();
                Ok((lines, read))
            })
            .await?;
            *self = lines;
            read
        })
    }
}

/// Where the snapshot of a journal is kept.
fn snapshot_path(path: &Path) -> PathBuf {
    path.with_extension("snapshot")
}

/// Creates the file and syncs the folder: a journal that disappears in a power loss has lost
/// everything. An empty file without a lock was left by a process that died before the first
/// record; its name is free.
fn begin(path: &Path, folder: &Path, run: &str) -> Result<File, JournalStorageError> {
    let exists = || JournalStorageError::Exists { run: run.into() };
    let file = owner_only(path, OpenOptions::new().append(true).create(true))?;
    lock(&file, run).map_err(|_| exists())?;
    if file.metadata()?.len() > 0 {
        return Err(exists());
    }
    File::open(folder)?.sync_all()?;
    Ok(file)
}

/// A journal file that is locked.
struct LockedJournalFile {
    snapshot: Option<Snapshot>,
    text: Vec<u8>,
    rest: Option<FileLineReader>,
    file: File,
    /// Bytes of its whole lines.
    length: u64,
}

/// Locks the file and cuts off an unfinished line. With a snapshot, only the lines from its record
/// on are read; otherwise all lines are checked, and returned some at a time.
fn take_over(path: &Path, run: &str) -> Result<LockedJournalFile, JournalStorageError> {
    let opened = OpenOptions::new().read(true).append(true).open(path);
    let mut file = opened.map_err(|error| match error.kind() {
        ErrorKind::NotFound => JournalStorageError::Missing { run: run.into() },
        _ => error.into(),
    })?;
    lock(&file, run)?;
    if let Some((snapshot, text, length)) = after_snapshot(&mut file, &snapshot_path(path))? {
        return Ok(LockedJournalFile { snapshot: Some(snapshot), text, rest: None, file, length });
    }
    let length = check(&mut file, run)?;
    file.rewind().map_err(|error| unreadable(&error))?;
    let mut lines = FileLineReader::new(file.try_clone()?);
    let text = lines.read()?.unwrap_or_default();
    Ok(LockedJournalFile { snapshot: None, text, rest: Some(lines), file, length })
}

/// The snapshot of a journal, the lines from its record on, and the file's length; `None` if the
/// snapshot does not fit this file.
fn after_snapshot(
    file: &mut File,
    kept: &Path,
) -> Result<Option<(Snapshot, Vec<u8>, u64)>, JournalStorageError> {
    let Some((line, snapshot)) = read_snapshot(kept) else { return Ok(None) };
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(line)).map_err(|error| unreadable(&error))?;
    file.read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    let complete_len = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let torn = text.split_off(complete_len).len();
    // The reader of all lines reports damage.
    if torn as u64 > MAX_LINE_BYTES || journal::decode_after(snapshot.head(), &text).is_err() {
        return Ok(None);
    }
    let length = line + complete_len as u64;
    if torn > 0 {
        file.set_len(length)?;
        file.sync_all()?;
    }
    Ok(Some((snapshot, text, length)))
}

/// Checks all lines and cuts off an unfinished one; returns the remaining length.
fn check(file: &mut File, run: &str) -> Result<u64, JournalStorageError> {
    let damaged = |error: &journal::JournalError| JournalStorageError::Damaged {
        run: run.into(),
        reason: error.to_string(),
    };
    let (mut reader, mut records, mut length) = (journal::JournalReader::new(), Vec::new(), 0_u64);
    file.rewind().map_err(|error| unreadable(&error))?;
    let mut text = Vec::new();
    loop {
        text.clear();
        let read = file.by_ref().take(AT_ONCE).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
        if read == 0 {
            break;
        }
        length += read as u64;
        reader.feed(&text, &mut records).map_err(|error| damaged(&error))?;
        records.clear();
    }
    match reader.finish().map_err(|error| damaged(&error))? {
        JournalTail::Clean => Ok(length),
        JournalTail::Torn(error) if error.fault == JournalFault::Unfinished => {
            file.set_len(error.at_byte)?;
            file.sync_all()?;
            Ok(error.at_byte)
        }
        // The line was complete once, so it may have had effects.
        JournalTail::Torn(error) => Err(damaged(&error)),
    }
}

/// The lock belongs to the open file, so a dead process holds none.
fn lock(file: &File, run: &str) -> Result<(), JournalStorageError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalStorageError::Busy {
            run: run.into(),
            holder: "the process that has its file locked".into(),
        }),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn missing(error: &std::io::Error, run: &str) -> JournalStorageError {
    match error.kind() {
        ErrorKind::NotFound => JournalStorageError::Missing { run: run.into() },
        _ => unreadable(error),
    }
}

fn unreadable(error: &std::io::Error) -> JournalStorageError {
    JournalStorageError::Unreadable { reason: error.to_string() }
}

/// Runs disk work on a blocking thread.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JournalStorageError> + Send + 'static,
) -> Result<T, JournalStorageError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(JournalStorageError::System { reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_read_is_not_followed_by_a_clean_end() {
        // A folder opens as a file, and cannot be read.
        let mut lines = FileLineReader::new(File::open(std::env::temp_dir()).unwrap());
        let first = lines.read().unwrap_err();
        assert_eq!(lines.read(), Err(first));
    }
}
