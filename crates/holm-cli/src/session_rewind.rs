//! The prompts of a session, what changed since each of them, and the way back to the files as they
//! were before one. `commands/undo/rewind.rs` and `chat/rewind.rs` show it. The journal is not
//! changed: a conversation is rewound by a fork (`session_fork.rs`).
//!
//! A fork shares the calls of its past with the session that it comes from, and their records are
//! stored under the keys of that session. So the sessions it comes from are read too. What helpers
//! changed belongs to the sessions of the helpers.

use std::collections::{BTreeMap, BTreeSet};

use holm::{
    guards::json::Json,
    kernel::{
        Effect, Event, IdempotencyKey, Seq,
        journal::{self, JournalRecord},
    },
    runtime::JournalStore as _,
    store::Store,
};
use holm_tools::undo::{
    CallChanges, OperationLabel, PlacedPath, TreePath, UndoError, UndoOutcome, UndoPlan, UndoStep, UndoStore,
    UndoVerdict,
};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::{exit::CommandError, holm_paths::HolmPaths, session_sidecar::SessionSidecar};

/// How many forks back the calls of a session are looked up.
const MOST_ANCESTORS: usize = 32;
/// The largest file whose lines are counted.
const MOST_COUNTED_BYTES: u64 = 256 << 10;
/// The most lines on a side that are compared.
const MOST_COUNTED_LINES: usize = 4_000;
/// How many files are compared for one preview.
pub(crate) const MOST_COUNTED_FILES: usize = 200;
/// Paths without undo that one call may name, and that one preview names. Any tool writes metadata.
const MOST_UNCOVERED: usize = 3;
const MOST_UNCOVERED_SHOWN: usize = 20;
/// The longest of these texts, in characters.
const MOST_UNCOVERED_CHARS: usize = 300;
/// Tools that run commands.
const COMMAND_TOOLS: [&str; 2] = ["shell", "run_program"];

/// One prompt of a session, and the calls of its turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SessionPrompt {
    /// The number of the turn, counted from 1.
    pub(crate) number: u64,
    /// The last record before the prompt: a fork there does not have it.
    pub(crate) before: Option<Seq>,
    /// The calls of the turn, under the keys of this session and of those it was forked from.
    pub(crate) calls: Vec<IdempotencyKey>,
    /// The calls that ran commands.
    commands: BTreeSet<IdempotencyKey>,
    /// Changes that no undo covers, as far as the journal names them.
    uncovered: Vec<String>,
    /// The sessions of the helpers that it started.
    helpers: Vec<String>,
}

/// What changed since a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ChangesSince {
    pub(crate) files: usize,
    pub(crate) commands: usize,
}

/// The files of a rewind, and what stays as it is.
#[derive(Debug)]
pub(crate) struct FileRewind {
    pub(crate) label: OperationLabel,
    pub(crate) plan: UndoPlan,
    /// The paths that changed after the session changed them.
    pub(crate) left: Vec<UndoStep>,
    /// What is not restored, for the user.
    pub(crate) uncovered: Vec<String>,
}

/// Lines that the undo of one file adds and removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LineCounts {
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

/// The prompts of a session, with its calls. A replay needs no model and no tool.
pub(crate) fn prompts(records: &[JournalRecord]) -> anyhow::Result<Vec<SessionPrompt>> {
    Ok(prompts_until(records, None)?)
}

/// The same for a session that may be a fork.
pub(crate) async fn prompts_of(
    store: &Store,
    places: &HolmPaths,
    session: &str,
    records: &[JournalRecord],
) -> anyhow::Result<Vec<SessionPrompt>> {
    let mut found = prompts(records)?;
    let (mut child, mut shared) = (session.to_owned(), u64::MAX);
    for _ in 0..MOST_ANCESTORS {
        let origin = SessionSidecar::of(places, &child)?.and_then(|sidecar| sidecar.forked_from);
        let Some((from, at)) = origin else { break };
        shared = shared.min(at);
        let Some(past) = shared_prompts(store, &from, Seq::new(shared)).await else {
            let is_shared =
                |prompt: &&mut SessionPrompt| prompt.before.is_none_or(|seq| seq.value() < shared);
            for prompt in found.iter_mut().filter(is_shared) {
                prompt.uncovered.push(format!("what session {from} changed before the fork"));
            }
            break;
        };
        for (prompt, before) in found.iter_mut().zip(past) {
            prompt.calls.extend(before.calls);
        }
        child = from;
    }
    Ok(found)
}

