//! Builds agents: collects the parts, checks them together, and lets the kernel check the
//! configuration.
//!
//! A new agent can only ask its model: tools and grants are added by name, and no default may add a
//! power. Mistakes are found in `build`, before a run exists. Methods for hooks are in
//! `agent/builder_hooks.rs`, running is in `agent/mod.rs`, and settings files are read in
//! `holm-config`.

use std::{fmt, sync::Arc};

use holm_grants::{GrantSet, Level, Mode};
use holm_kernel::{
    Approvals, Config, ContextPolicy, Effect, Event, Ladder, Limits, ModelSpec as ModelCard, Run, Started,
    Timestamp,
    journal::{self, StepError},
};

use super::{Agent, AgentInner};
use crate::{
    Approver, BlobStore, CheckRunner, ChildSpawner, Clock, DeltaSink, EventSink, HelperSet, IntoTool,
    JournalStore, Model, ModelLedger, OutputLimits, RunHost, SecretRedactor, Toolbox, ToolboxError,
    tool::check_names,
};

/// Makes the end of a child's system prompt from its configuration.
pub(super) type ChildPrompt = dyn Fn(&Config) -> String + Send + Sync;

/// Tokens for the user's last words, and as many for lists, plans, answers and names of files,
/// that a compaction keeps.
const VERBATIM_TOKENS: u64 = 2_000;

/// Builds an agent. It can only ask its model until tools and grants are added explicitly.
#[must_use]
pub struct AgentBuilder {
    pub(super) config: Config,
    pub(super) host: RunHost,
    tools: Toolbox,
    helpers: Option<HelperSet>,
    manages: ManagerMode,
    seed: Option<u64>,
    child_prompt: Option<Arc<ChildPrompt>>,
}

impl AgentBuilder {
    pub(super) fn new(model: ModelCard, client: Arc<dyn Model>) -> Self {
        Self {
            config: Config {
                context: ContextPolicy { verbatim_tokens: VERBATIM_TOKENS, ..ContextPolicy::default() },
                ..Config::new(model)
            },
            host: RunHost::new(client),
            tools: Toolbox::new(),
            helpers: None,
            manages: ManagerMode::No,
            seed: None,
            child_prompt: None,
        }
    }

    /// Sets the agent's name, for logs and for people.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// Sets the system prompt.
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.config.system = system.into();
        self
    }

    /// Adds text to the end of the system prompt when this agent runs as a child. It is made from the
    /// configuration of that run, which holds no more than its parent, and a resumed run keeps it.
    pub fn child_prompt(mut self, text: impl Fn(&Config) -> String + Send + Sync + 'static) -> Self {
        self.child_prompt = Some(Arc::new(text));
        self
    }

    /// Adds a model that is called when the ones before it fail.
    pub fn fallback(mut self, model: impl Into<ModelCard>) -> Self {
        self.config.models.push(model.into());
        self
    }

    pub fn tool<M>(mut self, tool: impl IntoTool<M>) -> Self {
        self.tools = self.tools.with(tool);
        self
    }

    /// Adds all tools of a toolbox.
    pub fn tools(mut self, tools: Toolbox) -> Self {
        self.tools = self.tools.join(tools);
        self
    }

    /// Sets the limits of every run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Sets the grants of its runs.
    pub fn grants(mut self, grants: GrantSet) -> Self {
        self.config.grants = grants;
        self
    }

    /// Sets the mode, which decides which calls need approval.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.config.mode = mode;
        self
    }

    /// Sets whether a person can be asked about calls.
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.config.approvals = approvals;
        self
    }

    /// Changes anything else in the configuration of its runs.
    pub fn config(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Sets the journal store. Without it, runs end with their session.
    pub fn journals(mut self, journals: impl JournalStore + 'static) -> Self {
        self.host.parts.journals = Arc::new(journals);
        self
    }

    /// Sets the store for large results.
    pub fn blobs(mut self, blobs: impl BlobStore + 'static) -> Self {
        self.host = self.host.blobs(blobs);
        self
    }

    /// Sets the secrets that are removed from every fact before it is stored. Texts with the shape
    /// of a key are always removed.
    pub fn secrets(mut self, secrets: SecretRedactor) -> Self {
        self.host = self.host.secrets(secrets);
        self
    }

    /// Sets the runner of executable postconditions.
    pub fn checks(mut self, checks: impl CheckRunner + 'static) -> Self {
        self.host = self.host.checks(checks);
        self
    }

    /// Sets how much of a tool's output stays in the journal; the rest is stored as a blob.
    pub fn carry(mut self, carry: OutputLimits) -> Self {
        self.host = self.host.carry(carry);
        self
    }

    /// Adds a sink for events; sinks that were added before stay. It is called from the run's own
    /// task and must not block.
    pub fn events(mut self, events: impl EventSink + 'static) -> Self {
        self.host = self.host.events(events);
        self
    }

    /// Sets the sink for the pieces of replies.
    pub fn deltas(mut self, deltas: impl DeltaSink + 'static) -> Self {
        self.host = self.host.deltas(deltas);
        self
    }

    /// Sets the approver, which is asked before a call runs.
    /// [`HandleApprover`](crate::HandleApprover) leaves the answer to the holders of a
    /// [`RunHandle`](crate::RunHandle). Without an approver, every question is
    /// answered with a denial.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.host = self.host.approver(approver);
        self
    }

    /// Sets the clock of its runs.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.host = self.host.clock(clock);
        self
    }

    /// Sets the spawner of child runs.
    pub fn spawner(mut self, spawner: impl ChildSpawner + 'static) -> Self {
        self.host = self.host.spawner(spawner);
        self
    }

    /// Adds helpers: each becomes a tool, and the system prompt names them. This grants the right
    /// to call them. Each action of a helper is judged when it happens, and a helper never holds
    /// more than this agent.
    pub fn helpers(mut self, helpers: HelperSet) -> Self {
        self.helpers = Some(helpers);
        self
    }

    /// As [`helpers`](Self::helpers), for a manager, which can only delegate. A tool that reads,
    /// writes or executes is then an error when the agent is built.
    pub fn manages(mut self, helpers: HelperSet) -> Self {
        self.manages = ManagerMode::Alone;
        self.helpers(helpers)
    }

    /// Sets the ladder: which of the agent's models a run climbs, weakest first, when its work
    /// is not good enough.
    pub fn ladder(mut self, ladder: Ladder) -> Self {
        self.config.ladder = Some(ladder);
        self
    }

    /// Sets the ledger of models, so that a run with a ladder begins with a capable model.
    pub fn ledger(mut self, ledger: impl ModelLedger + 'static) -> Self {
        self.host = self.host.ledger(ledger);
        self
    }

    /// Makes every run draw the same random numbers. For tests only: with the seed, an attacker
    /// can forge an envelope.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Checks everything and builds the agent.
    ///
    /// # Errors
    /// [`BuildError`] for the first problem.
    pub fn build(self) -> Result<Agent, BuildError> {
        self.tools.check()?;
        let mut this = self.place_hooks();
        this.config.tools.extend(this.tools.declarations());
        if this.manages == ManagerMode::Alone {
            let acts = this.config.tools.iter().find(|tool| tool.level > Level::None);
            if let Some(tool) = acts {
                return Err(BuildError::ManagerActs { name: tool.name.clone() });
            }
        }
        this = this.place_helpers()?;
        this.host.parts.tools = Arc::new(this.tools);
        // Helpers, and tools in the configuration, did not pass through the toolbox.
        check_names(&this.config.tools)?;
        check(&this.config)?;
        let Self { config, host, seed, child_prompt, .. } = this;
        let host = host.parts;
        Ok(Agent { inner: Arc::new(AgentInner { config, host, seed, child_prompt }) })
    }
}

