//! Runs against the loopback provider double: real sockets, every format, the kernel deciding.

mod bounds;
mod client;
mod formats;
mod money;
mod secrets;
mod stage;
mod tapes;
