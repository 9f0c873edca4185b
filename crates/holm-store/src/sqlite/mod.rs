//! SQLite: the database that needs no server.
//!
//! This file opens and configures the connections and translates errors. `synchronous = NORMAL`
//! without automatic checkpoints is safe only because `sqlite/committer.rs` syncs and moves the
//! log: change both or neither. `secure_delete` must stay on, because erasure depends on it
//! (`sessions/retention.rs`).
//!
//! Where things are:
//!
//! - `sqlite/backend.rs`: the operations of the store.
//! - `sqlite/queries.rs`: their SQL.
//! - `sqlite/jobs.rs`, `sqlite/notes.rs`: jobs and notes.
//! - `sqlite/schema.rs`: the tables.
//! - `sqlite/writer.rs`: the connection that writes.
//! - `sqlite/committer.rs`: appends in groups, and syncs.
//! - `sqlite/leases.rs`: who may drive a run.
//! - `sqlite/liveness_lock.rs`: which stores are alive.
//! - `sqlite/files.rs`: files and large results.
//! - `sqlite/copy.rs`: a copy of the whole store.
//! - `sqlite/memory_copy.rs`: a copy in memory, to read what cannot be written.

mod backend;
mod committer;
mod copy;
mod files;
mod jobs;
mod leases;
mod liveness_lock;
mod memory_copy;
mod notes;
mod queries;
mod schema;
mod writer;

#[cfg(test)]
mod tests;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, ffi};

use crate::{StoreError, backend::StoreCounters, error, sessions::blocking};
use committer::{CommitWorker, SqliteCommitter};
use files::BlobFolder;
use leases::{SqliteLeases, release};
use liveness_lock::LivenessLock;
use memory_copy::DatabaseTarget;
use writer::{SqliteWriter, patiently};

/// Connections for reading that are kept for the next question.
const READERS: usize = 4;

/// How long a reader waits; readers wait only while the log is being recovered or emptied.
const READ_PATIENCE: Duration = Duration::from_secs(10);

/// SQLite's own page size, which `max_bytes` is counted in.
const PAGE: u64 = 4_096;

/// The size to which the log's file is cut when it is restarted: a burst must
/// not hold the space forever.
const LOG_LIMIT: i64 = 32 * 1024 * 1024;

/// A store in one SQLite file, with folders next to it for large results and for locks.
///
/// Fields are dropped in this order: the committer ends first, the connections next, the lock last.
pub(crate) struct SqliteBackend {
    committer: SqliteCommitter,
    db: Arc<SqliteDatabase>,
    leases: Arc<SqliteLeases>,
    counters: Arc<StoreCounters>,
}

/// The data that blocking threads work with.
struct SqliteDatabase {
    path: PathBuf,
    target: DatabaseTarget,
    writer: Arc<SqliteWriter>,
    readers: Mutex<Vec<Connection>>,
    blobs: BlobFolder,
    holder: LivenessLock,
}

impl SqliteBackend {
    pub(crate) async fn open(path: PathBuf, max_bytes: Option<u64>) -> Result<Self, StoreError> {
        blocking(move || Self::open_now(path, max_bytes)).await
    }

    fn open_now(path: PathBuf, max_bytes: Option<u64>) -> Result<Self, StoreError> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        };
        files::make_folder(folder)?;
        // Created here, so that other users cannot read it. The log takes over the database's
        // permissions.
        match files::create_new(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(error::at(&path, &error));
            }
            Ok(_) | Err(_) => {}
        }
        let writer = connect(&path)?;
        set_up(&writer, &path, max_bytes)?;
        files::sync_folder(folder)?;
        let holder = LivenessLock::new(sibling(&path, "locks"))?;
        Self::start(path, DatabaseTarget::File, writer, holder)
    }

    /// Opens a copy in memory of the store at `path`, without writing anything there.
    pub(crate) async fn memory_copy(path: PathBuf) -> Result<Self, StoreError> {
        blocking(move || {
            let target = DatabaseTarget::new_memory()?;
            let writer = target.connect(&path)?;
            if let DatabaseTarget::Memory { uri } = &target {
                memory_copy::fill(uri, &path).map_err(|error| placed(error, &path))?;
            }
            set_up(&writer, &path, None)?;
            let holder = LivenessLock::not_held(sibling(&path, "locks"));
            Self::start(path, target, writer, holder)
        })
        .await
    }

    fn start(
        path: PathBuf,
        target: DatabaseTarget,
        writer: Connection,
        holder: LivenessLock,
    ) -> Result<Self, StoreError> {
        let writer = Arc::new(SqliteWriter::new(writer));
        let counters = Arc::<StoreCounters>::default();
        let work = CommitWorker {
            writer: Arc::clone(&writer),
            log: log_of(&path),
            unsynced: None,
            counters: Arc::clone(&counters),
            copier: target.connect(&path)?,
            copies: 0,
        };
        let committer = SqliteCommitter::start(work)?;
        let blobs = BlobFolder::new(sibling(&path, "blobs"));
        let db = SqliteDatabase { path, target, writer, readers: Mutex::default(), blobs, holder };
        Ok(Self { committer, db: Arc::new(db), leases: Arc::default(), counters })
    }
}

