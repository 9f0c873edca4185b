//! Runs WASM tools: a component plus grants in, bounded output out.
//!
//! This crate does **not** decide what a tool may do (the policy it is given does), ask the user,
//! open a connection, watch folders, read help texts or know what a model is. It takes bytes and a
//! [`GuestCall`] and returns an [`GuestOutcome`].
//!
//! A guest sees only what its call was given: files beneath opened directories as the `read:` and
//! `write:` grants say, the network through one [`OutboundNetwork`] as the `fetch:` grants say, the
//! environment variables that `env:` grants name, the input, and the clock and randomness, real or
//! fixed. Every call has limits, and one of them cuts off any guest that does too much.
//!
//! - [`Sandbox::load`] looks at the bytes ([`WasmShape`]), compiles them in a child process that is
//!   killed when it takes too much, and keeps the code, sealed, on disk. [`Sandbox::load_ready`]
//!   takes code that came with the program.
//! - [`Sandbox::run`] makes a fresh instance on a thread of the sandbox's own and throws it away
//!   afterwards. Dropping the call cancels it.
//! - [`GuestOutcome`] says why the guest stopped, what it wrote, what it used, and what it was
//!   refused, by the name of the missing grant.
//!
//! Accepted are commands of WASI 0.2 (also with `wasi:http`), plain modules of WASI 0.1, and
//! components of the world `holm:tool` (see `wit/tool.wit`), which take one text and give one, and
//! are the fastest.
//!
//! Unix only: paths are opened beneath directory handles.
//!
//! # Where things are
//!
//! Paths in all module comments are relative to `src/`.
//!
//! - `sandbox.rs`: loads and runs guests.
//! - `run.rs`: one call.
//! - `state.rs`: the host's data of one call.
//! - `outcome.rs`: how it ended.
//! - `call.rs`, `limits.rs`, `nondeterminism.rs`: the inputs and limits of a call.
//! - `wasm_shape.rs`: a first look at bytes.
//! - `compile/`: machine code, made in a child process.
//! - `cache.rs`: code on disk.
//! - `precompiled_code.rs`: code inside the program.
//! - `artifact.rs`: the only place that loads code.
//! - `guest.rs`: a linked guest.
//! - `engine.rs`: the engine's configuration.
//! - `files/`: files, for both kinds of guests.
//! - `net.rs`: the network.
//! - `access_denied.rs`: what was refused.
//! - `p1/`: WASI 0.1 for modules.
//! - `p2/`: WASI 0.2 for components.
//! - `meter.rs`, `output.rs`, `lease.rs`: memory, output and handles, counted.
//! - `ticker.rs`, `cancel.rs`, `guest_abort.rs`: how a guest is stopped.
//! - `workers.rs`, `gate.rs`, `owner_shares.rs`: threads and places, divided among callers.

mod access_denied;
mod artifact;
mod cache;
mod call;
mod cancel;
mod compile;
mod engine;
mod files;
mod gate;
mod guest;
mod guest_abort;
mod lease;
mod limits;
mod meter;
mod net;
mod nondeterminism;
mod outcome;
mod output;
mod owner_shares;
mod p1;
mod p2;
mod precompiled_code;
mod run;
mod sandbox;
mod state;
mod ticker;
mod wasm_shape;
mod workers;

pub use access_denied::{AccessDenied, DeniedAction, DeniedReason};
pub use call::GuestCall;
pub use cancel::CancelSwitch;
pub use compile::{CompileError, CompileProgress, CompilerError, CompilerProgram, compiler_main};
pub use files::{AccessError, GuestAccess};
pub use guest::{Guest, GuestEntryPoint, GuestLoadError};
pub use limits::GuestLimits;
pub use net::{
    BodyChunks, GuestHttpRequest, GuestHttpResponse, OutboundError, OutboundFuture, OutboundNetwork,
};
pub use nondeterminism::{GuestClock, GuestRandomness};
pub use outcome::{GuestOutcome, GuestStop, GuestUsage};
pub use owner_shares::CallOwner;
pub use precompiled_code::{PrecompiledCode, prepare};
pub use sandbox::{PATIENCE, RunningGuest, Sandbox, SandboxError, SandboxSettings};
pub use wasm_shape::{WasmKind, WasmShape, WasmShapeError};

/// The text of the interface `holm:tool`, for authors of components that implement it.
pub const WIT: &str = include_str!("../wit/tool.wit");
