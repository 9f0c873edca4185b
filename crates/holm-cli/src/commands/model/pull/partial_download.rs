//! A partial download: `NAME.gguf.part`, and beside it `NAME.gguf.part.tag`, which holds the
//! version of the file. It makes no requests (`commands/model/pull/downloader.rs`) and does not
//! verify content (`commands/model/pull.rs`). One process at a time holds it, and the finished file
//! appears in its place in one step.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::exit::{CommandError, CommandExit};

/// A file that is not complete yet. One process at a time holds it.
pub(super) struct PartialDownload {
    path: PathBuf,
    file: File,
    length: u64,
}

impl PartialDownload {
    /// Opens and locks the partial file; it is created if it is missing.
    pub(super) fn open(folder: &Path, name: &str) -> anyhow::Result<Self> {
        let path = folder.join(format!("{name}.part"));
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another process is already fetching {name}");
                return Err(CommandError::new(CommandExit::Failed, message).hint("wait for it").into());
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let length = file.metadata()?.len();
        Ok(Self { path, file, length })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of bytes received so far.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// The server's tag of the version that the bytes belong to. Without it, the
    /// download cannot be resumed.
    pub(super) fn tag(&self) -> Option<String> {
        fs::read_to_string(self.tag_path()).ok().filter(|tag| !tag.is_empty() && self.length > 0)
    }

    /// Prepares for bytes from `from` on: cuts the file to that length and stores the tag
    /// of the server's version.
    pub(super) fn begin(&mut self, from: u64, tag: Option<&str>) -> anyhow::Result<()> {
        if from != self.length {
            self.file.set_len(from)?;
            self.length = from;
        }
        fs::write(self.tag_path(), tag.unwrap_or_default())?;
        Ok(())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(bytes)?;
        self.length = self.length.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Waits until the bytes are on the disk.
    pub(super) fn sync(&self) -> anyhow::Result<()> {
        Ok(self.file.sync_all()?)
    }

    /// Moves the whole file to its final path, in one step.
    pub(super) fn place(self, place: &Path) -> anyhow::Result<()> {
        fs::rename(&self.path, place)?;
        let _ = fs::remove_file(self.tag_path());
        if let Some(folder) = place.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Deletes the partial file and its tag.
    pub(super) fn discard(&self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.tag_path());
    }

    fn tag_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".tag");
        path.into()
    }
}
