//! `holm undo`: restores the files of a turn to their state before it, and takes such an undo back.
//! It chooses the session and the turn from journals; recording and restoring is done in
//! `holm-undo` and `holm-tools/src/undo/`. A file that changed since is restored only with
//! `--force`, and without it nothing at all is restored. The journal is not changed.
//!
//! `undo/rewind.rs` restores the files of several turns at once.
//!
//! An undo that was interrupted is completed first, and then nothing else is done: the user asked
//! for that one.

mod rewind;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use holm::{
    grants::FilePath,
    kernel::{IdempotencyKey, journal},
    runtime::{JournalStorageError, JournalStore as _},
    store::{SessionQuery, Store},
};
use holm_tools::{
    root::WorkspaceRoot,
    undo::{
        KEPT, MOST_KEPT, OperationLabel, PathState, ResumedUndo, TreePath, UndoError, UndoOutcome, UndoPlan,
        UndoStep, UndoStore, UndoVerdict,
    },
};
use serde_json::json;

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    screen::TerminalOutput,
    session_name,
    session_rewind::{self, SessionPrompt, turns_of},
};

/// Arguments of `holm undo`.
#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// Session name [default: the last one used that changed files in this folder]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Turn number, counting prompts from 1 [default: the last turn that changed files]
    #[arg(long, value_name = "NUMBER")]
    turn: Option<u64>,
    /// Undo this turn and all later ones. Files that changed since stay as they are, and Holm
    /// names them
    #[arg(long, value_name = "NUMBER", conflicts_with = "turn")]
    from: Option<u64>,
    /// Reverse the last undo in this folder
    #[arg(long, conflicts_with_all = ["session", "turn", "from"])]
    redo: bool,
    /// Restore this file even if it has changed since; can be repeated
    #[arg(long, value_name = "PATH")]
    force: Vec<String>,
    /// Show what would be done, without doing it
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object per line, one for each file of the turn
    #[arg(long)]
    json: bool,
}

/// How many sessions are looked through at once.
const PAGE: u32 = 100;
/// Lines about files that are printed for a person; programs get all.
const MOST_LINES: usize = 200;

pub(crate) async fn execute(args: UndoArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let folder = holm_paths::data_here(data)?;
    // Undo reads the session; what it writes are files of the workspace and its own records.
    let store = holm_paths::store_to_read(&folder).await?;
    let undo = UndoStore::open(holm_paths::undo_folder(&folder))?;
    let screen = TerminalOutput::default();
    let here = WorkspaceRoot::open(&std::env::current_dir()?)?.at().clone();
    if undo.is_interrupted()? {
        return complete(&undo, &screen, args.dry_run);
    }
    if args.redo {
        return redo(&undo, &screen, &args, &here);
    }
    // What a command did whose Holm was killed. A folder that cannot be looked at has no record.
    let _ = undo.settle(Path::new(here.as_str()));
    let (session, kept) = match &args.session {
        Some(session) => (session_name::resolve(&store, session.clone()).await?, undo.keys()?),
        None => {
            let kept = undo.keys_in(&here)?;
            (latest(&store, &kept).await?, kept)
        }
    };
    let text = store.read(&session).await.map_err(|error| no_session(&session, error))?;
    let records = journal::decode_strict(&text)?;
    let prompts = prompts_here(&store, data, &session, &records).await?;
    if let Some(from) = args.from {
        session_rewind::check_idle(&store, &session, &records).await?;
        return rewind::rewind(&undo, &screen, &args, (&session, &prompts, from), &here);
    }
    let turns = calls_of(prompts);
    let (turn, calls) = choose(&session, &turns, args.turn, &kept)?;
    let plan = undo.plan(&calls)?;
    let forced = forced(&plan, &args.force)?;
    let label = OperationLabel { session: session.clone(), turn, last_turn: None };
    if args.dry_run {
        preview(&screen, &label, &plan, &forced, (&here, args.json));
        return Ok(CommandExit::Done);
    }
    let outcome = undo.restore(&plan, &forced, label.clone()).map_err(|error| refused(&screen, error))?;
    let steps = print_restored(&screen, &label, &plan, &outcome, (&here, args.json));
    let elsewhere = elsewhere(&plan, &here);
    screen.note(&format!("holm: turn {turn} of session {session}{elsewhere}: {}", counted(&steps)));
    // Undo data that was not used for a month is no longer needed.
    undo.prune(KEPT, MOST_KEPT)?;
    Ok(CommandExit::Done)
}

