//! Replaces a file by a complete new one, or creates it.
//!
//! The new bytes go to a file without a name, are synced, and only then get the name. A reader sees
//! the old file or the new one, even after a crash at any instant. The old inode is never written,
//! so a file outside that is hard-linked to it keeps its bytes.
//!
//! It checks no rules and takes no lock: `workspace_root.rs` and `lock.rs` do that before. The
//! order write, sync, rename, sync of the folder must stay, because durability depends on it.

use std::{
    fs::File,
    io::Write,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{self, AtFlags, Mode, OFlags},
    io::Errno,
};

use super::{FileLocation, FileStamp, WorkspaceRootError};

/// The file that must be there when the new file replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedFile {
    Absent,
    /// This file, as it was.
    Same(FileStamp),
}

impl FileLocation {
    /// Replaces the file, keeping its mode; `mode` is for a file that is new and whose mode is known.
    ///
    /// # Errors
    /// [`WorkspaceRootError::Changed`] if the file is not the expected one; then nothing has changed.
    pub(crate) fn replace(
        &self,
        bytes: &[u8],
        expect: ExpectedFile,
        mode: Option<u32>,
    ) -> Result<(), WorkspaceRootError> {
        self.check(expect)?;
        let draft = DraftFile::write(self, bytes, mode.or_else(|| kept(expect)))?;
        // Checked again when the bytes are on disk: writing them may have taken long.
        self.check(expect)?;
        let taken = match expect {
            ExpectedFile::Absent => draft.create(self),
            ExpectedFile::Same(_) => draft.replace(self),
        };
        match taken {
            Ok(()) => self.sync(),
            Err(Errno::EXIST) => Err(self.changed()),
            Err(errno) => Err(self.failed(errno)),
        }
    }

    /// Removes the file, if it is the one that is expected.
    pub(crate) fn remove(&self, expect: FileStamp) -> Result<(), WorkspaceRootError> {
        self.check(ExpectedFile::Same(expect))?;
        fs::unlinkat(self.dir.as_fd(), &self.name, AtFlags::empty()).map_err(|errno| self.failed(errno))?;
        self.sync()
    }

    fn check(&self, expect: ExpectedFile) -> Result<(), WorkspaceRootError> {
        match (expect, self.stamp()?) {
            (ExpectedFile::Absent, None) => Ok(()),
            (ExpectedFile::Same(wanted), Some(found)) if wanted == found => {
                if wanted.is_writable() {
                    return Ok(());
                }
                Err(WorkspaceRootError::ReadOnly { path: self.path().to_string() })
            }
            (ExpectedFile::Absent | ExpectedFile::Same(_), _) => Err(self.changed()),
        }
    }

    /// The name is on disk too, not only the bytes.
    fn sync(&self) -> Result<(), WorkspaceRootError> {
        match fs::fsync(self.dir.as_fd()) {
            // Some file systems cannot sync a folder; the bytes are safe, and the name follows.
            Ok(()) | Err(Errno::INVAL | Errno::BADF) => Ok(()),
            Err(errno) => Err(self.failed(errno)),
        }
    }

    fn changed(&self) -> WorkspaceRootError {
        WorkspaceRootError::Changed { path: self.path().to_string() }
    }

    fn failed(&self, errno: Errno) -> WorkspaceRootError {
        WorkspaceRootError::of(self.path().as_str(), errno)
    }
}

fn kept(expect: ExpectedFile) -> Option<u32> {
    match expect {
        ExpectedFile::Absent => None,
        ExpectedFile::Same(stamp) => Some(stamp.mode()),
    }
}

/// The new file before it gets its name.
struct DraftFile {
    file: File,
    /// A temporary name, on systems without unnamed files.
    name: Option<String>,
}

impl DraftFile {
    fn write(place: &FileLocation, bytes: &[u8], mode: Option<u32>) -> Result<Self, WorkspaceRootError> {
        let mut draft = Self::new(place).map_err(|errno| place.failed(errno))?;
        let written = draft.fill(bytes, mode);
        if let Err(error) = written {
            draft.discard(place);
            return Err(WorkspaceRootError::io(place.path().as_str(), &error));
        }
        Ok(draft)
    }

    fn new(place: &FileLocation) -> Result<Self, Errno> {
        match nameless(place) {
            Some(done) => done.map(|handle| Self { file: File::from(handle), name: None }),
            None => {
                let name = spare_name()?;
                let flags =
                    OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let handle = fs::openat(place.dir.as_fd(), &name, flags, Mode::from_raw_mode(0o666))?;
                Ok(Self { file: File::from(handle), name: Some(name) })
            }
        }
    }

    fn fill(&mut self, bytes: &[u8], mode: Option<u32>) -> std::io::Result<()> {
        self.file.write_all(bytes)?;
        if let Some(mode) = mode {
            #[expect(clippy::useless_conversion, reason = "a mode has another width on other systems")]
            let mode = Mode::from_raw_mode(mode.try_into().unwrap_or(0o600));
            fs::fchmod(&self.file, mode)?;
        }
        self.file.sync_all()
    }

    /// Gives it the name, if the name is free.
    fn create(self, place: &FileLocation) -> Result<(), Errno> {
        match &self.name {
            None => link(&self.file, place, &place.name),
            Some(name) => {
                let dir = place.dir.as_fd();
                let linked = fs::linkat(dir, name, dir, &place.name, AtFlags::empty());
                self.discard(place);
                linked
            }
        }
    }

    /// Gives it the name of another file, which it replaces.
    fn replace(mut self, place: &FileLocation) -> Result<(), Errno> {
        let name = match self.name.take() {
            Some(name) => name,
            None => {
                let name = spare_name()?;
                link(&self.file, place, &name)?;
                name
            }
        };
        let dir = place.dir.as_fd();
        let renamed = fs::renameat(dir, &name, dir, &place.name);
        if renamed.is_err() {
            self.name = Some(name);
            self.discard(place);
        }
        renamed
    }

    fn discard(&self, place: &FileLocation) {
        if let Some(name) = &self.name {
            // It was ours alone; if it cannot go, it stays as a stray file that says whose it is.
            let _ = fs::unlinkat(place.dir.as_fd(), name, AtFlags::empty());
        }
    }
}

/// A file without a name. Returns `None` if the file system does not support it.
#[cfg(target_os = "linux")]
fn nameless(place: &FileLocation) -> Option<Result<OwnedFd, Errno>> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match fs::openat(place.dir.as_fd(), ".", flags, Mode::from_raw_mode(0o666)) {
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => None,
        done => {
            // Its name is given through /proc; without that, a name has to be there from the start.
            std::path::Path::new("/proc/self/fd").exists().then_some(done)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &FileLocation) -> Option<Result<OwnedFd, Errno>> {
    None
}

fn link(file: &File, place: &FileLocation, name: &str) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;

    let from = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::linkat(fs::CWD, from, place.dir.as_fd(), name, AtFlags::SYMLINK_FOLLOW)
}

/// A random name, so that an attacker cannot have prepared a file under it.
fn spare_name() -> Result<String, Errno> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Errno::IO)?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!(".holm-{digits}.tmp"))
}
