//! `holm acp`: an agent inside an editor, by the Agent Client Protocol.
//!
//! The editor is where the person sits, and no more: what may be done is decided by grants, mode and policy as for every other
//! run, the files are those on disk, and commands run in Holm's jail. So the methods by which an editor lends its files and its
//! terminals are not used.

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

pub(crate) use house::House;
pub(crate) use lines::{incoming, outgoing};
