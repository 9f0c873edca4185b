//! `holm acp`: an agent inside an editor, through the Agent Client Protocol.
//!
//! The editor only provides the user interface. Grants, mode and policy decide what is allowed, as
//! in every other run; files are those on disk, and commands run in Holm's jail. The protocol's
//! methods for files and terminals of the editor are therefore not used.

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
mod prompt_gate;
mod prompt_outcome;
mod refusal;
mod session_manager;
mod update_translator;

pub(crate) use lines::{incoming, outgoing};
pub(crate) use session_manager::AcpSessionManager;
