//! An agent runtime. This crate holds no code of its own. It re-exports what a program needs to run
//! agents, so that a program depends on `holm` alone. `prelude.rs` has the names that most programs
//! use, and `guide/` has a page for each concept. A change of behaviour belongs in the crate that
//! is re-exported.
//!
//! ```text
//!   person ──prompt──►┌────────────┐──Ask──────►┌─────────┐
//!   person ◄─answer───│    host    │◄─reply─────│  model  │
//!                     │  performs  │            └─────────┘
//!                     │            │──Job──────►┌─────────┐
//!                     │            │◄─output────│  tools  │
//!                     └───┬────▲───┘            └─────────┘
//!            a fact goes in    a command comes out
//!                     ┌───▼────┴───┐   append    ┌─────────┐
//!                     │   kernel   │────────────►│ journal │  resume, replay, fork:
//!                     │  decides   │◄────────────│         │  fold the facts again
//!                     └────────────┘    fold     └─────────┘
//! ```
//!
//! **The model proposes. The kernel decides. The host acts. The journal remembers.**
//!
//! The kernel is a state machine without I/O. It decides whether a call may run, when a failed
//! model is asked again, and when the budget is spent. The host carries out these decisions, and
//! writes down every fact before it acts on it. So a run survives a crash at any instant, can be
//! replayed without a model, and cannot do what it was not granted.
//!
//! # Hello
//!
//! ```
//! use holm::prelude::*;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! // A scripted model. For a real one:
//! // ModelClient::from_name("anthropic/claude-sonnet-4-5", ProviderKeys::from_environment())?
//! let model = ScriptedModel::says(["4"]);
//! let agent = Agent::builder("scripted/one", model).system("Answer in one word.").build()?;
//! let report = agent.run("What is 2 + 2?").await?;
//! assert_eq!(report.text()?, "4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Where to read on
//!
//! The [guide] has a page for each concept, each with a program that runs: [the
//! loop](guide::the_loop), [tools](guide::tools), [grants](guide::grants), [hooks](guide::hooks),
//! [the journal](guide::journal), [models](guide::models), [budgets and limits](guide::budgets),
//! [events](guide::events), [testing](guide::testing).
//!
//! # Features
//!
//! | feature | default | brings |
//! |---|---|---|
//! | `macros` | yes | `#[holm::tool]` |
//! | `models` | yes | every provider over HTTP, the scripted model |
//! | `store` | yes | sessions in SQLite |
//! | `postgres` | no | sessions in PostgreSQL |
//! | `otel` | no | spans and metrics for OpenTelemetry |

pub mod guide;
pub mod prelude;

#[cfg(feature = "eval")]
pub use holm_eval as eval;
pub use holm_grants as grants;
pub use holm_guards as guards;
pub use holm_kernel as kernel;
#[cfg(feature = "models")]
pub use holm_models as models;
pub use holm_runtime as runtime;
#[cfg(feature = "store")]
pub use holm_store as store;
#[cfg(feature = "models")]
pub use holm_wire as wire;

#[cfg(feature = "macros")]
pub use holm_macros::tool;
pub use holm_runtime::{Agent, RunReport};

/// The examples of the front page are tests too.
#[cfg(all(doctest, feature = "macros", feature = "models"))]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
