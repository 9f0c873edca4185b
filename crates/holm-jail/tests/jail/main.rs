//! Children in jails, under every engine, as a user without rights.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod attacks;
mod cell;
mod held;
mod jobs;
mod neighbours;
mod proxied;
