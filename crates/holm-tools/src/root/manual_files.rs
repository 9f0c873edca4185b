//! File operations that a person performs by hand: list, write, create, move and remove. They use
//! the same handles and rules as tools. So a page in a browser reaches nothing that a tool cannot
//! reach. The tools for models are in `files/mod.rs`, and the HTTP routes in
//! `holm-server/src/routes/files.rs`. A write always says what it expects at the path, and fails if
//! that has changed.

use std::os::fd::AsFd;

use holm_grants::FilePath;
use rustix::{
    fs::{self, AtFlags, Mode, RenameFlags},
    io::Errno,
};

use super::{
    DirEntryKind, ExpectedFile, FileLocation, FileLock, FileStamp, MissingFolderPolicy, WorkspaceRoot,
    WorkspaceRootError,
};
use crate::trust::ContentHash;

/// Entries of one folder that are read: more would take longer than a person waits.
const MOST_LOOKED: usize = 100_000;
/// Entries below a folder that are checked before it is moved.
const MOST_MOVED: usize = 10_000;
/// Nested folders that are checked before one is moved.
const DEEPEST: usize = 64;

/// Why a manual file operation fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManualFileError {
    #[error(transparent)]
    Root(#[from] WorkspaceRootError),
    /// The name has something already.
    #[error("`{path}` already exists; choose another name")]
    Taken { path: String },
    /// A folder that is to go has something in it.
    #[error("`{path}` is not empty; remove its contents first")]
    NotEmpty { path: String },
    /// A folder cannot be moved because of its content.
    #[error("`{path}` cannot be moved: {reason}")]
    Holds {
        path: String,
        /// The content that prevents it.
        reason: String,
    },
}

/// The state of a path that a write requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritePrecondition {
    Absent,
    /// A file with this content.
    Is(ContentHash),
}

/// The content of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderListing {
    /// Its entries, by name.
    pub entries: Vec<FolderItem>,
    /// Whether there are more than were asked for.
    pub cut: bool,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderItem {
    pub name: String,
    pub kind: FolderItemKind,
    /// Its size in bytes; zero if it is not a file.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: u64,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderItemKind {
    File,
    Folder,
    /// A link, a pipe, a device: shown, and left alone.
    Other,
}

