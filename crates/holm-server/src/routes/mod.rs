//! The HTTP routes, one module per resource.

pub(crate) mod admin;
pub(crate) mod agents;
pub(crate) mod backups;
pub(crate) mod catalogue;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod folders;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod jobs;
pub(crate) mod mcp;
pub(crate) mod openai;
pub(crate) mod questions;
pub(crate) mod servers;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod sites;
pub(crate) mod skills;
pub(crate) mod tools;
pub(crate) mod usage;
pub(crate) mod work;
