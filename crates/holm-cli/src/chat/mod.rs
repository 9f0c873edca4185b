//! A chat in the terminal. Every event goes to one pure function that changes the state and returns
//! commands. The state is drawn, and a thin loop executes the commands, so every behaviour can be
//! tested without a terminal.
//!
//! Text of a model, a tool or a file reaches the terminal only as sanitized cells. A click or a
//! paste never approves a call.
//!
//! Where things are:
//! - `state.rs`: the state, the messages and the commands; `update.rs` and its folder change the
//!   state.
//! - `chat_loop.rs`: the loop, the only file that executes commands; `local_actions.rs`: lists,
//!   files and the editor.
//! - `sessions.rs`: opens and drives sessions; `chat_user.rs` connects a run to this user.
//! - `tab.rs`: one session as shown; `tab/events.rs`: what each event changes in it.
//! - `item.rs`, `markdown.rs`, `code.rs`, `diff.rs`, `thought.rs`, `todo_block.rs`,
//!   `incremental_text.rs`: how content is laid out.
//! - `view.rs`: which lines are visible; `draw.rs`: draws the cells; `theme.rs`: colours.
//! - `text.rs`: sanitizes and wraps text.
//! - `question.rs`, `picker.rs`, `input.rs`: what has the keys; `keys.rs`, `slash.rs`: key bindings
//!   and commands.
//! - `rewind.rs`: what `/rewind` offers, and its work on files.
//! - `attachments.rs`: files of a prompt; `opening_queue.rs`: prompts before a session is open.
//! - `draft.rs`, `view_state.rs`, `autosave.rs`: what outlives the chat.
//! - `terminal.rs`, `wake_stream.rs`, `frame_pacer.rs`, `delta_budget.rs`: the terminal, its keys,
//!   frames and limits.

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
mod rewind;
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
mod todo_block;
mod update;
mod view;
mod view_state;
mod wake_stream;

pub(crate) use chat_loop::{execute, remarks};
pub(crate) use theme::ThemeKind;
pub(crate) use view_state::forget;
