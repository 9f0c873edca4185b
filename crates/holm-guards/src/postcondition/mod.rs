//! What a tool promises about its own output, and whether the output keeps it.
//!
//! [Plausibility](crate::plausibility) knows what no result looks like; only the tool knows what
//! *its* results look like. It says so as data ([`Postcondition`]), which travels with the tool's
//! description, is compiled once ([`CompiledPostconditions`]) and judged in every host alike.
//! Programs that check a result are declared here and run by the host.
//!
//! Where things are:
//!
//! - `postcondition/declaration.rs`: the promises, as a tool declares them.
//! - `postcondition/compiled_postconditions.rs`: the promises, compiled and evaluated.
//!
//! The host runs such programs in `holm-runtime/src/check.rs`.

mod compiled_postconditions;
mod declaration;

pub use compiled_postconditions::{
    CompiledPostconditions, PostconditionError, PostconditionErrorKind, PostconditionResult,
};
pub use declaration::{Must, Postcondition, Rule};

#[cfg(test)]
mod tests;
