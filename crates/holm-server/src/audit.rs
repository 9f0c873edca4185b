//! Who did what: one line for every request that changes something or was turned away. Nothing of what was said is in it.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ServerError, auth::Who};

/// The file.
const FILE: &str = "audit.jsonl";
/// The longest path that is written down; a longer one is an attack, and its beginning says so.
const LONGEST: usize = 256;

/// The audit log. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct Audit {
    place: PathBuf,
    file: Arc<Mutex<fs::File>>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entry {
    /// Milliseconds since 1970.
    pub at: u64,
    /// Who; none whose token nobody knows.
    pub user: Option<String>,
    /// By which token.
    pub token: Option<u64>,
    /// From which address.
    pub from: String,
    /// What was done.
    pub method: String,
    /// With what; without its query.
    pub path: String,
    /// What came of it.
    pub status: u16,
}

impl Entry {
    /// A line about a request, now.
    pub(crate) fn new(
        who: Option<&Who>,
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

impl Audit {
    /// Opens the log of a folder, or makes it, for its owner alone.
    ///
    /// # Errors
    /// [`ServerError::File`].
    pub fn open(folder: &Path) -> Result<Self, ServerError> {
        let place = folder.join(FILE);
        let mut options = fs::OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(&place).map_err(|error| ServerError::file(&place, &error))?;
        Ok(Self { place, file: Arc::new(Mutex::new(file)) })
    }

    /// Writes a line.
    ///
    /// # Errors
    /// [`ServerError::File`] if it cannot be written.
    pub async fn write(&self, entry: Entry) -> Result<(), ServerError> {
        let log = self.clone();
        let written = tokio::task::spawn_blocking(move || log.append(&entry));
        match written.await {
            Ok(written) => written.map_err(|error| ServerError::file(&self.place, &error)),
            Err(error) => {
                Err(ServerError::File { place: self.place.display().to_string(), reason: error.to_string() })
            }
        }
    }

    /// The whole log, a line an entry.
    ///
    /// # Errors
    /// [`ServerError::File`].
    pub async fn export(&self) -> Result<Vec<u8>, ServerError> {
        let place = self.place.clone();
        let read = tokio::task::spawn_blocking(move || {
            fs::read(&place).map_err(|error| ServerError::file(&place, &error))
        });
        read.await.unwrap_or_else(|error| {
            Err(ServerError::File { place: self.place.display().to_string(), reason: error.to_string() })
        })
    }

    fn append(&self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        // One write a line, so that lines of two processes do not mix.
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
    }
}
