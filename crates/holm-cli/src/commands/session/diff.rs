//! `holm session diff`: where two sessions diverge, and what each did from there on. It reads
//! journals and changes nothing.
//!
//! Two things are compared. The journals are compared record by record, which finds the exact
//! place. The messages and calls are compared in order, which is what people want to see. Names,
//! times and durations always differ, so they do not count. The words for an ending come from
//! `commands/session/replay_narrator.rs`.

use holm::{
    kernel::{
        Author, Block, Effect, Event, Input, Message, NanoUsd, Outcome, Role, Started, Usage,
        journal::{self, JournalRecord, ReplayError},
    },
    store::Store,
};
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::replay_narrator::in_words;
use crate::{exit::CommandExit, money, screen::TerminalOutput};

/// Arguments of `holm session diff`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionDiffArgs {
    /// Session name, a prefix of it, or `last`
    pub(super) first: String,
    /// Session to compare it with: its name, its beginning, or `last`
    pub(super) second: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) async fn diff(
    store: &Store,
    screen: &TerminalOutput,
    args: &SessionDiffArgs,
) -> anyhow::Result<CommandExit> {
    let one = ComparedSession::read(store, &args.first).await?;
    let two = ComparedSession::read(store, &args.second).await?;
    let found = SessionDifference::between(&one, &two);
    if args.json {
        screen.line(&found.for_programs(&one, &two).to_string());
    } else {
        found.for_people(&one, &two).iter().for_each(|line| screen.answer(line));
    }
    Ok(CommandExit::Done)
}

/// One session of a comparison.
struct ComparedSession {
    name: String,
    records: Vec<JournalRecord>,
    /// The messages and calls, in order.
    deeds: Vec<TranscriptEntry>,
    usage: Usage,
    spent: NanoUsd,
}

/// A message or a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct TranscriptEntry {
    kind: &'static str,
    text: String,
}

impl ComparedSession {
    async fn read(store: &Store, name: &str) -> anyhow::Result<Self> {
        Ok(Self::of(name, super::records(store, name).await?)?)
    }

    fn of(name: &str, records: Vec<JournalRecord>) -> Result<Self, ReplayError> {
        let mut deeds = records.first().map(begun).unwrap_or_default();
        let run = journal::replay_with(&records, |_, effect| {
            if let Effect::Emit(event) = effect {
                deeds.extend(deeds_of(&event.event));
            }
        })?;
        let (usage, spent) = (run.usage(), run.spent());
        Ok(Self { name: name.to_owned(), records, deeds, usage, spent })
    }
}

/// The difference between two sessions.
#[derive(Debug, PartialEq, Eq)]
struct SessionDifference {
    /// How many records both share at the beginning.
    shared: usize,
    /// The edits that turn the messages and calls of one into those of the other.
    ops: Vec<DiffOp>,
}

impl SessionDifference {
    fn between(one: &ComparedSession, two: &ComparedSession) -> Self {
        let pairs = one.records.iter().zip(&two.records);
        let shared = pairs.take_while(|(one, two)| is_same(one, two)).count();
        Self { shared, ops: capture_diff_slices(Algorithm::Myers, &one.deeds, &two.deeds) }
    }

    /// Whether both said and did the same.
    fn is_none(&self) -> bool {
        self.ops.iter().all(|op| matches!(op, DiffOp::Equal { .. }))
    }

    fn for_people(&self, one: &ComparedSession, two: &ComparedSession) -> Vec<String> {
        let totals = |mark: &str, side: &ComparedSession| {
            let (input, output) = (side.usage.input, side.usage.output);
            let spent = money::CostCompleteness::Whole.show(side.spent, side.usage);
            let count = side.records.len();
            format!("{mark} {}: {count} records, {input} tokens in, {output} out, {spent}", side.name)
        };
        let mut lines = vec![totals("---", one), totals("+++", two)];
        lines.push(match self.parting(one, two) {
            Some(record) => format!("identical up to record {record}, then different"),
            None => "identical, record by record".to_owned(),
        });
        if self.is_none() {
            lines.push("identical messages and calls".to_owned());
            return lines;
        }
        for (mark, deed) in self.marked(one, two) {
            let text = deed.text.replace('\n', &format!("\n{mark}            "));
            lines.push(format!("{mark} {:<10} {text}", deed.kind));
        }
        lines
    }

