//! Shows a run to a user at a terminal, from its events and the pieces of its replies. It never
//! writes to a stream itself: `screen.rs` does, and makes the text safe. The full-screen chat has
//! its own drawing (`chat/draw.rs`), and programs read events from `stream.rs`.
//!
//! Events are outputs only, so nothing here may change a run or block it for long.
//! `draw/running_calls.rs` is the status line of running calls.

mod running_calls;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use holm::{
    kernel::{
        Block, CallId, Event, FailureClass, NextTry, Numbered, Outcome, Prompt, Role, ToolCallId,
        loop_in_words,
    },
    runtime::{DeltaSink, EventSink, ReplyDelta},
};

use crate::{
    approve,
    money::CostCompleteness,
    screen::TerminalOutput,
    written_calls::{WrittenCalls, reason_of},
};
use running_calls::RunningCalls;

/// How much of a call's arguments fits on a line beside its name.
const ARGUMENT_CHARS: usize = 120;

/// How much of the reason fits on a line for a call that was not run or failed.
const REASON_CHARS: usize = 240;

/// Tools that notify the user and keep a list: their calls are not shown by their arguments.
const BRIEF: &str = "brief";
const TODO: &str = "todo";

/// Prints progress to standard error, and answers to standard output as they arrive.
#[derive(Clone)]
pub(crate) struct ProgressPrinter {
    screen: Arc<TerminalOutput>,
    show: DisplayOptions,
    state: Arc<Mutex<ProgressState>>,
    /// The running calls, for a terminal with a status line.
    under_way: Option<RunningCalls>,
}

/// What is shown to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DisplayOptions {
    /// Shows answers piece by piece.
    pub(crate) pieces: bool,
    /// Shows calls, failures and limits.
    pub(crate) progress: ProgressDetail,
    /// Shows a status line with running calls and their durations.
    pub(crate) spinner: bool,
}

/// How much of the progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressDetail {
    /// No progress is shown.
    Silent,
    /// One line per call when it has ended, for logs.
    CallByCall,
    /// One line when a call begins, and one when it ends.
    StepByStep,
}

impl DisplayOptions {
    /// Nothing: a program reads.
    pub(crate) const NOTHING: Self = Self { pieces: false, progress: ProgressDetail::Silent, spinner: false };
}

#[derive(Default)]
struct ProgressState {
    tools: BTreeMap<ToolCallId, Arc<str>>,
    /// The calls with what they are about, such as `write src/a.txt`.
    subjects: BTreeMap<ToolCallId, String>,
    /// The descriptions of running calls.
    calls: BTreeMap<ToolCallId, String>,
    reply: WrittenCalls,
    /// Calls that a person or a hook denied, with the reason.
    denied: BTreeMap<ToolCallId, String>,
    /// The beginnings of lines about calls that were not run or failed, by the
    /// provider's ids, until the result says why.
    unexplained: BTreeMap<String, HeldLine>,
    /// The call whose text is on the screen.
    written: Option<CallId>,
    priced: CostCompleteness,
}

impl ProgressPrinter {
    /// Draws on this screen. Must be called within a runtime where a line is to move.
    pub(crate) fn new(screen: Arc<TerminalOutput>, show: DisplayOptions) -> Self {
        let under_way = show.spinner.then(RunningCalls::default);
        under_way.iter().for_each(|under_way| under_way.draw_on(Arc::clone(&screen)));
        Self { screen, show, state: Arc::default(), under_way }
    }

    /// Whether the last reply stands on the screen already.
    pub(crate) fn has_written(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).written.is_some()
    }

    /// Whether the text of every reply goes to the screen as it comes.
    pub(crate) fn shows_pieces(&self) -> bool {
        self.show.pieces
    }

    /// Whether calls are told.
    pub(crate) fn tells_progress(&self) -> bool {
        self.show.progress != ProgressDetail::Silent
    }

    /// Whether the price of every reply was known.
    pub(crate) fn priced(&self) -> CostCompleteness {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).priced
    }

    fn note(&self, text: &str) {
        self.screen.end_line();
        self.screen.note(text);
    }
}

impl DeltaSink for ProgressPrinter {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        let ReplyDelta::Text { text, .. } = delta else { return };
        if self.show.pieces {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).written = Some(call);
            self.under_way.iter().for_each(|under_way| under_way.is_seen(call));
            self.screen.piece(text);
        }
    }
}

