//! Who is told what happens. A watcher can miss events and never hold a run up: what it missed is counted, told to it in
//! its place, and can be had again from the journal.

mod channel;
mod fan_out;
mod hub;
mod lines;
mod queue;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use holm_kernel::Numbered;

pub use channel::{Channel, Notice, Subscription};
pub use fan_out::FanOut;
pub use hub::Hub;
pub use lines::{EventLines, LinesFailed, WhenFull};
pub use queue::ObserverQueue;

/// Watches a run. Called from the driver's own task: it must not block.
///
/// A plain function is a sink. What takes its time goes behind an [`ObserverQueue`], and what wants to be read elsewhere
/// is a [`Channel`].
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use holm_kernel::Numbered;
/// use holm_runtime::EventSink;
///
/// let count = AtomicU64::new(0);
/// let sink = |_: &Numbered| {
///     count.fetch_add(1, Ordering::Relaxed);
/// };
/// # fn is_a_sink(_: impl EventSink) {}
/// is_a_sink(sink);
/// ```
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn event(&self, event: &Numbered);

    /// A sink of its own for one run, from those that must tell runs apart: events carry no run's name. Whoever drives
    /// a run asks once, before its first event; none means that this sink takes the events of every run alike.
    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        let _ = run;
        None
    }
}

impl<F: Fn(&Numbered) + Send + Sync> EventSink for F {
    fn event(&self, event: &Numbered) {
        self(event);
    }
}

impl EventSink for Arc<dyn EventSink> {
    fn event(&self, event: &Numbered) {
        (**self).event(event);
    }

    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        (**self).of_run(run)
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn event(&self, _: &Numbered) {}
}
