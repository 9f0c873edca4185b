//! `holm session`: shows past sessions from their journals, and forks, edits, imports and exports
//! them. History is never rewritten: a change happens in another session with the same history.

mod diff;
mod edit;
mod fork;
mod import;
mod list;
mod replay;
mod search;
mod show;
mod step;
mod story;

pub(crate) use list::date;

use std::path::Path;

use clap::Subcommand;
use holm::{
    kernel::{
        Input,
        journal::{self, Record},
    },
    runtime::{DriveError, JournalFailed, Journals as _},
    store::{Store, StoreError},
};

use crate::{
    exit::{Exit, Trouble},
    log::Log,
    places::{self, Places},
    screen::Screen,
};

/// Subcommands of `holm session`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List sessions, latest first
    List(list::Args),
    /// Show the messages of a session
    Show(show::Args),
    /// Search the messages of all sessions
    Search(search::Args),
    /// Export a session as Markdown, as JSON or as its journal
    Export(show::ExportArgs),
    /// Import a session from a web page, the edge or another machine
    ///
    /// It continues in this folder, without the grants that it had elsewhere.
    Import(import::Args),
    /// Change a session's title or tags, edit one of its prompts, or erase it
    ///
    /// Without a flag that says what to change, edits the prompt at record --at (by default the
    /// last one), with -p or in your editor. A new session with the history before that prompt then
    /// runs the edited prompt.
    Edit(Box<edit::Editing>),
    /// Replay a session's journal without a model or tools, and show what happened
    Replay(replay::Args),
    /// Start a new session with the history of another one
    ///
    /// With a prompt, the new session runs at once. Without one, it is created and its name is
    /// printed.
    Fork(Box<fork::Forking>),
    /// Show where two sessions diverge, and what each one did
    Diff(diff::Args),
}

pub(crate) async fn execute(command: Command, data: Option<&Path>, log: &Log) -> anyhow::Result<Exit> {
    let store = places::store(&places::data_here(data)?).await?;
    let screen = Screen::default();
    match command {
        Command::List(args) => list::list(&store, &screen, args).await,
        Command::Show(args) => show::show(&store, &screen, &args).await,
        Command::Search(args) => search::search(&store, &screen, &args).await,
        Command::Export(args) => show::export(&store, &screen, &args).await,
        Command::Replay(args) => replay::replay(&store, &screen, &args).await,
        Command::Diff(args) => diff::diff(&store, &screen, &args).await,
        Command::Import(args) => {
            import::import(&Opened { store, screen, places: Places::find(data)? }, &args).await
        }
        Command::Fork(args) => {
            fork::fork(Opened { store, screen, places: Places::find(data)? }, *args, data, log).await
        }
        Command::Edit(args) => {
            edit::edit(Opened { store, screen, places: Places::find(data)? }, *args, data, log).await
        }
    }
}

/// What all subcommands need.
struct Opened {
    store: Store,
    screen: Screen,
    places: Places,
}

/// Says that there is no such session.
pub(crate) fn no_such(run: &str) -> Trouble {
    Trouble::new(Exit::Missing, format!("there is no session `{run}`"))
        .hint("holm session list shows which there are")
}

/// The records of a session, all of them valid. A journal that names another run than the one that
/// it is stored under was renamed by hand. Reading and resuming it both report that; `holm session
/// export --format jsonl` still exports it.
async fn records(store: &Store, id: &str) -> anyhow::Result<Vec<Record>> {
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
            Trouble::new(Exit::Usage, error.to_string()).into()
        }
        other => other.into(),
    }
}

pub(super) fn missing_journal(error: JournalFailed) -> anyhow::Error {
    match error {
        JournalFailed::Missing { run } => no_such(&run).into(),
        JournalFailed::BadName { .. } => Trouble::new(Exit::Usage, error.to_string()).into(),
        JournalFailed::Unreadable { .. } => {
            Trouble::new(Exit::Failed, error.to_string()).hint("`holm doctor` checks the database").into()
        }
        other => other.into(),
    }
}
