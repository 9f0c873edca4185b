//! Projects of agents-exe, read as they are: `agent.json` with its tools and helpers, `agents-exe.cfg.json`, and its keys.
//!
//! What such a project can say and Holm cannot do is never passed over in silence: each piece is an [`Unsupported`] with its
//! line. Keys are read in both spellings, with and without a capital. Nothing is run.

mod agent;
mod json;
mod keys;
mod project;
mod tree;

#[cfg(test)]
mod tests;

pub use agent::{ExeAgent, ExeServer, ExeTools, Extra, Unsupported};
pub use keys::ExeKeys;
pub use project::{CFG_FILE, ExeProject};
pub use tree::{ExeTree, MOST_AGENTS};
