//! Hooks that are commands: an event's name, a matcher, and a command that reads JSON and answers
//! with its exit code.
//!
//! Hooks come with a project, so they are code from other authors. Nothing runs before a
//! person has seen what the file asks for. A changed file counts as a new file, and a changed
//! script blocks what it guards. The content that a person reviewed is the content that runs.
//! Commands run in a jail, where they read their project and nothing else, unless the trusted
//! file asks for more. If a command hangs, floods or crashes, the run continues, and what the
//! command guards stays blocked.

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
