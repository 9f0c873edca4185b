//! Searches the text of files, on the crates of ripgrep.

mod lines;
mod tool;

pub use tool::{TOOL, work};

#[cfg(test)]
mod tests;
