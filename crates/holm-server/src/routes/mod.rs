//! The HTTP routes, one module per resource. A handler parses the request with `extract.rs`, checks
//! what the token may do with `state.rs`, and calls the module that does the work. The table of
//! paths is in `router.rs`, the checks before every route in `request_guard.rs`. The doc comments
//! of handlers and types are part of the OpenAPI document.
//!
//! Where things are:
//! - `sessions.rs`, `work.rs`, `questions.rs`, `events.rs`: sessions, their input, questions and
//!   streams.
//! - `agents.rs`, `tools.rs`, `skills.rs`, `servers.rs`, `settings.rs`, `catalogue.rs`: the parts
//!   of agents. `trust.rs`: what they may do without asking.
//! - `files.rs`, `folders.rs`: the workspace. `sites.rs`: published folders. `usage.rs`: cost.
//! - `evaluations.rs`: evaluations and the sessions of their attempts.
//! - `jobs.rs`, `hooks.rs`: jobs, and the messages that start them.
//! - `openai/`, `mcp.rs`: agents for clients of other protocols.
//! - `admin.rs`, `backups.rs`, `health.rs`, `probes.rs`: the server itself.

pub(crate) mod admin;
pub(crate) mod agents;
pub(crate) mod backups;
pub(crate) mod catalogue;
pub(crate) mod evaluations;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod folders;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod jobs;
pub(crate) mod mcp;
pub(crate) mod openai;
pub(crate) mod probes;
pub(crate) mod questions;
pub(crate) mod servers;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod sites;
pub(crate) mod skills;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod usage;
pub(crate) mod work;
