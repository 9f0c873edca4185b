//! The envelope in which untrusted output reaches the model.
//!
//! The output of a tool may contain instructions written by an attacker. The model is told that the
//! content of a `<tool_output>` is data. That helps only if the content cannot close the envelope.
//! So both tags carry a seal that no tool knows, and the text between them is left as it was.

mod body;
mod defuse;
mod seal;
#[cfg(test)]
mod tests;

pub(crate) use body::{EnvelopeBody, ExcerptBias};
pub(crate) use seal::seal;
pub use seal::{defused, open};
