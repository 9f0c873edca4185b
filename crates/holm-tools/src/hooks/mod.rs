//! Hooks that are commands: an event's name, a matcher, a command that reads JSON and answers by its exit code.
//!
//! They come with a project, so they are code that somebody else wrote: nothing runs before a person has seen what the
//! file asks for, a changed file is a new file, and a changed script is a closed gate. What runs is what was looked at. Commands run in a jail, where they
//! read their project and nothing else unless the trusted file asks for more. Whatever a command does (hang, flood,
//! crash), the run goes on; what it guards stays closed.

mod command;
mod file;
mod jailed;
mod reply;
mod runner;
mod scripts;
mod words;

#[cfg(test)]
mod tests;

pub use command::CommandHooks;
pub use file::{HookEvent, HookFile, HookFileError, NetworkWish, TrustedHooks, Untrusted, Vouched, Wants};
pub use jailed::Jailed;
pub use runner::{Command, Done, MOST_OUTPUT, NotDone, Runner};
pub use scripts::started;
