//! The most that a tool can do, as its author or the user declares: nothing, read, write or
//! execute.
//!
//! The order of the variants is part of the rules: a higher level includes the lower ones. Which
//! levels run without a question is decided in `mode.rs`. A level says nothing about which files or
//! hosts; that is what needs are for (`template/parse.rs`).

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::text::serde_as_text;

/// The most that a tool can do to the world, in rising order.
///
/// ```
/// use holm_grants::Level;
/// assert!(Level::None < Level::ReadOnly && Level::Write < Level::Execute);
/// assert_eq!("read-only".parse(), Ok(Level::ReadOnly));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Touches nothing: it computes, or talks to the person.
    None,
    /// Looks at files or at the network.
    ReadOnly,
    Write,
    /// Runs programs, or does anything else that a program could do.
    Execute,
}

/// The text names no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("unknown level; use none, read-only, write or execute")]
pub struct UnknownLevelError;

impl Level {
    /// Every level, in rising order.
    pub const ALL: [Self; 4] = [Self::None, Self::ReadOnly, Self::Write, Self::Execute];

    /// The level as text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReadOnly => "read-only",
            Self::Write => "write",
            Self::Execute => "execute",
        }
    }
}

impl FromStr for Level {
    type Err = UnknownLevelError;

    fn from_str(text: &str) -> Result<Self, UnknownLevelError> {
        Self::ALL.into_iter().find(|level| level.as_str() == text).ok_or(UnknownLevelError)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

serde_as_text!(Level);
