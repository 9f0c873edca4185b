//! Agents defined by files: a head that says what the agent may do, and a system prompt below it.
//! Each becomes a helper to which other agents can delegate work.
//!
//! ```text
//! ---
//! name: reviewer
//! description: Reviews a change and names what is wrong with it.
//! model: anthropic/claude-sonnet-4-5
//! tools: [read_file, grep]
//! grants: ["read:src/**"]
//! mode: plan
//! limits:
//!   turns: 12
//!   time: 5m
//!   spend: 0.20usd
//! ---
//! You review code. ...
//! ```
//!
//! A file can only ask. An agent gets those grants of its file that its parent holds, in a mode
//! that is no wider, within the parent's budget. Reading a file runs nothing.
//!
//! The kernel and the runtime enforce this; nothing here may give an agent more. Which files are
//! read, and whether they are trusted, is decided by the registry (`registry/`) and the host.
//!
//! Where things are:
//! - `file.rs`: parses a file; `error.rs`: its errors.
//! - `agent_set.rs`: builds helpers from files, and what a host must provide.
//! - `loader.rs`: makes tools of the files in a folder, and starts agents.

mod agent_set;
mod error;
mod file;
mod loader;

#[cfg(test)]
mod tests;

pub use agent_set::{AgentBuildError, AgentBuildErrorKind, AgentHost, AgentSet, MOST_DEPTH};
pub use error::{AgentFileError, AgentFileErrorKind};
pub use file::{
    AgentFile, AgentLimits, AgentRecursion, AgentToolNames, AgentWorkspace, CallerWaitMode, IgnoredKey,
    MOST_FILE_BYTES,
};
pub use loader::AgentLoader;
