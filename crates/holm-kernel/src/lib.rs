//! One agent run as a state machine. This crate reads no clock, draws no random number, opens no
//! file or socket, starts no thread and calls no foreign code: facts go in ([`Input`]), commands
//! come out ([`Effect`]), and the list of facts is the journal.
//!
//! A host (`holm-runtime/src/driver/`) appends each fact to the journal before it performs the
//! commands. The same facts must give the same commands on every host: a replay compares digests of
//! the commands and refuses a journal that it would decide differently ([`SEMANTICS`]). Tool
//! authors, hosts and providers are outside of this crate; what a grant means is in `holm-grants`,
//! which results are believed is in `holm-guards`.
//!
//! Where things are (paths in all module comments are relative to `src/`):
//!
//! - `input.rs`, `effect.rs`, `event.rs`, `ending.rs`: the facts, the commands, the notifications
//!   and the endings of a run, as data.
//! - `config/`: the configuration in record 0.
//! - `consultation.rs`: the questions to hooks.
//! - `run/`: the state machine, one file for each stage of the loop.
//! - `context/`: what the model is shown of a long transcript.
//! - `protocol/`: a model's text as calls, and names for providers.
//! - `envelope/`: how untrusted output reaches the model.
//! - `visible_text.rs`: how text reaches a person.
//! - `journal/`: the inputs as lines of text; replay, fork and snapshots.
//! - `message/`, `id.rs`: messages, ids and units.
//! - `loops.rs`: the loop detector.
//! - `digest.rs`, `rng.rs`: hashes and derived numbers.
//! - `misuse.rs`: errors of the host.
//! - `compat/`: the protocol of agent.rs, for hosts that were built on it.
#![no_std]

extern crate alloc;

mod config;
mod consultation;
mod effect;
mod ending;
mod event;
mod id;
mod input;
pub mod journal;
mod message;
mod misuse;
mod run;

pub use config::*;
pub use consultation::*;
pub use effect::*;
pub use ending::*;
pub use event::*;
pub use id::*;
pub use input::*;
pub use message::*;
pub use misuse::KernelMisuse;
pub use run::{RecordReceipt, Run};

// Parts of the state machine.
pub mod compat;
mod context;
mod digest;
mod envelope;
mod loops;
mod protocol;
mod rng;
mod visible_text;

pub use envelope::{defused, open as open_envelope};
pub use protocol::{
    TextReply, name_key, provider_name, provider_names, provider_names_beside, read_text_reply,
    text_system_prompt,
};
pub use visible_text::{visible, visible_line, visible_lines};
