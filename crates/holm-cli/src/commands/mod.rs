//! One file for each command, named after it.

pub(crate) mod acp;
pub(crate) mod agent;
pub(crate) mod backup;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod describe;
pub(crate) mod doctor;
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
