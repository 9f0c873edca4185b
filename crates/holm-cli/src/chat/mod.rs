//! A chat in the terminal. Every event goes to one pure function that changes the state and returns
//! commands. The state is drawn, and a thin loop executes the commands, so every behaviour can be
//! tested without a terminal.
//!
//! Text of a model, a tool or a file reaches the terminal only as sanitized cells.

mod attach;
mod code;
mod diff;
mod draft;
mod draw;
mod errands;
mod front;
mod growing;
mod held;
mod input;
mod item;
mod keys;
mod left;
mod markdown;
mod pace;
mod pad;
mod picker;
mod question;
mod room;
mod seat;
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
mod woken;

pub(crate) use front::{execute, remarks};
pub(crate) use left::forget;
pub(crate) use theme::ThemeKind;
