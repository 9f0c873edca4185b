//! Forwards the events of a run to an editor.

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    kernel::{CallId, Event, Numbered},
    runtime::{Delta, DeltaSink, EventSink},
};

use super::{editor::Editor, telling::Telling, turn::Turn};

/// Sends the events of a run to an editor, and tells the session when its work has ended.
#[derive(Clone)]
pub(super) struct Watcher {
    pub(super) editor: Editor,
    pub(super) telling: Arc<Mutex<Telling>>,
    pub(super) turn: Arc<Turn>,
}

impl EventSink for Watcher {
    fn event(&self, event: &Numbered) {
        let updates = self.telling.lock().unwrap_or_else(PoisonError::into_inner).event(&event.event);
        updates.into_iter().for_each(|update| self.editor.tell(update));
        if matches!(event.event, Event::GroupEnded { .. }) {
            self.turn.ends();
        }
    }
}

impl DeltaSink for Watcher {
    fn delta(&self, call: CallId, delta: Delta<'_>) {
        let update = self.telling.lock().unwrap_or_else(PoisonError::into_inner).delta(call, delta);
        update.into_iter().for_each(|update| self.editor.tell(update));
    }
}
