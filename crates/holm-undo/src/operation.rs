//! An undo on disk: what it replaces, so that it can be completed after a crash and reverted later.
//! It is written and synced before the first file changes. The extension of its file name is its
//! state.
//!
//! It only stores and finds operations: `restore.rs` carries them out, and `apply.rs` changes
//! files. The record of what a *call* changed is a different thing (`record.rs`).

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    PathState, TreePath, UndoArchive, UndoError,
    record::VERSION,
    store::{entries, replace, sync},
};

/// Whose changes an undo took back, for messages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperationLabel {
    pub session: String,
    pub turn: u64,
    /// The last turn, if it was more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UndoOperation {
    pub(crate) version: u32,
    /// When, in nanoseconds since 1970: also its name.
    pub(crate) at: u64,
    pub(crate) label: OperationLabel,
    /// The records that count as undone afterwards.
    pub(crate) records: Vec<String>,
    pub(crate) changes: Vec<OperationChange>,
    pub(crate) hard_links: Vec<(PathBuf, Vec<TreePath>)>,
}

/// What the undo does to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OperationChange {
    pub(crate) root: PathBuf,
    pub(crate) path: TreePath,
    /// Its state before the undo.
    pub(crate) before: PathState,
    /// Its state after the undo.
    pub(crate) after: PathState,
}

/// How far an undo is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationState {
    Applying,
    Done,
    Reverting,
}

impl OperationState {
    fn extension(self) -> &'static str {
        match self {
            Self::Applying => "applying",
            Self::Done => "done",
            Self::Reverting => "reverting",
        }
    }
}

impl UndoOperation {
    pub(crate) fn read(place: &Path) -> Result<Self, UndoError> {
        let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read(place).map_err(|error| UndoError::damaged(&name, error))?;
        let read: Self = serde_json::from_slice(&text).map_err(|error| UndoError::damaged(&name, error))?;
        if read.version == VERSION { Ok(read) } else { Err(UndoError::damaged(&name, "another version")) }
    }
}

impl UndoArchive {
    pub(crate) fn operations(&self) -> PathBuf {
        self.folder.join("operations")
    }

    fn operation_file(&self, at: u64, state: OperationState) -> PathBuf {
        self.operations().join(format!("{at:020}.{}", state.extension()))
    }

    /// Stores an undo that is about to happen. It is on disk when this returns.
    pub(crate) fn keep_operation(&self, operation: &UndoOperation) -> Result<(), UndoError> {
        let place = self.operation_file(operation.at, OperationState::Applying);
        let text = serde_json::to_vec(operation)
            .map_err(|error| UndoError::damaged(&place.to_string_lossy(), error))?;
        self.step();
        replace(&place, &text, true)?;
        sync(&self.operations())
    }

    pub(crate) fn move_operation(
        &self,
        at: u64,
        from: OperationState,
        to: OperationState,
    ) -> Result<(), UndoError> {
        self.rename(&self.operation_file(at, from), &self.operation_file(at, to))?;
        sync(&self.operations())
    }

    /// Removes an undo that was taken back.
    pub(crate) fn remove_operation(&self, at: u64, state: OperationState) -> Result<(), UndoError> {
        let place = self.operation_file(at, state);
        self.step();
        fs::remove_file(&place).map_err(|error| UndoError::store(&place, &error))
    }

    /// The undos in this state that changed something in this folder, the oldest first. Without a
    /// folder, all of them.
    pub(crate) fn operations_in(
        &self,
        root: Option<&Path>,
        state: OperationState,
    ) -> Result<Vec<UndoOperation>, UndoError> {
        let mut places = entries(&self.operations())?;
        places.retain(|place| place.extension().is_some_and(|end| end == state.extension()));
        places.sort();
        let mut found = Vec::new();
        for place in places {
            let operation = UndoOperation::read(&place)?;
            let is_here = |change: &OperationChange| root.is_none_or(|root| change.root == root);
            if operation.changes.iter().any(is_here) {
                found.push(operation);
            }
        }
        Ok(found)
    }
}
