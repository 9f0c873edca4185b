//! The MCP server: exposes Holm's agents and tools to MCP clients.
//!
//! An agent is exposed as a tool `ask_<slug>`; the tools of a registry are exposed on request. The
//! kernel decides each call under the [`CallRights`] that the caller set when starting the server. A
//! call that would need a question to the user is denied.
//!
//! Where things are:
//! - `server_handler.rs`: what a client sees. `call.rs`: one call of a tool. `agents.rs`: agents as
//!   tools.
//! - `library.rs`, `resources.rs`: texts and prompts that clients read. `changes.rs`: notices.
//! - `descriptions.rs`, `output.rs`, `progress.rs`: the types of the protocol.
//! - `http.rs`, `host_names.rs`, `stdio.rs`: the transports.

mod agents;
mod call;
mod changes;
mod descriptions;
mod host_names;
mod http;
mod library;
mod output;
mod progress;
mod resources;
mod server_handler;
mod stdio;

#[cfg(test)]
mod tests;

pub use agents::{AgentRoster, AnsweringAgent, slug};
pub use call::{AgentStarter, CallRights, RunSetup};
pub use host_names::{ManyHostsError, named_hosts};
pub use http::{HttpAccessPolicy, McpHttpError, McpHttpService, serve_http};
pub use library::{LibraryPrompt, PromptLibrary, ResourceEntry, ResourceLibrary, ResourcePage, ResourceText};
pub use output::result;
pub use server_handler::{McpServerHandler, RegistryExposure};
pub use stdio::serve_stdio;