    fn for_programs(&self, one: &ComparedSession, two: &ComparedSession) -> Value {
        let side = |side: &ComparedSession| {
            json!({
                "session": side.name,
                "records": side.records.len(),
                "usage": side.usage,
                "spent_nano_usd": side.spent.value(),
            })
        };
        let line = |(mark, deed): (char, &TranscriptEntry)| {
            let side = match mark {
                '-' => "first",
                '+' => "second",
                _ => "both",
            };
            json!({ "in": side, "kind": deed.kind, "text": deed.text })
        };
        json!({
            "first": side(one),
            "second": side(two),
            "same": self.is_none(),
            "parts_at": self.parting(one, two),
            "deeds": self.marked(one, two).map(line).collect::<Vec<_>>(),
        })
    }

    /// The first record that is not the same; none where all are.
    fn parting(&self, one: &ComparedSession, two: &ComparedSession) -> Option<usize> {
        (self.shared < one.records.len().max(two.records.len())).then_some(self.shared)
    }

    /// All that was said and done: in both, in the first, in the second.
    fn marked<'a>(
        &self,
        one: &'a ComparedSession,
        two: &'a ComparedSession,
    ) -> impl Iterator<Item = (char, &'a TranscriptEntry)> {
        self.ops.iter().flat_map(move |op| {
            let (old, new) = (op.old_range(), op.new_range());
            let is_same = matches!(op, DiffOp::Equal { .. });
            let first = one.deeds.get(old).unwrap_or_default();
            let second = two.deeds.get(new).filter(|_| !is_same).unwrap_or_default();
            let mark = if is_same { ' ' } else { '-' };
            first.iter().map(move |deed| (mark, deed)).chain(second.iter().map(|deed| ('+', deed)))
        })
    }
}

/// Whether two records say the same. The first ones name their runs, which are never the same.
fn is_same(one: &JournalRecord, two: &JournalRecord) -> bool {
    if one.payload().hash() == two.payload().hash() {
        return true;
    }
    match (one.payload().input(), two.payload().input()) {
        (Ok(Input::Started(one)), Ok(Input::Started(two))) => {
            let nameless = |started: Started| Started { run: String::new(), seed: 0, ..started };
            nameless(*one) == nameless(*two)
        }
        _ => false,
    }
}

/// What a session began with.
fn begun(first: &JournalRecord) -> Vec<TranscriptEntry> {
    let Ok(Input::Started(started)) = first.payload().input() else { return Vec::new() };
    let config = started.config;
    let mut deeds: Vec<TranscriptEntry> =
        config.models.iter().map(|model| deed("model", &model.name)).collect();
    deeds.push(deed("mode", config.mode.to_string()));
    deeds.extend(config.grants.iter().map(|grant| deed("grant", grant.to_string())));
    deeds.push(deed("system", &config.system));
    deeds.retain(|deed| !deed.text.is_empty());
    deeds
}

fn deed(kind: &'static str, text: impl Into<String>) -> TranscriptEntry {
    TranscriptEntry { kind, text: text.into() }
}

fn deeds_of(event: &Event) -> Vec<TranscriptEntry> {
    match event {
        Event::MessageAdded { message } => said(message),
        Event::ModelFailed { message, .. } => vec![deed("failed", message)],
        Event::SteppedUp { from, to, .. } => vec![deed("model", format!("{to} in place of {from}"))],
        Event::ModeChanged { mode } => vec![deed("mode", mode.to_string())],
        Event::GrantsChanged => vec![deed("grants", "changed")],
        Event::BudgetChanged { limit } => {
            vec![deed("budget", limit.map_or_else(|| "none".to_owned(), money::show))]
        }
        Event::GroupEnded { ending, .. } => vec![deed("end", in_words(ending))],
        // The rest is how it came about: numbers, times, and what the messages say too.
        _ => Vec::new(),
    }
}

/// A message with the calls and the results in it.
fn said(message: &Message) -> Vec<TranscriptEntry> {
    let who = match message.role {
        Role::User if message.author == Author::Kernel => "holm",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Tool | Role::Custom => "tool",
    };
    let said = |block: &Block| match block {
        Block::Text(text) if !text.is_empty() => Some(deed(who, text)),
        Block::ToolCall(call) => Some(deed("call", format!("{} {}", call.name, call.arguments))),
        Block::ToolResult(result) => {
            let how = match result.outcome {
                Outcome::Succeeded => "",
                Outcome::Failed => " failed",
                Outcome::Refused => " was refused",
                Outcome::Unknown => " has an unknown outcome",
                Outcome::Stopped => " was stopped",
            };
            Some(deed("result", format!("{}{how}: {}", result.tool, result.said())))
        }
        Block::Image(media) | Block::File(media) => Some(deed("file", &media.media_type)),
        Block::Text(_) | Block::Thinking(_) | Block::Custom(_) => None,
    };
    message.blocks.iter().filter_map(said).collect()
}

#[cfg(test)]
mod tests;
