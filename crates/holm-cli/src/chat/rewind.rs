//! `/rewind` and `/redo`: what the choice offers, and the work on files. The conversation is rewound
//! by a fork; the old session stays. What keys do is in `update/rewind.rs`; the rules of an undo are
//! in `session_rewind.rs` and `holm-undo`. Paths are sanitized here, because models choose them.

use std::path::Path;

use holm::{
    grants::FilePath,
    kernel::{Seq, journal},
    runtime::JournalStore as _,
    store::Store,
};
use holm_tools::{
    root::WorkspaceRoot,
    undo::{OperationLabel, UndoError, UndoStep, UndoStore},
};

use super::{
    picker::{ListPicker, PickerAction, PickerRow},
    state::ChatMessage,
    tab::TabId,
    text::{clipped, one_line},
};
use crate::{
    holm_paths::{self, HolmPaths},
    session_rewind::{self, FileRewind, LineCounts, MOST_COUNTED_FILES, SessionPrompt, line_counts},
};

/// How much of a prompt a row shows.
const ROW_COLUMNS: usize = 120;
/// Files that a preview lists.
const MOST_FILES: usize = 500;

/// A prompt to go back to: the files, the conversation, or both are as they were before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RewindTarget {
    pub(super) tab: TabId,
    pub(super) session: String,
    /// The number of the prompt in the session, counted from 1.
    pub(super) number: u64,
    /// The last record before the prompt.
    pub(super) before: Seq,
    pub(super) prompt: String,
}

/// Whether files, the conversation, or both go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RewindScope {
    Files,
    Conversation,
    Both,
}

impl RewindScope {
    pub(super) fn has_files(self) -> bool {
        matches!(self, Self::Files | Self::Both)
    }

    pub(super) fn has_conversation(self) -> bool {
        matches!(self, Self::Conversation | Self::Both)
    }
}

/// A rewind that `/redo` takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DoneRewind {
    pub(super) target: RewindTarget,
    /// Whether files were restored.
    pub(super) has_files: bool,
    /// The tab of the forked session, if the conversation was rewound.
    pub(super) fork: Option<TabId>,
}

/// Work on the journal and on files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RewindTask {
    /// Lists these prompts, with what changed since each.
    List { session: String, targets: Vec<RewindTarget> },
    /// Shows what going back to before a prompt would do.
    Preview(RewindTarget),
    /// Restores the files as they were before a prompt.
    Restore { target: RewindTarget, scope: RewindScope },
    /// Takes the files of a rewind back.
    Redo { tab: TabId, done: DoneRewind },
}

impl RewindTask {
    /// Does it. What fails to be listed is an error; what becomes of files is always a message.
    pub(super) async fn perform(self, store: &Store, places: HolmPaths) -> Result<ChatMessage, String> {
        match self {
            Self::List { session, targets } => {
                list(store, places, &session, targets).await.map(ChatMessage::Found)
            }
            Self::Preview(target) => preview(store, places, target).await.map(ChatMessage::Found),
            Self::Restore { target, scope } => {
                let files = restore(store, places, target.clone()).await;
                Ok(ChatMessage::Rewound { target, scope, files })
            }
            Self::Redo { tab, done } => {
                let files = redo(places, done.target.clone()).await;
                Ok(ChatMessage::Redone { tab, done, files })
            }
        }
    }
}

/// What became of the files of a rewind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RewoundFiles {
    /// Whether something was restored, and so can be taken back.
    pub(super) is_changed: bool,
    pub(super) text: String,
}

/// The undo records, and the folder in which the chat works.
struct UndoPlace {
    undo: UndoStore,
    here: FilePath,
}

impl UndoPlace {
    /// # Errors
    /// If an undo was interrupted: completing it changes files, which the user did not ask for here.
    fn open(places: &HolmPaths) -> Result<Self, String> {
        let undo =
            UndoStore::open(holm_paths::undo_folder(&places.data)).map_err(|error| error.to_string())?;
        let here = WorkspaceRoot::open(&places.work).map_err(|error| error.to_string())?.at().clone();
        if undo.is_interrupted().map_err(|error| told(&error))? {
            return Err("an undo was interrupted; `holm undo` in a terminal completes it".into());
        }
        // What a command did whose Holm was killed. A folder that cannot be looked at has no record.
        let _ = undo.settle(Path::new(here.as_str()));
        Ok(Self { undo, here })
    }
}

