//! Stores small private files about MCP servers. A file belongs to one server and to the hash of
//! one thing, so two servers of the same name never share a file.
//!
//! What is in the files is decided by `client/login_store.rs` and `loader/tool_list_cache.rs`. A
//! write is atomic, and only the owner can read a file.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use holm_tools::trust::ContentHash;

use crate::ServerName;

/// The largest file that is read. It is larger than any honest server's list,
/// and still reads quickly.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// How many hex digits of the hash a file name contains: enough to distinguish the few files of one
/// server. A caller that must be certain stores the full hash inside the file.
const SHORT: usize = 16;

/// A folder of such files. The folder may not exist yet.
#[derive(Debug, Clone)]
pub(crate) struct ServerFileStore {
    folder: PathBuf,
}

impl ServerFileStore {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The path of the file for a server and a hash.
    pub(crate) fn path(&self, server: &ServerName, of: &ContentHash) -> PathBuf {
        let hash = of.to_string();
        self.folder.join(format!("{server}-{}.json", hash.get(..SHORT).unwrap_or_default()))
    }

    /// Reads a file. Returns `None` if the file is missing, unreadable or too large.
    pub(crate) fn read(&self, server: &ServerName, of: &ContentHash) -> Option<Vec<u8>> {
        let path = self.path(server, of);
        if fs::metadata(&path).ok()?.len() > MAX_FILE {
            return None;
        }
        fs::read(path).ok()
    }

    /// Writes a file that only its owner can read. The write is atomic, because another process may
    /// write the same file.
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
            // Other processes never read the temporary name.
            let _ = fs::remove_file(&new);
        }
        moved
    }

    /// Removes one file. A missing file is not an error.
    pub(crate) fn remove(&self, server: &ServerName, of: &ContentHash) -> io::Result<()> {
        match fs::remove_file(self.path(server, of)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Removes all files of a server and returns how many there were.
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

    /// Waits for the lock of a file and holds it until the result is dropped.
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

/// Creates a file that only its owner can read.
fn private(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
