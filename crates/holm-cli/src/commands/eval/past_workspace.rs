//! The files of a workspace as they were before a session, for `holm eval add`: what the session changed
//! is taken back, in the copy that becomes a case. The workspace itself is not touched. The records are
//! those of `holm undo`.

use std::{
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use holm::{kernel::journal::JournalRecord, store::Store};
use holm_eval::{NewCase, PastFile, PastState, SessionTranscript};
use holm_tools::undo::{KEPT, PathState, UndoStep, UndoStore, UndoVerdict};

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    session_rewind::{FileRewind, prompts_of},
};

/// The largest file that is restored.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// What a session changed in its workspace, as it was before, and what cannot be restored.
pub(super) struct PastWorkspace {
    pub(super) files: Vec<PastFile>,
    pub(super) notes: Vec<String>,
}

/// Looks up the files of a workspace as they were before a session that may have changed them.
///
/// # Errors
/// If they are not known: a file changed since, or the undo records are gone.
pub(super) async fn before(
    session: &str,
    (records, transcript): (&[JournalRecord], &SessionTranscript),
    workspace: &Path,
    (store, data): (&Store, &Path),
) -> anyhow::Result<PastWorkspace> {
    let places = HolmPaths::at(data.to_owned(), workspace.to_owned());
    let prompts = prompts_of(store, &places, session, records).await?;
    let undo = UndoStore::open(holm_paths::undo_folder(data))?;
    let rewind = FileRewind::plan(&undo, session, &prompts, 1)?;
    let last = records.last().map_or(0, |record| record.at().value());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    if u128::from(last) + KEPT.as_millis() < now {
        return Err(unknown("its undo records are older than 30 days").into());
    }
    // Commands may have changed nothing.
    if rewind.plan.steps.is_empty() && NewCase::has_written(transcript) {
        return Err(unknown("there are no undo records of its changes").into());
    }
    let mut past = PastWorkspace { files: Vec::new(), notes: Vec::new() };
    for step in &rewind.plan.steps {
        if step.root != workspace {
            past.notes.push(format!("{} is outside of the workspace and left out", step.path));
            continue;
        }
        if step.verdict == UndoVerdict::Changed {
            return Err(unknown(&format!("{} changed since", step.path)).into());
        }
        let state = state_before(&undo, step);
        let state =
            state.ok_or_else(|| unknown(&format!("the old content of {} is not stored", step.path)))?;
        past.files.push(PastFile { path: PathBuf::from(step.path.as_path()), state });
    }
    past.notes.extend(rewind.uncovered.iter().map(|what| format!("not restored: {what}")));
    Ok(past)
}

/// The state of a path before the session; `None` if its content is not known.
fn state_before(undo: &UndoStore, step: &UndoStep) -> Option<PastState> {
    match &step.target {
        PathState::Absent => Some(PastState::Absent),
        PathState::File { mode, .. } => {
            let content = undo.contents_of(step, MAX_FILE_BYTES)?.target;
            Some(PastState::File { content, mode: *mode })
        }
        PathState::Link { target } => Some(PastState::Link(target.0.clone())),
        PathState::Folder { .. } => Some(PastState::Folder),
        PathState::Unkept { .. } => None,
    }
}

fn unknown(why: &str) -> CommandError {
    let message = format!("the session may have changed its workspace, and {why}");
    CommandError::new(CommandExit::Usage, message)
        .hint("give the workspace before it with --workspace FOLDER, such as a checkout of the commit")
}
