//! Servers that are programs, in a jail, well behaved and not.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed, in its helpers too"
)]

mod attacks;
mod fleet;
mod oauth;
mod peers;
mod published;
mod support;
mod well;
