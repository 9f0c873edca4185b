//! Copies a consistent snapshot of the whole store, while it is in use.
//!
//! The database is copied first, in one read transaction, then the large results that it refers to.
//! Those are written before anything refers to them, so they exist. A missing one was erased
//! meanwhile, with its session. The copy then starts again, because erased data must not live on in
//! it.
//!
//! The public method is in `store/copy.rs`. An existing file or folder is never written over.
//! PostgreSQL has its own tools for this.

use std::{fs, io, path::Path};

use super::{BlobFolder, READ_PATIENCE, SqliteDatabase, connect, failed, files, sibling};
use crate::{StoreError, backend::CopySummary, error};

/// How often a copy is restarted because a session was erased meanwhile.
const TRIES: u32 = 5;

/// Copies the whole store to a path where nothing exists yet.
pub(super) fn copy_to(db: &SqliteDatabase, to: &Path) -> Result<CopySummary, StoreError> {
    let results = sibling(to, "blobs");
    if results.exists() {
        return Err(error::at(&results, &io::Error::from(io::ErrorKind::AlreadyExists)));
    }
    files::create_new(to).map_err(|error| error::at(to, &error))?;
    for _ in 0..TRIES {
        if let Some(copied) = copy(db, to, &results)? {
            files::sync_folder(
                to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
            )?;
            return Ok(copied);
        }
        // Emptied, not removed: the place stays ours.
        fs::write(to, []).map_err(|error| error::at(to, &error))?;
        if results.exists() {
            fs::remove_dir_all(&results).map_err(|error| error::at(&results, &error))?;
        }
    }
    Err(StoreError::System {
        reason: "sessions are erased faster than the store can be copied; try again".into(),
    })
}

/// Returns `None` if a file that the copy refers to is gone.
fn copy(db: &SqliteDatabase, to: &Path, results: &Path) -> Result<Option<CopySummary>, StoreError> {
    let Some(target) = to.to_str() else {
        return Err(StoreError::System { reason: "the path of the copy is not valid UTF-8".into() });
    };
    let conn = db.target.connect(&db.path)?;
    conn.busy_timeout(READ_PATIENCE).map_err(failed)?;
    // Into an existing empty file that only its owner can read; SQLite would create one that others
    // can read.
    conn.execute("VACUUM INTO ?1", [target]).map_err(failed)?;
    let written = fs::File::open(to).and_then(|file| file.sync_all().and_then(|()| file.metadata()));
    let mut bytes = written.map_err(|error| error::at(to, &error))?.len();
    let names = referred(to)?;
    let copies = BlobFolder::new(results.to_owned());
    for name in &names {
        match db.blobs.copy_to(name, &copies)? {
            Some(length) => bytes = bytes.saturating_add(length),
            None => return Ok(None),
        }
    }
    Ok(Some(CopySummary { bytes, results: names.len() as u64 }))
}

/// The large results that a copy refers to.
fn referred(copy: &Path) -> Result<Vec<String>, StoreError> {
    let conn = connect(copy)?;
    let mut statement = conn.prepare("SELECT DISTINCT file FROM blobs ORDER BY file").map_err(failed)?;
    let names = statement.query_map([], |row| row.get(0));
    names.and_then(Iterator::collect).map_err(failed)
}
