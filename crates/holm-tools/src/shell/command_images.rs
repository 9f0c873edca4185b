//! Images of the workspace around a command, so that what it changes can be undone. A workspace of
//! which no image can be taken does not keep the command from running: its result says so, once.
//!
//! The second image is taken after [`settle`](super::WorkspaceRecord::settle), so that an undo does
//! not know of files that were disabled there. Images and records are in `holm-undo`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use holm_grants::DenialSet;
use holm_guards::json::Json;
use holm_jail::JailEngine;
use holm_kernel::{IdempotencyKey, ToolOutput};

use super::WorkspaceRecord;
use crate::undo::{CommandChanges, CommandUndo, UncoveredPath, UndoStore, command_coverage};

/// Paths that a result names.
const MOST_NAMED: usize = 3;

/// The image before a command, or why there is none.
#[derive(Debug)]
pub(crate) enum CommandImages {
    /// The command cannot change the workspace, or the host keeps nothing.
    None,
    Taken(Box<CommandUndo>),
    /// No image could be taken: a line about it, if this is the first time in this workspace.
    Failed(Option<String>),
}

/// What a result says about the undo of its command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UndoReport {
    /// A line for the model and the user.
    pub(crate) line: Option<String>,
    /// The record, for the journal and for screens.
    record: Option<Json>,
}

impl CommandImages {
    /// Takes the image before a command. It reads the workspace, so it blocks.
    pub(crate) fn begin(
        undo: Option<&UndoStore>,
        key: IdempotencyKey,
        workspace: &Path,
        (engine, denials): (&JailEngine, &DenialSet),
        record: &WorkspaceRecord,
    ) -> Self {
        let is_free = *engine == JailEngine::Unconfined;
        let Some(undo) = undo.filter(|_| is_free || record.can_write_in_workspace()) else {
            return Self::None;
        };
        let coverage = command_coverage(undo, workspace, (!is_free).then_some(denials));
        match undo.begin(key, workspace, &coverage) {
            Ok(taken) => Self::Taken(Box::new(taken)),
            Err(error) => Self::Failed(is_first_failure(workspace).then(|| error.to_string())),
        }
    }

    /// The command did not start.
    pub(crate) fn cancel(self) {
        if let Self::Taken(taken) = self {
            taken.cancel();
        }
    }

    /// Takes the image after a command. It reads the workspace, so it blocks.
    pub(crate) fn finish(self) -> UndoReport {
        let failed = |why: &str| UndoReport {
            line: Some(format!("undo does not cover this command: {why}")),
            record: None,
        };
        match self {
            Self::None => UndoReport::default(),
            Self::Failed(why) => why.map_or_else(UndoReport::default, |why| failed(&why)),
            Self::Taken(taken) => match taken.finish() {
                Ok(changes) => UndoReport::of(&changes),
                Err(error) => failed(&error.to_string()),
            },
        }
    }
}

impl UndoReport {
    fn of(changes: &CommandChanges) -> Self {
        let line = lost(&changes.lost);
        if changes.record.is_none() && changes.lost.is_empty() {
            return Self { line, record: None };
        }
        let count = |count: usize| Json::from(u64::try_from(count).unwrap_or(u64::MAX));
        let uncovered: Vec<&UncoveredPath> = changes.lost.iter().chain(&changes.left).collect();
        let named = uncovered.iter().take(MOST_NAMED).map(|path| Json::from(described(path)));
        let mut parts = vec![
            ("created", count(changes.created)),
            ("changed", count(changes.changed)),
            ("deleted", count(changes.deleted)),
            ("not_covered", count(uncovered.len())),
        ];
        parts.extend(changes.record.as_deref().map(|record| ("record", Json::from(record))));
        if !uncovered.is_empty() {
            parts.push(("not_covered_paths", Json::from(named.collect::<Vec<_>>())));
        }
        Self { line, record: Some(Json::object(parts)) }
    }

    /// Names the record in the output's metadata, which the journal keeps and no model sees.
    pub(crate) fn note(self, output: &mut ToolOutput) {
        if let Some(record) = self.record {
            output.metadata = Some(Box::new(Json::object([("undo", record)])));
        }
    }
}

/// Whether it was not said yet in this process that this workspace is not covered.
fn is_first_failure(workspace: &Path) -> bool {
    static TOLD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace.to_owned())
}

/// The line about what changed and cannot be restored.
fn lost(paths: &[UncoveredPath]) -> Option<String> {
    let named: Vec<String> = paths.iter().take(MOST_NAMED).map(described).collect();
    let more = paths.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("undo does not restore {}{more}", named.join(", ")))
}

fn described(path: &UncoveredPath) -> String {
    format!("{} ({})", path.path, path.reason)
}
