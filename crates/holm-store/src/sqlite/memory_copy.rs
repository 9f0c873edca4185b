//! Reads a database that cannot be written, because its disk is full or its folder is read-only.
//!
//! SQLite needs a log and shared memory next to the file even to read it. So the database is copied
//! into memory, and lists and sums are computed there as usual. Changes to the copy are lost with
//! it. The file itself, its log and its locks are only read. Large results stay in their folder.
//!
//! A log that a crash has left is part of the database, so it is read too. Other processes can be
//! writing only if SQLite can open the file with its locks, and that is tried first.
//!
//! When a copy is used is decided in `sqlite/mod.rs`. A copy for a backup is a different thing
//! (`sqlite/copy.rs`).

use std::{fs, io, path::Path};

use rusqlite::{Connection, OpenFlags};

use super::{READ_PATIENCE, failed, log_of};
use crate::{StoreError, error, vault::token};

/// What the connections of a store open.
pub(super) enum DatabaseTarget {
    /// The file at the store's path.
    File,
    /// A database in memory that all connections of this process to the same address share. It ends
    /// with the last of them.
    Memory { uri: String },
}

impl DatabaseTarget {
    /// An address in memory where no database is yet.
    pub(super) fn new_memory() -> Result<Self, StoreError> {
        // The slash makes connections share it.
        Ok(Self::Memory { uri: format!("file:/holm-{}?vfs=memdb", token()?) })
    }

    pub(super) fn connect(&self, path: &Path) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self {
            Self::File => Connection::open_with_flags(path, flags),
            Self::Memory { uri } => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_CREATE;
                Connection::open_with_flags(uri, flags)
            }
        }
        .map_err(failed)
    }
}

/// Copies the database at `path` into the memory at `uri`, which a connection already holds. A
/// missing or empty file gives an empty database.
pub(super) fn fill(uri: &str, path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(found) if found.len() == 0 => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error::at(path, &error)),
    }
    source(path)?.execute("VACUUM INTO ?1", [uri]).map_err(failed)?;
    Ok(())
}

/// A connection that reads the database at `path` and needs to write nothing.
pub(super) fn source(path: &Path) -> Result<Connection, StoreError> {
    let usual = open(path, "mode=ro");
    if usual.is_ok() {
        return usual;
    }
    let has_log = fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0);
    if has_log && cfg!(unix) { open_with_log(path) } else { open(path, "immutable=1") }
}

/// Reads a log without shared memory: the index of the log is built in this process.
pub(super) fn open_with_log(path: &Path) -> Result<Connection, StoreError> {
    let conn = connect(path, "mode=ro&vfs=unix-none")?;
    conn.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(())).map_err(failed)?;
    tried(conn)
}

fn open(path: &Path, options: &str) -> Result<Connection, StoreError> {
    tried(connect(path, options)?)
}

fn connect(path: &Path, options: &str) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{}?{options}", escaped(path));
    let conn = Connection::open_with_flags(uri, flags).map_err(failed)?;
    conn.busy_timeout(READ_PATIENCE).map_err(failed)?;
    conn.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    Ok(conn)
}

/// Reads something, because SQLite opens the file and its log only then.
pub(super) fn tried(conn: Connection) -> Result<Connection, StoreError> {
    conn.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())).map_err(failed)?;
    Ok(conn)
}

/// A path as it is written in the address of a file.
fn escaped(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes();
    let written = bytes.iter().map(|byte| match byte {
        byte if plain(byte) => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    written.collect()
}
