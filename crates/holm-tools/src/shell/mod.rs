//! Commands: a shell for scripts and a way to run one program, both in a jail and
//! after a person's approval.
//!
//! There are three checks in a row. The *kernel* decides from the grants and the mode whether a
//! call is refused, asked about or run. A digest ensures that what it shows to a person is what
//! runs. *Rules* ([`CommandRules`]) read the command with a Bash parser. Deny rules find plainly
//! written commands, in every mode, and commands that a person has allowed for the session pass the
//! [`ApprovalGate`] unasked. The *jail* (`holm-jail`) confines the command, no matter what it does.
//! The command sees the workspace and what the call was granted. It reaches only granted hosts,
//! through our proxy. The jail decides; rules are a convenience before it.
//!
//! A command that the jail refuses something says which grant is missing and how to ask for it:
//! `npm install` needs `fetch:https://registry.npmjs.org`; the model calls again with that, a
//! person says yes once for the task, and it runs. Such advice names what the call itself names, or
//! what the proxy was asked: what a program writes never becomes advice.
//!
//! # What is never writable
//!
//! `.git/hooks`, `.git/config` and similar files are never writable, in every git folder that
//! exists when a command starts. So `git init` and `git config` do not work at the top of the
//! workspace. The same holds for files in the workspace that the configuration of git names, Holm's
//! own folder `.holm`, and paths that the host protects. No grant changes this. Files on the deny
//! list are not even readable: they appear empty.
//!
//! # What a command leaves
//!
//! When a command has ended, the changed folders are checked. New repositories are reported, and
//! what git would run in them at the user's next call is disabled. If the command recorded a file at
//! a protected path, in a commit or in the index, that is undone.
//!
//! # Where things are
//!
//! - `tool.rs`, `arguments.rs`: the two tools, and their declarations. `setup.rs`: the shell of a
//!   workspace.
//! - `approval_gate.rs`, `answer_coverage.rs`, `answer_family.rs`: questions to a person, and
//!   remembered answers. `ask_reason.rs`: why a person is asked. `answer_withdrawal.rs`: when
//!   answers are forgotten.
//! - `script.rs`, `script/`: the Bash parser. `rules/`: rules about commands.
//! - `denied_paths.rs`, `rule_index.rs`: what a jail hides or keeps read-only. `toolchain.rs`:
//!   programs of the user. `closed_places.rs`: says that a command names what is hidden.
//! - `child_run.rs`: runs a process. `proxy.rs`, `exchange.rs`: its way to the network.
//! - `output.rs`, `live_output.rs`: what it writes. `report.rs`, `call.rs`: the report for the
//!   model.
//! - `home.rs`, `kept_home.rs`, `temporary_files.rs`: folders of a shell.
//! - `changes.rs`, `entry_stamp.rs`, `running_commands.rs`: what a command has changed.
//!   `command_marker.rs`, `command_record_file.rs`: the same after Holm was killed. `command_images.rs`: what it changed, for
//!   undo.
//! - `git_folder_record.rs`, `git_state_file.rs`, `new_repository.rs`: what git would run or obey
//!   afterwards. `git_history_record.rs`, `git_history_check.rs`, `git_history_undo.rs`: what git
//!   would write to protected paths. `git_object_check.rs`, `git_snapshot.rs`, `git_plumbing.rs`, `guarded_paths.rs`:
//!   parts of that. `git_watch.rs`: what cannot wait until the command has ended. `held_links.rs`:
//!   links on the way to protected paths.

mod answer_coverage;
mod answer_family;
mod answer_withdrawal;
mod approval_gate;
mod arguments;
mod ask_reason;
mod call;
mod changes;
mod child_run;
mod closed_places;
mod command_images;
mod command_marker;
mod command_record_file;
mod denied_paths;
mod entry_stamp;
mod exchange;
mod git_folder_record;
mod git_history_check;
mod git_history_record;
mod git_history_undo;
mod git_object_check;
mod git_plumbing;
mod git_snapshot;
mod git_state_file;
mod git_watch;
mod guarded_paths;
mod held_links;
mod home;
mod kept_home;
mod live_output;
mod new_repository;
mod output;
mod proxy;
mod report;
mod rule_index;
mod rules;
mod running_commands;
mod script;
mod setup;
mod temporary_files;
mod tool;
mod toolchain;

#[cfg(test)]
mod tests;

pub use answer_coverage::{always_covers, is_never_granted};
pub use answer_family::{AnswerFamily, admits, asked_needs};
pub use approval_gate::{ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, lasts, session_grants};
pub use ask_reason::{ask_reasons, plain_reason, special_reason};
pub use changes::WorkspaceRecord;
pub(crate) use child_run::{
    ChildRunSettings, GrantedHosts, MAX_STARTS, UngrantedHostPolicy, asks_for_another_look,
};
pub use closed_places::ClosedPlaces;
pub(crate) use command_images::CommandImages;
pub use command_marker::{keep_command_markers, settle_killed_commands};
pub(crate) use denied_paths::hold;
pub use denied_paths::hold_with;
pub use home::{FoundFolders, forget_session_folders, remove_shell_homes};
pub use kept_home::SessionFolderKey;
pub(crate) use output::OUTPUT_FOLDER;
pub(crate) use proxy::ProxyDenied;
pub use report::appeared;
pub(crate) use report::opens_nothing;
pub(crate) use rule_index::RuleIndex;
pub use rules::{
    CommandFamily, CommandRule, CommandRuleError, CommandRules, CommandRuling, TrailingWords, unknown_program,
};
pub use running_commands::wait_for_commands;
pub use script::{MAX_SCRIPT, ScriptCommand, ScriptComplexity, ScriptReadError, ScriptWord, ShellScript};
pub use setup::{SessionFolders, ShellSetupError, WorkspaceShell};
pub use tool::{ArgvTool, ScriptTool};
pub use toolchain::open_toolchain;

/// The name of the tool that runs scripts.
pub const SHELL: &str = "shell";
/// The name of the tool that runs one program.
pub const RUN_PROGRAM: &str = "run_program";