impl AgentBuilder {
    fn place_helpers(mut self) -> Result<Self, BuildError> {
        let Some(helpers) = self.helpers.take() else { return Ok(self) };
        for declaration in helpers.declarations() {
            let name = &declaration.name;
            if self.config.tools.iter().any(|tool| tool.name == *name) {
                return Err(ToolboxError::Duplicate { name: name.clone() }.into());
            }
            self.config.tools.push(declaration);
        }
        self.config.grants.extend(helpers.callings());
        self.config.children_at_end = helpers.policy().unwrap_or(self.config.children_at_end);
        let lead = if self.config.system.is_empty() { "" } else { "\n\n" };
        self.config.system = format!("{}{lead}{}", self.config.system, helpers.introduction());
        self.host = self.host.spawner(helpers);
        Ok(self)
    }
}

/// Whether an agent only delegates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ManagerMode {
    No,
    Alone,
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AgentBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}

/// An agent cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A tool cannot be used, or not together with another.
    #[error(transparent)]
    Tools(#[from] ToolboxError),
    /// The kernel would not offer a tool.
    #[error("the tool `{name}` cannot be used ({}); fix its declaration", .problems.join("; "))]
    BadTool {
        name: String,
        /// The problems of the tool.
        problems: Vec<String>,
    },
    /// A manager has a tool that acts by itself.
    #[error("a manager only delegates and cannot have the tool `{name}`; give it to a helper")]
    ManagerActs { name: String },
    /// The ladder names a model that the agent does not have.
    #[error(
        "the ladder names `{name}`, which is not a model of the agent; add it as a fallback or remove \
        it"
    )]
    UnknownRung { name: String },
    /// The configuration cannot be journaled.
    #[error("the configuration does not fit into the journal ({reason}); make it smaller")]
    TooLarge { reason: String },
}

/// Lets the kernel check the configuration as it does when a run starts.
fn check(config: &Config) -> Result<(), BuildError> {
    let rungs = config.ladder.iter().flat_map(|ladder| &ladder.rungs);
    let known = |name: &&String| config.models.iter().any(|model| model.name == **name);
    if let Some(name) = rungs.into_iter().find(|name| !known(name)) {
        return Err(BuildError::UnknownRung { name: name.clone() });
    }
    let too_large = |error: StepError| BuildError::TooLarge { reason: error.to_string() };
    let started = Started::new("check", 0, config.clone());
    let (mut run, _, _) = journal::begin(started, Timestamp::new(0)).map_err(too_large)?;
    flawed(&mut run).map_or(Ok(()), Err)
}

fn flawed(run: &mut Run) -> Option<BuildError> {
    loop {
        match run.poll() {
            Effect::Wait(_) => return None,
            Effect::Emit(numbered) => {
                if let Event::ToolFlawed { tool, usable: false, problems } = numbered.event {
                    return Some(BuildError::BadTool { name: tool.as_ref().into(), problems });
                }
            }
            _ => {}
        }
    }
}
