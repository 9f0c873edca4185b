//! Agents with a complete journal of what they did. This crate contains no provider, no tool and no
//! store. It defines the traits that they implement, and the loop that connects them.
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
//!            a fact               its lines               its effects
//!  world ─────────────► Run::handle ────────► Journal::append ────────► Model, Tool, Approver, Hooks, Clock
//!    ▲                 (decides all)          (all or none)                        │
//!    └─────────────────────────────────────────────────────────────────────────────┘
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
//! | [`Agent`], [`Builder`] | a configuration and everything around it |
//! | [`Session`], [`Report`] | one run, and what came of a prompt |
//! | [`Handle`] | steers, stops, answers and watches a run from elsewhere |
//! | [`Tool`], [`Toolbox`] | what a model can call |
//! | [`Hooks`] | your own code at fixed points of the loop |
//! | [`Journals`], [`Blobs`] | where runs and large results are kept |
//! | [`Ledger`] | success rates of models, so that the next task starts with a capable one |
//! | [`EventSink`], [`DeltaSink`] | receive what happens |
//! | [`Approver`], [`Secrets`] | who answers questions, and what is never written down |
//! | [`Driver`], [`Host`] | the loop alone, for programs that need no [`Agent`] |

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
mod private;
mod secrets;
mod spawner;
mod spill;
#[cfg(test)]
mod testing;
mod tool;

pub use agent::{
    Agent, BlockingError, BuildError, Builder, Changes, NotAnswered, Report, Session, TypedError, new_name,
};
pub use answer_schema::AnswerSchema;
pub use approver::{Approver, Nobody, Watchers};
pub use blobs::{BlobFailed, Blobs, MemoryBlobs};
pub use check::{CheckRunner, Checker, NoPrograms, Program};
pub use child::{Helper, Helpers, Isolation, LiveChild};
pub use clock::{Clock, FastClock, SystemClock};
pub use delta::{Delta, DeltaSink, NoDeltas};
pub use driver::{DriveError, Driver, Replayed, UnderWay, drive, fork_journal};
pub use events::{
    Channel, EventLines, EventSink, FanOut, Hub, LinesFailed, NoEvents, Notice, ObserverQueue, Subscription,
    WhenFull,
};
pub use handle::{Handle, MOST_WAITING, NotHeard, Questions};
pub use hook::{
    AfterCall, BeforeCall, Called, Compacted, ContextHook, FollowUpSource, HOOK_DEADLINE, Hook, Hooks,
    Looped, ModelSelect, Observer, OnCompaction, OnLoop, OnUsage, Opinion, Proposed, Reaction, Sight, Spent,
    SteeringSource, ToolGate,
};
pub use host::Host;
pub use journal::{
    Durability, Journal, JournalFailed, JournalLines, Journals, JsonLines, JsonLinesFolder, MOST_NAME_BYTES,
    MemoryJournal, MemoryJournals, NoJournals, Opened, check_run_name,
};
pub use ledger::{
    Choice, Ledger, LedgerFailed, MOST_WHYS, MemoryLedger, RETRY_EVERY, Score, Scorer, Shown, Standing, Why,
    WorkTally, first_rung,
};
pub use model::{Ask, BoxFuture, FnModel, Line, Model, model_fn};
pub use secrecy::SecretString;
pub use secrets::Secrets;
pub use spawner::{Child, NoChildren, Spawner};
pub use tool::{
    BadArguments, Carry, ClosureTool, Containment, Data, FnTool, IntoOutput, IntoTool, Job, Progress, Reveal,
    Threads, Tool, Toolbox, ToolboxError, Typed, TypedTool, Update, blocking_tool, job_tool, schema_of, tool,
    tool_fn,
};

/// Support code for the expansion of `#[tool]`; not part of the public interface.
#[doc(hidden)]
pub use tool::support as __private;

/// Tells a call that its answer is no longer needed.
pub use tokio_util::sync::CancellationToken;
