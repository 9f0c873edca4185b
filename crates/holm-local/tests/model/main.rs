//! The real model in its worker: the file that set-up brings. Where it is missing the tests fail and say so.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what helps tests may fail as they do"
)]

mod adapter;
mod ask;
mod files;
mod replies;
mod sessions;
