//! `holm acp`: an agent inside an editor, through the Agent Client Protocol. The command's flags
//! are in `commands/acp.rs`.
//!
//! The editor only provides the user interface. Grants, mode and policy decide what is allowed, as
//! in every other run; files are those on disk, and commands run in Holm's jail. The protocol's
//! methods for files and terminals of the editor are therefore not used.
//!
//! Where things are:
//! - `lines.rs`: messages on standard input and output, one a line.
//! - `session_manager.rs`: the requests of an editor, and its open sessions; `listing.rs` lists
//!   sessions.
//! - `acp_session.rs`: one session; `prompt_gate.rs` decides which prompt a cancel request stops.
//! - `editor_prompt.rs`: from the editor's content to a prompt; `prompt_outcome.rs`: from an ending
//!   to a stop reason.
//! - `update_translator.rs`: from events to updates; `call_display.rs`: how a tool call looks.
//! - `editor.rs`: sends updates; `editor_event_sink.rs` connects it to a run.
//! - `editor_user.rs`: asks the user; `permission_pool.rs`: what is asked together;
//!   `editor_servers.rs`: MCP servers of the editor.
//! - `modes.rs`, `refusal.rs`: modes and errors in the protocol's words.

mod acp_session;
mod call_display;
mod editor;
mod editor_event_sink;
mod editor_prompt;
mod editor_servers;
mod editor_user;
mod lines;
mod listing;
mod modes;
mod permission_pool;
mod prompt_gate;
mod prompt_outcome;
mod refusal;
mod session_manager;
mod update_translator;

pub(crate) use lines::{incoming, outgoing};
pub(crate) use session_manager::AcpSessionManager;
