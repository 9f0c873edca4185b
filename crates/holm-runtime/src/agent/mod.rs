//! An agent: a configuration and a host. It starts, resumes, forks and replays runs.
//!
//! It assembles parts and opens journals; the loop itself is in `driver/mod.rs`, and every decision
//! is the kernel's. Resuming, forking and replaying all fold the journal (`driver/fold.rs`): no
//! other state of a run may be kept here. A run follows the configuration in its record 0, even if
//! the agent's own has changed since.
//!
//! Where things are:
//!
//! - `agent/builder.rs`, `agent/builder_hooks.rs`: build an agent.
//! - `agent/session.rs`: one run, owned by a program.
//! - `agent/report.rs`: the result of a prompt.
//! - `agent/changes.rs`: changes when a run is resumed.
//! - `agent/child.rs`: an agent as the child of another run.
//! - `agent/typed_answer.rs`: answers as Rust values.
//! - `agent/blocking.rs`: without an async runtime.
//! - `agent/name.rs`: new names and seeds.

mod blocking;
mod builder;
mod builder_hooks;
mod changes;
mod child;
mod name;
mod report;
mod session;
mod typed_answer;

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use holm_kernel::{Config, ModelSpec as ModelCard, Prompt, Run, Seq, Started};

pub use blocking::BlockingError;
pub use builder::{AgentBuilder, BuildError};
pub use changes::ResumeChanges;
pub use name::new_name;
pub use report::{NoAnswerError, RunReport};
pub use session::Session;
pub use typed_answer::TypedAnswerError;

use crate::{
    BlobStore, DriveError, Driver, Durability, Journal, JournalStore, Model, RunHost, RunReplay, Tool as _,
    check_run_name,
    driver::{self, PendingWork, RestoredRun},
    host::HostParts,
};

/// Runs prompts. Cheap to clone; many runs may be active at the same time.
///
/// ```
/// # use holm_runtime::model_fn;
/// # use holm_kernel::{Block, ModelResult, Reply};
/// # let client = model_fn(|_| {
/// #     let reply = Reply { blocks: vec![Block::Text("4".into())], ..Reply::default() };
/// #     Box::pin(async move { ModelResult::Replied(reply) })
/// # });
/// use holm_runtime::Agent;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let agent = Agent::builder("example/model", client).system("Answer in one word.").build()?;
/// let report = agent.run("What is 2 + 2?").await?;
/// assert_eq!(report.text()?, "4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Agent {
    inner: Arc<AgentInner>,
}

struct AgentInner {
    config: Config,
    host: HostParts,
    /// For tests that need identical runs.
    seed: Option<u64>,
    /// Text for the system prompt of runs as a child.
    child_prompt: Option<Arc<builder::ChildPrompt>>,
}

impl Agent {
    /// Starts building an agent: a model by its name (or with its window and price), and the client
    /// that answers for it.
    pub fn builder(model: impl Into<ModelCard>, client: impl Model + 'static) -> AgentBuilder {
        AgentBuilder::new(model.into(), Arc::new(client))
    }

    /// The configuration of its runs.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The journal store of its runs.
    pub fn journals(&self) -> &Arc<dyn JournalStore> {
        &self.inner.host.journals
    }

    /// The store for large results.
    pub fn blobs(&self) -> &Arc<dyn BlobStore> {
        &self.inner.host.blobs
    }

    /// The same agent, whose new runs sample at this temperature, in thousandths. A service that
    /// does not accept a temperature is not sent one.
    #[must_use]
    pub fn with_temperature(&self, milli: u32) -> Self {
        let AgentInner { config, host, seed, child_prompt } = &*self.inner;
        let mut config = config.clone();
        config.models.iter_mut().for_each(|model| model.temperature_milli = Some(milli));
        let (host, child_prompt) = (host.clone(), child_prompt.clone());
        Self { inner: Arc::new(AgentInner { config, host, seed: *seed, child_prompt }) }
    }

