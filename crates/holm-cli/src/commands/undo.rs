//! `holm undo`: restores the files of a turn to their state before it. It chooses the session and
//! the turn from journals; recording and restoring is done in `holm-tools/src/undo/`. Only changes
//! by the file tools can be undone. A file that changed since is restored only with `--force`, and
//! without it nothing at all is restored. The journal is not changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use holm::{
    grants::FilePath,
    kernel::{Effect, Event, IdempotencyKey, journal},
    runtime::{JournalStorageError, JournalStore as _},
    store::{SessionQuery, Store},
};
use holm_tools::{
    root::WorkspaceRoot,
    undo::{KEPT, MOST_KEPT, RecordedFileState, UndoError, UndoPlan, UndoStep, UndoStore, UndoVerdict},
};
use serde_json::json;

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths,
    screen::TerminalOutput,
    session_name,
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

pub(crate) async fn execute(args: UndoArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let folder = holm_paths::data_here(data)?;
    // Undo reads the session; what it writes are files of the workspace and its own records.
    let store = holm_paths::store_to_read(&folder).await?;
    let undo = UndoStore::open(holm_paths::undo_folder(&folder))?;
    let screen = TerminalOutput::default();
    let here = WorkspaceRoot::open(&std::env::current_dir()?)?.at().clone();
    let (session, kept) = match args.session {
        Some(session) => (session_name::resolve(&store, session).await?, undo.keys()?),
        None => {
            let kept = undo.keys_in(&here)?;
            (latest(&store, &kept).await?, kept)
        }
    };
    let text = store.read(&session).await.map_err(|error| no_session(&session, error))?;
    let turns = turns(&journal::decode_strict(&text)?)?;
    let (turn, calls) = choose(&session, &turns, args.turn, &kept)?;
    let plan = undo.plan(&calls)?;
    let forced = forced(&plan, &args.force)?;
    let tell = |step: &UndoStep, state: &str| screen.line(&told(&session, turn, step, state));
    if args.dry_run {
        if args.json {
            plan.steps.iter().for_each(|step| tell(step, stands(step, &forced)));
        } else {
            show(&screen, &plan, &forced, &here);
        }
        return Ok(CommandExit::Done);
    }
    let restored = undo.restore(&plan, &forced).map_err(|error| refused(&screen, error))?;
    let is_done = |step: &UndoStep| restored.contains(&step.path);
    let steps: Vec<&UndoStep> = plan.steps.iter().filter(|step| is_done(step)).collect();
    if args.json {
        plan.steps.iter().for_each(|step| tell(step, if is_done(step) { "done" } else { "as it was" }));
    } else {
        steps.iter().for_each(|step| screen.answer(&format!("{} {}", done(step), named(step, &here))));
    }
    let elsewhere = elsewhere(&plan, &here);
    screen.note(&format!("holm: turn {turn} of session {session}{elsewhere}: {}", counted(&steps)));
    // Undo data that was not used for a month is no longer needed.
    undo.prune(KEPT, MOST_KEPT)?;
    Ok(CommandExit::Done)
}

/// A file of a turn, for a program: what is done with it, and whether it is.
fn told(session: &str, turn: u64, step: &UndoStep, state: &str) -> String {
    let (folder, path) = (step.root.as_str(), step.path.as_str());
    let told = json!({
        "session": session, "turn": turn, "folder": folder, "path": path, "change": done(step), "state": state,
    });
    told.to_string()
}

/// The other folders that the turn worked in, for a person.
fn elsewhere(plan: &UndoPlan, here: &FilePath) -> String {
    let roots = plan.steps.iter().map(|step| &step.root).filter(|root| *root != here);
    let other: BTreeSet<&str> = roots.map(FilePath::as_str).collect();
    other.iter().map(|root| format!(", in {root}")).collect()
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
            if turns(&records).is_ok_and(|turns| turns.values().any(|calls| changed(calls, kept))) {
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

/// The calls of each turn, by the keys under which tools store their records. A replay needs no
/// model and no tool.
fn turns(records: &[journal::JournalRecord]) -> anyhow::Result<BTreeMap<u64, Vec<IdempotencyKey>>> {
    let mut turns: BTreeMap<u64, Vec<IdempotencyKey>> = BTreeMap::new();
    let mut turn = 0;
    journal::replay_with(records, |_, effect| match effect {
        Effect::Emit(event) => {
            if let Event::GroupStarted { group } = event.event {
                turn = group;
            }
        }
        Effect::RunTool { request, .. } => turns.entry(turn).or_default().push(request.key),
        _ => {}
    })?;
    Ok(turns)
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
fn forced(plan: &UndoPlan, texts: &[String]) -> anyhow::Result<Vec<FilePath>> {
    let mut forced = Vec::new();
    for text in texts {
        let path: FilePath = text.parse().map_err(|error| {
            CommandError::new(CommandExit::Usage, format!("--force {text}: {error}"))
                .hint("name the file as the turn named it")
        })?;
        let named = |step: &&UndoStep| step.path == path.rebased(&step.root);
        let Some(step) = plan.steps.iter().find(named) else {
            let message = format!("--force {text}: the turn did not change that file");
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("`holm undo --dry-run` shows the changed files")
                .into());
        };
        forced.push(step.path.clone());
    }
    Ok(forced)
}

/// How a file stands before anything is done, for a program.
fn stands(step: &UndoStep, forced: &[FilePath]) -> &'static str {
    match step.verdict {
        UndoVerdict::Ready => "ready",
        UndoVerdict::Already => "as it was",
        UndoVerdict::Changed if forced.contains(&step.path) => "forced",
        UndoVerdict::Changed => "changed",
    }
}

fn show(screen: &TerminalOutput, plan: &UndoPlan, forced: &[FilePath], here: &FilePath) {
    for step in &plan.steps {
        let what = match step.verdict {
            UndoVerdict::Ready => format!("would be {}", done(step)),
            UndoVerdict::Already => "is as it was".into(),
            UndoVerdict::Changed if forced.contains(&step.path) => {
                format!("has changed since; would be {}", done(step))
            }
            UndoVerdict::Changed => "has changed since; --force would put it back".into(),
        };
        screen.answer(&format!("{}  {what}", named(step, here)));
    }
}

/// A file as it is reached from here: one of another folder by its whole path.
fn named(step: &UndoStep, here: &FilePath) -> String {
    if step.root == *here || step.path.is_absolute() {
        return step.path.to_string();
    }
    format!("{}/{}", step.root.as_str().trim_end_matches('/'), step.path)
}

/// How many files were put back, and how many were removed because there were none before.
fn counted(steps: &[&UndoStep]) -> String {
    let count = |what: &str, of: usize| match of {
        0 => None,
        1 => Some(format!("1 file {what}")),
        many => Some(format!("{many} files {what}")),
    };
    let removed = steps.iter().filter(|step| step.target == RecordedFileState::Absent).count();
    let parts = [count("restored", steps.len() - removed), count("removed", removed)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "nothing to restore: every file is as it was before".into()
    } else {
        parts.join(", ")
    }
}

fn done(step: &UndoStep) -> &'static str {
    match step.target {
        RecordedFileState::Absent => "removed",
        RecordedFileState::File { .. } => "restored",
    }
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
        JournalStorageError::Missing { .. } => {
            let message = format!("there is no session `{session}`");
            CommandError::new(CommandExit::Missing, message).hint("holm session list shows them").into()
        }
        other => other.into(),
    }
}
