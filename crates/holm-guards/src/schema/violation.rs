//! One way in which a value breaks a schema.

use alloc::string::String;
use core::fmt;

/// How many violations one validation reports: enough to correct a call in one go,
/// few enough to read.
pub const MAX_VIOLATIONS: usize = 8;

/// One way in which a value breaks a schema, described so that the sender can correct it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation {
    /// The place in the value, as a JSON pointer.
    pub pointer: String,
    /// The keyword that was broken.
    pub keyword: &'static str,
    /// What is wrong and what to send instead.
    pub message: String,
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
