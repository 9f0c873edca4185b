//! The server over real sockets, with agents that use a fake provider.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up fails")]

mod admin;
mod budgets;
mod client;
mod dashboard;
mod doors;
mod evaluations;
mod jobs;
mod mcp;
mod openai;
mod parts;
mod sessions;
mod sites;
mod stage;
mod stopping;
mod tls;
mod watching;
