//! Files: concrete paths in normal form, and patterns of them whose containment is decided exactly.
//!
//! Nothing here opens a file or follows a link. The caller opens the normal form beneath a handle
//! of the root, as `holm-tools/src/root/` and `holm-sandbox/src/files/` do.
//!
//! Where things are:
//!
//! - `path/file.rs`: a concrete path.
//! - `path/pattern.rs`: a pattern of paths.
//! - `path/walk.rs`: whether a path fits a pattern.
//! - `path/containment.rs`: whether a pattern contains another.

mod containment;
mod file;
mod pattern;
mod walk;

#[cfg(test)]
mod tests;

pub use file::FilePath;
pub use pattern::PathPattern;
pub(crate) use pattern::{PatternSegment, PatternTail};
