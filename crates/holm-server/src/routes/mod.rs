//! One file for each noun.

pub(crate) mod admin;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod house;
pub(crate) mod jobs;
pub(crate) mod mcp;
pub(crate) mod openai;
pub(crate) mod questions;
pub(crate) mod sessions;
pub(crate) mod sites;
pub(crate) mod usage;
pub(crate) mod work;
