//! Agents with a complete journal of what they did. This crate contains no provider, no tool and no
//! store. It defines the traits that they implement, and the loop that connects them.
//!
//! No decision about a run is made here: the kernel (`holm-kernel/src/run/`) decides, and this
//! crate performs. Providers are in `holm-models`, tools in `holm-tools`, databases in
//! `holm-store`, settings in `holm-config`.
//!
//! ```
//! use holm_kernel::{Block, ModelResult, Reply};
//! use holm_runtime::{Agent, model_fn};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let client = model_fn(|ask| {
//!     let text = format!("hello, you sent {} message(s)", ask.messages.len());
//!     let reply = Reply { blocks: vec![Block::Text(text)], ..Reply::default() };
//!     Box::pin(async move { ModelResult::Replied(reply) })
//! });
//! let agent = Agent::builder("example/counter", client).build()?;
//! let report = agent.run("hi").await?;
//! assert_eq!(report.text()?, "hello, you sent 1 message(s)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # The loop
//!
//! ```text
//!          a fact              its lines              its effects
//!  world ──────────► Run::handle ───────► Journal::append ───────► Model, Tool, Approver, HookSet
//!    ▲              (decides all)         (all or none)                     │
//!    └──────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The order is always the same: handle a fact, append all records that follow from it at once, and
//! only then act. A reply that calls three tools is four records and one append. So every event is
//! in the journal, and the journal alone is enough to continue: [`Agent::resume`], [`Agent::fork`]
//! and [`Agent::replay`] are the same fold. If an append fails, the run is dropped, because it is
//! unknown which records were stored.
//!
//! # Who does what
//!
//! | | |
//! |---|---|
//! | [`Agent`], [`AgentBuilder`] | a configuration and everything around it |
//! | [`Session`], [`RunReport`] | one run, and what came of a prompt |
//! | [`RunHandle`] | steers, stops, answers and watches a run from elsewhere |
//! | [`Tool`], [`Toolbox`] | what a model can call |
//! | [`HookSet`] | your own code at fixed points of the loop |
//! | [`JournalStore`], [`BlobStore`] | where runs and large results are kept |
//! | [`ModelLedger`] | success rates of models, so that the next task starts with a capable one |
//! | [`EventSink`], [`DeltaSink`] | receive what happens |
//! | [`Approver`], [`SecretRedactor`] | who answers questions, and what is never written down |
//! | [`Driver`], [`RunHost`] | the loop alone, for programs that need no [`Agent`] |
//!
//! # Where things are
//!
//! Paths in all module comments are relative to `src/`.
//!
//! - `agent/`: builds agents and starts, resumes, forks and replays runs.
//! - `host.rs`: everything around one run.
//! - `driver/`: the loop.
//! - `handle/`: controls a run from elsewhere.
//! - `hook/`: a host's own code in the loop.
//! - `model.rs`, `tool/`, `approver.rs`, `spawner.rs`, `check.rs`, `clock.rs`, `blobs.rs`: what the
//!   host provides, as traits.
//! - `child/`: runs that are started by other runs.
//! - `journal/`: journals as traits, files and memory.
//! - `spill.rs`: moves large results out of the journal.
//! - `private_files.rs`: files for their owner alone.
//! - `events/`, `delta.rs`, `otel/`: what watchers receive.
//! - `prompt_cache.rs`, `ledger/`: what is computed from events.
//! - `secrets/`: removes secrets before anything is stored.
//! - `answer_schema.rs`: answers that must fit a JSON Schema.

mod agent;
mod answer_schema;
mod approver;
mod blobs;
mod check;
mod child;
mod clock;
mod delta;
mod driver;
mod events;
mod handle;
mod hook;
mod host;
mod journal;
mod ledger;
mod model;
#[cfg(feature = "otel")]
pub mod otel;
mod private_files;
mod prompt_cache;
mod secrets;
mod spawner;
mod spill;
#[cfg(test)]
mod testing;
mod tool;

pub use agent::{
    Agent, AgentBuilder, BlockingError, BuildError, NoAnswerError, ResumeChanges, RunReport, Session,
    TypedAnswerError, new_name,
};
pub use answer_schema::AnswerSchema;
pub use approver::{Approver, DenyAllApprover, HandleApprover};
pub use blobs::{BlobError, BlobStore, MemoryBlobStore};
pub use check::{CheckProgram, CheckRunner, NullCheckRunner, ResultChecker};
pub use child::{ChildIsolation, HelperAgent, HelperSet, LiveChild};
pub use clock::{Clock, FastClock, SystemClock};
pub use delta::{DeltaSink, NullDeltaSink, ReplyDelta};
pub use driver::{DriveError, Driver, PendingWork, RunReplay, drive, fork_journal};
pub use events::{
    EventChannel, EventFanOut, EventHub, EventLines, EventLinesError, EventNotice, EventSink,
    EventSubscription, NullEventSink, ObserverQueue, OverflowPolicy,
};
pub use handle::{HandleError, MOST_WAITING, QuestionStream, RunHandle};
pub use hook::{
    AfterCallHook, BeforeCallHook, CompactionHook, CompactionNotice, CompletedCall, ContextHook,
    EventObserver, FollowUpSource, GateVisibility, HOOK_DEADLINE, Hook, HookOpinion, HookReaction, HookSet,
    LoopHook, LoopNotice, ModelCallCost, ModelSelector, ProposedCall, SteeringSource, ToolGate, UsageHook,
};
pub use host::RunHost;
pub use journal::{
    CostMeter, Durability, Journal, JournalLines, JournalStorageError, JournalStore, JsonLinesFolder,
    JsonLinesJournal, MOST_NAME_BYTES, MemoryJournal, MemoryJournalStore, NullJournalStore, OpenedJournal,
    RecordCosts, check_run_name,
};
pub use ledger::{
    GroupScores, LedgerError, MOST_WHYS, MemoryLedger, ModelLedger, ModelScore, ModelStanding, RETRY_EVERY,
    RunScorer, StartingRung, TaskFailure, WorkTally, first_rung,
};
pub use model::{BoxFuture, FnModel, Model, ModelConnection, ModelRequest, model_fn};
pub use prompt_cache::{CacheBreak, CacheBreakCause, CacheBreaks, PromptCacheMonitor};
pub use secrecy::SecretString;
pub use secrets::SecretRedactor;
pub use spawner::{ChildLaunch, ChildSpawner, NullSpawner};
pub use tool::{
    ArgumentsError, BlockingThreads, ClosureTool, FnTool, IntoOutput, IntoTool, JsonOutput, OutputLimits,
    ProgressReporter, ProgressUpdate, SecretReveal, Tool, ToolContainment, ToolInvocation, Toolbox,
    ToolboxError, TypedTool, TypedToolAdapter, blocking_tool, job_tool, schema_of, tool, tool_fn,
};

/// Support code for the expansion of `#[tool]`; not part of the public interface.
#[doc(hidden)]
pub use tool::support as __private;

/// Tells a call that its answer is no longer needed.
pub use tokio_util::sync::CancellationToken;
