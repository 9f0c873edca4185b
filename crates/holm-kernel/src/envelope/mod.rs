//! The envelope in which untrusted output reaches the model.
//!
//! The output of a tool may contain instructions written by an attacker. The model is told that the
//! content of a `<tool_output>` is data. That helps only if the content cannot close the envelope.
//! So both tags carry a seal that no tool knows, and the text between them is left as it was. Text
//! that has no envelope of its own but stands near one is defused instead.
//!
//! Where things are:
//!
//! - `envelope/seal.rs`: wraps a body in its tags, and opens it again.
//! - `envelope/body.rs`: which part of a long text the body holds.
//! - `envelope/defuse.rs`: makes tags in text without an envelope harmless.
//!
//! The seal of a call comes from `run/turn.rs` and must stay secret until the result is shown.
//! Shortening a result that is already sealed is done in `context/envelope_parts.rs`.

mod body;
mod defuse;
mod seal;
#[cfg(test)]
mod tests;

pub(crate) use body::{EnvelopeBody, ExcerptBias};
pub(crate) use seal::seal;
pub use seal::{defused, open};
