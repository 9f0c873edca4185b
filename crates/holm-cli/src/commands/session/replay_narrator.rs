//! Describes a session from its journal, record by record, in words for people. It prints nothing:
//! `commands/session/replay.rs` and `commands/session/step.rs` do. A live run at a terminal is
//! described by `draw.rs`, so a new event needs words in both. Every kind of input has a name here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use holm::{
    kernel::{
        Author, Block, Effect, Ending, Event, Input, Message, MessageId, NextTry, Outcome, Role, Seq,
        Timestamp, ToolCallId,
        journal::{self, JournalRecord, ReplayError},
    },
    runtime::NoAnswerError,
    store::{WithheldPrompt, withheld},
};

use crate::money;

/// The effect of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplayStep {
    pub(super) record: Seq,
    /// When the record was handled.
    pub(super) at: Timestamp,
    /// The kind of the record.
    pub(super) what: &'static str,
    /// What happened, in lines for people.
    pub(super) lines: Vec<String>,
}

/// Folds a journal and tells each of its records.
pub(super) fn tell(records: &[JournalRecord]) -> Result<Vec<ReplayStep>, ReplayError> {
    let step = |record: &JournalRecord| ReplayStep {
        record: record.seq(),
        at: record.at(),
        what: record.payload().input().map_or("something that was erased", |input| kind(&input)),
        lines: Vec::new(),
    };
    let mut steps: Vec<ReplayStep> = records.iter().map(step).collect();
    let mut withheld = VecDeque::from(withheld(records));
    let mut telling = ReplayNarrator::without(&withheld);
    if let (Some(line), Some(first)) = (began(records), steps.first_mut()) {
        first.lines.push(line);
    }
    journal::replay_with(records, |seq, effect| {
        let place = usize::try_from(seq.value()).ok().and_then(|place| steps.get_mut(place));
        let Some(step) = place else { return };
        while let Some(known) = withheld.pop_front_if(|known| known.record <= seq) {
            let shown = below(&known.shown);
            step.lines.push(format!("hook       withheld the prompt; the model read: {shown}"));
        }
        if let Effect::Emit(event) = effect {
            step.lines.extend(telling.lines(&event.event));
        }
    })?;
    Ok(steps)
}

/// What kind of fact an input is.
fn kind(input: &Input) -> &'static str {
    match input {
        Input::Started(_) => "the beginning",
        Input::Resumed { .. } => "taken over",
        Input::Prompted(_) => "a prompt",
        Input::Steered(_) => "a message during the run",
        Input::FollowedUp(_) => "a follow-up prompt",
        Input::ModelFinished { .. } => "a model's reply",
        Input::Judged { .. } => "a verdict",
        Input::Consulted { .. } => "the hooks' verdict",
        Input::Dispatched { .. } => "a call is recorded, then runs",
        Input::ToolFinished { .. } => "a tool's result",
        Input::Checked { .. } => "a check's ruling",
        Input::ChildStarted { .. } => "a helper starts",
        Input::ChildFinished { .. } => "a helper's result",
        Input::Summarised { .. } => "a summary",
        Input::ToolsChanged(_) => "changed tools",
        Input::ModeChanged(_) => "a change of mode",
        Input::Narrowed(_) => "stricter limits of the host",
        Input::GrantsChanged(_) => "changed grants",
        Input::BudgetChanged(_) => "a changed budget",
        Input::Cancelled { .. } => "a request to stop",
        Input::TimePassed => "time passed",
    }
}

/// Describes a run while its journal is replayed.
#[derive(Default)]
struct ReplayNarrator {
    /// The tool calls of the model with their arguments, by the model's own ids.
    wanted: BTreeMap<String, (String, String)>,
    /// The calls that were valid. Calls of missing tools never are.
    proposed: BTreeSet<ToolCallId>,
    /// The prompts that the model never read.
    withheld: BTreeSet<MessageId>,
}

impl ReplayNarrator {
    fn without(withheld: &VecDeque<WithheldPrompt>) -> Self {
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
            Event::ModelFailed { message, next: NextTry::Fallback { model }, .. } => {
                Some(format!("failed     {message}; {model} took over"))
            }
            Event::ModelFailed { message, .. } => Some(format!("failed     {message}")),
            Event::SteppedUp { from, to, reason, .. } => {
                Some(format!("model      {from} was not up to it ({reason}); {to} took over"))
            }
            Event::LadderExhausted { model, reason, .. } => {
                Some(format!("model      {model} was not up to it ({reason}), and no stronger one was left"))
            }
            Event::ModeChanged { mode } => Some(format!("mode       {mode}")),
            Event::Narrowed { .. } => Some("host       narrowed it to the host's limits".to_owned()),
            Event::GrantsChanged => Some("grants     changed".to_owned()),
            Event::BudgetChanged { limit } => {
                Some(format!("budget     {}", limit.map_or_else(|| "none".to_owned(), money::show)))
            }
            Event::HookFailed { reason } => Some(format!("hook       failed: {reason}")),
            Event::QueueDropped { prompts, .. } => {
                return prompts
                    .iter()
                    .map(|prompt| format!("dropped    {}", below(&prompt.plain_text())))
                    .collect();
            }
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
                    lines.push(format!("refused    {}: {}", result.tool, below(result.said())));
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
fn began(records: &[JournalRecord]) -> Option<String> {
    let first = records.first()?.payload().input().ok()?;
    let Input::Started(started) = first else { return None };
    let ladder = started.config.ladder.filter(|ladder| ladder.start > 0)?;
    Some(format!("model      starts with a stronger one: {}", ladder.why))
}

pub(super) fn in_words(ending: &Ending) -> String {
    match ending {
        Ending::Answered { .. } => "answered".into(),
        other => {
            let ended = NoAnswerError { run: String::new(), ending: Box::new(other.clone()) }.to_string();
            ended.split_once(": ").map_or(ended.clone(), |(_, words)| words.to_owned())
        }
    }
}
