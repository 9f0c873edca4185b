//! Sends the events of one run to several sinks, in the order in which they were added.
//!
//! Sinks are fixed when the run starts; watchers that come and go use `events/hub.rs`. A slow sink
//! would delay the others, so wrap it in a queue (`events/queue.rs`).

use std::{fmt, sync::Arc};

use holm_kernel::{NanoUsd, Numbered};

use super::EventSink;

/// Sends events to several sinks, in the order in which they were added.
///
/// ```
/// use holm_runtime::{EventChannel, EventFanOut};
///
/// let (screen, _events) = EventChannel::new(1_024);
/// let (record, _more) = EventChannel::new(1_024);
/// let both = EventFanOut::new().with(screen).with(record);
/// assert_eq!(both.len(), 2);
/// ```
#[derive(Clone, Default)]
pub struct EventFanOut {
    sinks: Vec<Arc<dyn EventSink>>,
}

impl EventFanOut {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with(self, sink: impl EventSink + 'static) -> Self {
        self.with_shared(Arc::new(sink))
    }

    /// Adds a shared sink to these.
    #[must_use]
    pub fn with_shared(mut self, sink: Arc<dyn EventSink>) -> Self {
        self.sinks.push(sink);
        self
    }

    /// How many sinks there are.
    pub fn len(&self) -> usize {
        self.sinks.len()
    }

    /// Whether no sink was added.
    pub fn is_empty(&self) -> bool {
        self.sinks.is_empty()
    }
}

impl EventSink for EventFanOut {
    fn event(&self, event: &Numbered) {
        for sink in &self.sinks {
            sink.event(event);
        }
    }

    fn spent(&self, total: NanoUsd) {
        for sink in &self.sinks {
            sink.spent(total);
        }
    }

    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        let own: Vec<_> = self.sinks.iter().map(|sink| sink.of_run(run)).collect();
        if own.iter().all(Option::is_none) {
            return None;
        }
        let sinks = own.into_iter().zip(&self.sinks).map(|(own, all)| own.unwrap_or_else(|| Arc::clone(all)));
        Some(Arc::new(Self { sinks: sinks.collect() }))
    }
}

impl fmt::Debug for EventFanOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("EventFanOut").field("sinks", &self.sinks.len()).finish()
    }
}
