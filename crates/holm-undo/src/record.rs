//! The record of what one call changed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{PathState, TreePath};

/// The version of the format; a record of another version is not read.
pub(crate) const VERSION: u32 = 2;

/// The changes of one call: of a file tool to one file, or of a command to any number of paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoRecord {
    pub version: u32,
    /// When, in nanoseconds since 1970. Changes of one path never overlap, so this is their order.
    pub at: u64,
    /// The folder in which the call worked.
    pub root: PathBuf,
    pub source: RecordSource,
    pub changes: Vec<PathChange>,
    /// Paths that were one file by several names before, where that is different now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hard_links: Vec<Vec<TreePath>>,
}

/// Which kind of tool made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordSource {
    /// A tool that knew which file it changed.
    FileTool,
    /// A command: the change was found by comparing images.
    Command,
}

/// The change of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathChange {
    /// The path, from the folder of the record.
    pub path: TreePath,
    pub before: PathState,
    pub after: PathState,
}
