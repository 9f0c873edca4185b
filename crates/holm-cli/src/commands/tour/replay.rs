//! Records the events of a run of the tour, replays its journal when it has ended, and compares the
//! two byte for byte. The run itself is in `lookup.rs`; replaying is done by the kernel. A user
//! replays a session with `commands/session/replay.rs`.

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    kernel::{Effect, Event, Numbered, journal},
    runtime::{EventSink, JournalStore as _, RunReport},
};

use super::{TourContext, alarm};

/// Records events, as bytes and as values.
#[derive(Debug, Clone, Default)]
pub(super) struct EventRecorder(Arc<Mutex<Vec<(String, Event)>>>);

impl EventSink for EventRecorder {
    fn event(&self, event: &Numbered) {
        let line = serde_json::to_string(event).unwrap_or_default();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((line, event.event.clone()));
    }
}

impl EventRecorder {
    /// What happened, in order.
    pub(super) fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(_, event)| event.clone()).collect()
    }

    /// Replays the journal that was just written, without a model and without tools,
    /// and compares every byte.
    pub(super) async fn compare(&self, tour: &TourContext, report: &RunReport) -> anyhow::Result<()> {
        let records = journal::decode_strict(&tour.store.read(&report.run).await?)?;
        let mut again = Vec::new();
        journal::replay_with(&records, |_, effect| {
            if let Effect::Emit(event) = effect {
                again.push(serde_json::to_string(event).unwrap_or_default());
            }
        })?;
        let lines: Vec<String> = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|(line, _)| line.clone())
            .collect();
        if lines != again {
            return Err(alarm("the replay differs from the run"));
        }
        let bytes: usize = again.iter().map(String::len).sum();
        let (records, run) = (records.len(), &report.run);
        tour.tell(
            "replay",
            &format!(
                "byte-identical: {records} records give the same {bytes} bytes of events (session {run})"
            ),
        );
        Ok(())
    }
}