    /// Runs one prompt to its end, in its own run.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written. All other failures are in the report.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<RunReport, DriveError> {
        self.start().await?.prompt(prompt).await
    }

    /// Starts a run under a new name.
    ///
    /// # Errors
    /// [`DriveError`] if the journal cannot be written.
    pub async fn start(&self) -> Result<Session, DriveError> {
        let name = name::new_name(self.inner.host.clock.now());
        self.start_as(&name).await
    }

    /// Starts a run under a new name.
    ///
    /// # Errors
    /// [`DriveError`] if the name is invalid or taken, or if the journal cannot be written.
    pub async fn start_as(&self, run: &str) -> Result<Session, DriveError> {
        self.start_with(run, self.inner.config.clone(), |host| host).await
    }

    /// Starts a run with a changed configuration and host.
    async fn start_with(
        &self,
        run: &str,
        config: Config,
        change: impl FnOnce(RunHost) -> RunHost,
    ) -> Result<Session, DriveError> {
        check_run_name(run)?;
        let journal = self.inner.host.journals.create(run).await?;
        let seed = self.inner.seed.unwrap_or_else(name::new_seed);
        let driver =
            Driver::start_checked(Started::new(run, seed, config), change(self.host(journal))).await?;
        Ok(Session::new(driver))
    }

    /// Resumes a run, after a crash or from another process. If it was at work, call
    /// [`Session::go_on`], otherwise prompt it.
    ///
    /// The run follows the configuration that it was started with, but uses the tools, hooks and
    /// approver of this agent. If the agent's tools differ, the run learns about them before it
    /// continues. A call that waited for a tool which has changed is not run. A run that owes a
    /// typed value keeps its answer tool; [`Agent::resume_typed`] reads the value.
    ///
    /// # Errors
    /// [`DriveError`] if there is no such run, another process drives it, or
    /// its journal is damaged.
    pub async fn resume(&self, run: &str) -> Result<Session, DriveError> {
        self.resume_with(run, ResumeChanges::default()).await
    }

    /// As [`resume`](Self::resume), and changes the run's permissions first. Open work is checked
    /// under the new mode and grants, and stopped if they forbid it.
    ///
    /// # Errors
    /// The same errors as [`resume`](Self::resume).
    pub async fn resume_with(&self, run: &str, changes: ResumeChanges) -> Result<Session, DriveError> {
        self.resume_deciding(run, |_| changes).await
    }

    /// As [`resume_with`](Self::resume_with), for changes that depend on the state of the run. It
    /// saves reading the journal before.
    ///
    /// # Errors
    /// The same errors as [`resume`](Self::resume).
    pub async fn resume_deciding(
        &self,
        run: &str,
        decide: impl FnOnce(&Run) -> ResumeChanges,
    ) -> Result<Session, DriveError> {
        self.resume_as(run, typed_answer::AnswerTool::of, decide).await
    }

    async fn resume_as(
        &self,
        run: &str,
        answer: impl FnOnce(&Run) -> Option<typed_answer::AnswerTool>,
        decide: impl FnOnce(&Run) -> ResumeChanges,
    ) -> Result<Session, DriveError> {
        check_run_name(run)?;
        driver::released(run).await;
        let journals = &*self.inner.host.journals;
        let opened = journals.open(run).await?;
        let (folded, journal) = RestoredRun::open(journals, run, opened).await?;
        folded.check_name(run)?;
        let (answer, changes) = (answer(&folded.run), decide(&folded.run));
        self.take_over(folded, journal, answer, changes).await
    }

    /// Continues a run. A run that owes a typed value needs its answer tool, which is not one
    /// of this agent's tools.
    async fn take_over(
        &self,
        folded: RestoredRun,
        journal: Box<dyn Journal>,
        answer: Option<typed_answer::AnswerTool>,
        changes: ResumeChanges,
    ) -> Result<Session, DriveError> {
        let (mut host, mut tools) = (self.host(journal), self.inner.config.tools.clone());
        let is_taken = |answer: &typed_answer::AnswerTool| {
            tools.iter().any(|tool| tool.name == answer.declaration().name)
        };
        if let Some(answer) = answer.filter(|answer| !is_taken(answer)) {
            tools.push(answer.declaration().clone());
            host = host.tool(answer);
        }
        let looks = driver::HookTiming::on(&folded.run, &host.parts.hooks);
        let changes = driver::TakeoverChanges { tools, facts: changes.facts(&folded.run), looks };
        Ok(Session::new(Driver::take_over(folded, self.by(), host, changes).await?))
    }

    /// Forks a run: starts another run from its records up to and including `at`. The old run is
    /// unchanged, and another process may drive it meanwhile.
    ///
    /// # Errors
    /// [`DriveError`] if there is no such run or record, or if the new name is invalid or taken.
    pub async fn fork(&self, run: &str, at: Seq, new: &str) -> Result<Session, DriveError> {
        let mark_rule = Some(self.inner.config.mark_rule);
        self.fork_deciding(run, at, new, |_| ResumeChanges { mark_rule, ..ResumeChanges::default() }).await
    }

    /// As [`fork`](Self::fork), for changes that depend on the state of the new run.
    ///
    /// # Errors
    /// The same errors as [`fork`](Self::fork).
    pub async fn fork_deciding(
        &self,
        run: &str,
        at: Seq,
        new: &str,
        decide: impl FnOnce(&Run) -> ResumeChanges,
    ) -> Result<Session, DriveError> {
        check_run_name(run)?;
        check_run_name(new)?;
        let text = self.inner.host.journals.read(run).await?;
        let name = new.to_owned();
        let forked = move || driver::fork_journal(&text, at, &name, PendingWork::Kept);
        let lines = driver::off_the_loop(forked).await?;
        let mut journal = self.inner.host.journals.create(new).await?;
        journal.append(&lines, Durability::Synced).await?;
        let folded = RestoredRun::whole(lines.into_bytes()).await?;
        let (answer, changes) = (typed_answer::AnswerTool::of(&folded.run), decide(&folded.run));
        self.take_over(folded, journal, answer, changes).await
    }

    /// Replays a run from its journal, without a model, a tool or a hook. Another process may
    /// be driving the run.
    ///
    /// # Errors
    /// [`DriveError`] if there is no such run or its journal is damaged.
    pub async fn replay(&self, run: &str) -> Result<RunReplay, DriveError> {
        check_run_name(run)?;
        RunReplay::whole(self.inner.host.journals.read(run).await?).await
    }

    fn host(&self, journal: Box<dyn Journal>) -> RunHost {
        RunHost { parts: self.inner.host.clone(), journal }
    }

    /// The name of this host, for people who read the journal.
    fn by(&self) -> &str {
        let name = &self.inner.config.name;
        if name.is_empty() { "agent" } else { name }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Agent").field("config", &self.inner.config).finish_non_exhaustive()
    }
}
