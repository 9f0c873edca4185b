//! Event sinks. A watcher can miss events and never delays a run: missed events are counted, the
//! count is reported in their place, and the journal still has them.
//!
//! Events are made by the kernel (`holm-kernel/src/event.rs`), and nothing here changes one or
//! reports back to a run. Pieces of a streaming reply are not events (`delta.rs`).
//!
//! Where things are:
//!
//! - `events/channel.rs`: to another task, bounded.
//! - `events/hub.rs`: watchers that come and go.
//! - `events/fan_out.rs`: several sinks.
//! - `events/queue.rs`: a slow observer in its own task.
//! - `events/lines.rs`: JSON Lines in a file.

mod channel;
mod fan_out;
mod hub;
mod lines;
mod queue;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use holm_kernel::{NanoUsd, Numbered};

pub use channel::{EventChannel, EventNotice, EventSubscription};
pub use fan_out::EventFanOut;
pub use hub::EventHub;
pub use lines::{EventLines, EventLinesError, OverflowPolicy};
pub use queue::ObserverQueue;

/// Receives the events of a run. It is called from the driver's own task and must not block.
///
/// A plain function is a sink. Wrap a slow sink in an [`ObserverQueue`], and use an
/// [`EventChannel`] to read events elsewhere.
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
    fn event(&self, event: &Numbered);

    /// What the run has spent in total by now, failed model calls and children included. The driver
    /// calls it when the total has changed, before the events that go with the change.
    fn spent(&self, total: NanoUsd) {
        let _ = total;
    }

    /// Creates a sink for one run, if this sink must tell runs apart: events do not name their run.
    /// The driver calls it once, before the first event. `None` means that this sink takes the
    /// events of all runs.
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

    fn spent(&self, total: NanoUsd) {
        (**self).spent(total);
    }

    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        (**self).of_run(run)
    }
}

/// A sink that discards all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullEventSink;

impl EventSink for NullEventSink {
    fn event(&self, _: &Numbered) {}
}