/// Takes the last undo in this folder back.
fn redo(
    undo: &UndoStore,
    screen: &TerminalOutput,
    args: &UndoArgs,
    here: &FilePath,
) -> anyhow::Result<CommandExit> {
    let (label, plan) = undo.plan_revert(Some(here)).map_err(|error| match error {
        UndoError::NothingToRevert => {
            CommandError::new(CommandExit::Missing, "there is no undo in this folder to take back").into()
        }
        other => anyhow::Error::from(other),
    })?;
    let forced = forced(&plan, &args.force)?;
    if args.dry_run {
        preview(screen, &label, &plan, &forced, (here, args.json));
        return Ok(CommandExit::Done);
    }
    let outcome = undo.revert(Some(here), &forced).map_err(|error| refused(screen, error))?;
    let steps = print_restored(screen, &label, &plan, &outcome, (here, args.json));
    let (turns, session) = (turns_of(&label), &label.session);
    screen.note(&format!("holm: the undo of {turns} of session {session}: {}", counted(&steps)));
    for path in &outcome.lost {
        screen.note(&format!("holm: {path} was not stored and does not come back"));
    }
    Ok(CommandExit::Done)
}

/// Completes an undo that was interrupted.
fn complete(undo: &UndoStore, screen: &TerminalOutput, dry_run: bool) -> anyhow::Result<CommandExit> {
    if dry_run {
        screen.note("holm: an undo was interrupted; `holm undo` completes it");
        return Ok(CommandExit::Done);
    }
    for ResumedUndo { label, outcome, changed, .. } in undo.resume()? {
        let (turns, session, count) = (turns_of(&label), &label.session, outcome.restored.len());
        screen.note(&format!(
            "holm: completed the interrupted undo of {turns} of session {session}: {count} files"
        ));
        for path in changed {
            screen.note(&format!("holm: {path} changed since; it was left as it is"));
        }
    }
    Ok(CommandExit::Done)
}

/// Says what would be done.
fn preview(
    screen: &TerminalOutput,
    label: &OperationLabel,
    plan: &UndoPlan,
    forced: &[TreePath],
    (here, is_json): (&FilePath, bool),
) {
    if is_json {
        plan.steps.iter().for_each(|step| screen.line(&step_json(label, step, state_before(step, forced))));
    } else {
        show(screen, plan, forced, here);
    }
}

/// Prints which files were restored, and returns their steps.
fn print_restored<'a>(
    screen: &TerminalOutput,
    label: &OperationLabel,
    plan: &'a UndoPlan,
    outcome: &UndoOutcome,
    (here, is_json): (&FilePath, bool),
) -> Vec<&'a UndoStep> {
    let restored: BTreeSet<&TreePath> = outcome.restored.iter().collect();
    let is_done = |step: &UndoStep| restored.contains(&step.path) && step.verdict != UndoVerdict::Already;
    let steps: Vec<&UndoStep> = plan.steps.iter().filter(|step| is_done(step)).collect();
    if is_json {
        let state = |step: &UndoStep| if is_done(step) { "done" } else { "as it was" };
        plan.steps.iter().for_each(|step| screen.line(&step_json(label, step, state(step))));
        return steps;
    }
    let lines = steps.iter().map(|step| format!("{} {}", done(step), named(step, here)));
    print_some(screen, &lines.collect::<Vec<_>>());
    for path in &outcome.kept {
        screen.note(&format!("holm: the folder {path} stays, because something else is in it"));
    }
    steps
}

/// Prints lines for a person: not thousands of them.
fn print_some(screen: &TerminalOutput, lines: &[String]) {
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.iter().take(MOST_LINES).for_each(|line| screen.answer(line));
    if more > 0 {
        screen.answer(&format!("and {more} more; --json lists all"));
    }
}

