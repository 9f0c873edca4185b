//! Files: concrete paths in normal form, and patterns of them whose containment is decided exactly.

mod containment;
mod file;
mod pattern;
mod walk;

#[cfg(test)]
mod tests;

pub use file::FilePath;
pub use pattern::PathPattern;
pub(crate) use pattern::{PatternSegment, PatternTail};
