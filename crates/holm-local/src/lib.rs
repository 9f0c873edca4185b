//! Models on this machine: llama.cpp in a confined child, held to the schemas of the tools by a grammar.
//!
//! This crate does **not** download models, choose tools, run calls or check results; and llama.cpp never runs in the
//! process that uses it. A GGUF file is hostile input to a C++ library, so [`Gguf`] reads its head in safe code first, and
//! then a worker loads it: a child without keys, environment, network or a place to write to that outlives it, which [`Local`] starts,
//! shares between runs and starts again when it dies. A crash there is an error of the calls that were under way.
//!
//! # What happens to a call
//!
//! The request becomes a short prompt of one form (see `training/PROTOCOL.md`), and the schemas of its tools become a
//! [`Grammar`]: the reply is words, or one call that validates. The worker decodes all replies that are wanted in one
//! batch, keeps what each session has computed, and stops a cancelled reply after one step at most. A prompt longer than
//! the context is a typed failure, upon which the kernel compacts.
//!
//! # What is not held
//!
//! - Truth: a valid call may be the wrong one. Guards and permissions judge it as they judge everybody's.
//! - Parts of JSON Schema outside the list in [`Grammar`]'s module; calls are validated after decoding anyway.
//! - One process: replies of different sessions share the worker, so what crashes it ends them all.

#![cfg(target_os = "linux")]

mod error;
mod gguf;
mod grammar;
mod host;
mod prompt;
mod settings;
mod wire;
mod worker;

pub use error::LocalError;
pub use gguf::{Gguf, GgufError, Kind};
pub use grammar::Grammar;
pub use host::{Local, LocalLine, file_hash};
pub use prompt::{Said, Speaker, messages};
pub use settings::{Choosing, Constraint, Settings};
pub use wire::Tally;
pub use worker::{SERVE_ARGUMENT, serve, serve_if_asked};
