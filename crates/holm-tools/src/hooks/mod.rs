//! Hooks that are commands: an event's name, a matcher, and a command that reads JSON and answers
//! with its exit code.
//!
//! Hooks come with a project, so they are code from other authors. Nothing runs before a person has
//! seen what the file asks for. A changed file counts as a new file, and a changed script blocks
//! what it guards. The content that a person reviewed is the content that runs. Commands run in a
//! jail, where they read their project and nothing else, unless the trusted file asks for more. If
//! a command hangs, floods or crashes, the run continues, and what the command guards stays
//! blocked.
//!
//! The points at which a run asks its hooks are those of `holm-runtime/src/hook/`; this folder only
//! connects commands to them.
//!
//! Where things are:
//! - `file.rs`: the hooks file and its trust. `scripts.rs`, `words.rs`: the scripts that its
//!   commands name.
//! - `command.rs`: the hooks of a run. `reply.rs`: what a command answered.
//! - `runner.rs`: the interface that runs a command; `jailed_runner.rs`: the one with a jail.

mod command;
mod file;
mod jailed_runner;
mod reply;
mod runner;
mod scripts;
mod words;

#[cfg(test)]
mod tests;

pub use command::CommandHooks;
pub use file::{
    HookEvent, HookFile, HookFileError, HookNetworkAccess, HookPermissionRequest, HookTrustSource,
    TrustedHooks, UntrustedHooksError,
};
pub use jailed_runner::JailedRunner;
pub use runner::{HookCommand, HookOutput, HookRunError, HookRunner, MOST_OUTPUT};
pub use scripts::started;
