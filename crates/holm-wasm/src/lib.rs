//! The pure crates for JavaScript hosts: Node, Deno, workerd and browsers. Neither this crate nor
//! the package that uses it has rules, I/O or a clock of its own. Runs and codecs live in WASM
//! memory as handles, and **strings cross the boundary, never JavaScript objects**, because
//! JavaScript would rewrite `1.0` and 2^53 + 1.
//!
//! The modules beside [`bindings`] are ordinary Rust and are tested natively; `bindings` only
//! exports them. Errors are a [`BindingError`], which reaches JavaScript as a `HolmError` with a kind.
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
