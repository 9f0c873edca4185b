//! Validation: one walk over nodes and value, counted in steps.
//!
//! A validation has a budget of steps and a limit of nesting, and a spent budget means invalid. So
//! no schema and no value of a stranger can make it slow. Compiling is in `schema/compile/`, the
//! wording of violations in `schema/message.rs`, repair in `repair/`.
//!
//! Where things are:
//!
//! - `schema/check/checker.rs`: the walk, its budget and its report.
//! - `schema/check/scalar.rs`: `enum`, `const`, numbers and strings.
//! - `schema/check/array.rs`: arrays.
//! - `schema/check/object.rs`: objects.
//! - `schema/check/logic.rs`: `allOf`, `anyOf`, `oneOf`, `not`, `if`, and unevaluated parts.

mod array;
mod checker;
mod logic;
mod object;
mod scalar;

pub(crate) use checker::SchemaChecker;
