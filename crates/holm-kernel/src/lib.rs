//! One agent run as a state machine. This crate reads no clock, draws no random number, opens no
//! file or socket, starts no thread and calls no foreign code: facts go in ([`Input`]), commands
//! come out ([`Effect`]), and the list of facts is the journal.
#![no_std]

extern crate alloc;
// A defect is planted per thread; without this feature the kernel uses no threads.
#[cfg(feature = "planted")]
extern crate std;

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
#[cfg(feature = "planted")]
pub mod planted;
#[cfg(not(feature = "planted"))]
mod planted;
mod protocol;
mod rng;
mod visible_text;

pub use envelope::{defused, open as open_envelope};
pub use protocol::{
    TextReply, name_key, provider_name, provider_names, provider_names_beside, read_text_reply,
    text_system_prompt,
};
pub use visible_text::{visible, visible_line, visible_lines};
