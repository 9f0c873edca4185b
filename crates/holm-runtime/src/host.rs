//! The host of one run: its model, tools, journal and everything else around it.
//!
//! It only collects the parts. A new host has a model and nothing else: its defaults deny, store in
//! memory or do nothing, and a power is added by name. The loop that uses the parts is in
//! `driver/mod.rs`; an agent builds its host in `agent/builder.rs`.

use std::sync::{Arc, OnceLock};

use crate::{
    Approver, BlobStore, CheckRunner, ChildSpawner, Clock, DeltaSink, DenyAllApprover, EventSink, HookSet,
    IntoTool, Journal, JournalStore, MemoryBlobStore, MemoryJournal, Model, ModelLedger, NullCheckRunner,
    NullDeltaSink, NullJournalStore, NullSpawner, OutputLimits, SecretRedactor, SystemClock, Toolbox,
};

/// The table of key shapes is large, so all hosts without named secrets share it.
static SHAPES: OnceLock<SecretRedactor> = OnceLock::new();

/// The host of a run: it has a model, and nothing else until it is added explicitly.
pub struct RunHost {
    pub(crate) parts: HostParts,
    pub(crate) journal: Box<dyn Journal>,
}

/// The parts that many runs can share: everything but the journal.
#[derive(Clone)]
pub(crate) struct HostParts {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) deltas: Arc<dyn DeltaSink>,
    pub(crate) events: Vec<Arc<dyn EventSink>>,
    pub(crate) spawner: Arc<dyn ChildSpawner>,
    pub(crate) blobs: Arc<dyn BlobStore>,
    pub(crate) secrets: SecretRedactor,
    pub(crate) checks: Arc<dyn CheckRunner>,
    pub(crate) carry: OutputLimits,
    pub(crate) hooks: Arc<HookSet>,
    pub(crate) hook_wants: HookReviewers,
    /// The store of the children's journals.
    pub(crate) journals: Arc<dyn JournalStore>,
    /// The scores of models so far.
    pub(crate) ledger: Option<Arc<dyn ModelLedger>>,
}

/// Who reviews calls that only hooks want to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookReviewers {
    /// Only hooks. If they do not object, no person is asked.
    HooksAlone,
    /// Hooks, and then the approver, as for all other questions.
    PeopleToo,
}

impl RunHost {
    /// A host with a model, no tools, an approver that denies everything, a journal in memory
    /// and the machine's clock.
    pub fn new(model: Arc<dyn Model>) -> Self {
        let parts = HostParts {
            model,
            tools: Arc::new(Toolbox::new()),
            approver: Arc::new(DenyAllApprover),
            clock: Arc::new(SystemClock::new()),
            deltas: Arc::new(NullDeltaSink),
            events: Vec::new(),
            spawner: Arc::new(NullSpawner),
            blobs: Arc::new(MemoryBlobStore::new()),
            secrets: SHAPES.get_or_init(SecretRedactor::new).clone(),
            checks: Arc::new(NullCheckRunner),
            carry: OutputLimits::default(),
            hooks: Arc::default(),
            hook_wants: HookReviewers::HooksAlone,
            journals: Arc::new(NullJournalStore),
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
    pub fn spawner(mut self, spawner: impl ChildSpawner + 'static) -> Self {
        self.parts.spawner = Arc::new(spawner);
        self
    }

    /// Sets the store for large results.
    #[must_use]
    pub fn blobs(mut self, blobs: impl BlobStore + 'static) -> Self {
        self.parts.blobs = Arc::new(blobs);
        self
    }

    /// Sets the secrets that are removed from every fact.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretRedactor) -> Self {
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
    pub fn carry(mut self, carry: OutputLimits) -> Self {
        self.parts.carry = carry;
        self
    }

    /// Adds hooks. The run's configuration determines where they are asked: put [`HookSet::points`]
    /// into [`Config::consult`](holm_kernel::Config::consult).
    /// [`Approvals::AskAlways`](holm_kernel::Approvals::AskAlways) shows them every call.
    #[must_use]
    pub fn hooks(mut self, hooks: HookSet) -> Self {
        self.parts.hooks = Arc::new(Arc::unwrap_or_clone(self.parts.hooks).with(hooks));
        self
    }

    /// Sets the ledger of models. A run with a ladder begins on the rung that the ledger suggests,
    /// and the results of its models are noted there.
    #[must_use]
    pub fn ledger(mut self, ledger: impl ModelLedger + 'static) -> Self {
        self.parts.ledger = Some(Arc::new(ledger));
        self
    }

    /// The declarations of the tools, for a run's configuration.
    pub fn declarations(&self) -> Vec<holm_kernel::ToolSpec> {
        self.parts.tools.declarations()
    }
}
