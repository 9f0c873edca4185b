//! Reads projects of agents-exe as they are: `agent.json` with its tools and helpers,
//! `agents-exe.cfg.json`, and its keys. Nothing is executed.
//!
//! A setting that Holm does not support is never dropped silently: each one becomes an
//! [`UnsupportedFeature`] with its line. Keys are accepted with and without an initial capital.
//!
//! Where things are:
//! - `project.rs`: where agents and keys are. `tree.rs`: an agent with all agents below it.
//! - `agent.rs`: one file. `api.rs`: its OpenAPI toolboxes. `keys.rs`: the keys file. `json.rs`: JSON with lines.
//!
//! Running such a project is in `holm-cli/src/exe_tree_loader.rs`.

mod agent;
mod api;
mod json;
mod keys;
mod project;
mod tree;

#[cfg(test)]
mod tests;

pub use agent::{
    ExeAgent, ExeAgentReference, ExeServer, ExeTools, ExeToolsKind, MissingTools, UnsupportedFeature,
};
pub use api::{
    ExeApi, ExeApiEntry, ExeEndpointFilter, ExeHiddenText, ExeSecret, ExeSecretDecoder, ExeSecretPlace,
    ExeSecretSource,
};
pub use keys::ExeKeys;
pub use project::{CFG_FILE, ExeProject};
pub use tree::{ExeTree, MOST_AGENTS};