impl EventSink for ProgressPrinter {
    fn event(&self, event: &Numbered) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.event {
            Event::ModelCalled { .. } => state.written = None,
            Event::ModelReplied { usage, cost, .. } => state.priced = state.priced.after(*usage, *cost),
            Event::Withdrawn { call } if state.written == Some((*call).into()) => {
                state.written = None;
                drop(state);
                self.note("(the text above was withdrawn)");
                return;
            }
            Event::CallProposed { call, tool, arguments, .. } => {
                state.tools.insert(*call, Arc::clone(tool));
                state.subjects.extend(subject(tool, arguments).map(|subject| (*call, subject)));
                if let Some(line) = progress(&event.event, |_| "") {
                    state.calls.insert(*call, line);
                }
            }
            Event::ApprovalGiven { call, allowed: false, reason } => {
                state.denied.insert(*call, denied(reason));
            }
            Event::MessageAdded { message } if message.role == Role::Assistant => {
                state.reply = WrittenCalls::of(message);
            }
            _ => {}
        }
        if let Some(under_way) = &self.under_way {
            under_way.hear(&event.event, call_of(&event.event).and_then(|call| state.tools.get(&call)));
        }
        if self.show.progress == ProgressDetail::Silent {
            // Another model may cost more, and what was said is lost, so both are said to everybody.
            for line in climbed(&event.event).into_iter().chain(dropped(&event.event)) {
                self.note(&format!("holm: {line}"));
            }
            return;
        }
        for line in dropped(&event.event) {
            self.note(&format!("  {line}"));
        }
        for line in state.explained_lines(&event.event, self.show.progress) {
            self.note(&line);
        }
        if state.holds_back(&event.event) {
            return;
        }
        let call =
            (self.show.progress == ProgressDetail::CallByCall).then(|| whole_call(&event.event)).flatten();
        let begun = call.map(|call| state.calls.remove(&call));
        if self.show.progress == ProgressDetail::CallByCall
            && matches!(event.event, Event::CallProposed { .. })
        {
            return;
        }
        if state.is_told_elsewhere(&event.event, self.show.progress) {
            return;
        }
        let is_denial = matches!(event.event, Event::ApprovalGiven { .. });
        let tool = |call: &ToolCallId| {
            let subject = state.subjects.get(call).filter(|_| is_denial).map(String::as_str);
            subject.or_else(|| state.tools.get(call).map(|tool| &**tool)).unwrap_or("call")
        };
        let Some(line) = progress(&event.event, tool) else { return };
        let line = match begun.flatten() {
            // What came of it stands behind what it was.
            Some(begun) => {
                let came = line.split_once(": ").map_or(line.as_str(), |(_, came)| came);
                let why = call.and_then(|call| state.denied.get(&call)).map(|why| format!(": {why}"));
                format!("{begun}: {came}{}", why.unwrap_or_default())
            }
            None => line,
        };
        match state.waits_for_others(&event.event, self.show.progress) {
            Some(id) => drop(state.unexplained.insert(id, HeldLine::Whole(line))),
            None => self.note(&line),
        }
    }
}

