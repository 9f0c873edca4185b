//! A status line with the running calls and their durations. Only a user at a terminal sees it. It
//! tracks the calls and decides the text; `screen.rs` draws and removes the line, and `draw.rs`
//! prints the lasting lines about each call.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use holm::kernel::{CallId, Event};

use crate::screen::TerminalOutput;

/// How often the line moves: often enough to look alive, seldom enough to cost nothing.
const BEAT: Duration = Duration::from_millis(120);

/// What the line begins with, one after the other.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The model, where nothing else is under way.
const MODEL: &str = "the model";

/// The calls that are running. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<BTreeMap<CallId, RunningCall>>>);

/// A call that is running.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunningCall {
    name: Arc<str>,
    at: Instant,
}

impl RunningCalls {
    /// Hears of an event; `tool` names the tool of its call.
    pub(super) fn hear(&self, event: &Event, tool: Option<&Arc<str>>) {
        match event {
            Event::ModelCalled { call, .. } => self.begin((*call).into(), &MODEL.into()),
            Event::CallStarted { call } => tool.into_iter().for_each(|tool| self.begin((*call).into(), tool)),
            Event::ModelReplied { call, .. } | Event::ModelFailed { call, .. } => {
                self.is_seen((*call).into());
            }
            Event::CallFinished { call, .. } => self.is_seen((*call).into()),
            // Calls that still run belong to a group that has ended.
            Event::GroupEnded { .. } => self.calls().clear(),
            _ => {}
        }
    }

    /// A call has ended, or a model that answers piece by piece is seen to be at work.
    pub(super) fn is_seen(&self, call: CallId) {
        self.calls().remove(&call);
    }

    /// Redraws the line on this screen as long as a clone of this exists.
    pub(super) fn draw_on(&self, screen: Arc<TerminalOutput>) {
        let calls = Arc::downgrade(&self.0);
        tokio::spawn(draw(calls, screen));
    }

    fn begin(&self, call: CallId, name: &Arc<str>) {
        self.calls().insert(call, RunningCall { name: Arc::clone(name), at: Instant::now() });
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<CallId, RunningCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn draw(calls: Weak<Mutex<BTreeMap<CallId, RunningCall>>>, screen: Arc<TerminalOutput>) {
    for frame in FRAMES.iter().cycle() {
        tokio::time::sleep(BEAT).await;
        let Some(calls) = calls.upgrade().map(RunningCalls) else { break };
        let said = line(&calls.calls(), frame, Instant::now());
        screen.under_way(said.as_deref());
    }
    screen.under_way(None);
}

/// What stands on the line; none where nothing is under way.
fn line(calls: &BTreeMap<CallId, RunningCall>, frame: &str, now: Instant) -> Option<String> {
    let said = calls.values().map(|begun| {
        let seconds = now.saturating_duration_since(begun.at).as_secs();
        format!("{} {seconds} s", begun.name)
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("{frame} {}", said.join(", ")))
}

#[cfg(test)]
mod tests;
