//! The guests that Holm ships, as tools, through the sandbox.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected should stop")]

mod examples;
mod files;
mod heavy;
mod kit;
mod network;
mod prepared;
mod shell;
mod texts;
