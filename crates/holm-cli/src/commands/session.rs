//! `holm session`: what was done before, from its journal.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::Path,
};

use clap::Subcommand;
use holm::{
    kernel::{
        Author, Block, CallId, Effect, Ending, Event, Input, Message, MessageId, Outcome, Role, Timestamp,
        journal::{self, Record},
    },
    runtime::{JournalFailed, Journals as _, NotAnswered},
    store::{Format, Listing, Session, Store, StoreError, Withheld, withheld},
};
use serde_json::json;

use crate::{
    children,
    exit::{Exit, Trouble},
    money, places,
    screen::Screen,
    withholding,
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
            let mut line = serde_json::to_value(session)?;
            if let Some(line) = line.as_object_mut() {
                line.insert("helper".into(), children::is_named_like_one(&session.run).into());
            }
            screen.line(&line.to_string());
        }
        return Ok(Exit::Done);
    }
    if sessions.is_empty() {
        screen.note("holm: there are no sessions");
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
        let (messages, withheld) = (run.transcript(), withheld(&records));
        let shown = json!({ "session": session, "messages": messages, "withheld": withheld });
        screen.line(&shown.to_string());
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
    let mut withheld = VecDeque::from(withheld(&records));
    let mut telling = Telling::without(&withheld);
    if let Some(line) = began(&records).filter(|_| !as_json) {
        screen.answer(&format!("    0  {line}"));
    }
    journal::replay_with(&records, |seq, effect| {
        // A program was told before the request that the prompt is not in.
        while let Some(known) = withheld.pop_front_if(|known| known.record <= seq) {
            if as_json {
                screen.line(&withholding::line(known.message, &known.shown));
            } else {
                let shown = below(&known.shown);
                screen
                    .answer(&format!("{seq:>5}  hook       withheld what was said; the model read: {shown}"));
            }
        }
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
    /// The prompts that the model never read.
    withheld: BTreeSet<MessageId>,
}

impl Telling {
    fn without(withheld: &VecDeque<Withheld>) -> Self {
        Self { withheld: withheld.iter().map(|known| known.message).collect(), ..Self::default() }
    }

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
            Event::SteppedUp { from, to, reason, .. } => {
                Some(format!("model      {from} was not up to it ({reason}); {to} took over"))
            }
            Event::LadderExhausted { model, reason, .. } => {
                Some(format!("model      {model} was not up to it ({reason}), and no stronger one was left"))
            }
            Event::ModeChanged { mode } => Some(format!("mode       {mode}")),
            Event::GrantsChanged => Some("grants     others from here on".to_owned()),
            Event::BudgetChanged { limit } => {
                Some(format!("budget     {}", limit.map_or_else(|| "none".to_owned(), money::show)))
            }
            Event::HookFailed { reason } => Some(format!("hook       failed: {reason}")),
            Event::GroupEnded { ending, .. } => Some(format!("end        {}", in_words(ending))),
            _ => None,
        };
        line.into_iter().collect()
    }

    fn message(&mut self, message: &Message) -> Vec<String> {
        let is_withheld = self.withheld.contains(&message.id);
        let mut lines: Vec<String> = said(message, is_withheld.then_some("withheld")).into_iter().collect();
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

/// What a message says, and who said it; `mark` stands in the place of that.
fn said(message: &Message, mark: Option<&str>) -> Option<String> {
    let who = match message.role {
        Role::User if message.author == Author::Kernel => "holm",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Tool | Role::Custom => return None,
    };
    let text: Vec<&str> = message.blocks.iter().filter_map(Block::as_text).collect();
    (!text.is_empty()).then(|| format!("{:<10} {}", mark.unwrap_or(who), below(&text.join(" "))))
}

/// Why a run did not begin with its first model.
fn began(records: &[Record]) -> Option<String> {
    let first = records.first()?.payload().input().ok()?;
    let Input::Started(started) = first else { return None };
    let ladder = started.config.ladder.filter(|ladder| ladder.start > 0)?;
    Some(format!("model      begins with a stronger one: {}", ladder.why))
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
        StoreError::BadName { .. } => Trouble::new(Exit::Usage, error.to_string()).into(),
        other => other.into(),
    }
}

fn missing_journal(error: JournalFailed) -> anyhow::Error {
    match error {
        JournalFailed::Missing { run } => no_such(&run).into(),
        JournalFailed::BadName { .. } => Trouble::new(Exit::Usage, error.to_string()).into(),
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
