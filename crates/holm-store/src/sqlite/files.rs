//! Files that only their owner can read, and the large results among them.
//!
//! A result is written, synced, renamed, and its folder is synced, in this order: it is there whole
//! or not at all, and before anything refers to it. Which run refers to it is in the database
//! (`sqlite/queries.rs`); a result without a reference is removed in `sqlite/backend.rs`. Names and
//! encryption are chosen in `store/blobs.rs`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{StoreError, backend::BlobStamp, error, vault::token};

/// Makes a folder for its owner alone, if it is not there.
pub(super) fn make_folder(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path).map_err(|error| error::at(path, &error))
}

/// Makes a new file for its owner alone.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes the names in a folder survive a loss of power.
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    // Only Unix has folders that can be synced.
    if cfg!(unix) {
        File::open(path).and_then(|folder| folder.sync_all()).map_err(|error| error::at(path, &error))?;
    }
    Ok(())
}

/// The suffix of a result that is still being written.
const UNFINISHED: &str = ".part";

/// Large results, a file each, in 256 folders.
pub(super) struct BlobFolder(PathBuf);

impl BlobFolder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Writes a result and syncs it and its name. It appears whole or not at all. Until then its
    /// file is named after `writer`, the token of the process's lock, so that others can see
    /// whether it may still be finished.
    pub(super) fn keep(&self, name: &str, bytes: &[u8], writer: &str) -> Result<(), StoreError> {
        let path = self.path(name);
        if path.metadata().is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.0);
        if !folder.exists() {
            make_folder(folder)?;
            sync_folder(&self.0)?;
            if let Some(above) = self.0.parent() {
                sync_folder(above)?;
            }
        }
        let unfinished = folder.join(format!("{writer}.{}{UNFINISHED}", token()?));
        let written = write_synced(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, &path));
        if let Err(error) = written {
            let _ = fs::remove_file(&unfinished);
            return Err(error::at(&path, &error));
        }
        sync_folder(folder)
    }

    pub(super) fn stamp(&self, name: &str) -> Result<Option<BlobStamp>, StoreError> {
        let path = self.path(name);
        match path.metadata() {
            Ok(found) => Ok(Some(BlobStamp { length: found.len(), changed: changed(&found) })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error::at(&path, &error)),
        }
    }

    pub(super) fn read(&self, name: &str, range: &Range<u64>) -> Result<Vec<u8>, StoreError> {
        let path = self.path(name);
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|mut file| {
                file.seek(SeekFrom::Start(range.start))?;
                file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)
            })
            .map_err(|error| error::at(&path, &error))?;
        Ok(bytes)
    }

    /// Copies a result into another folder, synced. Returns its size, or `None` if it is gone.
    pub(super) fn copy_to(&self, name: &str, other: &Self) -> Result<Option<u64>, StoreError> {
        let (from, to) = (self.path(name), other.path(name));
        let mut source = match File::open(&from) {
            Ok(source) => source,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error::at(&from, &error)),
        };
        let folder = to.parent().unwrap_or(&other.0);
        make_folder(folder)?;
        let copied = create_new(&to).and_then(|mut copy| {
            let length = io::copy(&mut source, &mut copy)?;
            copy.sync_all()?;
            Ok(length)
        });
        let length = copied.map_err(|error| error::at(&to, &error))?;
        sync_folder(folder)?;
        Ok(Some(length))
    }

    /// Removes a result; one that is gone is gone.
    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        remove_file(&self.path(name))
    }

    /// Every file, those that were never finished too.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(&self.0).into_iter().flatten().flatten();
        folders.flat_map(|folder| list(&folder.path())).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name.get(..2).unwrap_or("00")).join(name)
    }
}

/// Removes a file by its path; one that is gone is gone.
pub(super) fn remove_file(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error::at(path, &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The token of the process that was writing an unfinished result; none for a
/// file that is finished.
pub(super) fn writer_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?.strip_suffix(UNFINISHED)?;
    name.split_once('.').map(|(writer, _)| writer)
}

/// The files of a folder.
pub(super) fn list(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A stamp that changes whenever a file's bytes do, as far as the system can tell.
fn changed(found: &fs::Metadata) -> Option<(u64, u64)> {
    let since = found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((since.as_secs(), u64::from(since.subsec_nanos())))
}
