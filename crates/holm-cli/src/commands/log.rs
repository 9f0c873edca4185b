//! `holm log`: prints the events of a session in the same form as a log that was
//! enabled at the time.

use std::path::Path;

use holm::{
    kernel::{Effect, Numbered, journal},
    runtime::Journals as _,
    store::{Listing, Store},
};

use super::session;
use crate::{
    exit::{Exit, Trouble},
    log::{self, Log},
    places,
    screen::Screen,
};

/// Arguments of `holm log`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Session name [default: the last one used]
    id: Option<String>,
}

/// Prints the lines, or writes them where --log-json-file and --log-http say.
pub(crate) async fn execute(args: Args, data: Option<&Path>, log: &Log) -> anyhow::Result<Exit> {
    let store = places::store(&places::data_here(data)?).await?;
    let id = match args.id {
        Some(id) => id,
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
    let screen = Screen::default();
    for event in &events {
        let line = log::line(&id, event);
        if log.is_on() {
            log.put_in_time(&line).await;
        } else {
            screen.line(&line.to_string());
        }
    }
    Ok(Exit::Done)
}

async fn latest(store: &Store) -> anyhow::Result<String> {
    let page = store.list(&Listing { limit: Some(1), ..Listing::default() }).await?;
    let last = page.sessions.into_iter().next().map(|session| session.run);
    Ok(last.ok_or_else(|| Trouble::new(Exit::Missing, "no sessions yet"))?)
}
