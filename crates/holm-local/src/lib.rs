//! Runs models on this machine: llama.cpp in a confined child process, with a grammar that keeps
//! replies valid for the schemas of the tools.
//!
//! This crate does **not** download models, choose tools, run calls or check results, and llama.cpp
//! never runs in the calling process. A GGUF file is hostile input to a C++ library. [`GgufHead`]
//! therefore reads its header in safe code first, and a worker process loads it. The worker has no
//! keys, no environment, no network and no lasting place to write to. [`LocalModel`] starts it, shares
//! it between runs, and restarts it when it dies. A crash of the worker is an error of the calls
//! that were running.
//!
//! # What happens to a call
//!
//! The request becomes a short prompt of one form (see `training/PROTOCOL.md`), and the schemas of
//! its tools become a [`ReplyGrammar`]: the reply is either text, or one valid call. The worker decodes
//! all requested replies in one batch, keeps the cache of each session, and stops a cancelled reply
//! after at most one step. A prompt longer than the context is a typed failure, which makes the
//! kernel compact the conversation.
//!
//! # What is not held
//!
//! - Truth: a valid call may be the wrong one. Guards and permissions check it as they check every
//!   call.
//! - The parts of JSON Schema that are not listed in [`ReplyGrammar`]'s module. Calls are validated
//!   after decoding anyway.
//! - Isolation of sessions: replies of different sessions share one worker process, so a crash ends
//!   them all.
//!
//! # Where things are
//!
//! - `host/`: the model as a run sees it. `worker/`: the child process with llama.cpp. `wire.rs`:
//!   what they say to each other.
//! - `prompt.rs`: the prompt. `grammar/`: the allowed form of a reply.
//! - `gguf.rs`, `gguf/`: the header of a model file. `settings.rs`, `error.rs`: the rest.

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
pub use gguf::{GgufError, GgufHead, GgufKind};
pub use grammar::ReplyGrammar;
pub use host::{LocalConnection, LocalModel, file_hash};
pub use prompt::{LocalMessage, PromptRole, messages};
pub use settings::{GrammarConstraint, LocalModelSettings, ToolSelection};
pub use wire::GenerationStats;
pub use worker::{SERVE_ARGUMENT, serve, serve_if_asked};
