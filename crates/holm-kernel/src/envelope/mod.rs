//! The envelope in which untrusted output reaches the model.
//!
//! Whatever a tool returns may have been written by somebody who wants to be obeyed. The model is told that what stands
//! inside a `<tool_output>` is data; that is worth something only if the inside cannot end the envelope. So both tags carry
//! a seal that no tool knows, and the text between them is left exactly as it was.

mod body;
mod defuse;
mod seal;
#[cfg(test)]
mod tests;

pub(crate) use body::{Body, Ends};
pub(crate) use seal::seal;
pub use seal::{defused, open};
