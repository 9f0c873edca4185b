//! Forwards the events of a run to an editor.

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    kernel::{CallId, Event, Numbered},
    runtime::{DeltaSink, EventSink, ReplyDelta},
};

use super::{editor::EditorClient, prompt_gate::PromptGate, update_translator::UpdateTranslator};

/// Sends the events of a run to an editor, and tells the session when its work has ended.
#[derive(Clone)]
pub(super) struct EditorEventSink {
    pub(super) editor: EditorClient,
    pub(super) telling: Arc<Mutex<UpdateTranslator>>,
    pub(super) turn: Arc<PromptGate>,
}

impl EventSink for EditorEventSink {
    fn event(&self, event: &Numbered) {
        let updates = self.telling.lock().unwrap_or_else(PoisonError::into_inner).event(&event.event);
        updates.into_iter().for_each(|update| self.editor.tell(update));
        if matches!(event.event, Event::GroupEnded { .. }) {
            self.turn.ends();
        }
    }
}

impl DeltaSink for EditorEventSink {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        let update = self.telling.lock().unwrap_or_else(PoisonError::into_inner).delta(call, delta);
        update.into_iter().for_each(|update| self.editor.tell(update));
    }
}
