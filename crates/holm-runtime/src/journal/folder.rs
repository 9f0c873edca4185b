//! Journals as files in a folder: for programs that want to read them with a text editor.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use holm_kernel::journal::{self, Fault, Tail};

use super::{Journal, JournalFailed, Journals, JsonLines, Opened, check_run_name, jsonl::SyncFailure};
use crate::{
    BoxFuture,
    private::{owner_only, owner_only_folder},
};

/// One file a run, `NAME.jsonl`, locked by whoever drives it.
///
/// A last line that a crash left unfinished is cut off when the journal is opened: nothing had been done about it. Any
/// other damage is refused, and nothing is cut without a person's decision. After a sync that failed, every later one
/// through this folder and its clones is refused.
///
/// ```
/// use holm_runtime::{Journals, JsonLinesFolder};
///
/// # let path = tempfile::tempdir()?;
/// # let path = path.path();
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let journals = JsonLinesFolder::new(path)?;
/// let _journal = journals.create("run-1").await?;
/// assert!(path.join("run-1.jsonl").exists());
/// # Ok::<(), holm_runtime::JournalFailed>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct JsonLinesFolder {
    folder: PathBuf,
    pub(super) failure: SyncFailure,
}

impl JsonLinesFolder {
    /// Uses a folder, and makes it if need be.
    ///
    /// # Errors
    /// [`JournalFailed::System`] when it cannot be made.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, JournalFailed> {
        let folder = folder.into();
        owner_only_folder(&folder)?;
        Ok(Self { folder, failure: SyncFailure::default() })
    }

    /// The names of the runs that have a file here, in order.
    ///
    /// # Errors
    /// [`JournalFailed::Unreadable`] when the folder cannot be read.
    pub fn runs(&self) -> Result<Vec<String>, JournalFailed> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| unreadable(&error))? {
            let name = entry.map_err(|error| unreadable(&error))?.file_name();
            let run = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            runs.extend(run.filter(|run| check_run_name(run).is_ok()).map(String::from));
        }
        runs.sort_unstable();
        Ok(runs)
    }

    fn path(&self, run: &str) -> Result<PathBuf, JournalFailed> {
        check_run_name(run)?;
        Ok(self.folder.join(format!("{run}.jsonl")))
    }
}

impl Journals for JsonLinesFolder {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalFailed>> {
        Box::pin(async move {
            let (path, folder, run) = (self.path(run)?, self.folder.clone(), run.to_owned());
            let file = off_the_loop(move || begin(&path, &folder, &run)).await?;
            Ok(Box::new(JsonLines::on(file, self.failure.clone())) as Box<dyn Journal>)
        })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Opened, JournalFailed>> {
        Box::pin(async move {
            let (path, run) = (self.path(run)?, run.to_owned());
            let (text, file) = off_the_loop(move || take_over(&path, &run)).await?;
            Ok(Opened { snapshot: None, text, journal: Box::new(JsonLines::on(file, self.failure.clone())) })
        })
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalFailed>> {
        Box::pin(async move {
            let (path, run) = (self.path(run)?, run.to_owned());
            off_the_loop(move || fs::read(path).map_err(|error| missing(&error, &run))).await
        })
    }
}

/// Makes the file, and syncs the folder: a journal that is gone after a power loss has lost everything. An empty file
/// that nobody holds is what is left of somebody who died before the first record; its name is free.
fn begin(path: &Path, folder: &Path, run: &str) -> Result<File, JournalFailed> {
    let exists = || JournalFailed::Exists { run: run.into() };
    let file = owner_only(path, OpenOptions::new().append(true).create(true))?;
    lock(&file, run).map_err(|_| exists())?;
    if file.metadata()?.len() > 0 {
        return Err(exists());
    }
    File::open(folder)?.sync_all()?;
    Ok(file)
}

/// Locks the file, reads it, and cuts off what a crash left unfinished.
fn take_over(path: &Path, run: &str) -> Result<(Vec<u8>, File), JournalFailed> {
    let opened = OpenOptions::new().read(true).append(true).open(path);
    let mut file = opened.map_err(|error| match error.kind() {
        ErrorKind::NotFound => JournalFailed::Missing { run: run.into() },
        _ => error.into(),
    })?;
    lock(&file, run)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    let damaged =
        |error: &journal::JournalError| JournalFailed::Damaged { run: run.into(), reason: error.to_string() };
    match journal::decode(&text).map_err(|error| damaged(&error))?.tail {
        Tail::Clean => {}
        Tail::Torn(error) if error.fault == Fault::Unfinished => {
            file.set_len(error.at_byte)?;
            file.sync_all()?;
            text.truncate(usize::try_from(error.at_byte).unwrap_or(usize::MAX));
        }
        // It was whole once, so it may have been acted on.
        Tail::Torn(error) => return Err(damaged(&error)),
    }
    Ok((text, file))
}

/// The lock goes with the open file, so a process that dies holds none.
fn lock(file: &File, run: &str) -> Result<(), JournalFailed> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(JournalFailed::Busy { run: run.into(), holder: "whoever has its file locked".into() })
        }
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn missing(error: &std::io::Error, run: &str) -> JournalFailed {
    match error.kind() {
        ErrorKind::NotFound => JournalFailed::Missing { run: run.into() },
        _ => unreadable(error),
    }
}

fn unreadable(error: &std::io::Error) -> JournalFailed {
    JournalFailed::Unreadable { reason: error.to_string() }
}

/// Runs what may wait for a disk where it holds nobody up.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JournalFailed> + Send + 'static,
) -> Result<T, JournalFailed> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(JournalFailed::System { reason: error.to_string() }),
    }
}