/// The prompts that a fork shares with this session; `None` if it was erased or cannot be read.
async fn shared_prompts(store: &Store, session: &str, last: Seq) -> Option<Vec<SessionPrompt>> {
    let text = store.read(session).await.ok()?;
    let past = journal::decode(&text).ok()?;
    prompts_until(&past.records, Some(last)).ok()
}

/// The prompts up to a record, with the calls up to it.
fn prompts_until(
    records: &[JournalRecord],
    last: Option<Seq>,
) -> Result<Vec<SessionPrompt>, journal::ReplayError> {
    let mut prompts: Vec<SessionPrompt> = Vec::new();
    journal::replay_with(records, |seq, effect| {
        if last.is_some_and(|last| seq > last) {
            return;
        }
        if let Effect::Emit(event) = effect
            && let Event::GroupStarted { group } = event.event
        {
            let before = event.id.record.value().checked_sub(1).map(Seq::new);
            prompts.push(SessionPrompt { number: group, before, ..SessionPrompt::default() });
        }
        if let Some(prompt) = prompts.last_mut() {
            prompt.add(effect);
        }
    })?;
    Ok(prompts)
}

impl SessionPrompt {
    fn add(&mut self, effect: &Effect) {
        match effect {
            Effect::RunTool { request, .. } => {
                self.calls.push(request.key);
                if COMMAND_TOOLS.contains(&&*request.tool) {
                    self.commands.insert(request.key);
                }
            }
            Effect::Emit(event) => match &event.event {
                Event::CallFinished { metadata: Some(metadata), .. } => {
                    self.uncovered.extend(uncovered(metadata));
                }
                Event::ChildStarted { child, .. } => self.helpers.push(child.clone()),
                _ => {}
            },
            _ => {}
        }
    }
}

/// The paths of a command that its undo does not restore.
fn uncovered(metadata: &Json) -> Vec<String> {
    let paths = metadata.get("undo").and_then(|undo| undo.get("not_covered_paths")).and_then(Json::as_array);
    let texts = paths.unwrap_or_default().iter().filter_map(Json::as_str).take(MOST_UNCOVERED);
    texts.map(|text| text.chars().take(MOST_UNCOVERED_CHARS).collect()).collect()
}

/// What changed since each prompt, in their order. No file of the workspace is read.
pub(crate) fn changes_since(
    undo: &UndoStore,
    prompts: &[SessionPrompt],
) -> Result<Vec<ChangesSince>, UndoError> {
    let calls: Vec<IdempotencyKey> = prompts.iter().flat_map(|prompt| prompt.calls.clone()).collect();
    let known: BTreeMap<String, CallChanges> = undo.changes_of(&calls)?;
    let mut paths: BTreeSet<&PlacedPath> = BTreeSet::new();
    let (mut commands, mut found) = (0, Vec::new());
    for prompt in prompts.iter().rev() {
        let changes = prompt.calls.iter().filter_map(|key| known.get(&key.to_string()));
        paths.extend(changes.flat_map(|changes| &changes.paths));
        commands += prompt.commands.len();
        found.push(ChangesSince { files: paths.len(), commands });
    }
    found.reverse();
    Ok(found)
}

