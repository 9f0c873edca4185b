//! Compares Holm with independent clients: the official Python SDKs check the provider double, and
//! Holm's decoders.
//!
//! `scripts/setup sdks` puts them into the user's cache; without them these tests fail and say so.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that meets the unexpected should stop")]

mod corpus;
mod double;
mod oracle;
mod python;
#[path = "../models/streams.rs"]
mod streams;
mod told;
