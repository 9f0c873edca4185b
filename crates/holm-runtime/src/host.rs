//! The host of one run: its model, tools, journal and everything else around it.

use std::sync::{Arc, OnceLock};

use crate::{
    Approver, Blobs, Carry, CheckRunner, Clock, DeltaSink, EventSink, Hooks, IntoTool, Journal, Journals,
    Ledger, MemoryBlobs, MemoryJournal, Model, NoChildren, NoDeltas, NoJournals, NoPrograms, Nobody, Secrets,
    Spawner, SystemClock, Toolbox,
};

/// The table of key shapes is large, so all hosts without named secrets share it.
static SHAPES: OnceLock<Secrets> = OnceLock::new();

/// The host of a run: it has a model, and nothing else until it is added explicitly.
pub struct Host {
    pub(crate) parts: Parts,
    pub(crate) journal: Box<dyn Journal>,
}

/// The parts that many runs can share: everything but the journal.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) deltas: Arc<dyn DeltaSink>,
    pub(crate) events: Vec<Arc<dyn EventSink>>,
    pub(crate) spawner: Arc<dyn Spawner>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) secrets: Secrets,
    pub(crate) checks: Arc<dyn CheckRunner>,
    pub(crate) carry: Carry,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) hook_wants: HookWants,
    /// The store of the children's journals.
    pub(crate) journals: Arc<dyn Journals>,
    /// The scores of models so far.
    pub(crate) ledger: Option<Arc<dyn Ledger>>,
}

/// Who reviews calls that only hooks want to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookWants {
    /// Only hooks. If they do not object, no person is asked.
    HooksAlone,
    /// Hooks, and then the approver, as for all other questions.
    PeopleToo,
}

impl Host {
    /// A host with a model, no tools, an approver that denies everything, a journal in memory
    /// and the machine's clock.
    pub fn new(model: Arc<dyn Model>) -> Self {
        let parts = Parts {
            model,
            tools: Arc::new(Toolbox::new()),
            approver: Arc::new(Nobody),
            clock: Arc::new(SystemClock::new()),
            deltas: Arc::new(NoDeltas),
            events: Vec::new(),
            spawner: Arc::new(NoChildren),
            blobs: Arc::new(MemoryBlobs::new()),
            secrets: SHAPES.get_or_init(Secrets::new).clone(),
            checks: Arc::new(NoPrograms),
            carry: Carry::default(),
            hooks: Arc::default(),
            hook_wants: HookWants::HooksAlone,
            journals: Arc::new(NoJournals),
            ledger: None,
        };
        Self { parts, journal: Box::new(MemoryJournal::new()) }
    }

    #[must_use]
    pub fn tool<M>(mut self, tool: impl IntoTool<M>) -> Self {
        let tools = Arc::unwrap_or_clone(self.parts.tools);
        self.parts.tools = Arc::new(tools.with(tool));
        self
    }

    /// Sets the approver, which is asked before a call runs.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.parts.approver = Arc::new(approver);
        self
    }

    /// Sets the journal that records are written to.
    #[must_use]
    pub fn journal(mut self, journal: impl Journal + 'static) -> Self {
        self.journal = Box::new(journal);
        self
    }

    /// Sets the clock of the run.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.parts.clock = Arc::new(clock);
        self
    }

    /// Sets the sink for the pieces of replies.
    #[must_use]
    pub fn deltas(mut self, deltas: impl DeltaSink + 'static) -> Self {
        self.parts.deltas = Arc::new(deltas);
        self
    }

    /// Adds a sink for events; sinks that were added before stay.
    #[must_use]
    pub fn events(mut self, events: impl EventSink + 'static) -> Self {
        self.parts.events.push(Arc::new(events));
        self
    }

    /// Sets the spawner of child runs.
    #[must_use]
    pub fn spawner(mut self, spawner: impl Spawner + 'static) -> Self {
        self.parts.spawner = Arc::new(spawner);
        self
    }

    /// Sets the store for large results.
    #[must_use]
    pub fn blobs(mut self, blobs: impl Blobs + 'static) -> Self {
        self.parts.blobs = Arc::new(blobs);
        self
    }

    /// Sets the secrets that are removed from every fact.
    #[must_use]
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.parts.secrets = secrets;
        self
    }

    /// Sets the runner of executable postconditions.
    #[must_use]
    pub fn checks(mut self, checks: impl CheckRunner + 'static) -> Self {
        self.parts.checks = Arc::new(checks);
        self
    }

    /// Sets how much of a tool's output stays in the journal.
    #[must_use]
    pub fn carry(mut self, carry: Carry) -> Self {
        self.parts.carry = carry;
        self
    }

    /// Adds hooks. The run's configuration determines where they are asked: put [`Hooks::points`]
    /// into [`Config::consult`](holm_kernel::Config::consult).
    /// [`Approvals::AskAlways`](holm_kernel::Approvals::AskAlways) shows them every call.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.parts.hooks = Arc::new(Arc::unwrap_or_clone(self.parts.hooks).with(hooks));
        self
    }

    /// Sets the ledger of models. A run with a ladder begins on the rung that the ledger suggests,
    /// and the results of its models are noted there.
    #[must_use]
    pub fn ledger(mut self, ledger: impl Ledger + 'static) -> Self {
        self.parts.ledger = Some(Arc::new(ledger));
        self
    }

    /// The declarations of the tools, for a run's configuration.
    pub fn declarations(&self) -> Vec<holm_kernel::Tool> {
        self.parts.tools.declarations()
    }
}
