//! Plans and performs the undo of a turn, file by file. Records are read from `store.rs`; files are
//! written through `root/replace.rs`. Nothing is restored if one file has changed since and was not
//! forced, and this is checked again under the lock. An undo passes the default rules of a
//! root.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use holm_grants::FilePath;
use holm_kernel::IdempotencyKey;

use super::{RecordedFileState, UndoError, UndoRecord, UndoStore};
use crate::root::{
    ExpectedFile, FileLocation, FileLock, MissingFolderPolicy, WorkspaceRoot, WorkspaceRootError,
};

/// The largest file that is put back: as large as the tools can write.
const MOST_BYTES: u64 = crate::files::MOST_BYTES;

/// The files of a turn, and what undoing the turn would do to each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPlan {
    /// One step for each file, by path.
    pub steps: Vec<UndoStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoStep {
    /// The folder in which the tools worked.
    pub root: FilePath,
    /// The file, from there.
    pub path: FilePath,
    /// Its state before the turn.
    pub target: RecordedFileState,
    /// Its state after the turn.
    pub left: RecordedFileState,
    /// Its state after the turn if the last change was recorded but not made, because its
    /// process died in between.
    unmade: RecordedFileState,
    /// Whether it can be put back.
    pub verdict: UndoVerdict,
    /// The records that say so.
    names: Vec<String>,
}

/// Whether a file can be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoVerdict {
    /// It is as the turn left it.
    Ready,
    /// It is as it was before the turn.
    Already,
    /// The file was changed after the turn, or between two changes of the turn.
    Changed,
}

impl UndoStore {
    /// Says what undoing these calls would do. Nothing is changed.
    ///
    /// # Errors
    /// [`UndoError`] if a record or a file cannot be read.
    pub fn plan(&self, calls: &[IdempotencyKey]) -> Result<UndoPlan, UndoError> {
        let names = self.names()?;
        let mut files: BTreeMap<(FilePath, FilePath), Vec<(String, UndoRecord)>> = BTreeMap::new();
        // A call that ran again after a crash is one call.
        for key in calls.iter().collect::<BTreeSet<_>>() {
            for (name, record) in self.of_call(&names, *key)? {
                files.entry((record.root.clone(), record.path.clone())).or_default().push((name, record));
            }
        }
        let steps = files.into_iter().filter_map(|((root, path), changes)| step(root, path, changes));
        let steps = steps.map(judged).collect::<Result<_, _>>()?;
        Ok(UndoPlan { steps })
    }

    /// Puts the files back: all of them, or none if one has changed and is not among the `forced`.
    ///
    /// # Errors
    /// [`UndoError::Changed`] before anything is done; [`UndoError::Stopped`] if the system refuses
    /// one on the way.
    pub fn restore(&self, plan: &UndoPlan, forced: &[FilePath]) -> Result<Vec<FilePath>, UndoError> {
        let places =
            plan.steps.iter().map(UndoStep::place).collect::<Result<Vec<_>, WorkspaceRootError>>()?;
        let _lock = FileLock::hold(&places.iter().collect::<Vec<_>>())?;
        let mut work = Vec::new();
        let mut changed = Vec::new();
        for (step, place) in plan.steps.iter().zip(&places) {
            let (found, expect) = look(place)?;
            let untouched = step.verdict == UndoVerdict::Ready && step.left_it(&found);
            if found.is_same(&step.target) {
                continue;
            }
            if !untouched && !forced.contains(&step.path) {
                changed.push(step.path.to_string());
                continue;
            }
            let content = match &step.target {
                RecordedFileState::Absent => None,
                RecordedFileState::File { sha256, mode, .. } => {
                    let name = step.names.first().map_or("", String::as_str);
                    Some((self.content(name, sha256)?, *mode))
                }
            };
            work.push((step, place, expect, content));
        }
        if !changed.is_empty() {
            return Err(UndoError::Changed { paths: changed });
        }
        let mut restored = Vec::new();
        for (step, place, expect, content) in work {
            put_back(place, expect, content.as_ref().map(|(bytes, mode)| (bytes.as_slice(), *mode)))
                .map_err(|reason| UndoError::Stopped { restored: restored.len(), reason })?;
            restored.push(step.path.clone());
        }
        for name in plan.steps.iter().flat_map(|step| &step.names) {
            self.followed(name)?;
        }
        Ok(restored)
    }
}

impl UndoStep {
    /// Whether this is what the turn left.
    fn left_it(&self, found: &RecordedFileState) -> bool {
        found.is_same(&self.left) || found.is_same(&self.unmade)
    }

    fn place(&self) -> Result<FileLocation, WorkspaceRootError> {
        let folders = match self.target {
            RecordedFileState::Absent => MissingFolderPolicy::Wanted,
            RecordedFileState::File { .. } => MissingFolderPolicy::Made,
        };
        WorkspaceRoot::open(Path::new(self.root.as_str()))?.place_to_write(&self.path, folders)
    }
}

/// Combines one file's changes in their order: its state before the first, and after the last.
fn step(root: FilePath, path: FilePath, mut changes: Vec<(String, UndoRecord)>) -> Option<UndoStep> {
    changes.sort_by_key(|(_, record)| record.at);
    let (first, last) = (&changes.first()?.1, &changes.last()?.1);
    let (target, left, unmade) = (first.before.clone(), last.after.clone(), last.before.clone());
    let follows = |pair: &[(String, UndoRecord)]| match pair {
        // The second follows the first, or the first was recorded and never made.
        [(_, one), (_, next)] => one.after.is_same(&next.before) || one.before.is_same(&next.before),
        _ => true,
    };
    let verdict = if changes.windows(2).all(follows) { UndoVerdict::Ready } else { UndoVerdict::Changed };
    let names = changes.into_iter().map(|(name, _)| name).collect();
    Some(UndoStep { root, path, target, left, unmade, verdict, names })
}

fn judged(mut step: UndoStep) -> Result<UndoStep, UndoError> {
    let root = WorkspaceRoot::open(Path::new(step.root.as_str()))?;
    let found = match root.place_to_write(&step.path, MissingFolderPolicy::Wanted) {
        Ok(place) => look(&place)?.0,
        // Its folder is gone, and the file with it.
        Err(WorkspaceRootError::Missing { .. }) => RecordedFileState::Absent,
        Err(error) => return Err(error.into()),
    };
    step.verdict = match step.verdict {
        _ if found.is_same(&step.target) => UndoVerdict::Already,
        UndoVerdict::Ready if step.left_it(&found) => UndoVerdict::Ready,
        UndoVerdict::Ready | UndoVerdict::Already | UndoVerdict::Changed => UndoVerdict::Changed,
    };
    Ok(step)
}

fn look(place: &FileLocation) -> Result<(RecordedFileState, ExpectedFile), WorkspaceRootError> {
    Ok(match place.read_if_there()? {
        Some(opened) => {
            (RecordedFileState::of(&opened.bytes(MOST_BYTES)?, None), ExpectedFile::Same(opened.stamp()))
        }
        None => (RecordedFileState::Absent, ExpectedFile::Absent),
    })
}

fn put_back(
    place: &FileLocation,
    expect: ExpectedFile,
    content: Option<(&[u8], Option<u32>)>,
) -> Result<(), WorkspaceRootError> {
    match (content, expect) {
        (Some((bytes, mode)), expect) => place.replace(bytes, expect, mode),
        (None, ExpectedFile::Same(stamp)) => place.remove(stamp),
        (None, ExpectedFile::Absent) => Ok(()),
    }
}
