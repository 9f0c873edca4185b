//! A run as a person at a terminal sees it, from its events and the pieces of its replies.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use holm::{
    kernel::{CallId, Event, NextTry, Numbered, Outcome},
    runtime::{Delta, DeltaSink, EventSink},
};

use crate::screen::Screen;

/// How much of a call's arguments fits on a line beside its name.
const ARGUMENT_CHARS: usize = 120;

/// Draws progress on standard error, and answers on standard output as they come.
#[derive(Clone)]
pub(crate) struct Drawing {
    screen: Arc<Screen>,
    show: Show,
    state: Arc<Mutex<State>>,
}

/// What a person wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Show {
    /// Answers piece by piece.
    pub(crate) pieces: bool,
    /// Calls, failures and limits.
    pub(crate) progress: bool,
}

#[derive(Default)]
struct State {
    tools: BTreeMap<CallId, Arc<str>>,
    /// Text of this call stands on the screen.
    written: Option<CallId>,
}

impl Drawing {
    pub(crate) fn new(screen: Arc<Screen>, show: Show) -> Self {
        Self { screen, show, state: Arc::default() }
    }

    /// Whether the last reply stands on the screen already.
    pub(crate) fn has_written(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).written.is_some()
    }

    fn note(&self, text: &str) {
        self.screen.end_line();
        self.screen.note(text);
    }
}

impl DeltaSink for Drawing {
    fn delta(&self, call: CallId, delta: Delta<'_>) {
        let Delta::Text { text, .. } = delta else { return };
        if self.show.pieces {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).written = Some(call);
            self.screen.piece(text);
        }
    }
}

impl EventSink for Drawing {
    fn event(&self, event: &Numbered) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.event {
            Event::ModelCalled { .. } => state.written = None,
            Event::Withdrawn { call } if state.written == Some(*call) => {
                state.written = None;
                drop(state);
                self.note("(the text above is taken back)");
                return;
            }
            Event::CallProposed { call, tool, .. } => {
                state.tools.insert(*call, Arc::clone(tool));
            }
            _ => {}
        }
        if !self.show.progress {
            return;
        }
        let tool = |call: &CallId| state.tools.get(call).map_or("call", |tool| tool);
        if let Some(line) = progress(&event.event, tool) {
            self.note(&line);
        }
    }
}

/// What is worth a line.
fn progress<'a>(event: &Event, tool: impl Fn(&CallId) -> &'a str) -> Option<String> {
    Some(match event {
        Event::CallProposed { tool, arguments, .. } => {
            let short: String = arguments.chars().take(ARGUMENT_CHARS).collect();
            let cut = if short.len() < arguments.len() { "…" } else { "" };
            format!("· {tool} {short}{cut}")
        }
        Event::ApprovalGiven { call, allowed: false, reason } => {
            format!("  {}: denied, {reason}", tool(call))
        }
        Event::CallFinished { call, outcome, bytes, millis, .. } => match outcome {
            Outcome::Succeeded => format!("  {}: {bytes} bytes in {millis} ms", tool(call)),
            Outcome::Failed => format!("  {}: failed after {millis} ms", tool(call)),
            Outcome::Refused => format!("  {}: not run", tool(call)),
            Outcome::Unknown => format!("  {}: nobody knows whether it happened", tool(call)),
            Outcome::Stopped => format!("  {}: stopped", tool(call)),
        },
        Event::ModelFailed { message, next, .. } => match next {
            NextTry::Retry { .. } => format!("  the model failed ({message}); it is tried again"),
            NextTry::Fallback { model } => format!("  the model failed ({message}); {model} takes over"),
            NextTry::Compact => format!("  the model failed ({message}); it is shown less"),
            NextTry::GiveUp => return None,
        },
        Event::SteppedUp { from, to, reason, .. } => {
            format!("  {from} is not up to it ({reason}); {to} takes over")
        }
        Event::LadderExhausted { model, reason, .. } => {
            format!("  {model} is not up to it ({reason}), and no stronger model is left")
        }
        Event::Ruled { call, guard, reason, .. } => format!("  {}: {guard} says {reason}", tool(call)),
        Event::LoopSeen { tool, times } => format!("  {tool}: the same call {times} times"),
        Event::LimitNear { limit, left } => format!("  a limit is near: {left} of {limit:?} left"),
        Event::RunResumed { .. } => "  the session is taken up again".into(),
        Event::HookFailed { reason } => format!("  a hook failed: {reason}"),
        Event::ToolFlawed { tool, problems, .. } => format!("  {tool}: {}", problems.join("; ")),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
