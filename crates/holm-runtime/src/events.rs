//! Who is told what happens.

use holm_kernel::Numbered;

/// Watches a run. Called from the driver's own task: it must not block.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn event(&self, event: &Numbered);
}

impl<F: Fn(&Numbered) + Send + Sync> EventSink for F {
    fn event(&self, event: &Numbered) {
        self(event);
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn event(&self, _: &Numbered) {}
}
