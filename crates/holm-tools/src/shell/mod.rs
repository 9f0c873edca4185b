//! Commands: a shell for scripts and a way to run one program, both in a jail and behind a person's yes.
//!
//! Three checks stand one behind the other. The *kernel* decides from the grants and the mode whether a call is refused,
//! asked about or run; what it shows to a person is, by its digest, what runs. *Rules* ([`Rules`]) read the command with a
//! parser of Bash: deny rules find commands where they are written plainly, in every mode, and what a person has allowed
//! for the session passes the [`Gate`] unasked. The *jail* (`holm-jail`) holds whatever the command turns out to be: it
//! sees the workspace, what the call was granted, and of the network the hosts that the call was granted, through a proxy
//! of ours. The jail decides; rules are a convenience before it.
//!
//! A command that the jail refuses something says which grant is missing and how to ask for it: `npm install` needs
//! `fetch:https://registry.npmjs.org`; the model calls again with that, a person says yes once for the task, and it runs. Such
//! advice names what the call itself names, or what the proxy was asked: what a program writes never becomes advice.
//!
//! # What is never writable
//!
//! `.git/hooks` and `.git/config` and their like in every git folder that is there when a command starts, whatever is granted
//! (so `git init` and `git config` do not work at the top of the workspace), what the configuration of git names in the
//! workspace, Holm's own folder `.holm`, and what the host protects by name. What the deny list names is not even readable:
//! such files seem empty.
//!
//! # What a command leaves
//!
//! When a command has ended, the folders that changed are looked at. New repositories are told, and what git would run in
//! them at the user's next call is disabled.

mod arguments;
mod call;
mod changes;
mod covered;
mod denied;
mod errand;
mod exchange;
mod gate;
mod home;
mod live;
mod new_repository;
mod output;
mod proxy;
mod report;
mod rule_index;
mod rules;
mod running;
mod script;
mod setup;
mod tool;
mod toolchain;

#[cfg(test)]
mod tests;

pub use changes::WorkspaceRecord;
pub use covered::{always_covers, is_never_granted};
pub(crate) use denied::hold;
pub use denied::hold_with;
pub(crate) use errand::{Curiosity, Errand, MAX_STARTS, Reach, asks_for_another_look};
pub use gate::{Answer, Asker, Gate, Offer, lasts, session_grants};
pub(crate) use output::OUTPUT_FOLDER;
pub(crate) use proxy::Refusal;
pub use report::appeared;
pub(crate) use report::opens_nothing;
pub use rules::{Rest, Rule, RuleError, Rules, Ruling, unknown_program};
pub use script::{Command, Form, MAX_SCRIPT, Script, Unreadable, Word};
pub use setup::{Shell, ShellError};
pub use tool::{ArgvTool, ScriptTool};

/// The name of the tool that runs scripts.
pub const SHELL: &str = "shell";
/// The name of the tool that runs one program.
pub const RUN_PROGRAM: &str = "run_program";
