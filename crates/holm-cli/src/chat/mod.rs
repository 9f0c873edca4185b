//! A chat in the terminal. What happens goes into one pure function that changes a state and says what is to be done; the
//! state is drawn, and a thin loop does the rest. So every behaviour can be tested without a terminal.
//!
//! Nothing that a model, a tool or a file says reaches the terminal but as cells of text that was made safe first.

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
pub(crate) use theme::Shade;