impl ProgressState {
    /// The lines about calls that were not run or failed, each with its name and the reason. The
    /// reason is in the result, which comes after the call has ended. A run that ends before that
    /// leaves only the name.
    fn explained_lines(&mut self, event: &Event, detail: ProgressDetail) -> Vec<String> {
        match event {
            Event::CallFinished { call, id, outcome: Outcome::Refused, .. }
                if !self.denied.contains_key(call) =>
            {
                let lead = self.lead(*call, id, detail);
                self.unexplained.insert(id.to_string(), HeldLine::Lead(format!("{lead}: not run")));
                Vec::new()
            }
            Event::CallFinished { call, id, outcome: Outcome::Failed, millis, .. } => {
                let lead = self.lead(*call, id, detail);
                let lead = format!("{lead}: failed after {millis} ms");
                self.unexplained.insert(id.to_string(), HeldLine::Lead(lead));
                Vec::new()
            }
            Event::MessageAdded { message } if message.role == Role::Tool => {
                let results = message.blocks.iter().filter_map(|block| match block {
                    Block::ToolResult(result) => Some(result),
                    _ => None,
                });
                let lines = results.filter_map(|result| {
                    let lead = match self.unexplained.remove(&result.call)? {
                        HeldLine::Lead(lead) => lead,
                        HeldLine::Whole(line) => return Some(line),
                    };
                    let reason = match result.outcome {
                        // The first line says what went wrong; the rest may be a long output.
                        Outcome::Failed => shortened(first_line(result.said())),
                        _ => shortened(result.said()),
                    };
                    Some(if reason.is_empty() { lead } else { format!("{lead}: {reason}") })
                });
                lines.collect()
            }
            Event::GroupEnded { .. } => {
                std::mem::take(&mut self.unexplained).into_values().map(HeldLine::into_text).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The beginning of the line about a call that has ended.
    fn lead(&mut self, call: ToolCallId, id: &str, detail: ProgressDetail) -> String {
        let proposed = self.calls.remove(&call);
        match (self.tools.get(&call), proposed, self.reply.take(id)) {
            // Its beginning is on the screen already.
            (Some(tool), _, _) if detail == ProgressDetail::StepByStep => format!("  {tool}"),
            (Some(_), Some(proposed), _) => proposed,
            (Some(tool), None, _) => format!("· {tool}"),
            (None, _, Some(written)) => described(&written.name, &written.arguments),
            (None, _, None) => "· call".to_owned(),
        }
    }

    /// The call whose line waits, so that the calls of a reply stand in their order: one before it
    /// waits for its reason.
    fn waits_for_others(&self, event: &Event, detail: ProgressDetail) -> Option<String> {
        match event {
            Event::CallFinished { id, .. }
                if detail == ProgressDetail::CallByCall && !self.unexplained.is_empty() =>
            {
                Some(id.to_string())
            }
            _ => None,
        }
    }

    /// Whether another line says the same: a denial is one line, where it is given or where its call ends.
    fn is_told_elsewhere(&self, event: &Event, detail: ProgressDetail) -> bool {
        match event {
            Event::ApprovalGiven { allowed: false, .. } => detail == ProgressDetail::CallByCall,
            Event::CallFinished { call, outcome: Outcome::Refused, .. } => {
                detail == ProgressDetail::StepByStep && self.denied.contains_key(call)
            }
            _ => false,
        }
    }

    /// Whether the line about this event waits for the reason.
    fn holds_back(&self, event: &Event) -> bool {
        matches!(event, Event::CallFinished { id, .. } if self.unexplained.contains_key(&**id))
    }
}

/// A line about a call that has ended, and that is shown with the results of its reply.
#[derive(Debug)]
enum HeldLine {
    /// The reason is added.
    Lead(String),
    Whole(String),
}

impl HeldLine {
    fn into_text(self) -> String {
        match self {
            Self::Lead(text) | Self::Whole(text) => text,
        }
    }
}

/// A call on one line.
fn described(tool: &str, arguments: &str) -> String {
    let short: String = arguments.chars().take(ARGUMENT_CHARS).collect();
    let cut = if short.len() < arguments.len() { "…" } else { "" };
    format!("· {tool} {short}{cut}")
}

/// A call with the file that it is about, for lines that are not beside its beginning.
fn subject(tool: &str, arguments: &str) -> Option<String> {
    let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
    let path = arguments.get("path")?.as_str()?;
    Some(format!("{tool} {}", shortened(path)))
}

/// A denial with its reason, which may begin with the word itself.
fn denied(reason: &str) -> String {
    let reason = approve::for_user(reason);
    if reason.starts_with("denied") { reason.to_owned() } else { format!("denied, {reason}") }
}

/// The first line that is not empty.
fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// A reason on one line.
fn shortened(reason: &str) -> String {
    let line = reason_of(reason).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(REASON_CHARS).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

/// The call that has ended with an event.
fn whole_call(event: &Event) -> Option<ToolCallId> {
    match event {
        Event::CallFinished { call, .. } => Some(*call),
        _ => None,
    }
}

/// The call that begins to run with an event.
fn call_of(event: &Event) -> Option<ToolCallId> {
    match event {
        Event::CallStarted { call } => Some(*call),
        _ => None,
    }
}

/// What is worth a line.
fn progress<'a>(event: &Event, tool: impl Fn(&ToolCallId) -> &'a str) -> Option<String> {
    Some(match event {
        // What it says is written when it says it.
        Event::CallProposed { tool, .. } if &**tool == BRIEF => return None,
        Event::CallProposed { tool, arguments, .. } => {
            if let Some(line) = (&**tool == TODO).then(|| list(arguments)).flatten() {
                return Some(line);
            }
            described(tool, arguments)
        }
        Event::ApprovalGiven { call, allowed: false, reason } => {
            format!("  {}: {}", tool(call), denied(reason))
        }
        Event::CallFinished { call, outcome: Outcome::Succeeded, .. }
            if [BRIEF, TODO].contains(&tool(call)) =>
        {
            return None;
        }
        Event::ChildFinished { call, outcome, bytes, millis } => {
            format!("  {}: {}", tool(call), ended(*outcome, *bytes, millis / 1000))
        }
        Event::CallFinished { call, outcome, bytes, millis, .. } => match outcome {
            Outcome::Succeeded => format!("  {}: {bytes} bytes in {millis} ms", tool(call)),
            Outcome::Failed => format!("  {}: failed after {millis} ms", tool(call)),
            Outcome::Refused => format!("  {}: not run", tool(call)),
            Outcome::Unknown => format!("  {}: unknown whether it happened", tool(call)),
            Outcome::Stopped => format!("  {}: stopped", tool(call)),
        },
        Event::ModelFailed { message, next, .. } => match next {
            NextTry::Retry { .. } => format!("  the model failed: {message}; retrying"),
            NextTry::Fallback { .. } => format!("  {}", climbed(event)?),
            NextTry::Compact => format!("  the model failed: {message}; retrying with a shorter context"),
            // How the run ends says the same, but for what a provider says of its window.
            NextTry::GiveUp => format!("  {}", climbed(event)?),
        },
        Event::SteppedUp { .. } | Event::LadderExhausted { .. } => format!("  {}", climbed(event)?),
        Event::Ruled { call, guard, reason, .. } => format!("  {}: {guard} says {reason}", tool(call)),
        Event::LoopSeen { tool, times } => format!("  {}", loop_in_words(tool, *times)),
        Event::LimitNear { limit, left } => format!("  a limit is near: {left} {limit} left"),
        Event::RunResumed { .. } => "  the session was resumed".into(),
        Event::HookFailed { reason } => format!("  a hook failed: {reason}"),
        Event::ToolFlawed { tool, problems, .. } => format!("  {tool}: {}", problems.join("; ")),
        _ => return None,
    })
}

/// What a cancel dropped, a line each.
fn dropped(event: &Event) -> Vec<String> {
    let Event::QueueDropped { prompts, .. } = event else { return Vec::new() };
    let line = |prompt: &Prompt| format!("not sent, because the run was stopped: {}", prompt.plain_text());
    prompts.iter().map(line).collect()
}

/// Which model takes over.
fn climbed(event: &Event) -> Option<String> {
    match event {
        Event::SteppedUp { from, to, reason, .. } => {
            Some(format!("{from} is not up to it ({reason}); {to} takes over"))
        }
        Event::LadderExhausted { model, reason, .. } => {
            Some(format!("{model} is not up to it ({reason}), and no stronger model is left"))
        }
        Event::ModelFailed { message, next: NextTry::Fallback { model }, .. } => {
            Some(format!("the model failed: {message}; {model} takes over"))
        }
        Event::ModelFailed {
            class: FailureClass::ContextOverflow, message, next: NextTry::GiveUp, ..
        } => Some(format!("the provider refused the request: {message}")),
        _ => None,
    }
}

/// What came of a helper in the background.
fn ended(outcome: Outcome, bytes: u64, seconds: u64) -> String {
    match outcome {
        Outcome::Succeeded => format!("ready in the background, {bytes} bytes after {seconds} s"),
        Outcome::Failed | Outcome::Refused => format!("failed in the background after {seconds} s"),
        Outcome::Unknown => "ended in the background; the result is unknown".into(),
        Outcome::Stopped => "stopped in the background".into(),
    }
}

/// How far the model's list is, in a line.
fn list(arguments: &str) -> Option<String> {
    let said: serde_json::Value = serde_json::from_str(arguments).ok()?;
    let items = said.get("items")?.as_array()?;
    let is = |item: &serde_json::Value, progress: &str| item.get("progress").is_some_and(|at| at == progress);
    let done = items.iter().filter(|item| is(item, "completed")).count();
    let begun = items.iter().find(|item| is(item, "in_progress")).and_then(|item| item.get("text")?.as_str());
    let now: String = begun.map(|text| format!("; now: {text}")).unwrap_or_default();
    let short: String = now.chars().take(ARGUMENT_CHARS).collect();
    Some(format!("· todo: {done} of {} done{short}", items.len()))
}

#[cfg(test)]
mod tests;
