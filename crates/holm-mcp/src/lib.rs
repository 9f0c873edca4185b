//! MCP both ways: the tools of other people's servers in Holm, and Holm's agents and tools in other people's clients.
//!
//! This crate does **not** decide what a call may do, open a connection by itself or trust what a server says of itself.
//! The protocol is spoken by the official `rmcp`, in both of its eras (the handshake up to 2025-11-25, and the stateless
//! one of 2026-07-28). What is ours is everything around it:
//!
//! - **Programs** run in a jail ([`holm_jail`]) with the grants that their entry names and no network unless it says so.
//! - **Addresses** are reached through [`holm_net`] alone, also those that a login discovers.
//! - **Names**: a tool of the server `github` is called `github_…`. No server's name has an underscore, so no server can
//!   take a name of another.
//! - **Definitions are pinned** ([`holm_tools::registry::Pins`]): a tool whose description or schema changed after it was first seen is left out until a
//!   person confirms it.
//! - **Levels**: a tool counts as able to do anything. What a server says about its own harmlessness is not believed, unless
//!   the entry says so by name.
//! - **Bounds** on everything that a server sends: messages, descriptions, schemas, the number of tools, errors.
//!
//! ```text
//!  mcpServers, <name>.mcp.json ──► ServerSpec ──► Remote ──► Offer ──► Registry
//!                                                   │
//!            a jailed program or an HTTP address ◄──┘  (lazily, again after it broke, with back-off)
//! ```

mod cabinet;
pub mod client;
mod import;
mod loader;
pub mod server;
mod spec;

pub use client::{
    Answer, Asker, Browser, Definition, Flaw, Fleet, Listing, Login, Logins, Means, NamedFiles,
    NobodyAnswers, Programs, Question, Reading, Remote, RemoteError, RemoteTool, Wanted,
};
pub use import::{ImportError, Imported, import};
pub use loader::{KnownLists, McpLoader};
pub use spec::{Address, Era, Hints, Http, Program, Reach, ServerName, ServerSpec, SpecError};
