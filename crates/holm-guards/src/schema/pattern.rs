//! ECMAScript patterns in linear time.
//!
//! Schemas use JavaScript's regular expressions, and validation only needs to know whether one
//! matches somewhere. That needs no captures and no order of preference, only sets of states. So
//! the engine is small: a parser, a program and a search that remembers its steps. Syntax that
//! linear time forbids (look-around, back-references) is reported as a gap and never half-enforced.
//!
//! Where things are:
//!
//! - `schema/pattern/parse.rs`: the syntax.
//! - `schema/pattern/node.rs`: a pattern as a tree.
//! - `schema/pattern/program.rs`: as instructions.
//! - `schema/pattern/search.rs`: runs them over a text.
//!
//! Patterns come from strangers, so no change may give up linear time or the limits on their size.

mod node;
mod parse;
mod program;
mod search;

#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::sync::Arc;

use self::program::PatternProgram;
use super::SupportGap;

/// Patterns above this length are refused before anything is made of them.
const LENGTH_LIMIT: usize = 16 * 1024;

/// A regular expression as JSON Schema writes it: JavaScript's syntax, unanchored,
/// matched in linear time.
///
/// `\d`, `\w` and `\b` are ASCII as in JavaScript. Unicode properties (`\p{…}`) are not supported.
///
/// ```
/// use holm_guards::schema::EcmaPattern;
///
/// let pattern = EcmaPattern::compile(r"^\d{3}-\u0041$")?;
/// assert!(pattern.is_match("123-A"));
/// assert!(!pattern.is_match("12-A"));
/// # Ok::<(), holm_guards::schema::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EcmaPattern {
    program: Arc<PatternProgram>,
    text: String,
}

impl EcmaPattern {
    /// Compiles a pattern in JavaScript's syntax.
    ///
    /// # Errors
    /// [`PatternError::Malformed`] if it is not a regular expression, [`PatternError::Unsupported`]
    /// if it cannot be matched in bounded time and memory.
    pub fn compile(text: &str) -> Result<Self, PatternError> {
        if text.len() > LENGTH_LIMIT {
            return Err(PatternError::Unsupported(SupportGap::PatternTooLarge));
        }
        let parsed = parse::parse(text)?;
        let program =
            PatternProgram::of(&parsed).ok_or(PatternError::Unsupported(SupportGap::PatternTooLarge))?;
        Ok(Self { program: Arc::new(program), text: text.to_string() })
    }

    /// Whether the pattern matches somewhere in the text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        search::is_match(&self.program, text)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for EcmaPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for EcmaPattern {}

/// A pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is not a regular expression.
    #[error("{0}")]
    Malformed(String),
    /// It is one, but not one that can be enforced here.
    #[error("{0}")]
    Unsupported(SupportGap),
}
