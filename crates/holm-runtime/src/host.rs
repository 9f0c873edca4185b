//! Everything around one run, put together.

use std::sync::Arc;

use crate::{
    Approver, Clock, DeltaSink, EventSink, Journal, MemoryJournal, Model, NoDeltas, NoEvents, Nobody,
    SystemClock, Tool, Toolbox,
};

/// What a run is given: it has a model and nothing else until something is added by name.
pub struct Host {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Toolbox,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) journal: Box<dyn Journal>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) deltas: Arc<dyn DeltaSink>,
    pub(crate) events: Arc<dyn EventSink>,
}

impl Host {
    /// A host with a model, no tools, nobody to ask, a journal in memory and the machine's clock.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self {
            model,
            tools: Toolbox::new(),
            approver: Arc::new(Nobody),
            journal: Box::new(MemoryJournal::new()),
            clock: Arc::new(SystemClock::new()),
            deltas: Arc::new(NoDeltas),
            events: Arc::new(NoEvents),
        }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools = self.tools.with(tool);
        self
    }

    /// Says who is asked before a call runs.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(approver);
        self
    }

    /// Says where records are written.
    #[must_use]
    pub fn journal(mut self, journal: impl Journal + 'static) -> Self {
        self.journal = Box::new(journal);
        self
    }

    /// Says what time it is.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Says who watches replies arrive.
    #[must_use]
    pub fn deltas(mut self, deltas: impl DeltaSink + 'static) -> Self {
        self.deltas = Arc::new(deltas);
        self
    }

    /// Says who is told what happens.
    #[must_use]
    pub fn events(mut self, events: impl EventSink + 'static) -> Self {
        self.events = Arc::new(events);
        self
    }

    /// The tools, as a run's configuration declares them.
    pub fn declarations(&self) -> Vec<holm_kernel::Tool> {
        self.tools.declarations()
    }
}
