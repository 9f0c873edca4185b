//! Runs WASM tools: a component plus grants in, bounded output out.
//!
//! This crate does **not** decide what a tool may do (the policy it is given does), ask the user,
//! open a connection, watch folders, read help texts or know what a model is. It takes bytes and a
//! [`Call`] and returns an [`Outcome`].
//!
//! A guest sees only what its call was given: files beneath opened directories as the `read:` and
//! `write:` grants say, the network through one [`Outbound`] as the `fetch:` grants say, the
//! environment variables that `env:` grants name, the input, and the clock and randomness, real or
//! fixed. Every call has limits, and one of them cuts off any guest that does too much.
//!
//! - [`Sandbox::load`] looks at the bytes ([`Shape`]), compiles them in a child process that is
//!   killed when it takes too much, and keeps the code, sealed, on disk. [`Sandbox::load_ready`]
//!   takes code that came with the program.
//! - [`Sandbox::run`] makes a fresh instance on a thread of the sandbox's own and throws it away
//!   afterwards. Dropping the call cancels it.
//! - [`Outcome`] says why the guest stopped, what it wrote, what it used, and what it was refused,
//!   by the name of the missing grant.
//!
//! Accepted are commands of WASI 0.2 (also with `wasi:http`), plain modules of WASI 0.1, and
//! components of the world `holm:tool` (see `wit/tool.wit`), which take one text and give one, and
//! are the fastest.
//!
//! Unix only: paths are opened beneath directory handles.

mod artifact;
mod cache;
mod call;
mod cancel;
mod chance;
mod compile;
mod cut;
mod engine;
mod files;
mod gate;
mod guest;
mod lease;
mod limits;
mod meter;
mod net;
mod outcome;
mod output;
mod p1;
mod p2;
mod ready;
mod refusal;
mod run;
mod sandbox;
mod shape;
mod share;
mod state;
mod ticker;
mod workers;

pub use call::Call;
pub use cancel::Cancel;
pub use chance::{Clock, Randomness};
pub use compile::{CompileError, Compiler, CompilerError, Progress, compiler_main};
pub use files::{Access, AccessError};
pub use guest::{Entry, Guest, LoadError};
pub use limits::Limits;
pub use net::{Answer, Chunks, HttpRequest, HttpResponse, NetError, Outbound};
pub use outcome::{Outcome, Stop, Usage};
pub use ready::{Ready, prepare};
pub use refusal::{Reason, Refusal, Wanted};
pub use sandbox::{PATIENCE, Running, Sandbox, SandboxError, Settings};
pub use shape::{Kind, Shape, ShapeError};
pub use share::Party;

/// The text of the interface `holm:tool`, for authors of components that implement it.
pub const WIT: &str = include_str!("../wit/tool.wit");