/// A file of a turn as JSON: what is done with it, and its state.
fn step_json(label: &OperationLabel, step: &UndoStep, state: &str) -> String {
    let OperationLabel { session, turn, .. } = label;
    let (folder, path) = (step.root.to_string_lossy(), step.path.to_string());
    let step_json = json!({
        "session": session, "turn": turn, "folder": folder, "path": path, "change": done(step), "state": state,
    });
    step_json.to_string()
}

/// The other folders that the turn worked in, for a person.
fn elsewhere(plan: &UndoPlan, here: &FilePath) -> String {
    let roots = plan.steps.iter().map(|step| &step.root).filter(|root| **root != Path::new(here.as_str()));
    let other: BTreeSet<&PathBuf> = roots.collect();
    other.iter().map(|root| format!(", in {}", root.display())).collect()
}

/// The session used last of those that made one of these calls.
async fn latest(store: &Store, kept: &BTreeSet<String>) -> anyhow::Result<String> {
    let mut wanted = SessionQuery { limit: Some(PAGE), ..SessionQuery::default() };
    let mut seen = 0;
    loop {
        let page = store.list(&wanted).await?;
        seen += page.sessions.len();
        for session in page.sessions.into_iter().filter(|_| !kept.is_empty()) {
            // A session that cannot be read does not block the search.
            let Ok(text) = store.read(&session.run).await else { continue };
            let Ok(records) = journal::decode_strict(&text) else { continue };
            let prompts = session_rewind::prompts(&records);
            if prompts.is_ok_and(|prompts| prompts.iter().any(|prompt| changed(&prompt.calls, kept))) {
                return Ok(session.run);
            }
        }
        match page.next {
            Some(next) if !kept.is_empty() => wanted.after = Some(next),
            Some(_) | None => break,
        }
    }
    if seen == 0 {
        return Err(CommandError::new(CommandExit::Missing, "no sessions yet").into());
    }
    let trouble = CommandError::new(CommandExit::Missing, "nothing to undo in this folder");
    Err(trouble.hint("to undo changes in another folder, go there or use --session").into())
}

/// Whether one of the calls has something to undo.
fn changed(calls: &[IdempotencyKey], kept: &BTreeSet<String>) -> bool {
    calls.iter().any(|key| kept.contains(&key.to_string()))
}

/// The prompts of a session with their calls, also those of the sessions that it was forked from.
async fn prompts_here(
    store: &Store,
    data: Option<&Path>,
    session: &str,
    records: &[journal::JournalRecord],
) -> anyhow::Result<Vec<SessionPrompt>> {
    let places = HolmPaths::at(holm_paths::data_here(data)?, std::env::current_dir()?);
    session_rewind::prompts_of(store, &places, session, records).await
}

/// The calls of each turn, by the keys under which tools store their records.
fn calls_of(prompts: Vec<SessionPrompt>) -> BTreeMap<u64, Vec<IdempotencyKey>> {
    prompts.into_iter().map(|prompt| (prompt.number, prompt.calls)).collect()
}

fn choose(
    session: &str,
    turns: &BTreeMap<u64, Vec<IdempotencyKey>>,
    wanted: Option<u64>,
    kept: &BTreeSet<String>,
) -> anyhow::Result<(u64, Vec<IdempotencyKey>)> {
    let found = match wanted {
        Some(turn) => turns.get(&turn).filter(|calls| changed(calls, kept)).map(|calls| (turn, calls)),
        None => {
            turns.iter().rev().find(|(_, calls)| changed(calls, kept)).map(|(turn, calls)| (*turn, calls))
        }
    };
    if let Some((turn, calls)) = found {
        return Ok((turn, calls.clone()));
    }
    let what = wanted.map_or_else(String::new, |turn| format!("turn {turn} of "));
    let message = format!("nothing to undo in {what}session `{session}`");
    Err(CommandError::new(CommandExit::Missing, message)
        .hint("only changes that tools made and that are not undone yet can be undone")
        .into())
}