impl WorkspaceRoot {
    /// The entries of a folder by name, at most `most`, without those that are hidden from tools.
    ///
    /// ```
    /// use holm_tools::root::WorkspaceRoot;
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("notes.txt"), "hello")?;
    /// std::fs::write(folder.path().join(".env"), "KEY=1")?;
    /// let root = WorkspaceRoot::open(folder.path())?;
    /// let contents = root.list(&root.path(".")?, 100)?;
    /// assert_eq!(contents.entries.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkspaceRootError`] if it is not a folder, or is hidden from tools.
    pub fn list(&self, path: &FilePath, most: usize) -> Result<FolderListing, WorkspaceRootError> {
        let mut entries = self.items(path, MOST_LOOKED)?;
        entries.retain(|(path, _)| self.rules().reading(path).is_none());
        let mut entries: Vec<FolderItem> = entries.into_iter().map(|(_, item)| item).collect();
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let cut = entries.len() > most;
        entries.truncate(most);
        Ok(FolderListing { entries, cut })
    }

    /// Writes a whole file, if the present state is the expected one. Returns the hash
    /// of the new content.
    ///
    /// # Errors
    /// [`WorkspaceRootError::Changed`] if the content is not the expected one, and then nothing has
    /// changed; [`ManualFileError::Taken`] if the path should have been free.
    pub fn write(
        &self,
        path: &FilePath,
        bytes: &[u8],
        before: WritePrecondition,
        most: u64,
    ) -> Result<ContentHash, ManualFileError> {
        let place = self.place_to_write(path, MissingFolderPolicy::Wanted)?;
        let _lock = FileLock::hold(&[&place])?;
        let expect = match before {
            WritePrecondition::Absent if place.kind()?.is_some() => {
                return Err(ManualFileError::Taken { path: path.to_string() });
            }
            WritePrecondition::Absent => ExpectedFile::Absent,
            WritePrecondition::Is(hash) => ExpectedFile::Same(held(&place, hash, most)?),
        };
        place.replace(bytes, expect, None)?;
        Ok(ContentHash::of(bytes))
    }

    /// Makes a folder in an existing one.
    ///
    /// # Errors
    /// [`ManualFileError::Taken`] if something has the name.
    pub fn make_folder(&self, path: &FilePath) -> Result<(), ManualFileError> {
        let place = self.place_to_write(path, MissingFolderPolicy::Wanted)?;
        match fs::mkdirat(place.dir.as_fd(), &place.name, Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(ManualFileError::Taken { path: path.to_string() }),
            Err(errno) => Err(self.explain(path, errno).into()),
        }
    }

    /// Renames a file or a folder to a name that must be free. A folder with protected content
    /// cannot be renamed: rules are about paths, and would no longer find it.
    ///
    /// # Errors
    /// [`ManualFileError::Taken`], [`ManualFileError::Holds`], or what the root says of either path.
    pub fn rename(&self, from: &FilePath, to: &FilePath) -> Result<(), ManualFileError> {
        let old = self.place_to_write(from, MissingFolderPolicy::Wanted)?;
        let new = self.place_to_write(to, MissingFolderPolicy::Wanted)?;
        match old.kind()? {
            Some(DirEntryKind::File) => {}
            Some(DirEntryKind::Folder) => self.check_free(from)?,
            Some(
                other @ (DirEntryKind::Link
                | DirEntryKind::Pipe
                | DirEntryKind::Socket
                | DirEntryKind::Device),
            ) => {
                let (path, found) = (from.to_string(), other.in_words());
                return Err(WorkspaceRootError::Kind { path, found, wanted: "a file or a folder" }.into());
            }
            None => return Err(WorkspaceRootError::Missing { path: from.to_string() }.into()),
        }
        let _lock = FileLock::hold(&[&old, &new])?;
        let (here, there) = (old.dir.as_fd(), new.dir.as_fd());
        match fs::renameat_with(here, &old.name, there, &new.name, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(ManualFileError::Taken { path: to.to_string() }),
            Err(Errno::INVAL) => {
                let reason = "it would be inside itself, or this file system cannot move without replacing";
                Err(ManualFileError::Holds { path: from.to_string(), reason: reason.into() })
            }
            Err(errno) => Err(self.explain(from, errno).into()),
        }
    }

    /// Removes a file or an empty folder. With `expect`, only a file with that content.
    ///
    /// # Errors
    /// [`WorkspaceRootError::Changed`] if the file differs from
    /// `expect`; [`ManualFileError::NotEmpty`].
    pub fn remove(
        &self,
        path: &FilePath,
        expect: Option<ContentHash>,
        most: u64,
    ) -> Result<(), ManualFileError> {
        let place = self.place_to_write(path, MissingFolderPolicy::Wanted)?;
        let _lock = FileLock::hold(&[&place])?;
        if place.kind()? == Some(DirEntryKind::Folder) {
            return match fs::unlinkat(place.dir.as_fd(), &place.name, AtFlags::REMOVEDIR) {
                Ok(()) => Ok(()),
                Err(Errno::NOTEMPTY | Errno::EXIST) => {
                    Err(ManualFileError::NotEmpty { path: path.to_string() })
                }
                Err(errno) => Err(self.explain(path, errno).into()),
            };
        }
        let stamp = match expect {
            Some(hash) => held(&place, hash, most)?,
            None => place.read()?.stamp(),
        };
        place.remove(stamp).map_err(ManualFileError::Root)
    }

    /// Checks that a folder contains nothing that is protected from tools.
    fn check_free(&self, folder: &FilePath) -> Result<(), ManualFileError> {
        let holds = |reason: String| ManualFileError::Holds { path: folder.to_string(), reason };
        let (mut left, mut waiting) = (MOST_MOVED, vec![(folder.clone(), 0_usize)]);
        while let Some((here, depth)) = waiting.pop() {
            if depth >= DEEPEST {
                return Err(holds("its folders are nested too deeply".into()));
            }
            for (path, item) in self.items(&here, left.saturating_add(1))? {
                let Some(rest) = left.checked_sub(1) else {
                    return Err(holds(format!("it has more than {MOST_MOVED} entries")));
                };
                left = rest;
                if self.rules().writing(&path).is_some() || self.rules().reading(&path).is_some() {
                    return Err(holds("it contains files that are hidden from tools".into()));
                }
                if item.kind == FolderItemKind::Folder {
                    waiting.push((path, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// The entries of a folder whose names a path can spell, in no order.
    fn items(&self, path: &FilePath, most: usize) -> Result<Vec<(FilePath, FolderItem)>, WorkspaceRootError> {
        let dir = self.folder(path)?;
        let prefix = if path.as_str() == "." { String::new() } else { format!("{path}/") };
        let mut items = Vec::new();
        let entries = dir.entries().map_err(|error| WorkspaceRootError::io(path.as_str(), &error))?;
        for entry in entries.take(most) {
            let Ok(entry) = entry else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(inner) = format!("{prefix}{name}").parse::<FilePath>() else { continue };
            // An entry that disappeared meanwhile is left out.
            let Ok(found) = fs::statat(dir.as_fd(), &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let kind = match DirEntryKind::of(fs::FileType::from_raw_mode(found.st_mode)) {
                DirEntryKind::File => FolderItemKind::File,
                DirEntryKind::Folder => FolderItemKind::Folder,
                DirEntryKind::Link | DirEntryKind::Pipe | DirEntryKind::Socket | DirEntryKind::Device => {
                    FolderItemKind::Other
                }
            };
            let stamp = FileStamp::of(&found);
            let bytes = if kind == FolderItemKind::File { stamp.size() } else { 0 };
            items.push((inner, FolderItem { name, kind, bytes, modified: stamp.modified_millis() }));
        }
        Ok(items)
    }
}

/// The present file, if it has this content.
fn held(place: &FileLocation, hash: ContentHash, most: u64) -> Result<FileStamp, WorkspaceRootError> {
    let changed = || WorkspaceRootError::Changed { path: place.path().to_string() };
    let opened = place.read_if_there()?.ok_or_else(changed)?;
    if ContentHash::of(&opened.bytes(most)?) == hash { Ok(opened.stamp()) } else { Err(changed()) }
}
