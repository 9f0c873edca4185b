//! Runs against the loopback provider double: real sockets, every format, the kernel deciding.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected should stop")]

mod bounds;
mod client;
mod delegation;
mod formats;
mod hostile;
mod managed;
mod money;
mod secrets;
mod splits;
mod stage;
mod streams;
mod tapes;
