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

/// What `holm session` does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the sessions, the latest first
    List(list::Args),
    /// Show what was said in a session
    Show(show::Args),
    /// Find words in what was said
    Search(search::Args),
    /// Write a session out: to read, for programs, or its journal
    Export(show::ExportArgs),
    /// Take a session in that another host began: a page, the edge, another machine
    ///
    /// It works in this folder from then on, with none of what it was granted elsewhere.
    Import(import::Args),
    /// Change a session's title and tags, say one of its prompts otherwise, or erase it
    ///
    /// Without a flag that says what to change, the prompt at the record --at (else the last one) is put otherwise, with -p
    /// or in your editor, and another session that has the past before it goes on with that.
    Edit(Box<edit::Editing>),
    /// Fold a session's journal again, without a model and without tools, and show what happened
    Replay(replay::Args),
    /// Begin another session with the past of one, and go on differently
    ///
    /// With something asked the new session goes on at once; without, it is made and its name printed.
    Fork(Box<fork::Forking>),
    /// Say where two sessions part, and what each did
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
        JournalFailed::Unreadable { .. } => Trouble::new(Exit::Failed, error.to_string())
            .hint("holm doctor looks whether the database holds together")
            .into(),
        other => other.into(),
    }
}
