//! Finds files by their names.

mod tool;

pub use tool::{TOOL, work};

#[cfg(test)]
mod tests;
