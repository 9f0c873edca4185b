//! Everything around one run, put together.

use std::sync::Arc;

use crate::{
    Approver, Clock, DeltaSink, EventSink, Journal, MemoryJournal, Model, NoChildren, NoDeltas, Nobody,
    Spawner, SystemClock, Tool, Toolbox,
};

/// What a run is given: it has a model and nothing else until something is added by name.
pub struct Host {
    pub(crate) parts: Parts,
    pub(crate) journal: Box<dyn Journal>,
}

/// What many runs can share: everything but the journal.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) deltas: Arc<dyn DeltaSink>,
    pub(crate) events: Vec<Arc<dyn EventSink>>,
    pub(crate) spawner: Arc<dyn Spawner>,
}

impl Host {
    /// A host with a model, no tools, nobody to ask, a journal in memory and the machine's clock.
    pub fn new(model: Arc<dyn Model>) -> Self {
        let parts = Parts {
            model,
            tools: Arc::new(Toolbox::new()),
            approver: Arc::new(Nobody),
            clock: Arc::new(SystemClock::new()),
            deltas: Arc::new(NoDeltas),
            events: Vec::new(),
            spawner: Arc::new(NoChildren),
        };
        Self { parts, journal: Box::new(MemoryJournal::new()) }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        let tools = Arc::unwrap_or_clone(self.parts.tools);
        self.parts.tools = Arc::new(tools.with(tool));
        self
    }

    /// Says who is asked before a call runs.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.parts.approver = Arc::new(approver);
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
        self.parts.clock = Arc::new(clock);
        self
    }

    /// Says who watches replies arrive.
    #[must_use]
    pub fn deltas(mut self, deltas: impl DeltaSink + 'static) -> Self {
        self.parts.deltas = Arc::new(deltas);
        self
    }

    /// Says who is told what happens, besides those who are told already.
    #[must_use]
    pub fn events(mut self, events: impl EventSink + 'static) -> Self {
        self.parts.events.push(Arc::new(events));
        self
    }

    /// Says who starts child runs.
    #[must_use]
    pub fn spawner(mut self, spawner: impl Spawner + 'static) -> Self {
        self.parts.spawner = Arc::new(spawner);
        self
    }

    /// The tools, as a run's configuration declares them.
    pub fn declarations(&self) -> Vec<holm_kernel::Tool> {
        self.parts.tools.declarations()
    }
}
