//! Replaces an exact piece of a text file. What is to be replaced must be found exactly once, or all of it is meant.

mod replace;
mod tool;

pub use replace::{Count, Replaced, replace};
pub use tool::{TOOL, work};

#[cfg(test)]
mod tests;
