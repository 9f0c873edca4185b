//! The errors in a skill file, each with its line. They are found in `skill.rs`, `fill.rs` and
//! `contract.rs`; this file only words them.

use holm_grants::escaped;

/// An error in a skill file, with its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SkillFileError {
    /// The line, from 1.
    pub line: usize,
    pub problem: SkillProblem,
}

/// What is wrong with a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillProblem {
    /// The front matter cannot be parsed.
    #[error("{}", escaped(.0))]
    Head(String),
    /// A required key is missing.
    #[error("`{0}` is missing; add it to the head")]
    Missing(&'static str),
    /// A value is invalid.
    #[error("`{}` must be {expected}", escaped(.key))]
    BadValue {
        key: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The file is larger than a model should read.
    #[error("it is larger than {most} bytes; put the rest into files beside it")]
    TooLarge { most: usize },
}

/// With its arguments, the text of a skill would be larger than
/// [`MOST_FILLED`](super::MOST_FILLED).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its text would be larger than 1 MiB with these arguments; put them into a file and name that")]
pub struct SkillOverflowError;

impl SkillProblem {
    pub(super) fn at(self, line: usize) -> SkillFileError {
        SkillFileError { line, problem: self }
    }
}
