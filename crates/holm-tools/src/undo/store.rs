//! The undo records by the keys of calls, and under the rules of a workspace. A change of a file
//! tool is undone only where a file tool may write, and no file tool writes meanwhile.
//!
//! It wraps `holm_undo::UndoArchive`, which stores records and restores files; this file adds the
//! keys, the deny rules and the locks of `root/`. Which paths the undo of a command covers is
//! decided in `coverage.rs`. Records are written by `files/change.rs` and
//! `shell/command_images.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

use holm_grants::FilePath;
use holm_kernel::IdempotencyKey;
use holm_undo::{
    CallChanges, Coverage, OperationLabel, RecordFile, ResumedUndo, StepContents, TreePath, UndoError,
    UndoOutcome, UndoPlan, UndoStep,
};
use sha2::{Digest, Sha256};

use super::{CommandUndo, command_coverage};
use crate::root::{
    DenyRules, FileLocation, FileLock, MissingFolderPolicy, WorkspaceRoot, WorkspaceRootError,
};

/// The undo records of one user.
#[derive(Debug, Clone)]
pub struct UndoStore(holm_undo::UndoArchive);

impl UndoStore {
    /// The records in a folder, which is made if it is not there, for its owner alone. On a disk
    /// that is full or read-only it stays missing, and the first change that needs it fails.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, UndoError> {
        holm_undo::UndoArchive::open(folder).map(Self)
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.folder()
    }

    /// The keys of the calls that have records which were not undone yet, as text.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn keys(&self) -> Result<BTreeSet<String>, UndoError> {
        self.0.keys()
    }

    /// Like [`keys`](Self::keys), only for calls that worked in this folder.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn keys_in(&self, root: &FilePath) -> Result<BTreeSet<String>, UndoError> {
        self.0.keys_in(Path::new(root.as_str()))
    }

    /// Removes what is older than `kept`, and the oldest contents until at most `most` bytes are
    /// left. Returns the number of removed records.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn prune(&self, kept: Duration, most: u64) -> Result<usize, UndoError> {
        self.0.prune(kept, most)
    }

    /// Like [`prune`](Self::prune), at most once an hour.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn prune_if_due(&self, kept: Duration, most: u64) -> Result<usize, UndoError> {
        self.0.prune_if_due(kept, most)
    }

    /// Stores the content that a file is about to lose, and the record. Both are on
    /// disk when this returns.
    pub(crate) fn keep(
        &self,
        key: IdempotencyKey,
        root: &FilePath,
        path: &FilePath,
        before: Option<(&[u8], u32)>,
        after: Option<&[u8]>,
    ) -> Result<RecordFile, UndoError> {
        let tree_path =
            TreePath::new(path.as_str()).map_err(|error| UndoError::Refused(format!("{path}: {error}")))?;
        self.0.keep(&key.to_string(), Path::new(root.as_str()), tree_path, before, after)
    }

    /// Takes the image before a command.
    pub(crate) fn begin(
        &self,
        key: IdempotencyKey,
        workspace: &Path,
        coverage: &Coverage,
    ) -> Result<CommandUndo, UndoError> {
        self.0.begin(&key.to_string(), workspace, coverage)
    }

    /// Records what commands did in this folder whose Holm was killed, and
    /// returns how many there were.
    ///
    /// # Errors
    /// [`UndoError`] if the folder cannot be read.
    pub fn settle(&self, workspace: &Path) -> Result<usize, UndoError> {
        self.0.settle(workspace, &command_coverage(self, workspace, Some(&DenyRules::of_commands())))
    }

    /// Says what undoing these calls would do. Nothing is changed.
    ///
    /// # Errors
    /// [`UndoError`] if a record or a file cannot be read.
    pub fn plan(&self, calls: &[IdempotencyKey]) -> Result<UndoPlan, UndoError> {
        let keys: Vec<String> = calls.iter().map(ToString::to_string).collect();
        let plan = self.0.plan(keys.iter().map(String::as_str))?;
        places(&plan)?;
        Ok(plan)
    }

    /// Removes from a plan what changed after the calls and is not `forced`, and returns its steps.
    ///
    /// # Errors
    /// [`UndoError`] if a record or a folder cannot be read.
    pub fn leave_changed(
        &self,
        plan: &mut UndoPlan,
        forced: &[TreePath],
    ) -> Result<Vec<UndoStep>, UndoError> {
        self.0.leave_changed(plan, forced)
    }

    /// What each of these calls changed, as far as it was not undone, by their keys as text.
    ///
    /// # Errors
    /// [`UndoError`] if a record cannot be read.
    pub fn changes_of(&self, calls: &[IdempotencyKey]) -> Result<BTreeMap<String, CallChanges>, UndoError> {
        let keys: Vec<String> = calls.iter().map(ToString::to_string).collect();
        self.0.changes_of(keys.iter().map(String::as_str))
    }

    /// The contents that a step replaces and restores; `None` if one of them is not a file, has more
    /// than `most` bytes, or cannot be read.
    #[must_use]
    pub fn contents_of(&self, step: &UndoStep, most: u64) -> Option<StepContents> {
        self.0.contents_of(step, most)
    }

    /// Puts the files back: all of them, or none if one has changed and is not among the `forced`.
    ///
    /// # Errors
    /// [`UndoError::Changed`] before anything is done; [`UndoError::Stopped`] if the system refuses
    /// one on the way.
    pub fn restore(
        &self,
        plan: &UndoPlan,
        forced: &[TreePath],
        label: OperationLabel,
    ) -> Result<UndoOutcome, UndoError> {
        let places = places(plan)?;
        let _lock = FileLock::hold(&places.iter().collect::<Vec<_>>()).map_err(refused)?;
        self.0.restore(plan, forced, label)
    }

    /// Whether an undo was interrupted.
    ///
    /// # Errors
    /// [`UndoError::Store`] if the folder of the records cannot be read or written.
    pub fn is_interrupted(&self) -> Result<bool, UndoError> {
        self.0.is_interrupted()
    }

    /// Completes undos that were interrupted. Returns them; usually there are none.
    ///
    /// # Errors
    /// [`UndoError::Stopped`] if the system refuses a change.
    pub fn resume(&self) -> Result<Vec<ResumedUndo>, UndoError> {
        self.0.resume()
    }

    /// Says what taking back the last undo in this folder would do, and whose undo it was.
    ///
    /// # Errors
    /// [`UndoError::NothingToRevert`] if there is no undo to take back.
    pub fn plan_revert(&self, root: Option<&FilePath>) -> Result<(OperationLabel, UndoPlan), UndoError> {
        self.0.plan_revert(root.map(|root| Path::new(root.as_str())))
    }

    /// Takes back the last undo in this folder.
    ///
    /// # Errors
    /// As [`restore`](Self::restore), and [`UndoError::NothingToRevert`].
    pub fn revert(&self, root: Option<&FilePath>, forced: &[TreePath]) -> Result<UndoOutcome, UndoError> {
        self.0.revert(root.map(|root| Path::new(root.as_str())), forced)
    }
}

/// The places of the files that file tools changed. It fails where a file tool may not write.
fn places(plan: &UndoPlan) -> Result<Vec<FileLocation>, UndoError> {
    let mut places = Vec::new();
    for step in plan.steps.iter().filter(|step| step.is_of_file_tool) {
        let Some(path) = step.path.as_path().to_str().and_then(|path| path.parse::<FilePath>().ok()) else {
            continue;
        };
        let root = WorkspaceRoot::open(&step.root).map_err(refused)?;
        match root.place_to_write(&path, MissingFolderPolicy::Wanted) {
            Ok(place) => places.push(place),
            // Its folder is gone, and the file with it.
            Err(WorkspaceRootError::Missing { .. }) => {}
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(places)
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed as a function")]
fn refused(error: WorkspaceRootError) -> UndoError {
    UndoError::Refused(error.to_string())
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
