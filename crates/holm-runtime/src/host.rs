//! The host of one run: its model, tools, journal and everything else around it.

use std::sync::{Arc, OnceLock};

use crate::{
    Approver, Blobs, Carry, CheckRunner, Clock, DeltaSink, EventSink, Hooks, IntoTool, Journal, Journals,
    Ledger, MemoryBlobs, MemoryJournal, Model, NoChildren, NoDeltas, NoJournals, NoPrograms, Nobody, Secrets,
    Spawner, SystemClock, Toolbox,
};

/// What has the shape of a key is found by a table that is not small, so all hosts that know no secret share it.
static SHAPES: OnceLock<Secrets> = OnceLock::new();

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
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) secrets: Secrets,
    pub(crate) checks: Arc<dyn CheckRunner>,
    pub(crate) carry: Carry,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) hook_wants: HookWants,
    /// Where children are kept.
    pub(crate) journals: Arc<dyn Journals>,
    /// What models have shown so far.
    pub(crate) ledger: Option<Arc<dyn Ledger>>,
}

/// Who looks at the calls that only hooks want to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookWants {
    /// Only hooks. If they do not object, no person is asked.
    HooksAlone,
    /// Hooks, and then the approver, as for all other questions.
    PeopleToo,
}

impl Host {
    /// A host with a model, no tools, an approver that denies everything, a journal in memory and
    /// the machine's clock.
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

    /// Adds a sink for events; sinks that were added before stay.
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

    /// Says where results are kept that are too large to carry.
    #[must_use]
    pub fn blobs(mut self, blobs: impl Blobs + 'static) -> Self {
        self.parts.blobs = Arc::new(blobs);
        self
    }

    /// Says which secrets are taken out of every fact.
    #[must_use]
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.parts.secrets = secrets;
        self
    }

    /// Says what runs the programs of executable postconditions.
    #[must_use]
    pub fn checks(mut self, checks: impl CheckRunner + 'static) -> Self {
        self.parts.checks = Arc::new(checks);
        self
    }

    /// Says how much of a tool's output travels with the run.
    #[must_use]
    pub fn carry(mut self, carry: Carry) -> Self {
        self.parts.carry = carry;
        self
    }

    /// Adds hooks. The run's configuration says where they are heard: [`Hooks::points`] belongs in
    /// [`Config::consult`](holm_kernel::Config::consult), and
    /// [`Approvals::AskAlways`](holm_kernel::Approvals::AskAlways) shows them every call.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.parts.hooks = Arc::new(Arc::unwrap_or_clone(self.parts.hooks).with(hooks));
        self
    }

    /// Says where it is kept what models have shown. A run with a ladder begins on the rung that it speaks for, and what the
    /// run's models do is noted there.
    #[must_use]
    pub fn ledger(mut self, ledger: impl Ledger + 'static) -> Self {
        self.parts.ledger = Some(Arc::new(ledger));
        self
    }

    /// The tools, as a run's configuration declares them.
    pub fn declarations(&self) -> Vec<holm_kernel::Tool> {
        self.parts.tools.declarations()
    }
}
