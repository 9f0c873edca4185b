//! `holm session list`: the sessions, the latest first. It reads the index of `holm-store` and no
//! journal. Lists for the chat are made in `chat/local_actions.rs`, for editors in
//! `acp/listing.rs`.

use std::path::Path;

use holm::{
    kernel::Timestamp,
    store::{SessionQuery, StoredSession},
};

use super::SessionCommandContext;
use crate::{
    children,
    exit::CommandExit,
    screen::{DisplayablePath as _, TerminalOutput},
    session_sidecar::SessionSidecar,
};

/// Arguments of `holm session list`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionListArgs {
    /// Maximum number of sessions
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// List only sessions with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

pub(super) async fn list(
    context: &SessionCommandContext,
    args: SessionListArgs,
) -> anyhow::Result<CommandExit> {
    let SessionCommandContext { store, screen, places } = context;
    let folder = |session: &StoredSession| {
        let began = SessionSidecar::of(places, &session.run).ok().flatten();
        began.map(|began| Path::new(&began.folder).shown()).unwrap_or_default()
    };
    let wanted = SessionQuery { tag: args.tag, limit: Some(args.limit), ..SessionQuery::default() };
    let sessions = store.list(&wanted).await?.sessions;
    if args.json {
        for session in &sessions {
            let mut line = serde_json::to_value(session)?;
            if let Some(line) = line.as_object_mut() {
                line.insert("folder".into(), folder(session).into());
                line.insert("helper".into(), children::is_named_like_one(&session.run).into());
            }
            screen.line(&line.to_string());
        }
        return Ok(CommandExit::Done);
    }
    if sessions.is_empty() {
        match &wanted.tag {
            Some(tag) => screen.note(&format!("holm: no session has the tag `{tag}`")),
            None => screen.note("holm: no sessions yet"),
        }
    }
    let wide = |column: fn(&StoredSession) -> usize, least: usize| {
        sessions.iter().map(column).max().unwrap_or(0).max(least)
    };
    let folders: Vec<String> = sessions.iter().map(folder).collect();
    let widest = folders.iter().map(|folder| folder.chars().count()).max().unwrap_or(0).max(6);
    let widths = [wide(|session| session.run.len(), 7), wide(|session| session.model.len(), 5), widest];
    // A program that reads the lines wants nothing else among them.
    if TerminalOutput::answers_to_a_person() && !sessions.is_empty() {
        screen.answer(&columns(widths, ["session", "changed (UTC)", "model", "folder", "title"]));
    }
    for (session, folder) in sessions.iter().zip(&folders) {
        screen.answer(&row(widths, session, folder));
    }
    Ok(CommandExit::Done)
}

/// One session on one line.
fn row(widths: [usize; 3], session: &StoredSession, folder: &str) -> String {
    let mark = if children::is_named_like_one(&session.run) { "(helper) " } else { "" };
    let title = format!("{mark}{}", session.title.replace('\n', " "));
    columns(widths, [session.run.as_str(), &date(session.updated), &session.model, folder, &title])
}

fn columns(widths: [usize; 3], [run, changed, model, folder, title]: [&str; 5]) -> String {
    let [run_width, model_width, folder_width] = widths;
    format!("{run:run_width$}  {changed:16}  {model:model_width$}  {folder:folder_width$}  {title}")
        .trim_end()
        .to_owned()
}

/// The day and the minute, in UTC.
pub(crate) fn date(at: Timestamp) -> String {
    let millis = i64::try_from(at.value()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(millis)
        .map_or_else(|_| "?".into(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}
