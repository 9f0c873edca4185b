//! MCP in both directions: Holm uses the tools of external servers, and offers its own agents and
//! tools to external clients.
//!
//! This crate does **not** decide what a call may do, open connections by itself, or trust what a
//! server says about itself. The official `rmcp` speaks the protocol in both of its eras: the
//! handshake up to 2025-11-25, and the stateless one from 2026-07-28. This crate adds the rest:
//!
//! - **Programs** run in a jail ([`holm_jail`]) with the grants that their entry names. They have
//!   no network unless the entry asks for it.
//! - **Addresses** are reached only through [`holm_net`], including those that a login discovers.
//! - **Names**: a tool of the server `github` is called `github_…`. No server name contains an
//!   underscore, so no server can take another server's name.
//! - **Definitions are pinned** ([`holm_tools::registry::PinStore`]): if a tool's description or schema
//!   changes after it was first seen, the tool is left out until a person confirms it.
//! - **Levels**: every tool is assumed to be able to do anything. Holm ignores a server's claim
//!   that its tools are harmless, unless the entry says otherwise.
//! - **Bounds** limit everything that a server sends: messages, descriptions, schemas, the number
//!   of tools, and errors.
//!
//! ```text
//!  mcpServers, <name>.mcp.json ──► McpServerSpec ──► RemoteServer ──► Offer ──► ToolRegistry
//!                                                   │
//!            a jailed program or an HTTP address ◄──┘  (lazily, again after it broke, with back-off)
//! ```
//!
//! Where things are:
//! - `spec/`: one entry: how a server is reached, and what it may use. `import.rs`: lists of other
//!   programs.
//! - `client/`: Holm as a client. `loader/`: servers from a tool folder.
//! - `server/`: Holm as a server.
//! - `server_file_store.rs`: small private files about servers.

pub mod client;
mod import;
mod loader;
pub mod server;
mod server_file_store;
mod spec;

pub use client::{
    ElicitationHandler, LoginBrowser, LoginSettings, LoginStore, McpTransports, NamedFileAccess,
    NoElicitation, ProgramSettings, RemoteServer, RemoteServerError, RemoteTool, ServerAnswer,
    ServerInventory, ServerQuestion, ServerQuestionKind, ServerSet, ToolDefinition, ToolDefinitionError,
    ToolListing,
};
pub use import::{McpImport, McpImportError, import};
pub use loader::{McpLoader, ToolListCache};
pub use spec::{
    HintTrust, HttpVariant, McpServerSpec, ProtocolEra, ServerAddress, ServerEndpoint, ServerName,
    ServerProgram, ServerSpecError,
};