impl SqliteDatabase {
    /// Reads from one state of the database, while another connection may write.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => prepared(self.target.connect(&self.path)?)?,
        };
        let tx = conn.unchecked_transaction().map_err(failed)?;
        let value = work(&tx)?;
        tx.commit().map_err(failed)?;
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < READERS {
            readers.push(conn);
        }
        Ok(value)
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut all = vec![self.path.clone(), log_of(&self.path), suffixed(&self.path, "-shm")];
        all.retain(|path| path.exists());
        all.extend(files::list(&sibling(&self.path, "locks")));
        all.extend(self.blobs.files());
        all
    }
}

/// Checks that an existing database is intact and is a store. Reads it whole and changes nothing,
/// also if it cannot be written.
pub(crate) async fn check(path: PathBuf) -> Result<(), StoreError> {
    blocking(move || {
        let usual = connect(&path).and_then(prepared).and_then(memory_copy::tried);
        let conn = match usual {
            Err(StoreError::ReadOnly { .. } | StoreError::Full) => memory_copy::source(&path),
            usual => usual,
        };
        let conn = conn.map_err(|error| placed(error, &path))?;
        let result = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        let result = result.map_err(|error| placed(failed(error), &path))?;
        match result.as_str() {
            "ok" => schema::check(&conn, &path),
            _ => Err(StoreError::System { reason: format!("it is damaged: {}", result.trim()) }),
        }
    })
    .await
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    DatabaseTarget::File.connect(path).map_err(|error| placed(error, path))
}

/// Prepares a connection that reads.
fn prepared(conn: Connection) -> Result<Connection, StoreError> {
    conn.busy_timeout(READ_PATIENCE).map_err(failed)?;
    conn.pragma_update(None, "query_only", true).map_err(failed)?;
    conn.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    Ok(conn)
}

/// Prepares the connection that writes. Only the migration syncs by itself; see the
/// committer for the rest.
fn set_up(conn: &Connection, path: &Path, max_bytes: Option<u64>) -> Result<(), StoreError> {
    let foreign = |error| placed(error, path);
    conn.busy_timeout(Duration::ZERO).map_err(failed)?;
    for (name, value) in [("secure_delete", "ON"), ("trusted_schema", "OFF"), ("temp_store", "MEMORY")] {
        patiently(|| Ok(conn.pragma_update(None, name, value)?)).map_err(foreign)?;
    }
    patiently(|| Ok(conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?))
        .map_err(foreign)?;
    conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    conn.busy_timeout(READ_PATIENCE).map_err(failed)?;
    schema::migrate(conn, path).map_err(foreign)?;
    conn.busy_timeout(Duration::ZERO).map_err(failed)?;
    conn.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    conn.pragma_update(None, "wal_autocheckpoint", 0).map_err(failed)?;
    conn.pragma_update_and_check(None, "journal_size_limit", LOG_LIMIT, |_| Ok(())).map_err(failed)?;
    if let Some(bytes) = max_bytes {
        let pages = i64::try_from((bytes / PAGE).max(1)).unwrap_or(i64::MAX);
        conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).map_err(failed)?;
    }
    Ok(())
}

/// Translates an error of SQLite into one of the store.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn failed(error: rusqlite::Error) -> StoreError {
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        // There is no space for the shared memory next to the database.
        Some(ErrorCode::SystemIoFailure) if is_out_of_room(&error) => StoreError::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { place: "the database".into(), reason }
        }
        Some(ErrorCode::NotADatabase) => StoreError::Foreign { place: "the file".into() },
        Some(ErrorCode::ConstraintViolation) => StoreError::System {
            reason: "a record with that number already exists; read the journal again".into(),
        },
        _ => StoreError::System { reason },
    }
}

fn is_out_of_room(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_SHMSIZE)
}

/// Adds the path of a file that is not a database of Holm or cannot be opened.
fn placed(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::ReadOnly { reason, .. } => {
            StoreError::ReadOnly { place: path.display().to_string(), reason }
        }
        StoreError::Foreign { .. } => StoreError::Foreign { place: path.display().to_string() },
        other => other,
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn log_of(path: &Path) -> PathBuf {
    suffixed(path, "-wal")
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    suffixed(path, &format!(".{suffix}"))
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
