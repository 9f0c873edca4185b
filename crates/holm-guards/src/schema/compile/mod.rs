//! Turns a document into nodes.
//!
//! A demand that cannot be enforced is listed, so that no caller relies on it; a document that
//! cannot be a schema is an error. Nothing is fetched. Validation is in `schema/check/`.
//!
//! Where things are:
//!
//! - `schema/compile/compiler.rs`: the queue, the limits and the places in the document.
//! - `schema/compile/rules.rs`: the keywords, group by group.
//! - `schema/compile/read.rs`: the values of keywords.

mod compiler;
mod read;
mod rules;

pub(super) use compiler::compile;
