//! The sandbox from outside: real modules and components, honest and hostile, in one program
//! because linking an engine takes longer than running all of this.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod calls;
mod evil;
mod files;
#[cfg(target_os = "linux")]
mod floods;
mod hostile;
mod http;
mod kit;
mod leftovers;
mod loading;
mod network;
mod plain;
mod socket_guests;
mod sockets;
mod stopping;
