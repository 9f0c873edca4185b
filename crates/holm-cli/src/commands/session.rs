//! `holm session`: what was done before, from its journal.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use clap::Subcommand;
use holm::{
    kernel::{Author, Block, CallId, Effect, Ending, Event, Message, Outcome, Role, Timestamp, journal},
    runtime::{JournalFailed, Journals as _, NotAnswered},
    store::{Format, Listing, Session, Store, StoreError},
};
use serde_json::json;

use crate::{
    children,
    exit::{Exit, Trouble},
    places,
    screen::Screen,
};

/// What `holm session` does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the sessions, the latest first
    List {
        /// How many at the most
        #[arg(long, value_name = "COUNT", default_value_t = 50)]
        limit: u32,
        /// Only those with this tag
        #[arg(long)]
        tag: Option<String>,
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Show what was said in a session
    Show {
        /// The session's name
        id: String,
        /// Print the session and its messages as one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Fold a session's journal again, without a model and without tools, and show what happened
    Replay {
        /// The session's name
        id: String,
        /// Print one event a line, as `holm run --output stream-json` did
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub(crate) async fn execute(command: Command, data: Option<&Path>) -> anyhow::Result<Exit> {
    let folder = places::data_folder(data, |name| std::env::var(name).ok())?;
    let store = Store::open(places::database(&folder)?).await?;
    let screen = Screen::default();
    match command {
        Command::List { limit, tag, json } => list(&store, &screen, limit, tag, json).await,
        Command::Show { id, json } => show(&store, &screen, &id, json).await,
        Command::Replay { id, json } => replay(&store, &screen, &id, json).await,
    }
}

async fn list(
    store: &Store,
    screen: &Screen,
    limit: u32,
    tag: Option<String>,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let wanted = Listing { tag, limit: Some(limit), ..Listing::default() };
    let sessions = store.list(&wanted).await?.sessions;
    if as_json {
        for session in &sessions {
            screen.line(&serde_json::to_string(session)?);
        }
        return Ok(Exit::Done);
    }
    let wide = |column: fn(&Session) -> usize, least: usize| {
        sessions.iter().map(column).max().unwrap_or(0).max(least)
    };
    let widths = (wide(|session| session.run.len(), 7), wide(|session| session.model.len(), 5));
    // A program that reads the lines wants nothing else among them.
    if Screen::answers_to_a_person() && !sessions.is_empty() {
        screen.answer(&columns(widths, ["session", "changed (UTC)", "model", "title"]));
    }
    for session in &sessions {
        screen.answer(&row(widths, session));
    }
    Ok(Exit::Done)
}

/// One session on one line.
fn row(widths: (usize, usize), session: &Session) -> String {
    let mark = if children::is_named_like_one(&session.run) { "(helper) " } else { "" };
    let title = format!("{mark}{}", session.title.replace('\n', " "));
    columns(widths, [session.run.as_str(), &date(session.updated), &session.model, &title])
}

fn columns((run_width, model_width): (usize, usize), [run, changed, model, title]: [&str; 4]) -> String {
    format!("{run:run_width$}  {changed:16}  {model:model_width$}  {title}").trim_end().to_owned()
}

async fn show(store: &Store, screen: &Screen, id: &str, as_json: bool) -> anyhow::Result<Exit> {
    let session = store.session(id).await.map_err(missing)?;
    if as_json {
        let records = journal::decode_strict(&store.read(id).await.map_err(missing_journal)?)?;
        let run = journal::replay(&records)?;
        let messages = run.transcript();
        screen.line(&json!({ "session": session, "messages": messages }).to_string());
        return Ok(Exit::Done);
    }
    let text = store.export(id, Format::Markdown).await.map_err(missing)?;
    screen.answer(&String::from_utf8_lossy(&text));
    Ok(Exit::Done)
}

async fn replay(store: &Store, screen: &Screen, id: &str, as_json: bool) -> anyhow::Result<Exit> {
    let text = store.read(id).await.map_err(missing_journal)?;
    let records = journal::decode_strict(&text)?;
    let mut events = 0_u64;
    let mut fault = None;
    let mut telling = Telling::default();
    journal::replay_with(&records, |_, effect| {
        let Effect::Emit(event) = effect else { return };
        events += 1;
        if as_json {
            match serde_json::to_string(event) {
                Ok(line) => screen.line(&line),
                Err(error) => fault = Some(error),
            }
        } else {
            for line in telling.lines(&event.event) {
                screen.answer(&format!("{:>5}  {line}", event.id.record));
            }
        }
    })?;
    if let Some(error) = fault {
        return Err(error.into());
    }
    screen.note(&format!("holm: {} records give {events} events, as they did before", records.len()));
    Ok(Exit::Done)
}

/// A run as it is told again.
#[derive(Default)]
struct Telling {
    /// What the model called and with which arguments, by its own id of the call.
    wanted: BTreeMap<String, (String, String)>,
    /// The calls that were fit to be looked at. Those of tools that are not there never are.
    proposed: BTreeSet<CallId>,
}

impl Telling {
    /// One event on its lines, if it is worth any.
    fn lines(&mut self, event: &Event) -> Vec<String> {
        let line = match event {
            Event::MessageAdded { message } => return self.message(message),
            Event::CallProposed { call, tool, arguments, .. } => {
                self.proposed.insert(*call);
                Some(format!("call       {tool} {arguments}"))
            }
            // Why is in the message that follows.
            Event::CallFinished { call, id, outcome: Outcome::Refused, .. } => {
                let unseen = self.wanted.get(&**id).filter(|_| !self.proposed.contains(call));
                unseen.map(|(tool, arguments)| format!("call       {tool} {arguments}"))
            }
            Event::CallFinished { outcome: Outcome::Succeeded, bytes, millis, .. } => {
                Some(format!("result     {bytes} bytes after {millis} ms"))
            }
            Event::CallFinished { outcome, millis, .. } => {
                Some(format!("result     {outcome:?} after {millis} ms"))
            }
            Event::ModelFailed { message, .. } => Some(format!("failed     {message}")),
            Event::GroupEnded { ending, .. } => Some(format!("end        {}", in_words(ending))),
            _ => None,
        };
        line.into_iter().collect()
    }

    fn message(&mut self, message: &Message) -> Vec<String> {
        let mut lines: Vec<String> = said(message).into_iter().collect();
        for block in &message.blocks {
            match block {
                Block::ToolCall(call) => {
                    self.wanted.insert(call.id.clone(), (call.name.clone(), call.arguments.clone()));
                }
                Block::ToolResult(result) if result.outcome == Outcome::Refused => {
                    lines.push(format!("refused    {}: {}", result.tool, below(&result.said())));
                }
                Block::Text(_)
                | Block::Thinking(_)
                | Block::ToolResult(_)
                | Block::Image(_)
                | Block::File(_)
                | Block::Custom(_) => {}
            }
        }
        lines
    }
}

/// A text whose lines stand below one another, beside who said it.
fn below(text: &str) -> String {
    text.replace('\n', "\n                  ")
}

fn said(message: &Message) -> Option<String> {
    let who = match message.role {
        Role::User if message.author == Author::Kernel => "holm",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Tool | Role::Custom => return None,
    };
    let text: Vec<&str> = message.blocks.iter().filter_map(Block::as_text).collect();
    (!text.is_empty()).then(|| format!("{who:<10} {}", below(&text.join(" "))))
}

fn in_words(ending: &Ending) -> String {
    match ending {
        Ending::Answered { .. } => "answered".into(),
        other => {
            let ended = NotAnswered { run: String::new(), ending: Box::new(other.clone()) }.to_string();
            ended.split_once(": ").map_or(ended.clone(), |(_, words)| words.to_owned())
        }
    }
}

fn missing(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Missing { run } => no_such(&run).into(),
        other => other.into(),
    }
}

fn missing_journal(error: JournalFailed) -> anyhow::Error {
    match error {
        JournalFailed::Missing { run } => no_such(&run).into(),
        other => other.into(),
    }
}

fn no_such(run: &str) -> Trouble {
    Trouble::new(Exit::Missing, format!("there is no session `{run}`"))
        .hint("holm session list shows which there are")
}

/// The day and the minute, in UTC.
fn date(at: Timestamp) -> String {
    let millis = i64::try_from(at.value()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(millis)
        .map_or_else(|_| "?".into(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}
