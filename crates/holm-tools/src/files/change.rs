//! The one way in which tools change files: lock, compare with what was read, record for undo,
//! replace. `write.rs`, `edit.rs` and `patch.rs` only decide the new content. Locks and atomic
//! replacement are in `root/`, undo records in `undo/`.
//!
//! The order must stay: the permit is checked first, then all files are locked, and the old content
//! is stored before anything is replaced. Either all files change or none: a later failure rolls
//! the earlier ones back. A file that changed since the model read it is refused.

use holm_grants::FilePath;
use holm_runtime::ToolInvocation;

use super::file_tool_context::{FileToolContext, FileToolError, MOST_BYTES, ReadStatus, failed};
use crate::{
    root::{ExpectedFile, FileLocation, FileLock, MissingFolderPolicy, WorkspaceRootError},
    undo::UndoStore,
};

/// The new content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NewContent {
    Bytes(Vec<u8>),
    /// These bytes, and the mode of another file of the same change, given by its index.
    /// That file moves here.
    Moved(Vec<u8>, usize),
    /// Nothing: it is removed.
    Nothing,
}

/// The content of a file before the change.
pub(super) struct OriginalContent {
    /// The bytes; `None` if there is no file.
    pub(super) bytes: Option<Vec<u8>>,
    /// Whether they are what the model read.
    pub(super) recalled: ReadStatus,
}

/// A file whose content was read under the lock.
struct LockedFile {
    place: FileLocation,
    before: OriginalContent,
    expect: ExpectedFile,
    mode: u32,
}

/// The earlier content of a file, and the stamp that shows whether it is still there.
struct FileBaseline<'a> {
    before: &'a OriginalContent,
    expect: ExpectedFile,
    mode: u32,
}

impl FileToolContext {
    /// Changes some files together. `decide` sees the content of each file and returns the new
    /// content of each. It is called once, while no other writer can change them. Either all
    /// files change, or none.
    pub(super) fn change<T>(
        &self,
        invocation: &ToolInvocation,
        paths: &[FilePath],
        folders: MissingFolderPolicy,
        decide: impl FnOnce(&[OriginalContent]) -> Result<(Vec<NewContent>, T), FileToolError>,
    ) -> Result<T, FileToolError> {
        let permit = self.root.permit(&invocation.needs);
        for path in paths {
            permit.write(path)?;
        }
        let places = paths.iter().map(|path| self.root.place_to_write(path, folders));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let _lock = FileLock::hold(&places.iter().collect::<Vec<_>>())?;
        let held = places.into_iter().map(|place| self.hold(place)).collect::<Result<Vec<_>, _>>()?;
        let (befores, rest): (Vec<OriginalContent>, Vec<_>) =
            held.into_iter().map(|held| (held.before, (held.place, held.expect, held.mode))).unzip();
        let (news, answer) = decide(&befores)?;
        let mut done = Vec::new();
        for ((before, (place, expect, mode)), new) in befores.iter().zip(&rest).zip(&news) {
            let moved = match new {
                NewContent::Moved(_, from) => rest.get(*from).map(|(_, _, mode)| *mode),
                NewContent::Bytes(_) | NewContent::Nothing => None,
            };
            let held = FileBaseline { before, expect: *expect, mode: *mode };
            if let Err(error) = self.put(invocation, place, &held, moved, new) {
                roll_back(&done);
                return Err(error);
            }
            done.push((place, before, *mode));
        }
        Ok(answer)
    }

    fn hold(&self, place: FileLocation) -> Result<LockedFile, FileToolError> {
        let Some(opened) = place.read_if_there()? else {
            let before = OriginalContent { bytes: None, recalled: ReadStatus::Unseen };
            return Ok(LockedFile { place, before, expect: ExpectedFile::Absent, mode: 0 });
        };
        let bytes = opened.bytes(MOST_BYTES)?;
        // A program that writes without asking would be seen here, or when the file is replaced.
        if opened.now()? != opened.stamp() {
            return Err(WorkspaceRootError::Changed { path: place.path().to_string() }.into());
        }
        // The remembered content does not change: the refusal stays until the file is read again.
        let recalled = self.recall(place.path(), &bytes);
        if recalled == ReadStatus::Changed {
            return Err(WorkspaceRootError::Changed { path: place.path().to_string() }.into());
        }
        let (expect, mode) = (ExpectedFile::Same(opened.stamp()), opened.stamp().mode());
        Ok(LockedFile { place, before: OriginalContent { bytes: Some(bytes), recalled }, expect, mode })
    }

    fn put(
        &self,
        invocation: &ToolInvocation,
        place: &FileLocation,
        held: &FileBaseline<'_>,
        moved: Option<u32>,
        new: &NewContent,
    ) -> Result<(), FileToolError> {
        let FileBaseline { before, expect, mode } = *held;
        let after = match new {
            NewContent::Bytes(bytes) | NewContent::Moved(bytes, _) if bytes.len() as u64 > MOST_BYTES => {
                let path = place.path();
                return Err(failed(format!(
                    "`{path}` would have {} bytes; at most {MOST_BYTES} are allowed",
                    bytes.len()
                )));
            }
            NewContent::Bytes(bytes) | NewContent::Moved(bytes, _) => Some(bytes.as_slice()),
            NewContent::Nothing => None,
        };
        let before = before.bytes.as_deref().map(|bytes| (bytes, mode));
        let keep = |undo: &UndoStore| undo.keep(invocation.key, self.root.at(), place.path(), before, after);
        let kept = self.undo.as_ref().map(keep).transpose()?;
        let changed = match (after, expect) {
            (Some(bytes), expect) => place.replace(bytes, expect, moved),
            (None, ExpectedFile::Same(stamp)) => place.remove(stamp),
            (None, ExpectedFile::Absent) => {
                Err(WorkspaceRootError::Missing { path: place.path().to_string() })
            }
        };
        if let Err(error) = changed {
            if let Some(kept) = kept {
                kept.forget();
            }
            return Err(error.into());
        }
        match after {
            Some(bytes) => self.saw(place.path(), bytes),
            None => self.forget(place.path()),
        }
        Ok(())
    }
}

/// Restores the files that were changed before a later one failed. The lock is still held, so
/// other processes have seen the change only for a moment. If restoring fails too, the undo
/// records have all contents.
fn roll_back(done: &[(&FileLocation, &OriginalContent, u32)]) {
    for (place, before, mode) in done.iter().rev() {
        let now = match place.read_if_there() {
            Ok(Some(opened)) => ExpectedFile::Same(opened.stamp()),
            Ok(None) => ExpectedFile::Absent,
            Err(_) => continue,
        };
        let _ = match (&before.bytes, now) {
            (Some(bytes), now) => place.replace(bytes, now, Some(*mode)),
            (None, ExpectedFile::Same(stamp)) => place.remove(stamp),
            (None, ExpectedFile::Absent) => Ok(()),
        };
    }
}
