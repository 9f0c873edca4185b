//! Checks whether an output that claims success looks like one.
//!
//! A tool can exit with zero and still have told the model nothing: no output where data was
//! promised, a header without rows, or an error message on standard output. A model builds on such
//! a result as if it were true, so it is caught here, before the run believes it. The guard is a
//! sanity check on the text alone; what a result must *say* is the business of
//! [postconditions](crate::postcondition).
//!
//! Where the text cannot decide, a tool's declaration does: see [`Expectation`].
//!
//! Where things are:
//!
//! - `plausibility/guard.rs`: the order of the checks and the messages.
//! - `plausibility/metadata.rs`: outputs without data.
//! - `plausibility/disguised_errors.rs`: errors that claim success.
//! - `plausibility/expectation.rs`: what a tool declares.
//! - `plausibility/observed_output.rs`: the part of a result that is seen.
//! - `plausibility/compat.rs`: the rules of agent.rs.
//! - `plausibility/ascii.rs`: comparing without case.

mod ascii;
mod compat;
mod disguised_errors;
mod expectation;
mod guard;
mod metadata;
mod observed_output;

pub use expectation::{EmptyOutput, ErrorText, Expectation};
pub use guard::{GUARD, PlausibilityFinding, PlausibilityResult, judge};
pub use observed_output::{CallOutcome, ObservedOutput};

#[cfg(test)]
mod tests;
