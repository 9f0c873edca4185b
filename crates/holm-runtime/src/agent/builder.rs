//! Puts an agent together.

use std::{borrow::Borrow, collections::BTreeSet, fmt, sync::Arc};

use holm_grants::{GrantSet, Mode};
use holm_kernel::{
    Approvals, Config, Effect, Event, Limits, Model as ModelCard, Run, Started, Timestamp, ToolOutput,
    journal::{self, StepError},
};

use super::{Agent, Inner};
use crate::{
    Approver, Blobs, BoxFuture, Clock, DeltaSink, EventSink, Host, Job, Journals, Model, NoJournals, Spawner,
    Tool, Toolbox,
};

/// Puts an agent together. It can do nothing but ask its model until something is added by name.
#[must_use]
pub struct Builder {
    config: Config,
    host: Host,
    tools: Vec<Arc<dyn Tool>>,
    journals: Arc<dyn Journals>,
    blobs: Option<Arc<dyn Blobs>>,
    seed: Option<u64>,
}

impl Builder {
    pub(super) fn new(model: ModelCard, client: Arc<dyn Model>) -> Self {
        Self {
            config: Config::new(model),
            host: Host::new(client),
            tools: Vec::new(),
            journals: Arc::new(NoJournals),
            blobs: None,
            seed: None,
        }
    }

    /// Says who this agent is, for logs and for people.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// Says what the model is told first.
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.config.system = system.into();
        self
    }

    /// Adds a model that is asked when the ones before it fail.
    pub fn fallback(mut self, model: impl Into<ModelCard>) -> Self {
        self.config.models.push(model.into());
        self
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Adds all tools of a box.
    pub fn tools(mut self, tools: impl Borrow<Toolbox>) -> Self {
        let tools = tools.borrow();
        for declaration in tools.declarations() {
            self.tools.extend(tools.find(&declaration.name).cloned());
        }
        self
    }

    /// Sets the bounds of every run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Says what its runs may do.
    pub fn grants(mut self, grants: GrantSet) -> Self {
        self.config.grants = grants;
        self
    }

    /// Says what is asked before it is done.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.config.mode = mode;
        self
    }

    /// Says whether somebody is there to be asked.
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.config.approvals = approvals;
        self
    }

    /// Changes anything else in the configuration of its runs.
    pub fn config(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Says where runs are kept. Without it they end with their session.
    pub fn journals(mut self, journals: impl Journals + 'static) -> Self {
        self.journals = Arc::new(journals);
        self
    }

    /// Says where results are kept that are too large to carry.
    pub fn blobs(mut self, blobs: impl Blobs + 'static) -> Self {
        self.blobs = Some(Arc::new(blobs));
        self
    }

    /// Says who is told what happens, besides those who are told already. It is called from the run's own task and must
    /// not block.
    pub fn events(mut self, events: impl EventSink + 'static) -> Self {
        self.host = self.host.events(events);
        self
    }

    /// Says who watches replies arrive.
    pub fn deltas(mut self, deltas: impl DeltaSink + 'static) -> Self {
        self.host = self.host.deltas(deltas);
        self
    }

    /// Says who is asked before a call runs: [`Watchers`](crate::Watchers) leaves it to whoever holds a
    /// [`Handle`](crate::Handle). Without it everything that would be asked is denied.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.host = self.host.approver(approver);
        self
    }

    /// Says what time it is.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.host = self.host.clock(clock);
        self
    }

    /// Says who starts child runs.
    pub fn spawner(mut self, spawner: impl Spawner + 'static) -> Self {
        self.host = self.host.spawner(spawner);
        self
    }

    /// Makes every run draw the same random numbers; for tests, because whoever knows the seed can forge an envelope.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Checks everything and makes the agent.
    ///
    /// # Errors
    /// [`BuildError`], for the first thing that is wrong.
    pub fn build(mut self) -> Result<Agent, BuildError> {
        let mut names = BTreeSet::new();
        let mut toolbox = Toolbox::new();
        for tool in self.tools {
            let declaration = tool.declaration().clone();
            if !names.insert(declaration.name.clone()) {
                return Err(BuildError::TwoTools { name: declaration.name });
            }
            self.config.tools.push(declaration);
            toolbox = toolbox.with(Shared(tool));
        }
        self.host.parts.tools = Arc::new(toolbox);
        check(&self.config)?;
        let Self { config, host, journals, blobs, seed, .. } = self;
        let host = host.parts;
        Ok(Agent { inner: Arc::new(Inner { config, host, journals, blobs, seed }) })
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Builder").field("config", &self.config).finish_non_exhaustive()
    }
}

/// An agent cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A name would mean two things.
    #[error("two tools are named `{name}`; give one of them another name")]
    TwoTools {
        /// The name.
        name: String,
    },
    /// A tool cannot be offered.
    #[error("the tool `{name}` cannot be used ({}); mend its declaration", .problems.join("; "))]
    BadTool {
        /// Which.
        name: String,
        /// What is wrong with it.
        problems: Vec<String>,
    },
    /// The configuration cannot be journaled.
    #[error("the configuration cannot be journaled ({reason}); make it smaller")]
    TooLarge {
        /// What was said.
        reason: String,
    },
}

/// Lets the kernel look at the configuration as it will when a run starts.
fn check(config: &Config) -> Result<(), BuildError> {
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

/// A tool that is in several boxes.
struct Shared(Arc<dyn Tool>);

impl Tool for Shared {
    fn declaration(&self) -> &holm_kernel::Tool {
        self.0.declaration()
    }

    fn run(&self, job: Job) -> BoxFuture<'static, ToolOutput> {
        self.0.run(job)
    }
}
