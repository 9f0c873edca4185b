//! Tracks whether a session works, based on its events.

use std::sync::atomic::{AtomicBool, Ordering};

use holm_kernel::Event;

/// Tracks whether the session works.
#[derive(Debug, Default)]
pub(super) struct ActivityFlag(AtomicBool);

impl ActivityFlag {
    pub(super) fn hear(&self, event: &Event) {
        if let Some(works) = works_after(event) {
            self.set(works);
        }
    }

    pub(super) fn set(&self, works: bool) {
        self.0.store(works, Ordering::Release);
    }

    pub(super) fn works(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Whether the session works after an event; `None` if the event does not say. A session that
/// resumes after a crash without a new prompt also counts as working.
pub(super) fn works_after(event: &Event) -> Option<bool> {
    match event {
        Event::GroupStarted { .. } | Event::ModelCalled { .. } | Event::CallStarted { .. } => Some(true),
        Event::GroupEnded { .. } => Some(false),
        _ => None,
    }
}
