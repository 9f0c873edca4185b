//! Whether a session works, as its events say.

use std::sync::atomic::{AtomicBool, Ordering};

use holm_kernel::Event;

/// Follows whether something is under way. Also a session that goes on after a crash, without a new prompt, is seen to work.
#[derive(Debug, Default)]
pub(super) struct Pulse(AtomicBool);

impl Pulse {
    pub(super) fn hear(&self, event: &Event) {
        match event {
            Event::GroupStarted { .. } | Event::ModelCalled { .. } | Event::CallStarted { .. } => {
                self.set(true);
            }
            Event::GroupEnded { .. } => self.set(false),
            _ => {}
        }
    }

    pub(super) fn set(&self, works: bool) {
        self.0.store(works, Ordering::Release);
    }

    pub(super) fn works(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
