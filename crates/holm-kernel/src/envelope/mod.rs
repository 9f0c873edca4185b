//! The envelope in which untrusted output reaches the model.
//!
//! Whatever a tool returns may have been written by somebody who wants to be obeyed. The model is told that what stands
//! inside a `<tool_output>` is data; that is worth something only if the inside cannot end the envelope or begin another. So
//! everything in a body that a reader could take for the tag is defused, and both tags carry a seal which no tool knows.

mod body;
mod defuse;
mod seal;

#[cfg(test)]
mod tests;

pub(crate) use body::Body;
pub(crate) use seal::{defused, open, seal};