fn told(error: &UndoError) -> String {
    match error {
        UndoError::Changed { paths } => {
            format!("changed since then: {}; nothing was restored", one_line(&paths.join(", ")))
        }
        other => one_line(&other.to_string()),
    }
}

/// The same, with the command that restores such files too.
fn forcible(error: &UndoError, command: &str) -> String {
    let hint = matches!(error, UndoError::Changed { .. })
        .then(|| format!(". `{command} --force PATH` restores it too"));
    told(error) + &hint.unwrap_or_default()
}

/// The prompts of a session with their calls, from its journal.
async fn prompts(store: &Store, places: &HolmPaths, session: &str) -> Result<Vec<SessionPrompt>, String> {
    let text = store.read(session).await.map_err(|error| error.to_string())?;
    let records = journal::decode(&text).map_err(|error| error.to_string())?.records;
    let found = session_rewind::prompts_of(store, places, session, &records).await;
    found.map_err(|error| format!("{error:#}"))
}

/// Does blocking work on a thread of its own.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

/// The prompts to choose from, the newest first, with what changed since each.
async fn list(
    store: &Store,
    places: HolmPaths,
    session: &str,
    targets: Vec<RewindTarget>,
) -> Result<ListPicker, String> {
    let prompts = prompts(store, &places, session).await?;
    blocking(move || {
        let place = UndoPlace::open(&places)?;
        let changes = session_rewind::changes_since(&place.undo, &prompts).map_err(|error| told(&error))?;
        let row = |target: RewindTarget| {
            let at = prompts.iter().position(|prompt| prompt.number == target.number)?;
            let since = changes.get(at)?;
            let parts = [counted(since.files, "file"), counted(since.commands, "command")];
            let about = format!("{} · {}", parts.join(", "), one_line(&target.prompt));
            let (label, about) = (target.number.to_string(), clipped(&about, ROW_COLUMNS));
            Some(PickerRow { label, about, pick: PickerAction::RewindTo(target) })
        };
        let rows = targets.into_iter().rev().filter_map(row).collect();
        Ok(ListPicker::new("rewind to before this message (what changed since is shown)", rows))
    })
    .await
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The choice between files, conversation and both, above what would happen to the files.
async fn preview(store: &Store, places: HolmPaths, target: RewindTarget) -> Result<ListPicker, String> {
    let prompts = prompts(store, &places, &target.session).await?;
    blocking(move || {
        let place = UndoPlace::open(&places)?;
        let rewind = plan(&place.undo, &prompts, &target);
        Ok(match rewind {
            Ok(rewind) => choice(&place, &target, &rewind),
            Err(why) => {
                let rows = vec![conversation(&target), note("files", &format!("cannot be restored: {why}"))];
                ListPicker::new(&title(&target), rows)
            }
        })
    })
    .await
}

fn plan(undo: &UndoStore, prompts: &[SessionPrompt], target: &RewindTarget) -> Result<FileRewind, String> {
    let rewind = FileRewind::plan(undo, &target.session, prompts, target.number);
    rewind.and_then(|rewind| rewind.leave_changed(undo, &[])).map_err(|error| told(&error))
}

fn title(target: &RewindTarget) -> String {
    format!("rewind to before message {}: {}", target.number, clipped(&one_line(&target.prompt), ROW_COLUMNS))
}

fn choice(place: &UndoPlace, target: &RewindTarget, rewind: &FileRewind) -> ListPicker {
    let count = rewind.changes().count();
    let mut rows = Vec::new();
    if count > 0 {
        let about =
            format!("{} back as before the message, and a new session from there", counted(count, "path"));
        rows.push(scope(target, RewindScope::Both, "files and conversation", &about));
        rows.push(scope(target, RewindScope::Files, "files", "the conversation stays"));
    }
    rows.push(conversation(target));
    if count == 0 {
        rows.push(note("files", "nothing to restore"));
    }
    for (at, step) in rewind.changes().take(MOST_FILES).enumerate() {
        let counts = (at < MOST_COUNTED_FILES).then(|| line_counts(&place.undo, step)).flatten();
        rows.push(note(&lines_of(step, counts), &shown(place, step)));
    }
    if count > MOST_FILES {
        rows.push(note("", &format!("and {} more", count - MOST_FILES)));
    }
    for step in rewind.left.iter().take(MOST_FILES) {
        rows.push(note("stays", &format!("{} (changed since)", shown(place, step))));
    }
    rows.extend(rewind.uncovered.iter().map(|text| note("stays", &format!("{text} (not covered)"))));
    ListPicker::new(&title(target), rows)
}

fn scope(target: &RewindTarget, scope: RewindScope, label: &str, about: &str) -> PickerRow {
    let pick = PickerAction::Rewind { target: target.clone(), scope };
    PickerRow { label: label.into(), about: about.into(), pick }
}

fn conversation(target: &RewindTarget) -> PickerRow {
    scope(target, RewindScope::Conversation, "conversation", "a new session from there; the files stay")
}

/// A row that says something and does nothing.
fn note(label: &str, about: &str) -> PickerRow {
    PickerRow { label: label.into(), about: one_line(about), pick: PickerAction::Nothing }
}

fn lines_of(step: &UndoStep, counts: Option<LineCounts>) -> String {
    match counts {
        Some(LineCounts { added, removed }) => format!("+{added} −{removed}"),
        None if step.target.is_folder() || step.left.is_folder() => "folder".into(),
        None => "changed".into(),
    }
}

/// A path as it is reached from the folder of the chat.
fn shown(place: &UndoPlace, step: &UndoStep) -> String {
    if step.root == Path::new(place.here.as_str()) {
        return one_line(&step.path.to_string());
    }
    one_line(&format!("{}/{}", step.root.to_string_lossy().trim_end_matches('/'), step.path))
}

/// Restores the files. What changed outside of the session since is named and left.
async fn restore(store: &Store, places: HolmPaths, target: RewindTarget) -> Result<RewoundFiles, String> {
    let prompts = prompts(store, &places, &target.session).await?;
    blocking(move || {
        let place = UndoPlace::open(&places)?;
        let rewind = plan(&place.undo, &prompts, &target)?;
        let outcome = rewind.restore(&place.undo, &[]).map_err(|error| {
            let command = format!("holm undo --session {} --from {}", target.session, target.number);
            forcible(&error, &command)
        })?;
        let mut lines = Vec::new();
        lines.push(match outcome.restored.len() {
            0 => "no file had to be restored".into(),
            count => format!(
                "{} restored as before message {}; /redo takes that back",
                counted(count, "path"),
                target.number
            ),
        });
        let left = rewind.left.iter().take(MOST_FILES);
        lines.extend(left.map(|step| format!("{} changed since and was left", shown(&place, step))));
        lines.extend(outcome.kept.iter().map(|path| {
            format!("the folder {} stays, because something else is in it", one_line(&path.to_string()))
        }));
        Ok(RewoundFiles { is_changed: !outcome.restored.is_empty(), text: lines.join("\n") })
    })
    .await
}

/// Takes the files of a rewind back, if no later undo in this folder came after it.
async fn redo(places: HolmPaths, target: RewindTarget) -> Result<String, String> {
    blocking(move || {
        let place = UndoPlace::open(&places)?;
        let (label, _) = place.undo.plan_revert(Some(&place.here)).map_err(|error| told(&error))?;
        let OperationLabel { session, turn, .. } = &label;
        if (session.as_str(), *turn) != (target.session.as_str(), target.number) {
            return Err("another undo came after the rewind; `holm undo --redo` takes that one back".into());
        }
        let outcome = place.undo.revert(Some(&place.here), &[]);
        let outcome = outcome.map_err(|error| forcible(&error, "holm undo --redo"))?;
        let mut lines =
            vec![format!("{} as before the rewind again", counted(outcome.restored.len(), "path"))];
        let lost = outcome.lost.iter().map(|path| one_line(&path.to_string()));
        lines.extend(lost.map(|path| format!("{path} was not stored and does not come back")));
        Ok(lines.join("\n"))
    })
    .await
}
