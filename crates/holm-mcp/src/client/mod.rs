//! The MCP client: makes the tools of external servers available in Holm. It decides nothing about
//! calls (the kernel does) and trusts nothing that a server says about itself. Everything that a
//! server sends is bounded.
//!
//! Where things are:
//! - `remote_server.rs`: one server, with retries and pins. `server_connection.rs`: one open
//!   connection.
//! - `server_set.rs`, `refresh_schedule.rs`, `subscription.rs`: many servers, and when their lists
//!   are read.
//! - `tool.rs`, `definition.rs`, `content.rs`: tools, their definitions and their results.
//! - `transports.rs`: what the caller allows. `process.rs`, `server_job.rs`, `network.rs`: programs
//!   in a jail.
//! - `lines.rs`, `http_client.rs`, `events.rs`, `legacy_sse.rs`, `probe.rs`: the transports.
//! - `incoming_message.rs`, `message_id_scanner.rs`: messages that cannot be parsed.
//! - `notification_handler.rs`, `elicitation.rs`: what a server sends by itself.
//! - `login.rs`, `login_store.rs`: logins. `error.rs`: why something failed.

mod content;
mod definition;
mod elicitation;
mod error;
mod events;
mod http_client;
mod incoming_message;
mod legacy_sse;
mod lines;
mod login;
mod login_store;
mod message_id_scanner;
mod network;
mod notification_handler;
mod probe;
mod process;
mod refresh_schedule;
mod remote_server;
mod server_connection;
mod server_job;
mod server_set;
mod subscription;
mod tool;
mod transports;

pub use content::output;
pub use definition::{ServerInventory, ToolDefinition, ToolDefinitionError, ToolListing};
pub use elicitation::{ElicitationHandler, NoElicitation, ServerAnswer, ServerQuestion, ServerQuestionKind};
pub use error::RemoteServerError;
pub use incoming_message::heard;
pub use login::{LoginBrowser, LoginSettings};
pub use login_store::LoginStore;
pub(crate) use refresh_schedule::{CALM, RefreshSchedule};
pub(crate) use remote_server::CHANGED;
pub use remote_server::RemoteServer;
pub use server_set::ServerSet;
pub use tool::RemoteTool;
pub use transports::{McpTransports, NamedFileAccess, ProgramSettings};
