//! Tracks whether a session works, based on its events.

use std::sync::atomic::{AtomicBool, Ordering};

use holm_kernel::Event;

/// Follows whether something is under way.
#[derive(Debug, Default)]
pub(super) struct Pulse(AtomicBool);

impl Pulse {
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

/// Whether something is under way after an event; nothing where the event does not say. Also a session that goes on after a crash,
/// without a new prompt, is seen to work.
pub(super) fn works_after(event: &Event) -> Option<bool> {
    match event {
        Event::GroupStarted { .. } | Event::ModelCalled { .. } | Event::CallStarted { .. } => Some(true),
        Event::GroupEnded { .. } => Some(false),
        _ => None,
    }
}
