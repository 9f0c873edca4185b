//! Validation: one walk over nodes and value, counted in steps.

mod array;
mod checker;
mod logic;
mod object;
mod scalar;

pub(crate) use checker::SchemaChecker;
