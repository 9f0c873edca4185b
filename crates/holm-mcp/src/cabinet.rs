//! Small private files about servers: each of one server, and of one thing by whose hash it is told from others of that name.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use holm_tools::trust::ContentHash;

use crate::ServerName;

/// The largest file that is read: more than any list of an honest server, and no more than is read in a moment.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// How many letters of a hash are in a file's name: enough to tell the few of one server apart. Who must be sure writes all of it
/// into the file.
const SHORT: usize = 16;

/// A folder of such files. It need not be there yet.
#[derive(Debug, Clone)]
pub(crate) struct Cabinet {
    folder: PathBuf,
}

impl Cabinet {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where the file of a server and a hash lies.
    pub(crate) fn path(&self, server: &ServerName, of: &ContentHash) -> PathBuf {
        let hash = of.to_string();
        self.folder.join(format!("{server}-{}.json", hash.get(..SHORT).unwrap_or_default()))
    }

    /// What is in a file; nothing where it is not there, cannot be read or is too large.
    pub(crate) fn read(&self, server: &ServerName, of: &ContentHash) -> Option<Vec<u8>> {
        let path = self.path(server, of);
        if fs::metadata(&path).ok()?.len() > MAX_FILE {
            return None;
        }
        fs::read(path).ok()
    }

    /// Writes a file that only its owner reads, whole or not at all: another process may write the same.
    pub(crate) fn write(&self, server: &ServerName, of: &ContentHash, bytes: &[u8]) -> io::Result<()> {
        self.make()?;
        let mut tail = [0; 8];
        getrandom::fill(&mut tail).map_err(io::Error::other)?;
        let new = self.folder.join(format!(".{:016x}.new", u64::from_ne_bytes(tail)));
        let written = private(&new).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let moved = written.and_then(|()| fs::rename(&new, self.path(server, of)));
        if moved.is_err() {
            // Nobody reads it by that name.
            let _ = fs::remove_file(&new);
        }
        moved
    }

    /// Removes one file. One that is not there is removed.
    pub(crate) fn remove(&self, server: &ServerName, of: &ContentHash) -> io::Result<()> {
        match fs::remove_file(self.path(server, of)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Removes all files of a server, and says how many there were.
    pub(crate) fn forget(&self, server: &ServerName) -> io::Result<usize> {
        let mut count = 0;
        for file in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = file.file_name();
            let of = name.to_str().and_then(|name| name.strip_suffix(".json")?.rsplit_once('-'));
            if of.is_some_and(|(of, hash)| of == server.as_str() && hash.len() == SHORT) {
                fs::remove_file(file.path())?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Waits until no other process holds the lock of a file, and holds it until the result is dropped.
    pub(crate) fn lock(&self, server: &ServerName, of: &ContentHash) -> io::Result<fs::File> {
        self.make()?;
        let path = self.path(server, of).with_extension("lock");
        let lock = match private(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::File::open(&path),
            made => made,
        }?;
        lock.lock()?;
        Ok(lock)
    }

    fn make(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)
    }
}

/// A new file that only its owner reads.
fn private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
