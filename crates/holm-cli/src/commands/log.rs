//! `holm log`: prints the events of a session in the same form as a log that was enabled at the
//! time. It replays the journal, without a model and without tools. The form of a line is in
//! `log.rs` beside this folder; output for people is `session/replay.rs`.

use std::path::Path;

use holm::{
    kernel::{Effect, Numbered, journal},
    runtime::JournalStore as _,
    store::{SessionQuery, Store},
};

use super::session;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths,
    log::{self, ActivityLog},
    screen::TerminalOutput,
    session_name,
};

/// Arguments of `holm log`.
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// Session name, a prefix of it, or `last` [default: last]
    id: Option<String>,
}

/// Prints the lines, or writes them where --log-json-file and --log-http say.
pub(crate) async fn execute(
    args: LogArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let store = holm_paths::store_to_read(&holm_paths::data_here(data)?).await?;
    let id = match args.id {
        Some(id) => session_name::resolve(&store, id).await?,
        None => latest(&store).await?,
    };
    let text = store.read(&id).await.map_err(session::missing_journal)?;
    let mut events: Vec<Numbered> = Vec::new();
    // Another process may be writing the journal: an incomplete record is left out.
    journal::replay_with(&journal::decode(&text)?.records, |_, effect| {
        if let Effect::Emit(event) = effect {
            events.push(event.clone());
        }
    })?;
    let screen = TerminalOutput::default();
    for event in &events {
        let line = log::line(&id, event);
        if log.is_on() {
            log.put_in_time(&line).await;
        } else {
            screen.line(&line.to_string());
        }
    }
    Ok(CommandExit::Done)
}

async fn latest(store: &Store) -> anyhow::Result<String> {
    let page = store.list(&SessionQuery { limit: Some(1), ..SessionQuery::default() }).await?;
    let last = page.sessions.into_iter().next().map(|session| session.run);
    Ok(last.ok_or_else(|| CommandError::new(CommandExit::Missing, "no sessions yet"))?)
}