impl FileRewind {
    /// Says what restoring the files of this prompt and all later ones would do. It changes nothing.
    pub(crate) fn plan(
        undo: &UndoStore,
        session: &str,
        prompts: &[SessionPrompt],
        from: u64,
    ) -> Result<Self, UndoError> {
        let since = prompts.iter().filter(|prompt| prompt.number >= from);
        let mut calls = Vec::new();
        let (mut uncovered, mut helpers) = (BTreeSet::new(), BTreeSet::new());
        let mut last = from;
        for prompt in since {
            calls.extend(prompt.calls.iter().copied());
            uncovered.extend(prompt.uncovered.iter().cloned());
            helpers.extend(prompt.helpers.iter());
            last = last.max(prompt.number);
        }
        let more = uncovered.len().saturating_sub(MOST_UNCOVERED_SHOWN);
        let mut uncovered: Vec<String> = uncovered.into_iter().take(MOST_UNCOVERED_SHOWN).collect();
        if more > 0 {
            uncovered.push(format!("{more} more paths"));
        }
        if !helpers.is_empty() {
            let names: Vec<&str> = helpers.into_iter().map(String::as_str).collect();
            uncovered.push(format!("changes by the helpers {}", names.join(", ")));
        }
        let last_turn = (last > from).then_some(last);
        let label = OperationLabel { session: session.to_owned(), turn: from, last_turn };
        Ok(Self { label, plan: undo.plan(&calls)?, left: Vec::new(), uncovered })
    }

    /// Leaves what changed since, except what is `forced`.
    pub(crate) fn leave_changed(mut self, undo: &UndoStore, forced: &[TreePath]) -> Result<Self, UndoError> {
        self.left = undo.leave_changed(&mut self.plan, forced)?;
        Ok(self)
    }

    /// Restores the files, and leaves what is not in the plan.
    pub(crate) fn restore(&self, undo: &UndoStore, forced: &[TreePath]) -> Result<UndoOutcome, UndoError> {
        if self.changes().next().is_none() {
            return Ok(UndoOutcome::default());
        }
        undo.restore(&self.plan, forced, self.label.clone())
    }

    /// The steps that change something.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &UndoStep> {
        self.plan.steps.iter().filter(|step| step.verdict != UndoVerdict::Already)
    }
}

/// The lines that a step adds and removes; `None` for what is not a text, or too large.
pub(crate) fn line_counts(undo: &UndoStore, step: &UndoStep) -> Option<LineCounts> {
    let contents = undo.contents_of(step, MOST_COUNTED_BYTES)?;
    let (now, target) = (String::from_utf8(contents.now).ok()?, String::from_utf8(contents.target).ok()?);
    let (now, target): (Vec<&str>, Vec<&str>) = (now.lines().collect(), target.lines().collect());
    if now.len().max(target.len()) > MOST_COUNTED_LINES {
        return None;
    }
    let mut counts = LineCounts::default();
    for op in capture_diff_slices(Algorithm::Myers, &now, &target) {
        let (removed, added) = match op {
            DiffOp::Equal { .. } => (0, 0),
            DiffOp::Delete { old_len, .. } => (old_len, 0),
            DiffOp::Insert { new_len, .. } => (0, new_len),
            DiffOp::Replace { old_len, new_len, .. } => (old_len, new_len),
        };
        counts.removed += removed;
        counts.added += added;
    }
    Some(counts)
}

/// The turns of an undo, for messages.
pub(crate) fn turns_of(label: &OperationLabel) -> String {
    match label.last_turn {
        Some(last) => format!("turns {} to {last}", label.turn),
        None => format!("turn {}", label.turn),
    }
}

/// Refuses a session whose turn is under way in a process.
pub(crate) async fn check_idle(
    store: &Store,
    session: &str,
    records: &[JournalRecord],
) -> anyhow::Result<()> {
    if journal::replay(records)?.is_idle() {
        return Ok(());
    }
    let is_driven = store.session(session).await.is_ok_and(|session| session.holder.is_some());
    if is_driven {
        let message = format!("session `{session}` is working and still uses its files");
        let error = CommandError::new(crate::exit::CommandExit::Failed, message);
        return Err(error.hint("stop it first, or wait until the turn has ended").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
