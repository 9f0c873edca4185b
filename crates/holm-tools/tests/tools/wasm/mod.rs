//! WASM files as tools, with guests written as text: described, called, granted, replaced while they run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected should stop")]

mod calls;
mod describing;
mod grants;
mod kit;
mod replacing;
mod secrets;
#[path = "../../../../holm-sandbox/tests/sandbox/socket_guests.rs"]
mod socket_guests;
mod sockets;