/// The files that are to be put back in any case, each of which must be a file of the turn.
fn forced(plan: &UndoPlan, texts: &[String]) -> anyhow::Result<Vec<TreePath>> {
    let mut forced = Vec::new();
    for text in texts {
        // A name that is not text is given as it is shown.
        if let Some(step) = plan.steps.iter().find(|step| step.path.to_string() == *text) {
            forced.push(step.path.clone());
            continue;
        }
        let path: FilePath = text.parse().map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("--force {text}: {error}"))
                .hint("name the file as the turn named it")
        })?;
        let is_named = |step: &&UndoStep| {
            let root = step.root.to_str().and_then(|root| root.parse::<FilePath>().ok());
            root.is_some_and(|root| step.path.as_path() == Path::new(path.rebased(&root).as_str()))
        };
        let Some(step) = plan.steps.iter().find(is_named) else {
            let message = format!("--force {text}: the turn did not change that file");
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("`holm undo --dry-run` shows the changed files")
                .into());
        };
        forced.push(step.path.clone());
    }
    Ok(forced)
}

/// The state of a file before the undo, for the JSON output.
fn state_before(step: &UndoStep, forced: &[TreePath]) -> &'static str {
    match step.verdict {
        UndoVerdict::Ready => "ready",
        UndoVerdict::Already => "as it was",
        UndoVerdict::Changed if forced.contains(&step.path) => "forced",
        UndoVerdict::Changed => "changed",
    }
}

fn show(screen: &TerminalOutput, plan: &UndoPlan, forced: &[TreePath], here: &FilePath) {
    let line = |step: &UndoStep| {
        let what = match step.verdict {
            UndoVerdict::Ready => format!("would be {}", done(step)),
            UndoVerdict::Already => "is as it was".into(),
            UndoVerdict::Changed if forced.contains(&step.path) => {
                format!("has changed since; would be {}", done(step))
            }
            UndoVerdict::Changed => "has changed since; --force would put it back".into(),
        };
        format!("{}  {what}", named(step, here))
    };
    print_some(screen, &plan.steps.iter().map(line).collect::<Vec<_>>());
}

/// A file as it is reached from here: one of another folder by its whole path.
fn named(step: &UndoStep, here: &FilePath) -> String {
    if step.root == Path::new(here.as_str()) {
        return step.path.to_string();
    }
    format!("{}/{}", step.root.to_string_lossy().trim_end_matches('/'), step.path)
}

/// How many files and folders were put back, and how many were removed
/// because there were none before.
fn counted(steps: &[&UndoStep]) -> String {
    let count = |what: &str, is_removed: bool, is_folder: bool| {
        let fits = |step: &&&UndoStep| {
            (step.target == PathState::Absent) == is_removed
                && (step.target.is_folder() || (is_removed && step.left.is_folder())) == is_folder
        };
        let noun = if is_folder { "folder" } else { "file" };
        match steps.iter().filter(fits).count() {
            0 => None,
            1 => Some(format!("1 {noun} {what}")),
            many => Some(format!("{many} {noun}s {what}")),
        }
    };
    let parts = [
        count("restored", false, false),
        count("removed", true, false),
        count("restored", false, true),
        count("removed", true, true),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "nothing to restore: every file is as it was before".into()
    } else {
        parts.join(", ")
    }
}

fn done(step: &UndoStep) -> &'static str {
    if step.target == PathState::Absent { "removed" } else { "restored" }
}

fn refused(screen: &TerminalOutput, error: UndoError) -> anyhow::Error {
    let UndoError::Changed { paths } = &error else { return error.into() };
    for path in paths {
        screen.note(&format!("holm: {path} changed since that turn"));
    }
    let flags: Vec<String> = paths.iter().map(|path| format!("--force {path}")).collect();
    let hint = format!("check them, then add {} to discard those changes", flags.join(" "));
    CommandError::new(CommandExit::Failed, "files changed since; nothing was restored").hint(hint).into()
}

fn no_session(session: &str, error: JournalStorageError) -> anyhow::Error {
    match error {
        JournalStorageError::Missing { .. } => super::session::no_such(session).into(),
        other => other.into(),
    }
}
