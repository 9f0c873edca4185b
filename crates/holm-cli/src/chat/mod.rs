//! A chat in the terminal. Every event goes to one pure function that changes the state and returns
//! commands. The state is drawn, and a thin loop executes the commands, so every behaviour can be
//! tested without a terminal.
//!
//! Text of a model, a tool or a file reaches the terminal only as sanitized cells.

mod attachments;
mod autosave;
mod chat_loop;
mod chat_user;
mod code;
mod delta_budget;
mod diff;
mod draft;
mod draw;
mod frame_pacer;
mod incremental_text;
mod input;
mod item;
mod keys;
mod local_actions;
mod markdown;
mod opening_queue;
mod picker;
mod question;
mod sessions;
mod slash;
mod state;
mod tab;
mod terminal;
#[cfg(test)]
mod testing;
pub(crate) mod text;
mod theme;
mod thought;
mod update;
mod view;
mod view_state;
mod wake_stream;

pub(crate) use chat_loop::{execute, remarks};
pub(crate) use theme::ThemeKind;
pub(crate) use view_state::forget;
