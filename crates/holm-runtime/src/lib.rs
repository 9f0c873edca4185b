//! Drives a run: performs what the kernel asks for and tells it what came of it. This crate names no provider, no tool
//! and no store; it has the traits that they implement.
//!
//! ```text
//!            fact                     line                    effect
//!  world ──────────► Run::handle ──────────► Journal::append ──────────► Line, Tool, Approver, Clock
//!    ▲                                                                            │
//!    └────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The order is always the same: a fact is handled, its record is appended, and only then is anything done about it.
//! So whatever happened is in the journal, and a journal is all that is needed to go on ([`Driver::resume`]).
//!
//! ```
//! use std::sync::Arc;
//! use holm_kernel::{Block, Config, Ending, Model, ModelResult, Prompt, Reply, Started};
//! use holm_runtime::{BoxFuture, Driver, Host, Line, model_fn};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let model = model_fn(|ask| {
//!     let text = format!("you sent {} message(s)", ask.messages.len());
//!     let reply = Reply { blocks: vec![Block::Text(text)], ..Reply::default() };
//!     Box::pin(async move { ModelResult::Replied(reply) })
//! });
//! let started = Started::new("run-1", 7, Config::new(Model::named("example/counter")));
//! let mut driver = Driver::start(started, Host::new(Arc::new(model))).await?;
//! let ending = driver.prompt(Prompt::text("hello")).await?;
//! assert_eq!(ending, Ending::Answered { text: "you sent 1 message(s)".into() });
//! # Ok::<(), holm_runtime::DriveError>(())
//! # }).unwrap();
//! ```

mod agent;
mod approver;
mod blobs;
mod check;
mod clock;
mod delta;
mod driver;
mod events;
mod handle;
mod hook;
mod host;
mod journal;
mod model;
#[cfg(feature = "otel")]
pub mod otel;
mod secrets;
mod spawner;
mod spill;
#[cfg(test)]
mod testing;
mod tool;

pub use agent::{Agent, BlockingError, BuildError, Builder, NotAnswered, Report, Session, TypedError};
pub use approver::{Approver, Nobody, Watchers};
pub use blobs::{BlobFailed, Blobs, MemoryBlobs};
pub use check::{CheckRunner, Checker, NoPrograms, Program};
pub use clock::{Clock, FastClock, SystemClock};
pub use delta::{Delta, DeltaSink, NoDeltas};
pub use driver::{DriveError, Driver, Replayed, drive};
pub use events::{
    Channel, EventLines, EventSink, FanOut, Hub, LinesFailed, NoEvents, Notice, ObserverQueue, Subscription,
    WhenFull,
};
pub use handle::{Handle, MOST_WAITING, NotHeard, Questions};
pub use hook::{
    AfterCall, BeforeCall, Called, Compacted, ContextHook, FollowUpSource, HOOK_DEADLINE, Hook, Hooks,
    Looped, ModelSelect, Observer, OnCompaction, OnLoop, OnUsage, Opinion, Proposed, Reaction, Spent,
    SteeringSource, ToolGate,
};
pub use host::Host;
pub use journal::{
    Durability, Journal, JournalFailed, Journals, JsonLines, JsonLinesFolder, MOST_NAME_BYTES, MemoryJournal,
    MemoryJournals, NoJournals, Opened, check_run_name,
};
pub use model::{Ask, BoxFuture, FnModel, Line, Model, model_fn};
pub use secrecy::SecretString;
pub use secrets::Secrets;
pub use spawner::{Child, NoChildren, Spawner};
pub use tool::{
    BadArguments, Carry, ClosureTool, Containment, Data, FnTool, IntoOutput, Job, Progress, Threads, Tool,
    Toolbox, ToolboxError, Typed, TypedTool, Update, blocking_tool, job_tool, schema_of, tool, tool_fn,
};

/// What the code that `#[tool]` writes calls; no part of the interface.
#[doc(hidden)]
pub use tool::support as __private;

/// Says to a call that its answer is no longer wanted.
pub use tokio_util::sync::CancellationToken;
