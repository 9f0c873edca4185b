//! `holm session list`: the sessions, the latest first.

use holm::{
    kernel::Timestamp,
    store::{SessionQuery, Store, StoredSession},
};

use crate::{children, exit::CommandExit, screen::TerminalOutput};

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
    store: &Store,
    screen: &TerminalOutput,
    args: SessionListArgs,
) -> anyhow::Result<CommandExit> {
    let wanted = SessionQuery { tag: args.tag, limit: Some(args.limit), ..SessionQuery::default() };
    let sessions = store.list(&wanted).await?.sessions;
    if args.json {
        for session in &sessions {
            let mut line = serde_json::to_value(session)?;
            if let Some(line) = line.as_object_mut() {
                line.insert("helper".into(), children::is_named_like_one(&session.run).into());
            }
            screen.line(&line.to_string());
        }
        return Ok(CommandExit::Done);
    }
    if sessions.is_empty() {
        screen.note("holm: no sessions yet");
    }
    let wide = |column: fn(&StoredSession) -> usize, least: usize| {
        sessions.iter().map(column).max().unwrap_or(0).max(least)
    };
    let widths = (wide(|session| session.run.len(), 7), wide(|session| session.model.len(), 5));
    // A program that reads the lines wants nothing else among them.
    if TerminalOutput::answers_to_a_person() && !sessions.is_empty() {
        screen.answer(&columns(widths, ["session", "changed (UTC)", "model", "title"]));
    }
    for session in &sessions {
        screen.answer(&row(widths, session));
    }
    Ok(CommandExit::Done)
}

/// One session on one line.
fn row(widths: (usize, usize), session: &StoredSession) -> String {
    let mark = if children::is_named_like_one(&session.run) { "(helper) " } else { "" };
    let title = format!("{mark}{}", session.title.replace('\n', " "));
    columns(widths, [session.run.as_str(), &date(session.updated), &session.model, &title])
}

fn columns((run_width, model_width): (usize, usize), [run, changed, model, title]: [&str; 4]) -> String {
    format!("{run:run_width$}  {changed:16}  {model:model_width$}  {title}").trim_end().to_owned()
}

/// The day and the minute, in UTC.
pub(crate) fn date(at: Timestamp) -> String {
    let millis = i64::try_from(at.value()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(millis)
        .map_or_else(|_| "?".into(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}
