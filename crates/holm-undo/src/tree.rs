//! Opens and changes paths beneath one folder. Every folder on the way is opened from the handle of
//! the one above it, and a link among them is refused. So nothing outside of the folder is ever
//! reached, whatever another process does meanwhile.
//!
//! It decides nothing: `apply.rs` and `image_taker.rs` do.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat},
    io::Errno,
};
use sha2::{Digest as _, Sha256};

use crate::{
    PathState, TreePath,
    path_state::{FILE_MODE, FOLDER_MODE, LinkTarget},
    tree_path::hex,
};

/// How a folder is opened: never by a link.
pub(crate) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// How a file is opened: never by a link, and a FIFO that takes its name is not waited for.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// What tells one version of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// In nanoseconds since 1970, in UTC.
    pub(crate) modified: i64,
    /// Nanoseconds since 1970; no program can set it.
    pub(crate) changed: i64,
    /// The kind of the file and its permissions.
    pub(crate) mode: u32,
    pub(crate) links: u64,
}

impl Stamp {
    #[expect(
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "the types of these fields differ between systems"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            mode: stat.st_mode as u32,
            links: stat.st_nlink as u64,
        }
    }

    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// Whether a file has the same bytes under this stamp, whatever its mode and names are now.
    pub(crate) fn has_same_bytes(&self, other: &Self) -> bool {
        (self.device, self.inode, self.size, self.modified, self.changed)
            == (other.device, other.inode, other.size, other.modified, other.changed)
    }

    pub(crate) fn unkept(&self) -> PathState {
        let Self { inode, size, modified, mode, .. } = self;
        let stamp = format!("{mode:o}:{inode}:{size}:{modified}");
        PathState::Unkept { stamp, is_special: self.kind() != FileType::RegularFile }
    }
}

/// A folder that is held by a handle.
#[derive(Debug)]
pub(crate) struct Tree {
    root: OwnedFd,
    at: PathBuf,
}

impl Tree {
    pub(crate) fn open(at: &Path) -> io::Result<Self> {
        let root = fs::open(at, FOLDER, Mode::empty())?;
        Ok(Self { root, at: at.to_owned() })
    }

    pub(crate) fn at(&self) -> &Path {
        &self.at
    }

    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The folder that has this entry.
    pub(crate) fn parent(&self, path: &TreePath) -> Result<OwnedFd, Errno> {
        match path.parent() {
            Some(folder) => self.folder(&folder),
            None => fs::openat(&self.root, c".", FOLDER, Mode::empty()),
        }
    }

    pub(crate) fn folder(&self, path: &TreePath) -> Result<OwnedFd, Errno> {
        let mut open: Option<OwnedFd> = None;
        for name in path.names() {
            let above = open.as_ref().unwrap_or(&self.root);
            open = Some(fs::openat(above, OsStr::from_bytes(name), FOLDER, Mode::empty())?);
        }
        open.ok_or(Errno::NOENT)
    }

    /// The stamp of an entry; `None` if it, or a folder above it, is not there.
    pub(crate) fn stamp(&self, path: &TreePath) -> Result<Option<Stamp>, Errno> {
        let found = self.parent(path).and_then(|folder| stamp_at(&folder, path.name()));
        match found {
            Ok(stamp) => Ok(Some(stamp)),
            // A link or a file in the place of a folder: nothing lies beneath it.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Opens a file to read, and says which version of it this is.
    pub(crate) fn read(&self, path: &TreePath) -> Result<(File, Stamp), Errno> {
        let file = fs::openat(self.parent(path)?, OsStr::from_bytes(path.name()), FILE, Mode::empty())?;
        let stamp = Stamp::of(&fs::fstat(&file)?);
        if stamp.kind() != FileType::RegularFile {
            return Err(Errno::INVAL);
        }
        Ok((File::from(file), stamp))
    }

    /// The state of a path now, with the digest of a file's content.
    pub(crate) fn look(&self, path: &TreePath, largest: u64) -> io::Result<(PathState, Option<Stamp>)> {
        let Some(stamp) = self.stamp(path)? else { return Ok((PathState::Absent, None)) };
        let state = match stamp.kind() {
            FileType::Directory => PathState::Folder { mode: stamp.mode & FOLDER_MODE },
            FileType::Symlink => PathState::Link { target: self.link(path)? },
            FileType::RegularFile if stamp.size <= largest => {
                let (mut file, opened) = self.read(path)?;
                let (sha256, bytes) = digest_of(&mut file)?;
                PathState::File { sha256, bytes, mode: Some(opened.mode & FILE_MODE) }
            }
            _ => stamp.unkept(),
        };
        Ok((state, Some(stamp)))
    }

    /// The names in a folder.
    pub(crate) fn names(&self, path: &TreePath) -> io::Result<Vec<Vec<u8>>> {
        Ok(list(self.folder(path)?)?.1)
    }

    pub(crate) fn link(&self, path: &TreePath) -> io::Result<LinkTarget> {
        let target = fs::readlinkat(self.parent(path)?, OsStr::from_bytes(path.name()), Vec::new())?;
        Ok(LinkTarget(target.into_bytes()))
    }
}

/// The names in a folder, and its handle.
pub(crate) fn list(handle: OwnedFd) -> Result<(Dir, Vec<Vec<u8>>), Errno> {
    let mut dir = Dir::new(handle)?;
    let mut names = Vec::new();
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(name.to_vec());
        }
    }
    Ok((dir, names))
}

pub(crate) fn stamp_at(folder: impl AsFd, name: &[u8]) -> Result<Stamp, Errno> {
    fs::statat(folder, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW).map(|stat| Stamp::of(&stat))
}

/// The digest of all bytes that are left in a file, and their number.
pub(crate) fn digest_of(file: &mut File) -> io::Result<(String, u64)> {
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 64 << 10]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((hex(&hash.finalize()), bytes));
        }
        hash.update(buffer.get(..read).unwrap_or_default());
        bytes += read as u64;
    }
}
