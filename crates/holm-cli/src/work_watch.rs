//! Watches whether a run does anything of what it is asked to do.

use std::sync::{Arc, Mutex, PoisonError};

use holm::{
    kernel::{Config, Numbered},
    runtime::{EventSink, WorkTally},
};

/// Counts the calls of a run as they end. Clones are the same watch.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkWatch(Arc<Mutex<WorkTally>>);

impl WorkWatch {
    /// Begins to count for a run of this configuration.
    pub(crate) fn begin(&self, config: &Config) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = WorkTally::new(config);
    }

    /// Whether the last prompt led to calls, and none of them was let through.
    pub(crate) fn is_all_refused(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_all_refused()
    }
}

impl EventSink for WorkWatch {
    fn event(&self, event: &Numbered) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    }
}
