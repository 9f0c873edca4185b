//! The observers of a run: who receives its events, and who receives replies while they arrive.
//! They only watch; `agent_parts.rs` gives them to the agent.

use std::sync::Arc;

use holm::{
    kernel::CallId,
    runtime::{DeltaSink, EventSink, ReplyDelta},
};
use holm_server::terminal::TerminalHost;

/// The observers of a run.
#[derive(Default)]
pub(crate) struct RunSinks {
    pub(crate) events: Vec<Arc<dyn EventSink>>,
    /// Receives replies as they arrive.
    pub(crate) deltas: Option<Arc<dyn DeltaSink>>,
}

impl RunSinks {
    /// Adds the watchers of a server.
    pub(super) fn and(mut self, host: &TerminalHost) -> Self {
        self.events.push(host.events());
        let deltas: Vec<_> = self.deltas.take().into_iter().chain([host.deltas()]).collect();
        self.deltas = Some(Arc::new(DeltaFanout(deltas)));
        self
    }
}

/// Forwards every piece of a reply to several sinks.
struct DeltaFanout(Vec<Arc<dyn DeltaSink>>);

impl DeltaSink for DeltaFanout {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        self.0.iter().for_each(|sink| sink.delta(call, delta));
    }

    fn of_run(&self, run: &str) -> Option<Arc<dyn DeltaSink>> {
        let own = self.0.iter().map(|sink| sink.of_run(run).unwrap_or_else(|| Arc::clone(sink)));
        Some(Arc::new(Self(own.collect())))
    }
}
