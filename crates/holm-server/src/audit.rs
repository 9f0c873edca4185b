//! The audit log: one line for every request that changes something or was refused. It contains no
//! message content.
//!
//! A full file is rotated, and the oldest ones are deleted, so that repeated requests cannot fill
//! the disk.
//!
//! Which requests are logged is decided in `request_guard.rs` and `routes/hooks.rs`. Who may read
//! the log is decided in `routes/admin.rs`.

use std::{
    collections::VecDeque,
    fs, io,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use futures::{Stream, stream};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ServerError, auth::AuthenticatedUser};

const FILE: &str = "audit.jsonl";
/// Bytes after which a file is rotated: some hundred thousand lines, which an
/// editor can still open.
const FULL: u64 = 32 * 1024 * 1024;
/// Rotated files that are kept: a quarter of a gigabyte in all, years for a small team.
const KEPT: u32 = 7;
/// Bytes that an export reads at a time.
const PIECE: u64 = 64 * 1024;
/// The longest path in an entry. A longer one is an attack, and its beginning shows that.
const LONGEST: usize = 256;

/// The audit log. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct AuditLog {
    path: PathBuf,
    full: u64,
    file: Arc<Mutex<AuditFile>>,
}

/// The file that is being written.
#[derive(Debug)]
struct AuditFile {
    file: fs::File,
    size: u64,
}

/// A snapshot of the whole log, oldest lines first.
#[derive(Debug)]
pub struct AuditExport(VecDeque<io::Take<fs::File>>);

impl AuditExport {
    /// The log in pieces, each read on demand.
    pub fn pieces(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        stream::try_unfold(self, |mut export| async move {
            let read = tokio::task::spawn_blocking(move || {
                let chunk = export.piece()?;
                Ok::<_, io::Error>(chunk.map(|chunk| (chunk, export)))
            });
            read.await.unwrap_or_else(|error| Err(io::Error::other(error)))
        })
    }

    fn piece(&mut self) -> io::Result<Option<Bytes>> {
        while let Some(file) = self.0.front_mut() {
            let mut chunk = Vec::new();
            if file.by_ref().take(PIECE).read_to_end(&mut chunk)? > 0 {
                return Ok(Some(chunk.into()));
            }
            self.0.pop_front();
        }
        Ok(None)
    }
}

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditEntry {
    /// The time, in milliseconds since 1970.
    pub at: u64,
    /// The user; not set if the token is unknown.
    pub user: Option<String>,
    /// The number of the token.
    pub token: Option<u64>,
    /// The address of the client.
    pub from: String,
    pub method: String,
    /// The path, without its query.
    pub path: String,
    pub status: u16,
}

impl AuditEntry {
    /// An entry about a request, with the current time.
    pub(crate) fn new(
        who: Option<&AuthenticatedUser>,
        from: String,
        method: &http::Method,
        path: &str,
        status: u16,
    ) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            at: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            user: who.map(|who| who.user.to_string()),
            token: who.map(|who| who.token.value()),
            from,
            method: method.to_string(),
            path: path.chars().take(LONGEST).collect(),
            status,
        }
    }
}

impl AuditLog {
    /// Opens the log in a folder, or creates it, readable only by its owner.
    ///
    /// # Errors
    /// [`ServerError::File`] if the file cannot be opened.
    pub fn open(folder: &Path) -> Result<Self, ServerError> {
        Self::open_with(folder, FULL)
    }

    /// As `open`, with another file size.
    fn open_with(folder: &Path, full: u64) -> Result<Self, ServerError> {
        let path = folder.join(FILE);
        let file = AuditFile::open(&path).map_err(|error| ServerError::file(&path, &error))?;
        Ok(Self { path, full, file: Arc::new(Mutex::new(file)) })
    }

    /// Appends an entry to the log.
    ///
    /// # Errors
    /// [`ServerError::File`] if it cannot be written.
    pub async fn write(&self, entry: AuditEntry) -> Result<(), ServerError> {
        let log = self.clone();
        let written = tokio::task::spawn_blocking(move || log.append(&entry));
        match written.await {
            Ok(written) => written.map_err(|error| ServerError::file(&self.path, &error)),
            Err(error) => {
                Err(ServerError::File { place: self.path.display().to_string(), reason: error.to_string() })
            }
        }
    }

    /// The whole log, one entry per line.
    ///
    /// # Errors
    /// [`ServerError::File`] if a file cannot be read.
    pub async fn export(&self) -> Result<AuditExport, ServerError> {
        let log = self.clone();
        let opened = tokio::task::spawn_blocking(move || log.reading());
        let opened = opened.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        opened.map_err(|error| ServerError::file(&self.path, &error))
    }

    /// Opens all files at once, so that a later rotation does not disturb the export.
    fn reading(&self) -> io::Result<AuditExport> {
        let written = self.lock();
        let mut files = VecDeque::new();
        for number in (1..=KEPT).rev() {
            match fs::File::open(self.aside(number)) {
                Ok(file) => files.push_back(file.take(u64::MAX)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        // Only up to the current size, so that the export ends with a whole line.
        files.push_back(fs::File::open(&self.path)?.take(written.size));
        drop(written);
        Ok(AuditExport(files))
    }

    fn append(&self, entry: &AuditEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut written = self.lock();
        if written.size >= self.full {
            // If the rotation fails, the file keeps growing: a lost line is worse than a large
            // file.
            let _ = self.put_aside(&mut written);
        }
        if let Err(error) = written.file.write_all(&line) {
            // A partial line would spoil the next one.
            let _ = written.file.set_len(written.size);
            return Err(error);
        }
        written.size += line.len() as u64;
        Ok(())
    }

    /// Starts a new file. The numbers of older files increase by one, and the
    /// oldest file is deleted.
    ///
    /// No file is moved before the new one exists, and files beyond a free number stay. So failed
    /// attempts do not delete any log.
    fn put_aside(&self, written: &mut AuditFile) -> io::Result<()> {
        let next = self.path.with_file_name(format!("{FILE}.new"));
        let begun = AuditFile::open(&next)?;
        let free = (1..=KEPT).find(|number| !self.aside(*number).exists()).unwrap_or(KEPT);
        for number in (1..free).rev() {
            fs::rename(self.aside(number), self.aside(number + 1))?;
        }
        fs::rename(&self.path, self.aside(1))?;
        if let Err(error) = fs::rename(&next, &self.path) {
            fs::rename(self.aside(1), &self.path)?;
            return Err(error);
        }
        *written = begun;
        Ok(())
    }

    fn aside(&self, number: u32) -> PathBuf {
        self.path.with_file_name(format!("{FILE}.{number}"))
    }

    /// No change here can be left incomplete, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, AuditFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuditFile {
    fn open(path: &Path) -> io::Result<Self> {
        let mut options = fs::OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }
}

#[cfg(test)]
mod tests;
