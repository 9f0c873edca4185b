//! Prints a run for programs: its name, then its events as they happen, one a line.

use std::sync::Arc;

use holm::{kernel::Numbered, runtime::EventSink};
use serde_json::json;

use crate::screen::TerminalOutput;

/// Prints events in the kernel's own form, so that a replay prints the same bytes. The reading
/// program sets the pace: no line is ever dropped.
pub(crate) struct EventPrinter {
    screen: Arc<TerminalOutput>,
}

impl EventPrinter {
    pub(crate) fn new(screen: Arc<TerminalOutput>) -> Self {
        Self { screen }
    }
}

impl EventSink for EventPrinter {
    fn event(&self, event: &Numbered) {
        if let Ok(line) = serde_json::to_string(event) {
            self.screen.line(&line);
        }
    }

    /// Asked once, before the first event: the place for the run's name.
    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        self.screen.line(&json!({ "session": run }).to_string());
        None
    }
}
