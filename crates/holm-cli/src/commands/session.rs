//! `holm session`: shows past sessions from their journals, and forks, edits, imports and exports
//! them. History is never rewritten: a change happens in another session with the same history.
//! Sessions are run by `run.rs` and stored by `holm-store`.
//!
//! Where things are:
//! - `session/list.rs`, `session/search.rs`: find sessions. `session/show.rs`: print or export one.
//! - `session/calls.rs`: the tool calls of one.
//! - `session/replay.rs`: replay one; `session/replay_narrator.rs` writes the words,
//!   `session/step.rs` steps by keys.
//! - `session/diff.rs`: compare two.
//! - `session/fork.rs`, `session/edit.rs`, `session/import.rs`: make a new session from another;
//!   `session/exe_session.rs` converts those of agents-exe.

mod calls;
mod diff;
mod edit;
mod exe_session;
mod fork;
mod import;
mod list;
mod replay;
mod replay_narrator;
mod search;
mod show;
mod step;

pub(in crate::commands) use calls::find_call;
pub(crate) use list::date;

use std::path::Path;

use clap::Subcommand;
use holm::{
    kernel::{
        Input,
        journal::{self, JournalRecord},
    },
    runtime::{DriveError, JournalStorageError, JournalStore as _},
    store::{Store, StoreError},
};

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::{self, HolmPaths},
    log::ActivityLog,
    screen::TerminalOutput,
    session_name,
};

/// Subcommands of `holm session`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions, latest first
    List(list::SessionListArgs),
    /// Show the messages of a session
    Show(show::SessionShowArgs),
    /// List the tool calls of a session; `holm tool execute --again` runs one again
    Calls(calls::SessionCallsArgs),
    /// Search the messages of all sessions
    Search(search::SessionSearchArgs),
    /// Export a session as Markdown, as JSON or as its journal
    Export(show::SessionExportArgs),
    /// Import a session from a web page, an edge worker or another machine
    ///
    /// It continues in this folder, without the grants that it had elsewhere.
    Import(import::SessionImportArgs),
    /// Change a session's title or tags, edit one of its prompts, or erase it
    ///
    /// Without --title, --untitled, --tag, --untag or --erase, edits a prompt: the last one, or the
    /// one at record --at. The new text comes from -p or from your editor, and runs in a new session
    /// that keeps the history before that prompt.
    Edit(Box<edit::SessionEditArgs>),
    /// Replay a session's journal without a model or tools, and show what happened
    Replay(replay::SessionReplayArgs),
    /// Start a new session with the history of another one
    ///
    /// With a prompt, the new session runs at once. Without one, it is created and
    /// its name is printed.
    Fork(Box<fork::SessionForkArgs>),
    /// Show where two sessions diverge, and what each one did
    Diff(diff::SessionDiffArgs),
}

pub(crate) async fn execute(
    command: SessionCommand,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let folder = holm_paths::data_here(data)?;
    let store = match &command {
        SessionCommand::List(_)
        | SessionCommand::Show(_)
        | SessionCommand::Calls(_)
        | SessionCommand::Search(_)
        | SessionCommand::Export(_)
        | SessionCommand::Replay(_)
        | SessionCommand::Diff(_) => holm_paths::store_to_read(&folder).await?,
        SessionCommand::Import(_) | SessionCommand::Fork(_) | SessionCommand::Edit(_) => {
            holm_paths::store(&folder).await?
        }
    };
    let screen = TerminalOutput::default();
    let command = command.named_in(&store).await?;
    match command {
        SessionCommand::List(args) => {
            list::list(&SessionCommandContext { store, screen, places: HolmPaths::look(data)? }, args).await
        }
        SessionCommand::Show(args) => show::show(&store, &screen, &args).await,
        SessionCommand::Calls(args) => calls::calls(&store, &screen, &args).await,
        SessionCommand::Search(args) => search::search(&store, &screen, &args).await,
        SessionCommand::Export(args) => show::export(&store, &screen, &args).await,
        SessionCommand::Replay(args) => replay::replay(&store, &screen, &args).await,
        SessionCommand::Diff(args) => diff::diff(&store, &screen, &args).await,
        SessionCommand::Import(args) => {
            import::import(&SessionCommandContext { store, screen, places: HolmPaths::find(data)? }, &args)
                .await
        }
        SessionCommand::Fork(args) => {
            fork::fork(
                SessionCommandContext { store, screen, places: HolmPaths::find(data)? },
                *args,
                data,
                log,
            )
            .await
        }
        SessionCommand::Edit(args) => {
            edit::edit(
                SessionCommandContext { store, screen, places: HolmPaths::find(data)? },
                *args,
                data,
                log,
            )
            .await
        }
    }
}

impl SessionCommand {
    /// With the whole names of the sessions that are meant.
    async fn named_in(mut self, store: &Store) -> anyhow::Result<Self> {
        let names: Vec<&mut String> = match &mut self {
            Self::List(_) | Self::Search(_) | Self::Import(_) => Vec::new(),
            Self::Show(args) => vec![&mut args.id],
            Self::Calls(args) => vec![&mut args.id],
            Self::Export(args) => vec![&mut args.id],
            Self::Edit(args) => vec![&mut args.id],
            Self::Replay(args) => vec![&mut args.id],
            Self::Fork(args) => vec![&mut args.id],
            Self::Diff(args) => vec![&mut args.first, &mut args.second],
        };
        for name in names {
            *name = session_name::resolve(store, std::mem::take(name)).await?;
        }
        Ok(self)
    }
}

/// What all subcommands need.
struct SessionCommandContext {
    store: Store,
    screen: TerminalOutput,
    places: HolmPaths,
}

/// Says that there is no such session. The word `last` is resolved before, except where there is
/// no session at all.
pub(crate) fn no_such(run: &str) -> CommandError {
    if run == session_name::LAST {
        let hint = "a session begins with `holm chat` or `holm run`";
        return CommandError::new(CommandExit::Missing, "no sessions yet").hint(hint);
    }
    CommandError::new(CommandExit::Missing, format!("there is no session `{run}`"))
        .hint("`holm session list` shows the sessions")
}

/// The records of a session, all of them valid. A journal that names another run than the one that
/// it is stored under was renamed by hand. Reading and resuming it both report that; `holm session
/// export --format jsonl` still exports it.
async fn records(store: &Store, id: &str) -> anyhow::Result<Vec<JournalRecord>> {
    let records = journal::decode_strict(&store.read(id).await.map_err(missing_journal)?)?;
    let first = records.first().and_then(|record| record.payload().input().ok());
    match first {
        Some(Input::Started(started)) if started.run != id => {
            Err(DriveError::OtherRun { wanted: id.to_owned(), found: started.run }.into())
        }
        Some(_) | None => Ok(records),
    }
}

fn missing(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Missing { run } => no_such(&run).into(),
        StoreError::BadName { .. } | StoreError::BadLabel { .. } => {
            CommandError::new(CommandExit::Usage, error.to_string()).into()
        }
        other => other.into(),
    }
}

pub(super) fn missing_journal(error: JournalStorageError) -> anyhow::Error {
    match error {
        JournalStorageError::Missing { run } => no_such(&run).into(),
        JournalStorageError::BadName { .. } => {
            CommandError::new(CommandExit::Usage, error.to_string()).into()
        }
        JournalStorageError::Unreadable { .. } => CommandError::new(CommandExit::Failed, error.to_string())
            .hint("`holm doctor` checks the database")
            .into(),
        other => other.into(),
    }
}
