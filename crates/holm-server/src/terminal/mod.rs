//! Sessions that a terminal drives, watched and steered from the server.
//!
//! The terminal keeps the lease of the journal and alone drives the session. It also listens on a
//! socket below its data folder. Only its user can open that socket, and only with a key from a
//! file next to it. A process that cannot read the file, such as a command in a jail, cannot
//! connect.
//!
//! Over the socket the server receives events as they happen, and sends user input: steering, a
//! cancellation, an answer. Earlier events are in the journal, which both sides read.
//!
//! ```text
//!   holm run, holm chat ── TerminalHost ──┐                       ┌── TerminalLink ── SessionFeed
//!      (drives, has the lease)            └─ socket, JSON lines ──┘      steer, cancel, answer
//! ```
//!
//! Where things are:
//! - `host.rs`, `input_gate.rs`: the terminal's side. `link.rs`, `links.rs`: the server's side.
//! - `messages.rs`: the protocol. `session_socket.rs`: the socket and its key. `activity.rs`:
//!   whether a session works.

mod activity;
mod host;
mod input_gate;
mod link;
mod links;
mod messages;
mod session_socket;

#[cfg(test)]
mod tests;

pub use host::{TerminalHost, TerminalListener};
pub(crate) use link::TerminalLink;
pub(crate) use links::TerminalLinks;
pub(crate) use messages::TerminalCommand;
