//! The pure crates for JavaScript hosts: Node, Deno, workerd and browsers. This crate has no rules,
//! no I/O and no clock of its own; the package that uses it (`packages/holm`) has no rules either.
//! Runs and codecs live in WASM memory as handles, and **strings cross the boundary, never
//! JavaScript objects**, because JavaScript would rewrite `1.0` and 2^53 + 1.
//!
//! The modules beside [`bindings`] are ordinary Rust and are tested natively; `bindings` only
//! exports them. Errors are a [`BindingError`], which reaches JavaScript as a `HolmError` with a
//! kind.
//!
//! ```
//! use holm_wasm::WasmSession;
//!
//! let (mut run, opening) =
//!     WasmSession::start("run-1", 7, r#"{"models":[{"name":"scripted/one"}]}"#, 1_000)?;
//! assert!(opening.starts_with(r#"{"v":1,"seq":0,"at":1000,"#));
//! run.handle(1_001, r#"{"prompted":{"blocks":[{"text":"hi"}]}}"#)?;
//! let effects: Vec<String> = std::iter::from_fn(|| Some(run.poll()))
//!     .take_while(|effect| !effect.contains("wait"))
//!     .collect();
//! assert!(effects.iter().any(|effect| effect.starts_with(r#"{"call_model":{"call":0,"#)));
//! # Ok::<(), holm_wasm::BindingError>(())
//! ```
//!
//! # Where things are
//!
//! Paths in all module comments are relative to `src/`.
//!
//! - `session/`: runs and journals.
//! - `wire/`: provider formats.
//! - `grants.rs`: grants.
//! - `guards.rs`: guards and skills.
//! - `compat.rs`: the agent.rs protocol.
//! - `bindings.rs`: what JavaScript sees of them.
//! - `binding_error.rs`: the error.
//! - `text.rs`: JSON text in and out.
//! - `bare.rs`: replaces parts of the standard library in the package.
//!
//! A rule belongs into the pure crates (`holm-kernel`, `holm-guards`, `holm-grants`, `holm-wire`),
//! a loop or I/O into `packages/holm/src/`. The package and the native tests are held to the same
//! vectors (`holm-wasm/tests/vectors.rs`).

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

#[cfg(target_arch = "wasm32")]
mod bare;
mod binding_error;
pub mod bindings;
mod compat;
mod grants;
mod guards;
mod session;
mod text;
mod wire;

pub use binding_error::{BindingError, BindingErrorKind};
pub use compat::agent_rs;
pub use grants::{admits, class, contains, decide, meet, reach};
pub use guards::{PostconditionSet, SchemaHandle, SkillHandle, extract_contract, plausibility};
pub use session::{WasmSession, inspect, prefix, replay_effects};
pub use wire::{CodecHandle, DecoderHandle, RequestHandle, catalogue_model, failure, http_failure};
