//! Sessions that somebody drives in a terminal, watched and steered from the server.
//!
//! The journal's lease stays with the terminal, which alone drives the session. Beside it the terminal listens on a socket
//! below its data folder, which only its user can open, and only with a key that lies in a file there: what cannot read that
//! file, a command in a jail for one, cannot speak either. Through it the server hears what happens as it happens, and hands over
//! what people say: steering, a stop, an answer. What happened before is in the journal, which both read.
//!
//! ```text
//!   holm run, holm chat ── Host ──┐                       ┌── Link ── Feed ──► watchers
//!        (drives, has the lease)  └── socket, one JSON a line ──┘    ◄── steer, cancel, answer
//! ```

mod ears;
mod host;
mod line;
mod link;
mod links;
mod place;
mod pulse;

#[cfg(test)]
mod tests;

pub use host::{Host, Listening};
pub(crate) use line::What;
pub(crate) use link::Link;
pub(crate) use links::Links;
