//! Programs that describe themselves, by the describe/run protocol of agents-exe, as its document
//! defines it. Nothing here starts a program: `program/` does, in a jail. Programs that only have
//! `--help` are read by `help/`.
//!
//! A program answers `describe` with JSON ([`ProgramDescription::parse`]). It is then started as
//! `run`, with the words and the standard input that [`ProgramDescription::call`] makes of a
//! model's arguments. Where that document and its code differ, the document wins: values on
//! standard input are separated by a blank line. Numbers and booleans are accepted beside strings,
//! because models send them.
//!
//! The protocol has no `--`: a positional value is passed as it is, even if it looks like a flag.
//! The author of such a program must read positions as values. If the program does not, the sandbox
//! limits what it can reach.
//!
//! Where things are:
//! - `program.rs`: the description and its schema; `arg.rs`: one argument.
//! - `call.rs`: from arguments to a command line. `error.rs`: errors in a description.

mod arg;
mod call;
mod error;
mod program;

pub use arg::{ArgumentArity, ArgumentMode, ProgramArgument};
pub use call::{ProgramCall, ProgramCallError};
pub use error::{DescriptionError, DescriptionErrorKind};
pub use program::{EmptyResultPolicy, ProgramDescription};

/// The word that asks for the description.
pub const DESCRIBE: &str = "describe";

/// The word before the arguments of a call.
pub const RUN: &str = "run";

/// The environment variables of a called program: the session, the conversation, the turn and the
/// agent that called it.
pub const ENVIRONMENT: [&str; 4] =
    ["AGENT_SESSION_ID", "AGENT_CONVERSATION_ID", "AGENT_TURN_ID", "AGENT_AGENT_ID"];

/// The environment variable that holds the whole session as JSON, for programs that were granted it.
pub const SESSION_JSON: &str = "AGENT_SESSION_JSON";

/// The most bytes of a description: a hundred times the size of a detailed one.
pub const MAX_BYTES: usize = 256 << 10;

/// The most arguments of a program; providers refuse larger schemas.
pub const MAX_ARGS: usize = 128;

/// The most characters of a description that reach the model.
pub const MAX_DESCRIPTION: usize = 4096;

#[cfg(test)]
mod tests;
