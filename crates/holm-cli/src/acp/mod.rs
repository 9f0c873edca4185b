//! `holm acp`: an agent inside an editor, through the Agent Client Protocol.
//!
//! The editor only provides the user interface. Grants, mode and policy decide what is allowed, as
//! in every other run; files are those on disk, and commands run in Holm's jail. The protocol's
//! methods for files and terminals of the editor are therefore not used.

mod answer;
mod asking;
mod editor;
mod given;
mod house;
mod lines;
mod listing;
mod modes;
mod refusal;
mod said;
mod seat;
mod shown;
mod telling;
mod turn;
mod watcher;

pub(crate) use house::AcpSessionManager;
pub(crate) use lines::{incoming, outgoing};
