//! Errors in a skill file.

use holm_grants::escaped;

/// A skill that cannot be used, with its line.
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
    /// The head cannot be read.
    #[error("{}", escaped(.0))]
    Head(String),
    /// A key that must be there is not.
    #[error("`{0}` is missing; add it to the head")]
    Missing(&'static str),
    /// A value that does not fit.
    #[error("`{}` must be {expected}", escaped(.key))]
    BadValue {
        key: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The file is larger than a model should read.
    #[error("it is larger than {most} bytes; put the rest into files beside it")]
    TooLarge {
        most: usize,
    },
}

/// The text of a skill would be larger than [`MOST_FILLED`](super::MOST_FILLED) with its arguments put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its text would be larger than 1 MiB with these arguments; put them into a file and name that")]
pub struct Overfilled;

impl SkillProblem {
    pub(super) fn at(self, line: usize) -> SkillFileError {
        SkillFileError { line, problem: self }
    }
}
