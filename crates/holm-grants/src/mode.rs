//! Modes: which calls run without asking the user, by the level of their tool.
//!
//! The table below is the whole rule. A mode never widens grants: whether a call is granted at all
//! is decided in `policy.rs`, and both are combined in `holm-kernel/src/run/permit.rs`. The
//! variants are ordered from strict to wide, since a child's mode is the smaller of two.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::level::Level;
use crate::text::serde_as_text;

/// The mode of a run: which levels pass, which are asked about and which are refused.
///
/// | | none, read-only | write | execute |
/// |---|---|---|---|
/// | `plan` | allow | deny | deny |
/// | `default` | allow | ask | ask |
/// | `accept-edits` | allow | allow | ask |
/// | `full` | allow | allow | allow |
///
/// A mode never widens grants: what was not granted stays refused or asked about in every mode.
///
/// ```
/// use holm_grants::{Level, Mode, LevelDecision};
/// assert_eq!(Mode::Plan.stance(Level::Write), LevelDecision::Deny);
/// assert_eq!("accept-edits".parse(), Ok(Mode::AcceptEdits));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Mode {
    /// Look, do not touch.
    Plan,
    /// Ask before anything changes.
    #[default]
    Default,
    /// File changes pass; programs are asked about.
    AcceptEdits,
    /// Every level passes without a question.
    Full,
}

/// The decision of a mode about a level. Ordered so that the larger of two is the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LevelDecision {
    /// The call passes without a question.
    Allow,
    /// The user decides about each call.
    Ask,
    /// The call is refused without asking the user.
    Deny,
}

/// The text names no mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("unknown mode; use plan, default, accept-edits or full")]
pub struct UnknownModeError;

impl Mode {
    /// Every mode, from the strictest to the widest.
    pub const ALL: [Self; 4] = [Self::Plan, Self::Default, Self::AcceptEdits, Self::Full];

    /// The mode as text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Full => "full",
        }
    }

    /// The decision of this mode about a tool of this level.
    #[must_use]
    pub fn stance(self, level: Level) -> LevelDecision {
        match (self, level) {
            (_, Level::None | Level::ReadOnly) | (Self::Full, _) | (Self::AcceptEdits, Level::Write) => {
                LevelDecision::Allow
            }
            (Self::Plan, Level::Write | Level::Execute) => LevelDecision::Deny,
            (Self::Default, Level::Write | Level::Execute) | (Self::AcceptEdits, Level::Execute) => {
                LevelDecision::Ask
            }
        }
    }
}

impl FromStr for Mode {
    type Err = UnknownModeError;

    fn from_str(text: &str) -> Result<Self, UnknownModeError> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or(UnknownModeError)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

serde_as_text!(Mode);

#[cfg(test)]
mod tests;
