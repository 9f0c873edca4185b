//! One file for each command, named after it. A command with subcommands has a folder of the same
//! name beside its file.
//!
//! Each file holds the arguments of its command (their doc comments are the help text), calls the
//! code that does the work, and prints the result through `screen.rs`. Code that several commands
//! share is not here but in the files beside this folder. `import_paths.rs` is the exception: it
//! belongs to `import.rs` and `mcp.rs`.
//!
//! Where things are:
//! - `run.rs`: starts every session; `chat.rs`, `acp.rs`, `serve.rs` and `mcp_server.rs` use it for
//!   their users.
//! - `session.rs`, `undo.rs`, `log.rs`, `usage.rs`: what past sessions did.
//! - `agent.rs`, `tool.rs`, `skill.rs`, `hooks.rs`, `mcp.rs`: what agents can use, and whether it
//!   is trusted.
//! - `config.rs`, `init.rs`, `import.rs`, `keys.rs`, `model.rs`: settings, keys and models.
//! - `check.rs`, `doctor.rs`, `paths.rs`: what is configured here, and what is wrong with it.
//! - `job.rs`, `backup.rs`, `restore.rs`: for the operator of a server.
//! - `eval.rs`: evaluation cases.
//! - `extract.rs`, `tour.rs`: tasks for a local model. `describe.rs`, `completions.rs`: Holm's own
//!   description.

pub(crate) mod acp;
pub(crate) mod agent;
pub(crate) mod backup;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod describe;
pub(crate) mod doctor;
pub(crate) mod eval;
#[cfg(feature = "local")]
pub(crate) mod extract;
pub(crate) mod hooks;
pub(crate) mod import;
mod import_paths;
pub(crate) mod init;
pub(crate) mod job;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod mcp;
pub(crate) mod mcp_server;
pub(crate) mod model;
pub(crate) mod paths;
pub(crate) mod restore;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod skill;
pub(crate) mod tool;
#[cfg(feature = "local")]
pub(crate) mod tour;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod usage;
