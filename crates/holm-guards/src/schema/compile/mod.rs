//! Turns a document into nodes.

mod compiler;
mod read;
mod rules;

pub(super) use compiler::compile;
