//! Replaces an exact piece of a text file. The piece must occur exactly once, unless the call asks
//! to replace all occurrences.

mod replace;
mod tool;

pub use replace::{ReplaceCount, ReplacedText, replace};
pub use tool::{TOOL, work};

#[cfg(test)]
mod tests;
